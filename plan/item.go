package plan

import (
	"fmt"
	"strings"
	"time"

	"downwind"
)

// items makes the frozen items of the served feeds: one per update or change that a reader should meet.
func items(in *Input, e *event) []downwind.FeedItem {
	var out []downwind.FeedItem
	for _, c := range e.changes {
		switch c.Kind {
		case downwind.ChangeComponents, downwind.ChangeSeverity:
			if len(e.changes) > 1 {
				continue
			}
		}
		out = append(out, item(in, e, c))
	}
	return out
}

func item(in *Input, e *event, c downwind.Change) downwind.FeedItem {
	inc := &e.state
	update := c.Update
	if update == "" {
		update = string(c.Kind)
	}
	it := downwind.FeedItem{
		ID:       fmt.Sprintf("u/%s/%s/%s/%d", inc.Provider, inc.ID, update, e.version),
		Provider: inc.Provider, Incident: inc.ID, Update: c.Update, Kind: c.Kind, Impact: inc.Impact, Phase: inc.Phase,
		Title: title(in.Known.Provider.Name, inc, c), Text: text(e, c), PostedAt: c.At, PublishedAt: in.Now,
		Regions: append(append([]string{}, inc.Regions...), e.guidance.Regions...),
	}
	for _, comp := range inc.Components {
		it.Components = append(it.Components, comp.Name)
	}
	return it
}

// icons repeat what the words of a title say.
var icons = map[downwind.ChangeKind]string{
	downwind.ChangeResolved: "🟢", downwind.ChangeEdit: "✏️", downwind.ChangePostmortem: "📄",
	downwind.ChangeMaintenance: "🔧", downwind.ChangeWithdrawn: "⚪",
}

// title tells it all: "🔵 LiveKit: monitoring, elevated API failures in Chicago (update 2)".
func title(provider string, inc *downwind.Incident, c downwind.Change) string {
	icon := icons[c.Kind]
	if icon == "" {
		icon = gradeIcon(inc)
	}
	state := strings.ReplaceAll(string(inc.Phase), "_", " ")
	switch c.Kind {
	case downwind.ChangeEdit:
		state = editedWhat(c)
	case downwind.ChangeWithdrawn:
		state = "withdrawn"
	case downwind.ChangeReopened:
		state = "re-opened, " + state
	case downwind.ChangeNew:
		if inc.Phase.Over() {
			state = "already over"
		}
	}
	t := fmt.Sprintf("%s %s: %s, %s", icon, provider, state, inc.Title)
	for i, u := range inc.Updates {
		if u.ID == c.Update && i > 0 {
			t += fmt.Sprintf(" (update %d)", i+1)
		}
	}
	return t
}

func gradeIcon(inc *downwind.Incident) string {
	switch {
	case inc.Phase == downwind.Monitoring:
		return "🔵"
	case inc.Impact == downwind.ImpactCritical:
		return "🔴"
	case inc.Impact == downwind.ImpactMajor:
		return "🟠"
	}
	return "🟡"
}

// text is plain; its first 200 characters stand alone. Once over, the windows come first.
func text(e *event, c downwind.Change) string {
	inc := &e.state
	var parts []string
	if inc.Phase.Over() || c.Kind == downwind.ChangeEdit {
		for _, w := range e.guidance.Windows {
			parts = append(parts, "Window by the provider's words: "+period(w.Start, w.End)+scope(w.Scope)+".")
		}
		if e.guidance.PageGuess != nil && len(e.guidance.Windows) == 0 && inc.Kind == downwind.KindIncident {
			parts = append(parts, "No window stated; a guess from the page clock: "+period(e.guidance.PageGuess.Start, e.guidance.PageGuess.End)+".")
		}
	}
	switch c.Kind {
	case downwind.ChangeEdit:
		parts = append(parts, edited(c))
	case downwind.ChangeComponents:
		if c.Field == "scope" {
			parts = append(parts, "Now named too: "+c.To+".")
		}
	case downwind.ChangeWithdrawn:
		parts = append(parts, "The provider removed this incident from its page. That is no statement that it was resolved.")
	}
	body := ""
	for i := range inc.Updates {
		if inc.Updates[i].ID == c.Update {
			body = inc.Updates[i].Body
		}
	}
	if body != "" && c.Kind != downwind.ChangeEdit {
		parts = append(parts, body)
	}
	if len(inc.Components) > 0 {
		var n []string
		for _, comp := range inc.Components {
			n = append(n, comp.Name)
		}
		parts = append(parts, "Components: "+strings.Join(n, ", ")+".")
	}
	for _, conflict := range e.guidance.Conflicts {
		parts = append(parts, "Note: "+conflict)
	}
	return strings.Join(parts, "\n\n")
}

// editedWhat says what an edit changed, and whether it came when nobody looks any more.
func editedWhat(c downwind.Change) string {
	what := map[string]string{"title": "retitled", "times": "times restated"}[c.Field]
	if what == "" {
		what = "past update edited"
	}
	if c.AfterEnd {
		what += " after the end"
	}
	return what
}

// edited lists the words removed and added.
func edited(c downwind.Change) string {
	var removed, added []string
	for _, s := range c.Diff {
		switch {
		case s.Op < 0:
			removed = append(removed, strings.TrimSpace(s.Text))
		case s.Op > 0:
			added = append(added, strings.TrimSpace(s.Text))
		}
	}
	return "Removed: " + strings.Join(removed, " … ") + "\nAdded: " + strings.Join(added, " … ")
}

func period(start, end time.Time) string {
	return stamp(start, "start not stated") + " / " + stamp(end, "still open")
}

func stamp(t time.Time, missing string) string {
	if t.IsZero() {
		return missing
	}
	return t.UTC().Format("2006-01-02T15:04Z")
}

func scope(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}
