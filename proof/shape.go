package proof

import "bytes"

// shape is what a verification of a whole archive needs of a leaf: read in one go, since ParseLeaf would take most of its
// time.
type shape struct {
	// state and body are hashes in hex, empty where the leaf has none; version says that it is no "seen" entry.
	state, body []byte
	version     bool
}

// readShape reads a leaf that has the members of Leaf in their canonical order and no others, so that nothing in it can be
// read in two ways. Whatever ParseLeaf takes it takes too.
func readShape(leaf []byte) (shape, bool) {
	var s shape
	c := cursor{leaf}
	ok := c.text(`{"fetch":{`)
	first := true
	for _, name := range [...]string{"body", "etag", "last_modified", "status", "tls_host", "url"} {
		comma := `,"`
		if first {
			comma = `"`
		}
		if !c.text(comma + name + `":`) {
			continue
		}
		first = false
		if name == "status" {
			ok = ok && c.number()
			continue
		}
		value, good := c.quoted()
		ok = ok && good
		if name == "body" {
			s.body = value
		}
	}
	member := func(name string) []byte {
		good := c.text(name)
		value, quoted := c.quoted()
		ok = ok && good && quoted
		return value
	}
	member(`},"incident":`)
	kind := member(`,"kind":`)
	ok = ok && c.text(`,"number":`) && c.number()
	if c.text(`,"previous":`) {
		_, good := c.quoted()
		ok = ok && good
	}
	member(`,"provider":`)
	member(`,"seen_at":`)
	s.state = member(`,"state":`)
	s.version = string(kind) == KindVersion
	return s, ok && (s.version || string(kind) == KindSeen) && c.text(`,"v":1}`) && len(c.rest) == 0
}

// cursor takes parts of a JSON text from its front.
type cursor struct{ rest []byte }

func (c *cursor) text(want string) bool {
	rest, ok := bytes.CutPrefix(c.rest, []byte(want))
	c.rest = rest
	return ok
}

// number takes a whole number, also one below zero.
func (c *cursor) number() bool {
	c.text("-")
	n := 0
	for n < len(c.rest) && c.rest[n] >= '0' && c.rest[n] <= '9' {
		n++
	}
	c.rest = c.rest[n:]
	return n > 0
}

// quoted takes a string and returns what stands between its quotes.
func (c *cursor) quoted() ([]byte, bool) {
	if !c.text(`"`) {
		return nil, false
	}
	for n := 0; n < len(c.rest); n++ {
		switch c.rest[n] {
		case '\\':
			n++
		case '"':
			value := c.rest[:n]
			c.rest = c.rest[n+1:]
			return value, true
		}
	}
	return nil, false
}
