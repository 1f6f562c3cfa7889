package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"downwind"
)

// Reserved says whether the settings of a channel let only administrators change it; other faces that change channels
// than chat ask it too.
func Reserved(ctx context.Context, kept interface {
	Temp(ctx context.Context, kind, key string) ([]byte, error)
}, destination string,
) (bool, error) {
	raw, err := kept.Temp(ctx, tempSettings, destination)
	if errors.Is(err, downwind.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var s Settings
	if err := json.Unmarshal(raw, &s); err != nil {
		return false, fmt.Errorf("settings of %s: %w", destination, err)
	}
	return s.AdminsOnly, nil
}
