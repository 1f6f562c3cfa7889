package feeds

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// rawBody is a body as decoded from the transfer, before its charset is.
type rawBody struct {
	bytes []byte
	// wire counts the bytes as sent.
	wire int64
}

// counter counts what passes through a reader.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// buffers keeps the memory of bodies that brought nothing new for the next ones. Most polls end so.
type buffers struct{ pool sync.Pool }

// Sizes of buffers: what a body of unknown length is read into at first, and the most that is kept, or made because a server
// announces so much.
const (
	firstBuffer = 64 << 10
	mostKept    = 1 << 20
)

// take returns an empty buffer with room for hint bytes and the end of the file.
func (b *buffers) take(hint int64) []byte {
	if kept, ok := b.pool.Get().(*[]byte); ok && int64(cap(*kept)) >= hint+512 {
		return (*kept)[:0]
	}
	return make([]byte, 0, hint+512)
}

// give hands a buffer back that nobody reads any more.
func (b *buffers) give(buf []byte) {
	if cap(buf) <= mostKept {
		b.pool.Put(&buf)
	}
}

// readBody reads at most as many bytes as are allowed after decompression and stops early at a suspicious ratio; what is
// larger is refused whole, since half a document says wrong things.
func (f *Fetcher) readBody(resp *http.Response) (rawBody, error) {
	limit := f.opts.MaxBytes
	if resp.ContentLength > limit {
		return rawBody{}, &FetchError{Kind: "size", Err: fmt.Errorf("the answer has %d bytes, more than %d", resp.ContentLength, limit)}
	}
	wire := &counter{r: resp.Body}
	var src io.Reader = wire
	packed := false
	switch enc := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); enc {
	case "", "identity":
		// some servers send gzip without saying so
		br := bufio.NewReader(wire)
		if head, _ := br.Peek(3); len(head) == 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8 {
			packed = true
		}
		src = br
	case "gzip", "x-gzip":
		packed = true
	default:
		return rawBody{}, &FetchError{Kind: "encoding", Err: fmt.Errorf("the answer is encoded as %q, which was not asked for", enc)}
	}
	if packed {
		zr, err := gzip.NewReader(src)
		if err != nil {
			return rawBody{wire: wire.n}, &FetchError{Kind: "encoding", Err: fmt.Errorf("the answer is no gzip: %w", err)}
		}
		zr.Multistream(false)
		src = zr
	}
	hint := resp.ContentLength
	if hint <= 0 || packed {
		hint = firstBuffer
	}
	body, err := readBounded(src, wire, packed, f.buffers.take(min(hint, mostKept)), limit)
	return rawBody{bytes: body, wire: wire.n}, err
}

// readBounded reads into a buffer up to the limit, watching the ratio of a packed body.
func readBounded(src io.Reader, wire *counter, packed bool, buf []byte, limit int64) ([]byte, error) {
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := src.Read(buf[len(buf):min(int64(cap(buf)), limit+1)])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > limit {
			return nil, &FetchError{Kind: "size", Err: fmt.Errorf("the answer is larger than %d bytes", limit)}
		}
		if packed && len(buf) > 256<<10 && int64(len(buf)) > maxRatio*max(wire.n, 1) {
			return nil, &FetchError{Kind: "ratio", Err: fmt.Errorf("the answer unpacks to more than %d times its size", maxRatio)}
		}
		switch {
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil && packed && !errors.Is(err, io.ErrUnexpectedEOF):
			return nil, &FetchError{Kind: "encoding", Err: fmt.Errorf("the packed answer is broken: %w", err)}
		case err != nil:
			return nil, &FetchError{Kind: "body", Err: fmt.Errorf("the answer breaks off after %d bytes: %w", len(buf), err)}
		}
	}
}
