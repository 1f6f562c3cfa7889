package marks

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkCorpus reads all stack files of the corpus; it is skipped where that is absent.
func BenchmarkCorpus(b *testing.B) {
	const root = "../../../../shared/corpus/stacks"
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !Claims(p) {
			return nil
		}
		data, err := os.ReadFile(p)
		if err == nil && len(data) <= MaxFile {
			files[p] = data
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		b.Skip("the corpus ../shared/corpus/stacks is not here")
	}
	for b.Loop() {
		for p, data := range files {
			Find(p, data)
		}
	}
}
