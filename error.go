package downwind

import (
	"errors"
	"fmt"
)

// The kinds of errors that callers tell apart with errors.Is. Wrap them with a sentence for people.
var (
	// ErrNotFound: the thing asked for does not exist, or belongs to somebody else.
	ErrNotFound = errors.New("not found")
	// ErrConflict: the thing exists already, or has changed in between.
	ErrConflict = errors.New("conflict")
	// ErrInvalid: the input cannot be understood; the message names what and where.
	ErrInvalid = errors.New("invalid")
	// ErrForbidden: the caller may not do this.
	ErrForbidden = errors.New("forbidden")
	// ErrUnreadable: a source, file or archive cannot be read.
	ErrUnreadable = errors.New("unreadable")
)

// Errorf makes an error of one of these kinds whose text is the sentence alone: people need no second word for it.
func Errorf(kind error, format string, args ...any) error {
	return &kinded{kind, fmt.Errorf(format, args...)}
}

// kinded is an error with a kind that its text does not repeat.
type kinded struct{ kind, err error }

func (k *kinded) Error() string { return k.err.Error() }

func (k *kinded) Unwrap() []error { return []error{k.kind, k.err} }
