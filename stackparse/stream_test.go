package stackparse

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// failing counts how often it was opened and closed, and breaks in the middle of what it reads.
type failing struct {
	io.Reader
	closed *int
}

func (f failing) Close() error { *f.closed++; return nil }

func TestStreamTellsWhyItStopped(t *testing.T) {
	opened, closed := 0, 0
	broken := errors.New("disk failure")
	s := &stream{open: func() (io.ReadCloser, error) {
		opened++
		return failing{io.MultiReader(strings.NewReader("a\nb\n"), iotest.ErrReader(broken)), &closed}, nil
	}}
	for _, want := range []int{2, 0} {
		n := 0
		if (Input{Again: s.again}).Lines(func(int, string) { n++ }); n != want {
			t.Errorf("read %d lines, want %d", n, want)
		}
	}
	if err := s.close(); !errors.Is(err, broken) || opened != 1 || closed != opened {
		t.Errorf("close: %v after opening %d times and closing %d times; want the error and no further try", err, opened, closed)
	}
}

func TestStreamIsReadAnew(t *testing.T) {
	opened, closed := 0, 0
	s := &stream{open: func() (io.ReadCloser, error) {
		opened++
		return failing{strings.NewReader(`{"a": 1}` + "\n"), &closed}, nil
	}}
	in := Input{Again: s.again}
	in.Stream().Object(func(string, int) {}) // and stops before the end
	text := ""
	in.Lines(func(_ int, l string) { text += l })
	if doc, probs := in.XML(nil); len(probs) != 0 || len(doc.Fields) != 0 {
		t.Errorf("XML of JSON: %+v, %v", doc, probs)
	}
	if err := s.close(); err != nil || text != `{"a": 1}` || opened != 3 || closed != 3 {
		t.Errorf("read %q, %v; opened %d times, closed %d times", text, err, opened, closed)
	}
}

func TestStreamThatCannotBeOpened(t *testing.T) {
	s := &stream{open: func() (io.ReadCloser, error) { return nil, errors.New("gone") }}
	Input{Again: s.again}.Lines(func(int, string) { t.Error("a line of a file that is gone") })
	if err := s.close(); err == nil {
		t.Error("no error")
	}
}
