package stackparse

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"downwind/stackparse/internal/marks"
)

// archiveKind says what kind of archive a name is; "" for none.
func archiveKind(name string) string {
	n := strings.ToLower(name)
	switch {
	case strings.HasSuffix(n, ".zip"):
		return "zip"
	case strings.HasSuffix(n, ".tar.gz"), strings.HasSuffix(n, ".tgz"):
		return "tgz"
	case strings.HasSuffix(n, ".tar"):
		return "tar"
	case strings.HasSuffix(n, ".gz"):
		return "gz"
	}
	return ""
}

// maxRatio is how many times larger than its archive the unpacked content may be before it counts as a bomb.
const maxRatio = 200

// maxUnpacked bounds what is kept of an archive's content, all of which is in memory at once.
const maxUnpacked = 96 << 20

// unpack lists the files of an archive that somebody claims. Content is read under the limits of the reader: what
// would unpack beyond them is left out with a diagnostic. Links and paths that leave the archive are skipped.
func (u *run) unpack(name string, data []byte) []source {
	left := min(u.r.opt.MaxTotal-u.total.Load(), max(int64(len(data))*maxRatio, 4<<20), maxUnpacked)
	a := &archive{run: u, name: name, left: left, code: maxGlanced}
	var err error
	switch archiveKind(name) {
	case "zip":
		err = a.zip(data)
	case "tar":
		err = a.tar(bytes.NewReader(data))
	default:
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			defer z.Close()
			if archiveKind(name) == "gz" {
				err = a.file(strings.TrimSuffix(path.Base(name), ".gz"), z)
			} else {
				err = a.tar(z)
			}
		}
	}
	if err != nil {
		u.skip(name, "archive: "+err.Error())
	}
	return a.list
}

type archive struct {
	run  *run
	name string
	// left is how much may still be unpacked, code how much source code of that.
	left, code int64
	seen       int
	list       []source
}

var errBomb = errors.New("unpacks beyond the limit; what came before is read")

func (a *archive) zip(data []byte) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	// Small files first: what a bomb takes away is not theirs.
	files := slices.Clone(z.File)
	slices.SortStableFunc(files, func(a, b *zip.File) int { return cmp.Compare(a.UncompressedSize64, b.UncompressedSize64) })
	for _, f := range files {
		if !f.Mode().IsRegular() || !a.wanted(f.Name, int64(min(f.UncompressedSize64, math.MaxInt64))) {
			continue
		}
		if f.UncompressedSize64 > uint64(a.left) {
			return errBomb
		}
		r, err := f.Open()
		if err != nil {
			a.run.skip(a.inside(f.Name), "cannot be unpacked: "+err.Error())
			continue
		}
		err = a.file(f.Name, r)
		r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *archive) tar(r io.Reader) error {
	// What is skipped is decompressed too: the limit holds for the whole stream.
	whole := &io.LimitedReader{R: r, N: max(4*a.left, 64<<20)}
	t := tar.NewReader(whole)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && whole.N <= 0 {
			return errBomb
		}
		if err != nil {
			return fmt.Errorf("cut off or damaged: %w", err)
		}
		if h.Typeflag != tar.TypeReg || !a.wanted(h.Name, h.Size) {
			continue
		}
		if err := a.file(h.Name, t); err != nil {
			return err
		}
	}
}

func (a *archive) inside(name string) string { return path.Join(path.Base(a.name), cleanPath(name)) }

// wanted says whether a file of the archive is to be read; somebody else's folders are not.
func (a *archive) wanted(name string, size int64) bool {
	clean := cleanPath(name)
	if clean != strings.TrimPrefix(path.Clean(name), "./") && strings.Contains(name, "..") {
		return false
	}
	for dir := range strings.SplitSeq(path.Dir(clean), "/") {
		if skippedFolder(dir) {
			return false
		}
	}
	if k := archiveKind(clean); k != "" && k != "gz" && !strings.Contains(clean, "/") {
		a.run.skip(a.inside(name), "an archive inside an archive is not read")
		return false
	}
	p := a.run.claim(clean)
	if _, skims := p.(Skimmer); skims {
		if size > marks.MaxFile || size > a.code {
			return false
		}
		a.code -= size
	}
	return sniffable(clean) || p != nil || len(a.run.judge.find("config_file", clean)) > 0
}

func (a *archive) file(name string, r io.Reader) error {
	if a.seen++; a.seen > a.run.r.opt.MaxFiles {
		return fmt.Errorf("more than %d files: the rest is not read", a.run.r.opt.MaxFiles)
	}
	limit := min(a.run.r.opt.MaxFile, a.left)
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(data)) > limit {
		a.left = 0
		return errBomb
	}
	a.left -= int64(len(data))
	if err != nil {
		a.run.skip(a.inside(name), "cannot be unpacked: "+err.Error())
		return nil
	}
	a.list = append(a.list, memory(a.inside(name), data))
	return nil
}
