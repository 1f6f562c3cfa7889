package stackparse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	ignore "github.com/sabhiram/go-gitignore"

	"downwind"
	"downwind/stackparse/internal/marks"
)

// skippedFolder reports whether a folder is never walked into: its content is somebody else's or made by tools.
func skippedFolder(s string) bool {
	switch s {
	case "node_modules", "vendor", ".git", ".hg", ".svn", "bower_components",
		".terraform", "__pycache__", ".venv", "venv", ".tox", ".gradle", "Pods", ".next", ".nuxt",
		".yarn", ".pnpm-store", "target", ".idea", ".cache", "site-packages":
		return true
	}
	return false
}

// ReadPaths reads files, folders (walked; symbolic links are not followed) and archives of repositories. A path that
// is a bare domain and no file is read as a domain. The error wraps downwind.ErrUnreadable when a path cannot be
// opened at all; everything else becomes a diagnostic of its file.
func (r *Reader) ReadPaths(ctx context.Context, paths []string) (downwind.Stack, error) {
	u := r.newRun()
	var list []source
	var domains []string
	for _, p := range paths {
		given := p
		info, err := os.Stat(p)
		switch {
		case err != nil && errors.Is(err, fs.ErrNotExist) && looksLikeDomain(p):
			domains = append(domains, p)
		case err != nil:
			return downwind.Stack{}, fmt.Errorf("read stack from %s: %w: %w", p, downwind.ErrUnreadable, errors.Unwrap(err))
		case info.IsDir():
			if real, err := filepath.EvalSymlinks(p); err == nil {
				p = real // a link that people name themselves is followed
			}
			prefix := ""
			if len(paths) > 1 {
				prefix = filepath.ToSlash(filepath.Clean(given))
			}
			list = append(list, u.walk(ctx, p, prefix, len(list))...)
		default:
			name := filepath.ToSlash(p)
			if len(paths) == 1 || filepath.IsAbs(p) {
				name = filepath.Base(p)
			}
			list = append(list, u.single(p, name, info)...)
		}
	}
	if domains != nil {
		data := []byte(strings.Join(domains, "\n"))
		list = append(list, memory("domains.txt", data))
	}
	u.read(ctx, list)
	return u.finish(), ctx.Err()
}

// looksLikeDomain says whether an argument that is no file can be meant as a host name.
func looksLikeDomain(arg string) bool {
	return len(hostsIn(arg)) > 0 && !strings.HasPrefix(arg, ".") && (strings.Contains(arg, "://") || !strings.ContainsAny(arg, "/\\"))
}

// single is a file named by itself: what no parser claims is explained.
func (u *run) single(file, name string, info fs.FileInfo) []source {
	name = cleanPath(name)
	if !info.Mode().IsRegular() {
		u.skip(name, "not a regular file: not read") // a pipe would be waited for
		return nil
	}
	if archiveKind(name) != "" {
		data, err := readFile(file, u.r.opt.MaxFile, nil)
		if err != nil {
			u.skip(name, "archive cannot be read: "+err.Error())
			return nil
		}
		return u.unpack(name, data)
	}
	head, err := readHead(file, headSize)
	if err != nil {
		u.skip(name, "cannot be read: "+err.Error())
		return nil
	}
	u.explain(name, head)
	return []source{fileSource(file, name, info.Size())}
}

func fileSource(file, name string, size int64) source {
	return source{
		path: name, size: size,
		read: func(max int64, room []byte) ([]byte, error) { return readFile(file, max, room) },
		head: func(max int) ([]byte, error) { return readHead(file, max) },
		open: func() (io.ReadCloser, error) {
			f, now, err := openFile(file)
			if err != nil {
				return nil, err
			}
			return bounded{io.LimitReader(f, min(now, size)), f}, nil // what is written meanwhile is another file's
		},
	}
}

// bounded is the beginning of a file.
type bounded struct {
	io.Reader
	io.Closer
}

// openFile opens a regular file and returns its size.
func openFile(file string) (*os.File, int64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// readFile reads at most max bytes, into room where there is enough, else into one buffer of the file's size.
func readFile(file string, max int64, room []byte) ([]byte, error) {
	f, size, err := openFile(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > max {
		return nil, errTooBig
	}
	buf := room
	if size > int64(len(room)) {
		buf = make([]byte, size)
	}
	n, err := io.ReadFull(f, buf[:size])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return buf[:n], nil
}

func readHead(file string, max int) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buf := make([]byte, max)
	n, err := io.ReadFull(f, buf)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return buf[:n], nil
}

// An ignorer is one .gitignore with the folder it speaks for.
type ignorer struct {
	dir   string
	rules *ignore.GitIgnore
}

// walk lists the files of a folder that somebody claims, without following links or leaving the folder.
func (u *run) walk(ctx context.Context, root, prefix string, have int) []source {
	var list []source
	ignorers := map[string][]ignorer{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, relErr := filepath.Rel(root, p)
		if relErr != nil {
			return nil
		}
		rel = filepath.ToSlash(rel)
		if err != nil {
			u.skip(path.Join(prefix, rel), "cannot be read: "+cause(err))
			return nil
		}
		if d.IsDir() {
			return u.enter(root, rel, d.Name(), ignorers)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		name := path.Join(prefix, rel)
		if ignored(ignorers[path.Dir(rel)], rel) || u.claim(name) == nil && len(u.judge.find("config_file", name)) == 0 && !marks.Claims(name) && !sniffable(name) {
			return nil
		}
		if have+len(list) >= u.r.opt.MaxFiles {
			u.skip(name, fmt.Sprintf("more than %d files: the rest is not read", u.r.opt.MaxFiles))
			return fs.SkipAll
		}
		info, err := d.Info()
		if err != nil {
			u.skip(name, "cannot be read: "+cause(err))
			return nil
		}
		list = append(list, fileSource(p, name, info.Size()))
		return nil
	})
	if err != nil && ctx.Err() == nil {
		u.skip(prefix, "cannot be walked: "+cause(err))
	}
	return list
}

func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// enter decides on a folder and hands the ignore rules that hold above it down to it.
func (u *run) enter(root, rel, name string, ignorers map[string][]ignorer) error {
	above := ignorers[path.Dir(rel)]
	if rel != "." && (skippedFolder(name) || ignored(above, rel+"/")) {
		return fs.SkipDir
	}
	if u.r.opt.NoIgnore {
		return nil
	}
	if rules, err := ignore.CompileIgnoreFile(filepath.Join(root, rel, ".gitignore")); err == nil {
		above = append(above[:len(above):len(above)], ignorer{rel, rules})
	}
	ignorers[rel] = above
	return nil
}

func ignored(list []ignorer, rel string) bool {
	for _, g := range list {
		sub := rel
		if g.dir != "." {
			sub = strings.TrimPrefix(rel, g.dir+"/")
		}
		if g.rules.MatchesPath(sub) {
			return true
		}
	}
	return false
}
