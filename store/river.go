package store

import (
	"context"
	"fmt"
	"net/http"

	"riverqueue.com/riverui"
)

// RiverUI returns River's own pages over the queue, to be mounted under the path prefix ("/admin/river"). They show and
// change every job and queue, without asking who calls: put a sign-in before them. They count jobs in the background
// until ctx ends.
func (db *DB) RiverUI(ctx context.Context, prefix string) (http.Handler, error) {
	pages, err := riverui.NewHandler(&riverui.HandlerOpts{
		Endpoints: riverui.NewEndpoints(db.river, nil), Logger: db.riverLog(), Prefix: prefix,
	})
	if err != nil {
		return nil, fmt.Errorf("river's pages: %w", err)
	}
	if err := pages.Start(ctx); err != nil {
		return nil, fmt.Errorf("start river's pages: %w", err)
	}
	return pages, nil
}
