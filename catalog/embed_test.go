package catalog

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestEveryFileIsEmbedded: the files are listed by name, so a new one must be added to the list.
func TestEveryFileIsEmbedded(t *testing.T) {
	embedded := map[string]string{"data/signatures/services.tsv": serviceNamesTable}
	for _, f := range providerFiles {
		embedded["data/providers/"+f.name+".toml"] = *f.text
	}
	for _, k := range signatureKinds {
		embedded["data/signatures/"+k.name+".tsv"] = *k.rows
	}
	providers, err := filepath.Glob("data/providers/*")
	if err != nil {
		t.Fatal(err)
	}
	signatures, err := filepath.Glob("data/signatures/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Concat(providers, signatures) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, listed := embedded[filepath.ToSlash(file)]
		if !listed || got != string(text) {
			t.Errorf("%s is embedded as %d bytes, want %d", file, len(got), len(text))
		}
		delete(embedded, filepath.ToSlash(file))
	}
	for file := range embedded {
		t.Errorf("%s is embedded and no file", file)
	}
}
