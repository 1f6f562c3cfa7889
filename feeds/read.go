package feeds

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"strconv"
	"strings"
	"time"

	"downwind"
)

// A Reading is what one poll of a source brought.
type Reading struct {
	Document downwind.Document
	// Payloads are the bodies that made the document, in plan order; those of a poll without news are none.
	Payloads []Payload
	// First is the answer of the first endpoint, with validators.
	First Response
	// Changed is false when the first endpoint says what it said before; Document is then empty.
	Changed bool
	// Endpoint is the fallback that answered in place of the plan, empty when the plan did.
	Endpoint string
	// Mark remembers the reading: hashes of the first body and of what it means (Source.BodyHash).
	Mark string
}

// Read reads a page once through its adapter's whole request plan: what `downwind feed PROVIDER` does. endpoint narrows the
// plan to one address (a pasted feed); empty: the plan of the page.
func Read(ctx context.Context, f *Fetcher, a Adapter, provider, pageURL, endpoint string) (Reading, error) {
	r := planReader{fetcher: f, adapter: a, provider: provider, plan: planOf(a, pageURL, endpoint), whole: true, force: true, fallback: true}
	return r.read(ctx)
}

// planOf returns the request plan of a source: that of its page, or of the page that the endpoint belongs to after a move or
// where the page told it; an endpoint that is no plan's first address is read alone.
func planOf(a Adapter, pageURL, endpoint string) []Endpoint {
	if endpoint == "" {
		return a.Endpoints(pageURL)
	}
	for _, from := range []string{pageURL, JoinURL(endpoint, ""), endpoint} {
		if plan := a.Endpoints(from); len(plan) > 0 && plan[0].URL == endpoint {
			return plan
		}
	}
	return []Endpoint{{URL: endpoint, Every: 1}}
}

// planReader executes a request plan.
type planReader struct {
	fetcher *Fetcher
	adapter Adapter
	// adapters are all, to notice that an answer is rather of another platform; nil: not noticed.
	adapters []Adapter
	provider string
	plan     []Endpoint
	// known are the validators and the mark of the reading before; empty ones make a plain request.
	known Request
	mark  mark
	// whole asks every endpoint without conditions; force makes a document of that even when no body has changed.
	whole, force bool
	// fallback allows the plan's fallbacks: at first contact only, since another format has other ids.
	fallback bool
}

// read asks the endpoints of each poll and, when they bring news or all are asked for, the others; then it decodes.
func (r *planReader) read(ctx context.Context) (Reading, error) {
	if len(r.plan) == 0 {
		return Reading{}, fmt.Errorf("platform %s has no addresses to ask: %w", r.adapter.Platform(), downwind.ErrUnreadable)
	}
	r.known.URL = r.plan[0].URL
	r.known.BodyHash = r.mark.raw
	if r.whole {
		r.known.ETag, r.known.LastModified, r.known.BodyHash = "", "", ""
	}
	first, err := r.first(ctx)
	if err != nil {
		return r.instead(ctx, first, err)
	}
	each, also, err := r.each(ctx)
	if err != nil {
		return Reading{First: first}, err
	}
	if first.NotModified || first.Unchanged {
		if also == r.mark.also {
			return Reading{First: first, Mark: r.mark.String()}, nil
		}
		r.known = Request{URL: r.known.URL} // the others have news: the first body is needed too
		if first, err = r.first(ctx); err != nil {
			return Reading{First: first}, err
		}
	}
	ps := append([]Payload{first.Payload}, each...)
	m := mark{raw: first.BodyHash, also: also}
	if m.raw == r.mark.raw && m.also == r.mark.also || r.mark.raw == "" { // most bodies carry no stamps: their meaning can wait
		m.doc = r.mark.doc
	} else if m.doc = r.meaning(ps); !r.whole && m.doc != "" && m.doc == r.mark.doc { // only stamps moved
		m.rest = r.mark.rest
		return Reading{First: first, Mark: m.String()}, nil
	}
	rest, hash, err := r.others(ctx)
	if err != nil {
		return Reading{First: first}, err
	}
	m.rest = hash
	if !r.force && m == r.mark.unasked() {
		return Reading{First: first, Mark: m.String()}, nil
	}
	ps = append(ps, rest...)
	out := Reading{First: first, Changed: true, Mark: m.String(), Payloads: ps, Document: DecodeAs(r.adapter, r.provider, ps)}
	return out, readable(out.Document)
}

// others asks the endpoints that are not of each poll.
func (r *planReader) others(ctx context.Context) (ps []Payload, hash string, err error) {
	for _, e := range r.plan[1:] {
		if e.Fallback || e.Every <= 1 {
			continue
		}
		p, err := r.more(ctx, e)
		if err != nil && !e.Optional {
			return nil, "", err
		}
		if err == nil {
			ps = append(ps, p)
			hash = ContentID(hash, e.URL, string(p.Body))
		}
	}
	return ps, hash, nil
}

// first asks the first endpoint and refuses what is not of the platform; a body that was read before needs no second look.
func (r *planReader) first(ctx context.Context) (Response, error) {
	resp, err := r.fetcher.Fetch(ctx, r.known)
	if err == nil && !resp.NotModified && !resp.Unchanged && resp.BodyHash != r.mark.raw {
		err = r.recognise(resp.Payload)
	}
	return resp, err
}

// each asks the further endpoints of each poll and hashes their bodies.
func (r *planReader) each(ctx context.Context) (ps []Payload, hash string, err error) {
	for _, e := range r.plan[1:] {
		if e.Fallback || e.Every > 1 {
			continue
		}
		p, err := r.more(ctx, e)
		if err != nil && !e.Optional {
			return nil, "", err
		}
		if err == nil {
			ps = append(ps, p)
			hash = ContentID(hash, string(p.Body))
		}
	}
	return ps, hash, nil
}

// more asks one further endpoint of the plan.
func (r *planReader) more(ctx context.Context, e Endpoint) (Payload, error) {
	r.fetcher.limiter.TakePlatform(r.adapter.Platform(), r.fetcher.opts.Clock.Now())
	resp, err := r.fetcher.Fetch(ctx, Request{URL: e.URL})
	if err != nil {
		return Payload{}, err
	}
	return resp.Payload, r.recognise(resp.Payload)
}

// recognise refuses payloads that the adapter does not claim, or that another one claims by far: sign-in pages, moved
// pages, another platform under the same addresses.
func (r *planReader) recognise(p Payload) error {
	if err := checkBody(p.Body); err != nil {
		return err
	}
	ours := r.adapter.Claims(p)
	if ours == 0 {
		what := Shape(p.Body)
		if what == "" {
			what = "something else"
		}
		return fmt.Errorf("%s answers %s that is not of %s: %w", p.URL, what, r.adapter.Platform(), errShape)
	}
	const (
		farther = 15
		marks   = 16 << 10 // a platform that is not ours shows itself by then
	)
	p.Body = p.Body[:min(len(p.Body), marks)]
	if best, claim := claimant(r.adapters, p); claim >= ours+farther {
		return fmt.Errorf("%s answers in the shape of %s, not of %s: %w", p.URL, best.Platform(), r.adapter.Platform(), errShape)
	}
	return nil
}

// errShape marks an answer of another platform: the page may have moved.
var errShape = fmt.Errorf("unexpected shape: %w", downwind.ErrUnreadable)

// instead tries the fallbacks of the plan after the first endpoint failed.
func (r *planReader) instead(ctx context.Context, first Response, cause error) (Reading, error) {
	var fe *FetchError
	refused := errors.As(cause, &fe) && fe.Kind == "status" && fe.Status < 500 && fe.Status != http.StatusTooManyRequests
	if !r.fallback || !refused && !errors.Is(cause, errShape) {
		return Reading{First: first}, cause
	}
	for _, e := range r.plan[1:] {
		if !e.Fallback {
			continue
		}
		p, err := r.more(ctx, e)
		if err != nil {
			continue
		}
		out := Reading{Changed: true, Payloads: []Payload{p}, First: Response{Payload: p, BodyHash: HashBody(p.Body)}, Endpoint: e.URL}
		out.Mark = mark{raw: out.First.BodyHash, doc: r.meaning(out.Payloads)}.String()
		out.Document = DecodeAs(r.adapter, r.provider, out.Payloads)
		return out, readable(out.Document)
	}
	return Reading{First: first}, cause
}

func readable(doc downwind.Document) error {
	if doc.Readable() {
		return nil
	}
	return errors.New(doc.Error)
}

// meaning hashes what the payloads of each poll say, so that stamps and order of keys make no news; empty when unreadable.
func (r *planReader) meaning(ps []Payload) string {
	doc := DecodeAs(r.adapter, "", ps)
	if !doc.Readable() {
		return ""
	}
	h := sayer{hash: sha256.New()}
	h.say(doc.Platform, doc.Page.ID, doc.Page.Name, doc.Page.URL)
	h.components(doc.Components)
	for i := range doc.Incidents {
		h.incident(&doc.Incidents[i])
	}
	return hex.EncodeToString(h.hash.Sum(nil)[:16])
}

// sayer hashes fields with their lengths, so that no two documents run into the same bytes.
type sayer struct {
	hash hash.Hash
	buf  []byte
}

func (s *sayer) say(fields ...string) {
	s.buf = s.buf[:0]
	for _, f := range fields {
		s.buf = binary.AppendUvarint(s.buf, uint64(len(f)))
		s.buf = append(s.buf, f...)
	}
	s.hash.Write(s.buf)
}

func (s *sayer) times(ts ...time.Time) {
	s.buf = s.buf[:0]
	for _, t := range ts {
		s.buf = binary.AppendVarint(s.buf, t.Unix())
		s.buf = binary.AppendVarint(s.buf, int64(t.Nanosecond()))
	}
	s.hash.Write(s.buf)
}

func (s *sayer) components(cs []downwind.Component) {
	s.say("components", strconv.Itoa(len(cs)))
	for _, c := range cs {
		s.say(c.ID, c.Name, c.Group, string(c.Status))
	}
}

func (s *sayer) incident(inc *downwind.Incident) {
	s.say("incident", inc.ID, string(inc.Kind), inc.Title, inc.URL, string(inc.Phase), string(inc.Impact))
	s.times(inc.StartedAt, inc.ResolvedAt, inc.ScheduledFor, inc.ScheduledUntil)
	s.components(inc.Components)
	s.say(inc.Regions...)
	for _, u := range inc.Updates {
		s.say("update", u.ID, string(u.Phase), u.Body)
		s.times(u.PostedAt, u.EditedAt)
		s.components(u.Components)
	}
}

// mark is what Source.BodyHash holds ("raw+also-rest:doc?"): the hash of the first body, of the others of
// each poll, of the rest of the plan, of the meaning of the former, and whether the next one must be
// whole: a withdrawal and a flicker are believed only when seen twice.
type mark struct {
	raw, also, rest, doc string
	confirm              bool
}

// same reports whether two marks are of the same bodies.
func (m mark) same(o mark) bool {
	m.confirm, o.confirm = false, false
	return m == o
}

// unasked is the mark without the wish for another reading, which makes equal bodies news.
func (m mark) unasked() mark {
	if m.confirm {
		return mark{}
	}
	return m
}

func parseMark(s string) mark {
	s, confirm := strings.CutSuffix(s, "?")
	raw, doc, _ := strings.Cut(s, ":")
	raw, rest, _ := strings.Cut(raw, "-")
	raw, also, _ := strings.Cut(raw, "+")
	return mark{raw: raw, also: also, rest: rest, doc: doc, confirm: confirm}
}

func (m mark) String() string {
	if m.raw == "" {
		return ""
	}
	s := m.raw
	if m.also != "" {
		s += "+" + m.also
	}
	if m.rest != "" {
		s += "-" + m.rest
	}
	if m.doc != "" {
		s += ":" + m.doc
	}
	if m.confirm {
		s += "?"
	}
	return s
}
