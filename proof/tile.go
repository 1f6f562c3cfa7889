package proof

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"downwind"
)

// tileHeight is that of C2SP tlog-tiles: 256 hashes a tile.
const tileHeight = 8

// Tile returns the bytes of a C2SP tile by its path below the log ("tile/0/x001/234", "tile/entries/000.p/12"). A path
// that names no tile of the log gives ErrNotFound.
func Tile(ctx context.Context, db Querier, path string) ([]byte, error) {
	rest, ok := strings.CutPrefix(path, "tile/")
	if !ok {
		return nil, downwind.Errorf(downwind.ErrNotFound, "%s is no tile", path)
	}
	if after, ok := strings.CutPrefix(rest, "entries/"); ok {
		rest = "data/" + after
	}
	t, err := tlog.ParseTilePath(fmt.Sprintf("tile/%d/%s", tileHeight, rest))
	if err != nil || t.W < 1 {
		return nil, downwind.Errorf(downwind.ErrNotFound, "%s is no tile", path)
	}
	size, err := Size(ctx, db)
	if err != nil {
		return nil, err
	}
	if !within(t, size) {
		return nil, downwind.Errorf(downwind.ErrNotFound, "%s lies beyond the log's %d leaves", path, size)
	}
	if t.L < 0 {
		return entries(ctx, db, t)
	}
	data, err := tlog.ReadTileData(t, &edgeReader{ctx: ctx, db: db})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// within reports whether all of a tile's hashes exist in a tree of this size.
func within(t tlog.Tile, size int64) bool {
	level := max(t.L, 0)
	shift := uint(level * tileHeight)
	if shift > 62 {
		return false
	}
	return (t.N<<tileHeight)+int64(t.W) <= size>>shift
}

// entries is a bundle of leaves: each with its length in 16 bits, big-endian, before it.
func entries(ctx context.Context, db Querier, t tlog.Tile) ([]byte, error) {
	first := t.N << tileHeight
	var out []byte
	err := Leaves(ctx, db, first, first+int64(t.W), func(_ int64, leaf []byte) error {
		out = binary.BigEndian.AppendUint16(out, uint16(len(leaf))) // maxLeaf keeps it in range
		out = append(out, leaf...)
		return nil
	})
	return out, err
}
