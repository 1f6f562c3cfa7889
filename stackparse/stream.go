package stackparse

import (
	"bytes"
	"errors"
	"io"

	"downwind/stackparse/internal/scan"
)

// A Streamer is a parser of files that may be too large to be held in memory, such as lockfiles.
type Streamer interface {
	Parser
	// Streams says whether Parse reads the file only by Stream, Lines, ByteLines and XML of its Input, so that Data need not be
	// all of it.
	Streams(path string) bool
}

// Stream reads the file as JSON.
func (in Input) Stream() *scan.Stream {
	if in.Again == nil {
		return scan.NewStream(in.Data)
	}
	return scan.NewStreamOf(in.Again())
}

// ByteLines calls f with every line of the file, as scan.ByteLines does; the line holds until f returns.
func (in Input) ByteLines(f func(line int, text []byte)) {
	if in.Again == nil {
		scan.ByteLines(in.Data, f)
		return
	}
	scan.LinesOf(in.Again(), f)
}

// Lines is ByteLines with lines that stay.
func (in Input) Lines(f func(line int, text string)) {
	in.ByteLines(func(line int, text []byte) { f(line, string(text)) })
}

// XML reads the file as XML, as scan.XMLOf does.
func (in Input) XML(take func(names []string, n *scan.Node) bool) (*scan.Node, []scan.Problem) {
	if in.Again == nil {
		return scan.XMLOf(bytes.NewReader(in.Data), take)
	}
	return scan.XMLOf(in.Again(), take)
}

// A stream is a file that is read piece by piece, and anew whenever its parser begins at its front.
type stream struct {
	open func() (io.ReadCloser, error)
	file io.ReadCloser
	err  error
}

// again is that of Input.
func (s *stream) again() io.Reader {
	s.close()
	if s.err == nil {
		s.file, s.err = s.open()
	}
	if s.err != nil {
		s.file = nil
		return eof{}
	}
	return scan.NewDecoder(s)
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// Read keeps the error for which reading stopped, which parsers take for the end.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.file.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// close returns what kept the file from being read, if anything did.
func (s *stream) close() error {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
	return s.err
}
