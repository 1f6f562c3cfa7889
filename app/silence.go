package app

import (
	"context"
	"fmt"
	"time"

	"downwind"
	"downwind/plan"
)

// silenceLooked is how many of a provider's newest incidents tell its norm.
const silenceLooked = 60

// silences tells the operator of sources that teams depend on which can be read and tell nothing new for far longer than
// they ever did: perhaps the page has moved and left its old feed behind.
func (a *App) silences(ctx context.Context) error {
	sources, err := a.db.Sources(ctx)
	if err != nil {
		return err
	}
	now := a.clock.Now()
	for _, src := range sources {
		if !src.Wanted || src.State != downwind.SourceFresh {
			continue
		}
		records, err := a.db.Incidents(ctx, downwind.IncidentFilter{Provider: src.Provider, Limit: silenceLooked})
		if err != nil {
			return err
		}
		starts := make([]time.Time, len(records))
		for i := range records {
			starts[i] = records[i].Incident.StartedAt
		}
		s, silent := plan.Silent(starts, now)
		n := downwind.OperatorNote{Key: "source:" + src.Provider + ":silent", At: now, Over: !silent}
		if silent {
			n.Text = fmt.Sprintf("%s has told nothing new for %s; its longest pause before was %s. If its page has moved, set status_url in [[provider]]; it is read at %s.",
				a.providerName(src.Provider), days(s.Pause), days(s.Before), src.URL)
		} else {
			n.Text = a.providerName(src.Provider) + " tells news again."
		}
		if err := a.note(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// days says a long duration in whole days, at least one.
func days(d time.Duration) string {
	const day = 24 * time.Hour
	if n := d.Round(day) / day; n > 1 {
		return fmt.Sprintf("%d days", n)
	}
	return "a day"
}
