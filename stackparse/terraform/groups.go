package terraform

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
)

// related parts files into groups of folders that may call each other as modules: where a text of one names another's place, be it
// a module's source or not, and where values of a stage stand apart: home is
// the folder of the module that the values of a folder are for. Files of Terragrunt speak of all folders below theirs, so that with
// them all are one group.
func related(files []stackparse.Input) (groups [][]stackparse.Input, home map[string]string) {
	home = map[string]string{}
	modules := newModules(files)
	for _, f := range files {
		if dir := path.Dir(f.Path); valuesFile(f.Path) && home[dir] == "" {
			home[dir] = modules.home(f)
		}
	}
	if slices.ContainsFunc(files, func(f stackparse.Input) bool { return terragruntFile(f.Path) }) {
		return [][]stackparse.Input{files}, home
	}
	first := map[string]string{} // the folder that stands for a folder's group, or leads to the one that does
	for _, f := range files {
		first[path.Dir(f.Path)] = path.Dir(f.Path)
	}
	find := func(dir string) string {
		for first[dir] != dir {
			first[dir] = first[first[dir]]
			dir = first[dir]
		}
		return dir
	}
	for _, f := range files {
		dir := path.Dir(f.Path)
		if h := home[dir]; h != "" {
			first[find(h)] = find(dir)
		}
		places(f.Data, func(rel string) {
			if other := path.Join(dir, rel); first[other] != "" {
				first[find(other)] = find(dir)
			}
		})
	}
	at := map[string]int{}
	for _, f := range files {
		dir := find(path.Dir(f.Path))
		i, ok := at[dir]
		if !ok {
			i, groups = len(groups), append(groups, nil)
			at[dir] = i
		}
		groups[i] = append(groups[i], f)
	}
	return groups, home
}

// places calls f with every text in quotes that begins as a relative path does.
func places(text []byte, f func(rel string)) {
	for {
		i := bytes.Index(text, []byte(`".`))
		if i < 0 {
			return
		}
		text = text[i+1:]
		end := bytes.IndexByte(text, '"')
		if end < 0 {
			return
		}
		if rel := text[:end]; bytes.HasPrefix(rel, []byte("./")) || bytes.HasPrefix(rel, []byte("../")) {
			f(string(rel))
		}
	}
}

// modules are the names of the variables that modules declare, by folder.
type modules map[string]map[string]bool

var (
	declaration = pattern.New(`(?m)^\s*variable\s+"?([\w-]+)`)
	setting     = pattern.New(`(?m)^(?:([\w-]+)\s*=| {0,4}"([\w-]+)"\s*:)`)
)

// newModules learns the variables of all folders; where no file of values stands in a folder by itself, nobody asks for them.
func newModules(files []stackparse.Input) modules {
	by := modules{}
	for _, f := range files {
		if strings.HasSuffix(f.Path, ".tf") || strings.HasSuffix(f.Path, ".tofu") {
			by[path.Dir(f.Path)] = nil
		}
	}
	if !slices.ContainsFunc(files, func(f stackparse.Input) bool { _, own := by[path.Dir(f.Path)]; return valuesFile(f.Path) && !own }) {
		return by
	}
	for _, f := range files {
		dir := path.Dir(f.Path)
		if _, ok := by[dir]; !ok {
			continue
		}
		for _, m := range declaration.FindAllSubmatch(f.Data, -1) {
			if by[dir] == nil {
				by[dir] = map[string]bool{}
			}
			by[dir][string(m[1])] = true
		}
	}
	return by
}

// valuesFile says whether a file sets variables.
func valuesFile(p string) bool {
	return strings.HasSuffix(p, ".tfvars") || strings.HasSuffix(p, ".tfvars.json")
}

// home returns the folder that a file of values is for: its own, the next above that has a module, or, where the file stands
// beside a module, the one folder next to it that declares all that the file sets; "" where there is none, or several.
func (by modules) home(values stackparse.Input) string {
	dir := path.Dir(values.Path)
	for up := dir; ; up = path.Dir(up) {
		if _, ok := by[up]; ok {
			return up
		}
		if up == "." || up == "/" {
			break
		}
	}
	names := setting.FindAllSubmatch(values.Data, -1)
	best, near, several := "", -1, false
	for _, folder := range slices.Sorted(maps.Keys(by)) {
		if len(names) == 0 || slices.ContainsFunc(names, func(m [][]byte) bool { return !by[folder][string(m[1])+string(m[2])] }) {
			continue
		}
		switch shared := sharedFolders(folder, dir); {
		case shared > near:
			best, near, several = folder, shared, false
		case shared == near:
			several = true
		}
	}
	if several {
		return ""
	}
	return best
}

// sharedFolders counts the folders that two paths begin with alike.
func sharedFolders(a, b string) (n int) {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	for n < len(as) && n < len(bs) && as[n] == bs[n] {
		n++
	}
	return n
}
