package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxAnswer bounds how much of an answer is read.
const maxAnswer = 64 << 10

// NewClient makes a client for destinations with one address: no redirects, because they would carry the message, and
// sometimes a secret, elsewhere.
func NewClient(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// PostJSON is SendJSON by POST.
func PostJSON(ctx context.Context, c *http.Client, who, address string, body any, header http.Header) ([]byte, Result) {
	return SendJSON(ctx, c, http.MethodPost, who, address, body, header)
}

// SendJSON sends a body once and judges the answer by the shared table, see Status. Who names the platform in reasons. The
// result's error holds no address. The body of a good answer is returned.
func SendJSON(ctx context.Context, c *http.Client, method, who, address string, body any, header http.Header) ([]byte, Result) {
	raw, ok := body.([]byte)
	if !ok {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return nil, Result{Verdict: Rejected, Err: fmt.Errorf("%s: %w", who, err)}
		}
	}
	if r, over := Expired(ctx); over {
		return nil, r
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(raw))
	if err != nil {
		return nil, Result{Verdict: Permanent, Reason: who + ": the address in the configuration is no address", Err: fmt.Errorf("%s: bad address", who)}
	}
	for k, v := range header {
		req.Header[k] = v
	}
	if req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", "downwind")
	resp, err := c.Do(req)
	if err != nil {
		return nil, Result{Verdict: Transport(err), Err: fmt.Errorf("%s: %w", who, Redact(err))}
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	r := Status(who, resp.StatusCode, resp.Header.Get("Retry-After"))
	if err != nil && r.Verdict == Done {
		// The status says that it was taken; only the answer's text is lost.
		return nil, r
	}
	return answer, r
}

// Unknown is the result for a destination that the configuration does not name.
func Unknown(who, name string) Result {
	return Result{
		Verdict: Permanent, Err: fmt.Errorf("%s: no endpoint %q", who, OneLine(name)),
		Reason: who + ": the configuration no longer names this endpoint: add it again, or remove the destination",
	}
}

// NotEditable is the answer of destinations that cannot change what they showed.
func NotEditable() Result { return Result{Verdict: NoEdit} }

// NoLookup is the answer of destinations in which nothing can be looked for.
func NoLookup(who string) Result {
	return Result{Verdict: Unclear, Err: fmt.Errorf("%s: nothing can be looked for there", who)}
}
