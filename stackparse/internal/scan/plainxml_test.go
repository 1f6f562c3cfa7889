package scan

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// markups are texts that a markupReader reads.
var markups = []string{
	"", "<a/>", "<a>b</a>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- c -->\n<a>\n  <b>c</b>\n  <b> d\n </b>\n</a>\n",
	"<a b='c' d=\"e\"><f g = 'h'\n i='j'/></a>", "<x:a xmlns:x='u' x:b='c' xmlns=\"v\"><x:d/></x:a >", "<a>b &lt;c&gt; &amp;amp; &quot;d&apos;</a>", "<a b='&amp;c'/>",
	"<a>b<c/>d<!-- e -->f</a>", "<a>\r\n <b>c\r\nd\r</b>\r\n</a>\r\n", "<a.b-c_d><e1/></a.b-c_d>", "<a/><b/>", "<a>ü „b“ 🚀</a>", "<a> \u00a0 </a>",
	"<Project Sdk=\"Microsoft.NET.Sdk\">\n  <ItemGroup>\n    <PackageReference Include=\"a\" Version=\"1.2\" />\n  </ItemGroup>\n</Project>",
}

// strangeMarkups are texts that a markupReader leaves to the library.
var strangeMarkups = []string{
	"a", "<a>", "<a></b>", "</a>", "<a", "<a b=c/>", "<a b/>", "<a b='c/>", "<a b='<'/>", "<a>&b;</a>", "<a>&#65;</a>", "<a>& </a>", "<a><![CDATA[b]]></a>", "<!DOCTYPE a><a/>", "<a>]]></a>",
	"<!-- a -- b --><a/>", "<!-- a ---><a/>", "<?b c?><a/>", "<?xml version=\"1.1\"?><a/>", "<1/>", "<:a/>", "<a:/>", "<a:b:c/>", "<ü/>", "<a>\x01</a>", "<a>\xff</a>", "<a>\uffff</a>", "<a/>b", "< a/>", "<a><b></a></b>", "<a b='\r'/>",
}

// sameAsXML fails where a markupReader reads a text otherwise than the library does.
func sameAsXML(t *testing.T, text []byte) (read bool) {
	t.Helper()
	got, ok := plainXML(text)
	if !ok {
		return false
	}
	want, probs := XMLOf(bytes.NewReader(text), nil)
	if len(probs) > 0 {
		t.Errorf("the library refuses %q: %v", text, probs)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q is read otherwise than by the library (-want +got):\n%s", text, cmp.Diff(want, got))
	}
	return true
}

func TestPlainXML(t *testing.T) {
	for _, text := range markups {
		if !sameAsXML(t, []byte(text)) {
			t.Errorf("%q is not read", text)
		}
	}
	for _, text := range strangeMarkups {
		if sameAsXML(t, []byte(text)) {
			t.Errorf("%q is read", text)
		}
	}
}

// TestPlainXMLChanged reads texts into which something was put or out of which something was taken.
func TestPlainXMLChanged(t *testing.T) {
	pieces := []string{"<", ">", "/", "a", "=", "'", "\"", "&", ";", "&lt;", "<!--", "-->", "-", "]]>", "\n", "\r", " ", ":", "?", "<?xml ", "?>", "<b>", "</b>", "<c d='e'/>", "\u00a0", "ü"}
	rng, read := rand.New(rand.NewPCG(1, 2)), 0
	for range 30_000 {
		text := markups[rng.IntN(len(markups))]
		for range 1 + rng.IntN(3) {
			at := rng.IntN(len(text) + 1)
			if rng.IntN(2) == 0 {
				text = text[:at] + pieces[rng.IntN(len(pieces))] + text[at:]
			} else {
				text = text[:at] + text[min(len(text), at+1+rng.IntN(3)):]
			}
		}
		if sameAsXML(t, []byte(text)) {
			read++
		}
	}
	if read < 3000 {
		t.Errorf("only %d texts are read", read)
	}
}

// TestPlainXMLCorpus reads the files of the corpus, most of which no library is needed for.
func TestPlainXMLCorpus(t *testing.T) {
	root := "../../../../shared/corpus/stacks"
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no corpus: %v", err)
	}
	files, read := 0, 0
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if ext := filepath.Ext(p); err != nil || d.IsDir() || ext != ".xml" && ext != ".csproj" {
			return err
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		files++
		if text, ok := Decode(text); ok && sameAsXML(t, text) {
			read++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read*4 < files*3 {
		t.Errorf("%d of %d files are read, want three of four", read, files)
	}
}

// FuzzPlainXML looks for texts that are read otherwise than by the library.
func FuzzPlainXML(f *testing.F) {
	for _, text := range append(markups, strangeMarkups...) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { sameAsXML(t, text) })
}
