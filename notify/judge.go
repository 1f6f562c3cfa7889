package notify

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Redact removes addresses from an error of net/http: they may hold a secret.
func Redact(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return fmt.Errorf("%s: %w", ue.Op, ue.Err)
	}
	return err
}

// Transport judges an error that came without an answer: NotSent when the request cannot have left, else Unclear.
func Transport(err error) Verdict {
	var op *net.OpError
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &dns), errors.As(err, &cert), errors.As(err, &unknown):
		return NotSent
	case errors.As(err, &op) && op.Op == "dial":
		return NotSent
	case errors.Is(err, ErrBeforeSending):
		return NotSent
	}
	return Unclear
}

// ErrBeforeSending marks errors that arose before a request was made.
var ErrBeforeSending = errors.New("not sent")

// Expired returns a NotSent result when the context ended before anything was sent, and false otherwise. It asks the
// machine's clock too: in a process that was stopped the context's own timer may be late.
func Expired(ctx context.Context) (Result, bool) {
	err := ctx.Err()
	if end, ok := ctx.Deadline(); err == nil && ok && !time.Now().Before(end) {
		err = context.DeadlineExceeded
	}
	if err != nil {
		return Result{Verdict: NotSent, Err: fmt.Errorf("%w: %w", ErrBeforeSending, err)}, true
	}
	return Result{}, false
}

// Status is the shared table of HTTP answers for platforms that say no more than a status. Who is the platform's name
// for the reason; retryAfter is the header's value.
func Status(who string, code int, retryAfter string) Result {
	r := Result{Err: fmt.Errorf("%s answered %d %s", who, code, http.StatusText(code))}
	switch {
	case code >= 200 && code < 300:
		return Result{Verdict: Done}
	case code == http.StatusTooManyRequests:
		r.Verdict, r.RetryAfter = Wait, RetryAfter(retryAfter, time.Minute)
	case code == http.StatusServiceUnavailable && retryAfter != "":
		r.Verdict, r.RetryAfter = Wait, RetryAfter(retryAfter, time.Minute)
	case code == http.StatusRequestTimeout || code >= 500:
		r.Verdict = Unclear
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		r.Verdict, r.Reason = Permanent, who+" refuses our credentials ("+strconv.Itoa(code)+"): renew them in the configuration"
	case code == http.StatusNotFound, code == http.StatusGone:
		r.Verdict, r.Reason = Permanent, who+" no longer knows this address ("+strconv.Itoa(code)+"): correct it in the configuration"
	case code >= 300 && code < 400:
		r.Verdict, r.Reason = Permanent, who+" redirects elsewhere ("+strconv.Itoa(code)+"): put the final address into the configuration"
	default:
		r.Verdict, r.Reason = Rejected, who+" refused the message ("+strconv.Itoa(code)+")"
	}
	return r
}

// RetryAfter reads a Retry-After header in seconds or as a date; d when it says nothing. At most an hour, at least a second.
func RetryAfter(header string, d time.Duration) time.Duration {
	if s, err := strconv.ParseFloat(header, 64); err == nil && s >= 0 {
		d = time.Duration(s * float64(time.Second))
	} else if t, err := http.ParseTime(header); err == nil {
		d = time.Until(t)
	}
	return min(max(d, time.Second), time.Hour)
}
