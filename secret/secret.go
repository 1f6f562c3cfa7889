// Package secret keeps tokens out of logs, errors, JSON and chat: a String shows only that it is set.
package secret

import "log/slog"

// A String is a secret that refuses to print. The zero value is "not set".
type String struct{ value string }

// New wraps a secret.
func New(value string) String { return String{value} }

// Reveal returns the secret itself, for the one call that sends it to its owner.
func (s String) Reveal() string { return s.value }

// IsZero reports whether no secret is set.
func (s String) IsZero() bool { return s.value == "" }

// String implements fmt.Stringer.
func (s String) String() string {
	if s.value == "" {
		return "(not set)"
	}
	return "(secret)"
}

// GoString implements fmt.GoStringer.
func (s String) GoString() string { return s.String() }

// MarshalText implements encoding.TextMarshaler.
func (s String) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue implements slog.LogValuer.
func (s String) LogValue() slog.Value { return slog.StringValue(s.String()) }
