package store

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
	"sync"

	"downwind"
)

// stateCacheMost bounds the decoded states of one generation; two are kept, about 4 kB a state.
const stateCacheMost = 4096

// stateCache keeps decoded states by version. A version never changes, and decoding it is most of what a listing costs.
type stateCache struct {
	mu       sync.Mutex
	new, old map[int64]downwind.Incident
}

// get returns a state whose lists are the caller's own.
func (c *stateCache) get(version int64) (downwind.Incident, bool) {
	c.mu.Lock()
	inc, ok := c.new[version]
	if !ok {
		if inc, ok = c.old[version]; ok {
			c.keep(version, inc)
		}
	}
	c.mu.Unlock()
	return own(inc), ok
}

func (c *stateCache) put(version int64, inc downwind.Incident) {
	inc = own(inc)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(version, inc)
}

// keep makes room by forgetting what was not asked for in the last generation.
func (c *stateCache) keep(version int64, inc downwind.Incident) {
	if c.new == nil || len(c.new) >= stateCacheMost {
		c.old, c.new = c.new, make(map[int64]downwind.Incident)
	}
	c.new[version] = inc
}

// own gives an incident lists of its own.
func own(inc downwind.Incident) downwind.Incident {
	inc.Components, inc.Regions, inc.Updates = slices.Clone(inc.Components), slices.Clone(inc.Regions), slices.Clone(inc.Updates)
	for i := range inc.Updates {
		inc.Updates[i].Components = slices.Clone(inc.Updates[i].Components)
	}
	return inc
}

// give puts a state into a record, whose provider it takes.
func give(rec *downwind.IncidentRecord, inc downwind.Incident) {
	inc.Provider = rec.Incident.Provider
	rec.Incident = inc
}

// fillStates gives records the states of their versions.
func (db *DB) fillStates(ctx context.Context, list []downwind.IncidentRecord) error {
	missing := make(map[int64][]int)
	var ids []string
	for i := range list {
		rec := &list[i]
		if inc, ok := db.states.get(rec.VersionID); ok {
			give(rec, inc)
			continue
		}
		if missing[rec.VersionID] == nil {
			ids = append(ids, strconv.FormatInt(rec.VersionID, 10))
		}
		missing[rec.VersionID] = append(missing[rec.VersionID], i)
	}
	for part := range slices.Chunk(ids, 500) {
		err := each(ctx, db.plain(), func(r *sql.Rows) error {
			var id int64
			var inc downwind.Incident
			if err := r.Scan(&id, packed{db, &inc}); err != nil {
				return err
			}
			db.states.put(id, inc)
			for _, i := range missing[id] {
				give(&list[i], own(inc))
			}
			return nil
		}, "SELECT id, state FROM version WHERE id IN ("+strings.Join(part, ",")+")")
		if err != nil {
			return err
		}
	}
	return nil
}
