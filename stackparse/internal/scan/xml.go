package scan

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"iter"
	"strings"
)

// XML reads a document into a tree: elements become Maps whose fields are their children by local name, attributes are
// fields "@name", and an element without children is a String. External entities are never fetched. Damage ends the
// reading with a problem; what came before stays.
func XML(b []byte) (*Node, []Problem) {
	if len(b) > maxTree {
		return &Node{Kind: Map, Line: 1}, tooLarge("XML")
	}
	return XMLOf(bytes.NewReader(b), nil)
}

// XMLOf is XML for a text that is read meanwhile. At the end of each element it calls take with the names of the elements that
// are open, outermost first, and this one: what take wants for itself is not kept in the tree.
func XMLOf(r io.Reader, take func(names []string, n *Node) bool) (*Node, []Problem) {
	root := &Node{Kind: Map, Line: 1}
	dec := xml.NewDecoder(r)
	dec.Strict = false
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	stack := []*Node{root}
	var names []string
	end := func() {
		n := stack[len(stack)-1]
		n.Text = strings.TrimSpace(n.Text)
		stack = stack[:len(stack)-1]
		if above := stack[len(stack)-1]; take != nil && take(names, n) {
			above.Fields = above.Fields[:len(above.Fields)-1]
		}
		names = names[:len(names)-1]
	}
	stop := func(line int, what string) (*Node, []Problem) {
		for len(stack) > 1 { // what was read of them stays
			end()
		}
		return root, []Problem{{Line: line, Summary: what}}
	}
	for {
		line, _ := dec.InputPos()
		tok, err := dec.Token()
		if err != nil {
			if errors.Is(err, io.EOF) && len(stack) <= 1 {
				return root, nil
			}
			return stop(line, "XML: "+strings.TrimPrefix(err.Error(), "XML syntax error on "))
		}
		top := stack[len(stack)-1]
		switch t := tok.(type) {
		case xml.StartElement:
			if len(stack) > MaxDepth {
				return stop(line, "nested deeper than 512 levels")
			}
			n := &Node{Kind: String, Line: line}
			if len(t.Attr) > 0 {
				n.Fields = make([]Field, 0, len(t.Attr))
			}
			for _, a := range t.Attr {
				n.Kind = Map
				n.Fields = append(n.Fields, Field{"@" + a.Name.Local, line, &Node{Kind: String, Text: a.Value, Line: line}})
			}
			top.Kind = Map
			top.Fields = append(top.Fields, Field{t.Name.Local, line, n})
			stack, names = append(stack, n), append(names, t.Name.Local)
		case xml.EndElement:
			if len(stack) > 1 {
				end()
			}
		case xml.CharData:
			if top.Text == "" {
				t = bytes.TrimLeft(t, " \t\r\n") // mostly all of it: what stands between elements
			}
			if len(t) > 0 && len(top.Text) < 4096 {
				top.Text += string(t)
			}
		}
	}
}

// Values goes through all values of a key of a Map, in order: repeated elements, duplicates.
func (n *Node) Values(key string) iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		if n == nil {
			return
		}
		for _, f := range n.Fields {
			if f.Key == key && !yield(f.Value) {
				return
			}
		}
	}
}

// Count is how many values a key of a Map has.
func (n *Node) Count(key string) int {
	count := 0
	for range n.Values(key) {
		count++
	}
	return count
}

// Inner returns the text of an XML element, with or without attributes.
func (n *Node) Inner() string {
	if n == nil {
		return ""
	}
	return strings.TrimSpace(n.Text)
}
