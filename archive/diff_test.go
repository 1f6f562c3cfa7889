package archive_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"downwind"
	"downwind/archive"
)

func join(spans []downwind.Span, leave int) string {
	var b strings.Builder
	for _, s := range spans {
		if s.Op != leave {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

func TestDiffReads(t *testing.T) {
	tests := []struct{ name, a, b, removed, added string }{
		{"one number", "servers in 12 of our sites restarted", "servers in 13 of our sites restarted", "12", "13"},
		{"a time", "until 17:03 UTC", "until 17:04 UTC", "17:03", "17:04"},
		{"a sentence at the end", "All is well.", "All is well. A second wave came at 17:47.", "", " A second wave came at 17:47."},
		{"neighbouring words become one change", "a bad deploy broke it", "an expired certificate broke it", "a bad deploy", "an expired certificate"},
		{"everything", "one", "two", "one", "two"},
		{"from nothing", "", "new", "", "new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var removed, added strings.Builder
			for _, s := range archive.Diff(tt.a, tt.b) {
				switch s.Op {
				case -1:
					removed.WriteString(s.Text)
				case 1:
					added.WriteString(s.Text)
				}
			}
			if removed.String() != tt.removed || added.String() != tt.added {
				t.Errorf("removed %q, added %q; want %q, %q", removed.String(), added.String(), tt.removed, tt.added)
			}
		})
	}
}

func TestDiffIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		spans := archive.Diff(a, b)
		if got := join(spans, 1); got != a {
			t.Fatalf("kept and removed give %q, want %q", got, a)
		}
		if got := join(spans, -1); got != b {
			t.Fatalf("kept and added give %q, want %q", got, b)
		}
	})
}

func FuzzDiff(f *testing.F) {
	f.Add("Errors ended at 10:25 UTC.", "Errors ended at 10:45 UTC.")
	f.Add("\xff\xfe", "\xed\xa0\x80 x")
	f.Fuzz(func(t *testing.T, a, b string) {
		spans := archive.Diff(a, b)
		if join(spans, 1) != a || join(spans, -1) != b {
			t.Errorf("the difference of %q and %q is not whole", a, b)
		}
	})
}
