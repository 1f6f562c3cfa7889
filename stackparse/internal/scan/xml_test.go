package scan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"downwind/stackparse/internal/scan"
)

func TestTakenElementsAreNotKept(t *testing.T) {
	const text = `<bom v="1">
 <components>
  <component id="a"><purl>pkg:npm/a</purl></component>
  <component id="b"><components>
   <component id="c"/></components></component>
 </components>
 <name>x</name>
</bom>`
	for _, c := range []struct {
		name, text string
		want       []string
		problem    int
	}{
		{"whole", text, []string{"2 3 a pkg:npm/a", "4 5 c ", "2 4 b "}, 0},
		{"cut off", text[:strings.Index(text, "</components></component>")], []string{"2 3 a pkg:npm/a", "4 5 c ", "2 4 b "}, 5},
		{"within an element", text[:strings.Index(text, "</purl>")], []string{"2 3 a pkg:npm/a"}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			n, probs := scan.XMLOf(strings.NewReader(c.text), func(names []string, n *scan.Node) bool {
				if names[len(names)-1] != "component" {
					return false
				}
				got = append(got, fmt.Sprintf("%d %d %s %s", len(names)-1, n.Line, n.Get("@id").Str(), n.Get("purl").Inner()))
				return true
			})
			if !slices.Equal(got, c.want) {
				t.Errorf("took %q, want %q", got, c.want)
			}
			if list := n.Get("bom", "components"); list.Count("component") != 0 {
				t.Errorf("kept %+v", list)
			}
			if (len(probs) > 0) != (c.problem > 0) || len(probs) > 0 && probs[0].Line != c.problem {
				t.Errorf("problems %+v, want one on line %d", probs, c.problem)
			}
		})
	}
}
