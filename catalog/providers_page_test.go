package catalog

import (
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"downwind"
)

var updatePage = flag.Bool("update", false, "rewrite docs/providers.md")

// TestProvidersPage keeps docs/providers.md what the catalogue says.
func TestProvidersPage(t *testing.T) {
	const path = "../docs/providers.md"
	want := providersPage(load(t).All())
	if *updatePage {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/providers.md is not what the catalogue says; run go test ./catalog -run TestProvidersPage -update")
	}
}

func providersPage(all []downwind.Provider) string {
	var firm, unverified, unsupported, components, regions int
	platforms := map[string]int{}
	for _, p := range all {
		switch {
		case p.Unsupported != "":
			unsupported++
		case p.Verified:
			firm++
			platforms[p.Platform]++
		default:
			unverified++
		}
		if len(p.Components) > 0 {
			components++
		}
		if len(p.Regions) > 0 {
			regions++
		}
	}
	names := make([]string, 0, len(platforms))
	for n := range platforms {
		names = append(names, n)
	}
	sort.Slice(names, func(i, j int) bool {
		if platforms[names[i]] != platforms[names[j]] {
			return platforms[names[i]] > platforms[names[j]]
		}
		return names[i] < names[j]
	})
	var b strings.Builder
	fmt.Fprintf(&b, "# Providers\n\nGenerated from the catalogue; `go test ./catalog -run TestProvidersPage -update` writes it anew.\n\n")
	fmt.Fprintf(&b, "%d providers: %d with a firm platform and address, %d found out at first contact, %d that cannot be read (reason given).\n", len(all), firm, unverified, unsupported)
	fmt.Fprintf(&b, "Components are known beforehand for %d, regions for %d.\n\n| platform | providers |\n| --- | --- |\n", components, regions)
	for _, n := range names {
		fmt.Fprintf(&b, "| %s | %d |\n", n, platforms[n])
	}
	b.WriteString("\n| provider | name | status page | platform |\n| --- | --- | --- | --- |\n")
	for _, p := range all {
		page, platform := p.StatusURL, p.Platform
		switch {
		case p.Unsupported != "":
			platform = "not read: " + p.Unsupported
		case platform == "":
			platform = "found out at first contact"
		case !p.Verified:
			platform += ", to be confirmed"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", p.Slug, strings.ReplaceAll(p.Name, "|", "\\|"), page, platform)
	}
	return b.String()
}
