package ots

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

var errCut = errors.New("it is cut off")

// parse reads the items that follow a message, and nothing behind them.
func parse(data []byte) ([]item, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("larger than %d kB", MaxSize>>10)
	}
	r := reader{data}
	items, err := r.items(0)
	if err != nil {
		return nil, err
	}
	if len(r.rest) > 0 {
		return nil, errors.New("something follows behind it")
	}
	return items, nil
}

// reader takes bytes from the front.
type reader struct{ rest []byte }

func (r *reader) items(depth int) ([]item, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("more than %d operations in a row", maxDepth)
	}
	var items []item
	for more := true; more; {
		mark, err := r.byte()
		if err != nil {
			return nil, err
		}
		if more = mark == markMore; more {
			if mark, err = r.byte(); err != nil {
				return nil, err
			}
		}
		it, err := r.item(mark, depth)
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}

func (r *reader) item(mark byte, depth int) (it item, err error) {
	it.op = mark
	switch mark {
	case markAttested:
		return it, r.attestation(&it)
	case opAppend, opPrepend:
		if it.data, err = r.bytes(maxMessage); err != nil {
			return it, err
		}
		if len(it.data) == 0 {
			return it, errors.New("an operation without its argument")
		}
	case opSHA256:
	default:
		return it, fmt.Errorf("operation %#02x is not read here: only append, prepend and SHA-256 are", mark)
	}
	it.next, err = r.items(depth + 1)
	return it, err
}

func (r *reader) attestation(it *item) error {
	if len(r.rest) < len(it.tag) {
		return errCut
	}
	it.tag = [8]byte(r.rest)
	r.rest = r.rest[len(it.tag):]
	var err error
	if it.data, err = r.bytes(maxPayload); err != nil {
		return err
	}
	inner := reader{it.data}
	switch it.tag {
	case tagPending:
		var address []byte
		if address, err = inner.bytes(maxAddress); err == nil && !plainAddress(string(address)) {
			err = errors.New("a calendar's address holds other characters than -._/: and letters and digits")
		}
	case tagBitcoin:
		_, err = inner.number()
	default:
		return nil
	}
	if err == nil && len(inner.rest) > 0 {
		err = errors.New("an attestation holds more than it should")
	}
	return err
}

// maxAddress is the longest address of a calendar that the format allows.
const maxAddress = 1000

func plainAddress(s string) bool {
	const also = "-._/:"
	return strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(also, r)
	}) < 0
}

func (r *reader) byte() (byte, error) {
	if len(r.rest) == 0 {
		return 0, errCut
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b, nil
}

// number reads an unsigned LEB128 in its shortest form.
func (r *reader) number() (uint64, error) {
	n, size := binary.Uvarint(r.rest)
	switch {
	case size == 0:
		return 0, errCut
	case size < 0 || size > 1 && r.rest[size-1] == 0:
		return 0, errors.New("a number is not in its form")
	}
	r.rest = r.rest[size:]
	return n, nil
}

// bytes reads a length and that many bytes.
func (r *reader) bytes(most uint64) ([]byte, error) {
	n, err := r.number()
	if err != nil {
		return nil, err
	}
	if n > most {
		return nil, fmt.Errorf("a part of %d bytes, at most %d are read", n, most)
	}
	if n > uint64(len(r.rest)) {
		return nil, errCut
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b, nil
}
