package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"downwind"
	"downwind/plan"
)

// stillOpen reminds a destination, where it asks for that, of open incidents that nobody there has acknowledged.
func (a *App) stillOpen(ctx context.Context, d downwind.Destination, now time.Time) error {
	if d.Remind <= 0 || d.Paused != "" {
		return nil
	}
	rows, err := a.db.Deliveries(ctx, downwind.DeliveryFilter{Destination: d.ID, State: downwind.DeliveryActive})
	if err != nil {
		return err
	}
	var mutes []downwind.Mute
	for i, row := range rows {
		if i == 0 {
			if mutes, err = a.db.Mutes(ctx, d.ID); err != nil {
				return err
			}
		}
		if err := a.remindOf(ctx, d, row, mutes, now); err != nil {
			return err
		}
	}
	return nil
}

// remindOf plans the reminder of one delivery, where one is due, and applies it once.
func (a *App) remindOf(ctx context.Context, d downwind.Destination, row downwind.Delivery, mutes []downwind.Mute, now time.Time) error {
	provider, id, _ := strings.Cut(row.Incident, "/")
	if !row.AckedAt.IsZero() || provider == "downwind" {
		return nil
	}
	rec, err := a.db.Incident(ctx, provider, id)
	if errors.Is(err, downwind.ErrNotFound) {
		return nil
	}
	if err != nil || !rec.Incident.Open() {
		return err
	}
	s := plan.Standing{Delivery: row, Incident: rec.Incident, Withdrawn: !rec.Withdrawn.IsZero(), Mutes: mutes}
	if s.Parts, err = a.db.Parts(ctx, row.ID); err != nil {
		return err
	}
	due, raise, hold := plan.StillOpen(&d, s, now)
	p := downwind.Plan{At: now}
	switch {
	case raise != nil:
		p.Raises = []downwind.Raise{*raise}
	case hold != nil:
		// Somebody muted it: that answers the reminder, also once the mute has ended. News in the channel begin it anew.
		p.Holds = []downwind.Hold{*hold}
	default:
		return nil
	}
	return a.once(ctx, "remind", row.ID, due, func() error { return a.db.Apply(ctx, p) })
}
