// Package scan reads the syntaxes that stack files are written in (JSON with its relatives, YAML, TOML, loose lines)
// into one kind of tree with line numbers. It is tolerant: what stands before or beside damage is kept, depth and
// size are bounded, and nothing is ever expanded.
package scan

import "fmt"

// MaxDepth is the deepest nesting that is read; what lies deeper is skipped with a problem.
const MaxDepth = 512

// maxTree is the largest text that is read as a tree, which takes up to ten times its size.
const maxTree = 16 << 20

func tooLarge(syntax string) []Problem {
	return []Problem{{Line: 1, Summary: fmt.Sprintf("more than %d MB of %s: not read", maxTree>>20, syntax)}}
}

// Kind is the sort of a Node.
type Kind uint8

// The sorts of nodes.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

// A Node is one value of a file. A nil Node stands for "not there": all methods accept it.
type Node struct {
	Kind Kind
	// Block says that Text is a literal block of YAML, each of whose lines stands on one of the lines after Line.
	Block bool
	// Line counts from 1.
	Line int
	// Text is the value of a scalar as written, unquoted.
	Text string
	// Items are the elements of a List; Fields those of a Map in the order of the file, duplicates kept.
	Items  []*Node
	Fields []Field
}

// A Field is one entry of a Map.
type Field struct {
	Key string
	// Line is that of the key.
	Line  int
	Value *Node
}

// A Problem is something in the file that could not be read.
type Problem struct {
	Line    int
	Summary string
}

// Get descends by keys; nil where a key is missing. Of duplicates the last wins.
func (n *Node) Get(keys ...string) *Node {
	for _, k := range keys {
		if n == nil || n.Kind != Map {
			return nil
		}
		var next *Node
		for i := len(n.Fields) - 1; i >= 0; i-- {
			if n.Fields[i].Key == k {
				next = n.Fields[i].Value
				break
			}
		}
		n = next
	}
	return n
}

// Str returns the text of a scalar, "" for everything else.
func (n *Node) Str() string {
	if n == nil || n.Kind == List || n.Kind == Map || n.Kind == Null {
		return ""
	}
	return n.Text
}

// Each calls f for every field of a Map, in order.
func (n *Node) Each(f func(key string, line int, v *Node)) {
	if n == nil {
		return
	}
	for _, x := range n.Fields {
		f(x.Key, x.Line, x.Value)
	}
}

// All returns the elements of a List; a scalar or Map counts as a list of itself.
func (n *Node) All() []*Node {
	switch {
	case n == nil || n.Kind == Null:
		return nil
	case n.Kind == List:
		return n.Items
	}
	return []*Node{n}
}

// Walk visits every scalar below n with the key it belongs to (list elements have their list's key).
func (n *Node) Walk(f func(key string, v *Node)) { n.walk("", 0, f) }

func (n *Node) walk(key string, depth int, f func(string, *Node)) {
	if n == nil || depth > MaxDepth {
		return
	}
	switch n.Kind {
	case Map:
		for _, x := range n.Fields {
			x.Value.walk(x.Key, depth+1, f)
		}
	case List:
		for _, x := range n.Items {
			x.walk(key, depth+1, f)
		}
	default:
		f(key, n)
	}
}

// WalkNamed visits every Map below n, n included, outermost first, with the key it belongs to (list elements have their
// list's key); "" for n.
func (n *Node) WalkNamed(f func(key string, m *Node)) { n.walkNamed("", 0, f) }

func (n *Node) walkNamed(key string, depth int, f func(string, *Node)) {
	if n == nil || depth > MaxDepth {
		return
	}
	if n.Kind == Map {
		f(key, n)
	}
	for _, x := range n.Fields {
		x.Value.walkNamed(x.Key, depth+1, f)
	}
	for _, x := range n.Items {
		x.walkNamed(key, depth+1, f)
	}
}

// WalkMaps visits every Map below n, n included, outermost first.
func (n *Node) WalkMaps(f func(m *Node)) { n.walkMaps(0, f) }

func (n *Node) walkMaps(depth int, f func(*Node)) {
	if n == nil || depth > MaxDepth {
		return
	}
	if n.Kind == Map {
		f(n)
	}
	for _, x := range n.Fields {
		x.Value.walkMaps(depth+1, f)
	}
	for _, x := range n.Items {
		x.walkMaps(depth+1, f)
	}
}
