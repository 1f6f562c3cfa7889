package guidance

import "testing"

// TestCutTexts reads every short post of ours broken off at each of its words, and from each of them on: a feed or a paste
// may cut a post anywhere, and rules look at the words beside a word.
func TestCutTexts(t *testing.T) {
	const short = 600
	for _, p := range ownPosts(t) {
		body := p.post.Body
		for i := 1; i < len(body) && len(body) < short; i++ {
			if body[i] == ' ' || body[i-1] == ' ' {
				readCut(t, p.name, p.post, body[:i])
				readCut(t, p.name, p.post, body[i:])
			}
		}
	}
}

func readCut(t *testing.T, name string, p Post, body string) {
	defer func() {
		if e := recover(); e != nil {
			t.Errorf("%s, cut to %q: %v", name, body, e)
		}
	}()
	p.Body = body
	checkInvariants(t, Explain(p, Known{}))
}
