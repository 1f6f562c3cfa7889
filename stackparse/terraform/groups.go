package terraform

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"downwind/stackparse"
)

// related parts files into groups of folders that may call each other as modules: where a text of one names another's place, be it
// a module's source or not, and where values of a stage stand below. Files of Terragrunt speak of all folders below theirs, so that with them all are one group.
func related(files []stackparse.Input) [][]stackparse.Input {
	if slices.ContainsFunc(files, func(f stackparse.Input) bool { return terragruntFile(f.Path) }) {
		return [][]stackparse.Input{files}
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
		if strings.Contains(path.Base(f.Path), ".tfvars") { // of a stage, for the folder above
			for up := path.Dir(dir); up != dir; up = path.Dir(up) {
				if first[up] != "" {
					first[find(up)] = find(dir)
					break
				}
				if up == "." || up == "/" {
					break
				}
			}
		}
		places(f.Data, func(rel string) {
			if other := path.Join(dir, rel); first[other] != "" {
				first[find(other)] = find(dir)
			}
		})
	}
	var groups [][]stackparse.Input
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
	return groups
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
