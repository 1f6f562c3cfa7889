package scan

import (
	"bytes"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"downwind/internal/pattern"
)

// maxYAMLNodes bounds the tree of one file, aliases counted each time they are followed.
const maxYAMLNodes = 200_000

// aliasCost makes nodes that an alias repeats cost more of that budget, so that bombs end early.
const aliasCost = 10

// maxDocuments bounds the documents of one file.
const maxDocuments = 10_000

// maxYAML is the largest YAML text that is read as a tree.
const maxYAML = 4 << 20

var yamlLine = pattern.New(`line (\d+)`)

// YAML reads all documents of a file. A document that is not YAML (or a template) is tried again with its template
// lines blanked; when that fails too, a problem tells the line and the other documents are still read.
func YAML(b []byte) ([]*Node, []Problem) {
	if len(b) > maxYAML {
		return nil, []Problem{{Line: 1, Summary: "more than 4 MB of YAML: not read"}}
	}
	whole, faults := yamlDocuments(b, 0)
	if len(faults) == 0 {
		return whole, nil
	}
	var docs []*Node
	var probs []Problem
	for _, part := range splitDocuments(b) {
		d, p := whole, faults
		if len(part.text) < len(b) {
			d, p = yamlDocuments(part.text, part.line)
		}
		if len(p) > 0 {
			if again, p2 := yamlDocuments(BlankTemplates(part.text), part.line); len(p2) == 0 {
				d, p = again, nil
			}
		}
		docs, probs = append(docs, d...), append(probs, p...)
	}
	return docs, probs
}

// CheckYAML returns the problems of YAML for those who need no tree.
func CheckYAML(b []byte) []Problem {
	if _, ok := blockYAML(b, 0, true); ok && len(b) <= maxYAML {
		return nil
	}
	_, probs := YAML(b)
	return probs
}

func yamlDocuments(b []byte, offset int) (docs []*Node, probs []Problem) {
	if docs, ok := blockYAML(b, offset, false); ok {
		return docs, nil
	}
	return libraryYAML(b, offset)
}

// libraryYAML reads all documents up to the first damage.
func libraryYAML(b []byte, offset int) (docs []*Node, probs []Problem) {
	dec := yaml.NewDecoder(bytes.NewReader(b))
	budget := maxYAMLNodes
	for range maxDocuments {
		var y yaml.Node
		fault, err := decodeYAML(dec, &y)
		if err != nil || fault != "" {
			if err != nil && err.Error() == "EOF" {
				return docs, probs
			}
			line, what := 1, fault
			if err != nil {
				what = strings.TrimPrefix(err.Error(), "yaml: ")
				if m := yamlLine.FindStringSubmatch(what); m != nil {
					line, _ = strconv.Atoi(m[1])
					_, what, _ = strings.Cut(what, ": ")
				}
			}
			return docs, append(probs, Problem{Line: line + offset, Summary: what})
		}
		n := convertYAML(&y, offset, 0, &budget, map[*yaml.Node]bool{})
		if budget <= 0 {
			probs = append(probs, Problem{Line: 1 + offset, Summary: "aliases or values beyond 200,000: the rest is not read"})
			return append(docs, n), probs
		}
		if n != nil {
			docs = append(docs, n)
		}
	}
	return docs, probs
}

// decodeYAML turns a panic of the library into words: hostile input must not end the process.
func decodeYAML(dec *yaml.Decoder, y *yaml.Node) (fault string, err error) {
	defer func() {
		if recover() != nil {
			fault = "not readable as YAML"
		}
	}()
	return "", dec.Decode(y)
}

func convertYAML(y *yaml.Node, offset, depth int, budget *int, open map[*yaml.Node]bool) *Node {
	*budget--
	if len(open) > 0 {
		*budget -= aliasCost - 1
	}
	if *budget <= 0 || depth > MaxDepth {
		return nil
	}
	n := &Node{Line: y.Line + offset}
	switch y.Kind {
	case yaml.DocumentNode:
		if len(y.Content) == 0 {
			return nil
		}
		return convertYAML(y.Content[0], offset, depth+1, budget, open)
	case yaml.AliasNode:
		if y.Alias == nil || open[y.Alias] {
			return nil
		}
		open[y.Alias] = true
		defer delete(open, y.Alias)
		return convertYAML(y.Alias, offset, depth+1, budget, open)
	case yaml.SequenceNode:
		n.Kind = List
		for _, c := range y.Content {
			if v := convertYAML(c, offset, depth+1, budget, open); v != nil {
				n.Items = append(n.Items, v)
			}
		}
	case yaml.MappingNode:
		n.Kind = Map
		for i := 0; i+1 < len(y.Content); i += 2 {
			k, v := y.Content[i], convertYAML(y.Content[i+1], offset, depth+1, budget, open)
			if v == nil {
				continue
			}
			if k.Tag == "!!merge" || k.Value == "<<" {
				for _, m := range v.All() {
					n.Fields = append(n.Fields, m.Fields...)
				}
				continue
			}
			n.Fields = append(n.Fields, Field{Key: k.Value, Line: k.Line + offset, Value: v})
		}
	default:
		n.Kind, n.Text, n.Block = kindOf(y.Tag), y.Value, y.Style&yaml.LiteralStyle != 0
	}
	return n
}

// kindOf is the kind of a scalar with a tag.
func kindOf(tag string) Kind {
	switch tag {
	case "!!null":
		return Null
	case "!!bool":
		return Bool
	case "!!int", "!!float":
		return Number
	}
	return String
}

type document struct {
	text []byte
	line int
}

func splitDocuments(b []byte) []document {
	var out []document
	at, line, first := 0, 0, 0
	for i := 0; i < len(b); {
		end := bytes.IndexByte(b[i:], '\n')
		if end < 0 {
			end = len(b)
		} else {
			end += i + 1
		}
		if bytes.HasPrefix(b[i:end], []byte("---")) && i > at {
			out = append(out, document{b[at:i], first})
			at, first = i, line
		}
		line++
		i = end
	}
	return append(out, document{b[at:], first})
}

var (
	templateTag  = pattern.New(`\{\{[^{}\n]*\}\}|<%[^\n]*?%>`)
	templateOnly = pattern.New(`^\s*(-\s*)?(\{\{.*\}\}|<%.*%>)\s*$`)
)

// BlankTemplates empties lines that are nothing but a Helm, Jinja or ERB tag and replaces tags inside other lines by
// the word TEMPLATE, so that what is left may be YAML. Conflict markers are emptied too. Line numbers stay.
func BlankTemplates(b []byte) []byte {
	lines := bytes.Split(b, []byte{'\n'})
	for i, l := range lines {
		switch {
		case templateOnly.Match(l), isConflict(l):
			lines[i] = nil
		case bytes.Contains(l, []byte("{{")) || bytes.Contains(l, []byte("<%")):
			lines[i] = templateTag.ReplaceAll(l, []byte("TEMPLATE"))
		}
	}
	return bytes.Join(lines, []byte{'\n'})
}

func isConflict(l []byte) bool {
	return bytes.HasPrefix(l, []byte("<<<<<<< ")) || bytes.HasPrefix(l, []byte(">>>>>>> ")) || bytes.Equal(bytes.TrimSpace(l), []byte("======="))
}
