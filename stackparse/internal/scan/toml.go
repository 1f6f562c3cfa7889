package scan

import (
	"bytes"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// TOML reads a document into a tree. At damage it keeps what came before and goes on after the next line that starts
// a table.
func TOML(b []byte) (*Node, []Problem) {
	root := &Node{Kind: Map, Line: 1}
	if len(b) > maxTree {
		return root, tooLarge("TOML")
	}
	var probs []Problem
	offset := 0
	for tries := 0; tries < 20; tries++ {
		line, msg := readTOML(root, b, offset)
		if msg == "" {
			return root, probs
		}
		probs = append(probs, Problem{Line: line + offset, Summary: msg})
		next := nextTable(b, line)
		if next < 0 {
			return root, probs
		}
		offset += bytes.Count(b[:next], []byte{'\n'})
		b = b[next:]
	}
	return root, probs
}

// nextTable returns the offset of the first table header after a line, -1 without.
func nextTable(b []byte, line int) int {
	n := 1
	for i := 0; i < len(b); n++ {
		if n > line && b[i] == '[' {
			return i
		}
		end := bytes.IndexByte(b[i:], '\n')
		if end < 0 {
			return -1
		}
		i += end + 1
	}
	return -1
}

type tomlReader struct {
	b            []byte
	p            unstable.Parser
	offset       int
	line, seen   int
	root, target *Node
}

func readTOML(root *Node, b []byte, offset int) (line int, msg string) {
	r := &tomlReader{b: b, offset: offset, root: root, target: root, line: 1}
	r.p.Reset(b)
	defer func() {
		if recover() != nil {
			line, msg = r.line, "not readable as TOML"
		}
	}()
	for r.p.NextExpression() {
		r.expression(r.p.Expression())
	}
	if err := r.p.Error(); err != nil {
		line := r.line
		if pe, ok := err.(*unstable.ParserError); ok && len(pe.Highlight) > 0 {
			line = r.p.Shape(r.p.Range(pe.Highlight)).Start.Line
		}
		return line, strings.TrimPrefix(err.Error(), "toml: ")
	}
	return 0, ""
}

func (r *tomlReader) lineAt(off int) int {
	if off < r.seen {
		return r.offset + 1 + bytes.Count(r.b[:off], []byte{'\n'})
	}
	r.line += bytes.Count(r.b[r.seen:off], []byte{'\n'})
	r.seen = off
	return r.offset + r.line
}

func (r *tomlReader) expression(e *unstable.Node) {
	switch e.Kind {
	case unstable.Table, unstable.ArrayTable:
		n := r.root
		keys, line := r.keys(e)
		for i, k := range keys {
			last := i == len(keys)-1
			child := n.Get(k)
			switch {
			case last && e.Kind == unstable.ArrayTable:
				if child == nil || child.Kind != List {
					child = &Node{Kind: List, Line: line}
					n.Fields = append(n.Fields, Field{k, line, child})
				}
				item := &Node{Kind: Map, Line: line}
				child.Items = append(child.Items, item)
				child = item
			case child != nil && child.Kind == List && len(child.Items) > 0:
				child = child.Items[len(child.Items)-1]
			case child == nil || child.Kind != Map:
				child = &Node{Kind: Map, Line: line}
				n.Fields = append(n.Fields, Field{k, line, child})
			}
			n = child
		}
		r.target = n
	case unstable.KeyValue:
		r.keyValue(r.target, e, 0)
	}
}

func (r *tomlReader) keys(e *unstable.Node) (keys []string, line int) {
	for it := e.Key(); it.Next(); {
		k := it.Node()
		keys = append(keys, string(k.Data))
		if line == 0 {
			line = r.lineAt(int(k.Raw.Offset))
		}
	}
	return keys, line
}

func (r *tomlReader) keyValue(n *Node, e *unstable.Node, depth int) {
	keys, line := r.keys(e)
	if len(keys) == 0 {
		return
	}
	for _, k := range keys[:len(keys)-1] {
		child := n.Get(k)
		if child == nil || child.Kind != Map {
			child = &Node{Kind: Map, Line: line}
			n.Fields = append(n.Fields, Field{k, line, child})
		}
		n = child
	}
	n.Fields = append(n.Fields, Field{keys[len(keys)-1], line, r.value(e.Value(), line, depth+1)})
}

func (r *tomlReader) value(v *unstable.Node, line, depth int) *Node {
	n := &Node{Line: line, Text: string(v.Data)}
	if v.Raw.Length > 0 {
		n.Line = r.lineAt(int(v.Raw.Offset))
	}
	if depth > MaxDepth {
		return n
	}
	switch v.Kind {
	case unstable.Array:
		n.Kind = List
		for it := v.Children(); it.Next(); {
			if c := it.Node(); c.Kind != unstable.Comment {
				n.Items = append(n.Items, r.value(c, n.Line, depth+1))
			}
		}
	case unstable.InlineTable:
		n.Kind = Map
		for it := v.Children(); it.Next(); {
			if c := it.Node(); c.Kind == unstable.KeyValue {
				r.keyValue(n, c, depth+1)
			}
		}
	case unstable.Bool:
		n.Kind = Bool
	case unstable.Integer, unstable.Float:
		n.Kind = Number
	default:
		n.Kind = String
	}
	return n
}
