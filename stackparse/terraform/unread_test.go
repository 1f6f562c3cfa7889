package terraform

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"downwind/internal/pattern"
)

// unreadTexts have what is to be blanked between « and ».
var unreadTexts = []struct{ name, text string }{
	{"nothing to blank", "a = 1\n"},
	{"lines of comments", "«# one»\na = 1 # two\n«  // three»\r\n"},
	{"a block comment ends it", "«# one»\n/*\n# two\n*/\n"},
	{"a description of a variable", "variable \"a\" {\n«  description = \"What it is\"»\n  default = 1\n}\n"},
	{"one with a hole", "variable \"a\" {\n  description = \"It is ${b}\"\n}\n"},
	{"one of something else", "resource \"a\" \"b\" {\n  description = \"c\"\n}\n"},
	{"a document of permissions", "«data \"aws_iam_policy_document\" \"a\" {»\n«  b = 1»\n«}»\nc = 1\n"},
	{"data that is used", "data \"aws_s3_bucket\" \"a\" {\n}\n"},
	{"a block that never ends", "moved {\n  a = 1\n"},
	{"one before another", "moved {\n  a = 1\nresource \"a\" \"b\" {\n}\n"},
	{"text that looks so", "a {\n  b = <<-EOT\n# c\nmoved {\n}\n  EOT\n«  # d»\n}\n"},
	{"a bracket in the text of such a block", "«check \"a\" {»\n«  b = <<E»\n«}»\n«E»\n«}»\n"},
}

var marked = pattern.New(`«[^»]*»`)

func TestWithoutUnread(t *testing.T) {
	plain := strings.NewReplacer("«", "", "»", "")
	for _, c := range unreadTexts {
		t.Run(c.name, func(t *testing.T) {
			want := marked.ReplaceAllStringFunc(c.text, func(s string) string { return strings.Repeat(" ", len(plain.Replace(s))) })
			if got := string(withoutUnread([]byte(plain.Replace(c.text)))); got != want {
				t.Errorf("got\n%q, want\n%q", got, want)
			}
		})
	}
}

// told is what evaluation asks of a file: its blocks but for those that say nothing, each with what stands in it.
func told(text []byte) (string, bool) {
	f, diags := hclsyntax.ParseConfig(text, "", hcl.InitialPos)
	if diags.HasErrors() {
		return "", false
	}
	var out strings.Builder
	for _, b := range f.Body.(*hclsyntax.Body).Blocks {
		if b.Type == "data" && len(b.Labels) > 0 && aside.MatchString(b.Labels[0]) || slices.Contains(ignored, b.Type) {
			continue
		}
		fmt.Fprintln(&out, b.TypeRange, b.Type, b.Labels)
		hclBody{b.Body, text}.strings(func(key, text string, line int) { fmt.Fprintf(&out, "%s=%q %d\n", key, text, line) })
	}
	return out.String(), true
}

func FuzzWithoutUnread(f *testing.F) {
	for _, c := range unreadTexts {
		f.Add([]byte(strings.NewReplacer("«", "", "»", "").Replace(c.text)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if tooDeep(text) > 0 {
			return
		}
		got := withoutUnread(text)
		if len(got) != len(text) || bytes.Count(got, []byte("\n")) != bytes.Count(text, []byte("\n")) {
			t.Fatalf("places have moved: %q became %q", text, got)
		}
		before, whole := told(text)
		if after, ok := told(got); ok && whole && after != before {
			t.Fatalf("%q says\n%s without what is not read\n%s", text, before, after)
		}
	})
}
