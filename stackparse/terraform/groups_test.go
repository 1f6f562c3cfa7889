package terraform

import (
	"slices"
	"strings"
	"testing"

	"downwind/stackparse"
)

func TestFoldersThatCallEachOtherAreOneGroup(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string // path and text
		want  []string
	}{
		{"alone", []string{"a/main.tf", ``, "a/vars.tf", ``, "b/main.tf", `x = "c"`, "main.tf", ``}, []string{"a/main.tf a/vars.tf", "b/main.tf", "main.tf"}},
		{"a module", []string{"a/main.tf", `module "m" { source = "../mods/m" }`, "b/main.tf", ``, "mods/m/main.tf", ``}, []string{"a/main.tf mods/m/main.tf", "b/main.tf"}},
		{"one module of two", []string{"a/main.tf", `source = "../m"`, "b/main.tf", `source = "../m//"`, "c/main.tf", `file("./x.json")`, "m/main.tf", ``}, []string{"a/main.tf b/main.tf m/main.tf", "c/main.tf"}},
		{"a chain, backwards", []string{"a/main.tf", ``, "b/main.tf", `source = "../a"`, "c/main.tf.json", `{"module": {"b": {"source": "../b"}}}`}, []string{"a/main.tf b/main.tf c/main.tf.json"}},
		{"a ring", []string{"a/main.tf", `source = "../b"`, "b/main.tf", `source = "../a"`}, []string{"a/main.tf b/main.tf"}},
		{"a folder that is not there", []string{"a/main.tf", `source = "../../z" x = "./"`, "b/main.tf", `open "./`}, []string{"a/main.tf", "b/main.tf"}},
		{"values beside a module", []string{"env/a.tfvars", "x = 1", "mods/b/main.tf", ``, "tf/main.tf", `variable "x" {}`}, []string{"env/a.tfvars tf/main.tf", "mods/b/main.tf"}},
		{"values beside the nearer module", []string{"a/env/a.tfvars", "x = 1", "a/tf/main.tf", `variable "x" {}`, "b/tf/main.tf", `variable "x" {}`}, []string{"a/env/a.tfvars a/tf/main.tf", "b/tf/main.tf"}},
		{"values beside two", []string{"a/main.tf", `variable "x" {}`, "b/main.tf", `variable "x" {}`, "env/a.tfvars.json", `{"x": 1}`}, []string{"a/main.tf", "b/main.tf", "env/a.tfvars.json"}},
		{"Terragrunt", []string{"a/main.tf", ``, "b/terragrunt.hcl", ``}, []string{"a/main.tf b/terragrunt.hcl"}},
		{"nothing", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var in []stackparse.Input
			for i := 0; i < len(c.files); i += 2 {
				in = append(in, stackparse.Input{Path: c.files[i], Data: []byte(c.files[i+1])})
			}
			var got []string
			groups, _ := related(in)
			for _, g := range groups {
				var paths []string
				for _, f := range g {
					paths = append(paths, f.Path)
				}
				got = append(got, strings.Join(paths, " "))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("groups %q, want %q", got, c.want)
			}
		})
	}
}
