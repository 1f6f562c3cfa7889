// Package punctual keeps requests from leaving after their deadline.
//
// A context's timer is not enough for a process that was stopped (SIGSTOP, a suspended machine, a long pause of the
// scheduler): when it goes on, a request that was about to be written may win against the timer. A delivery whose lease
// somebody else took meanwhile would then be sent twice. The transport here asks the clock itself when the body is about
// to be written, which is the last moment before the system call.
package punctual

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Transport sends requests by the next transport unless their context's deadline has passed. nil: http.DefaultTransport.
func Transport(next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return transport{next}
}

type transport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	end, ok := r.Context().Deadline()
	if !ok {
		return t.next.RoundTrip(r)
	}
	if late(end) {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, errLate(r)
	}
	if r.Body == nil || r.Body == http.NoBody {
		return t.next.RoundTrip(r)
	}
	own := r.Clone(r.Context())
	own.Body = &body{r.Body, end, r}
	own.GetBody = nil // no silent repeats on a connection that died
	return t.next.RoundTrip(own)
}

func late(end time.Time) bool { return !time.Now().Before(end) }

func errLate(r *http.Request) error {
	return fmt.Errorf("%s %s: not sent, the deadline has passed: %w", r.Method, r.URL.Host, context.DeadlineExceeded)
}

// body refuses to be read after the deadline. What has left by then is at most a head without its body, which no server
// acts upon; the connection is closed.
type body struct {
	io.ReadCloser
	end time.Time
	r   *http.Request
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if late(b.end) {
		return 0, errLate(b.r)
	}
	return b.ReadCloser.Read(p)
}
