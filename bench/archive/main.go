//go:build unix

// Command archive kills a process that archives versions, again and again, and looks whether versions and log agree and
// nothing that was acknowledged is missing:
//
//	go run ./bench/archive -kills 200
//	go run ./bench/archive -kills 200 -store postgres://user@host/db
//
// With -verify it writes an exported archive of that many entries, has a process of its own verify it, and tells how fast
// that was and how much memory it took:
//
//	go run ./bench/archive -verify 1000000
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"downwind"
	"downwind/archive"
	"downwind/proof"
	"downwind/store"
)

// childEnv holds the store's address in the process that is to be killed.
const childEnv = "DOWNWIND_BENCH_ARCHIVE"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch address, file := os.Getenv(childEnv), os.Getenv(verifyEnv); {
	case address != "":
		err = child(ctx, address, os.Stdout)
	case file != "":
		err = verifyFile(file)
	default:
		err = parent(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "archive:", err)
		stop()
		os.Exit(1)
	}
}

// start is when the invented readings begin.
var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// child archives three versions a plan until it is killed, and prints the number of each plan that is stored.
func child(ctx context.Context, address string, out io.Writer) error {
	db, err := store.Open(ctx, store.Options{URL: address, Leaves: store.LeafOf})
	if err != nil {
		return err
	}
	size, err := proof.Size(ctx, db.Log())
	if err != nil {
		return errors.Join(err, db.Close())
	}
	for n := size; err == nil; n++ {
		at := start.Add(time.Duration(n) * time.Second)
		p := downwind.Plan{Provider: "lumen", At: at, Bodies: map[string][]byte{fmt.Sprintf("body-%d", n): []byte("raw")}}
		for k := range 3 {
			in := downwind.Incident{
				Provider: "lumen", ID: fmt.Sprintf("incident-%d", k), Kind: downwind.KindIncident, Title: fmt.Sprintf("Calls fail, report %d", n),
				Phase: downwind.Investigating, Impact: downwind.ImpactMajor, StartedAt: start,
			}
			canonical, cerr := archive.Canonical(&in)
			if cerr != nil {
				return errors.Join(cerr, db.Close())
			}
			p.Versions = append(p.Versions, downwind.Version{Provider: "lumen", Incident: in.ID, State: in, Hash: archive.Hash(canonical), SeenAt: at})
		}
		if err = db.Apply(ctx, p); err == nil {
			_, err = fmt.Fprintln(out, p.Versions[2].Hash)
		}
	}
	return errors.Join(err, db.Close())
}

func parent(ctx context.Context) error {
	kills := flag.Int("kills", 200, "processes to kill")
	address := flag.String("store", "", "address of an empty store; default: SQLite in a temporary folder")
	entries := flag.Int("verify", 0, "entries of an archive to verify, instead of killing")
	file := flag.String("file", "", "where to write that archive and keep it; default: a temporary folder")
	flag.Parse()
	dir, err := os.MkdirTemp("", "downwind-archive")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary folder
	if *entries > 0 {
		if *file == "" {
			*file = filepath.Join(dir, "bench.dwarchive")
		}
		return verify(ctx, *file, *entries)
	}
	if *address == "" {
		*address = "sqlite:" + filepath.Join(dir, "downwind.db")
	}
	acked := map[string]bool{}
	for i := range *kills {
		if err := kill(ctx, *address, acked); err != nil {
			return fmt.Errorf("kill %d: %w", i+1, err)
		}
		if (i+1)%20 == 0 || i+1 == *kills {
			n, err := agree(ctx, *address, acked)
			if err != nil {
				return fmt.Errorf("after kill %d: %w", i+1, err)
			}
			fmt.Printf("%d kills: %d leaves, %d acknowledged plans, versions and log agree\n", i+1, n, len(acked))
		}
	}
	return nil
}

// kill runs a child for a while and kills it in the middle of its work. What it printed was acknowledged.
func kill(ctx context.Context, address string, acked map[string]bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), childEnv+"="+address)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	var timer *time.Timer
	first := len(acked)
	for lines.Scan() {
		acked[lines.Text()] = true
		if timer == nil { // its life begins with the first plan: opening the store is not what is tested
			timer = time.AfterFunc(time.Duration(rand.IntN(60_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		}
	}
	err = cmd.Wait()
	if len(acked) == first {
		return fmt.Errorf("the process stored nothing: %w", errors.Join(err, lines.Err()))
	}
	return nil
}

// agree reads the whole store: each leaf is the one of its version, the stored tree has the root of the leaves, and every
// acknowledged version is there. It returns the number of leaves.
func agree(ctx context.Context, address string, acked map[string]bool) (n int64, err error) {
	db, err := store.Open(ctx, store.Options{URL: address, Leaves: store.LeafOf})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var tree proof.Edge
	states := map[string]bool{}
	size, err := proof.Size(ctx, db.Log())
	if err != nil {
		return 0, err
	}
	versions := map[string]downwind.Version{}
	total := int64(0)
	for k := range 3 {
		list, err := db.Versions(ctx, "lumen", "incident-"+strconv.Itoa(k))
		if err != nil {
			return 0, err
		}
		total += int64(len(list))
		for _, v := range list {
			versions[v.Incident+"/"+strconv.Itoa(v.Number)] = v
		}
	}
	if total != size {
		return 0, fmt.Errorf("%d versions, %d leaves", total, size)
	}
	err = proof.Leaves(ctx, db.Log(), 0, size, func(i int64, b []byte) error {
		l, err := proof.ParseLeaf(b)
		if err != nil {
			return err
		}
		v := versions[l.Incident+"/"+strconv.Itoa(l.Number)]
		if v.Leaf != i || v.Hash != l.State {
			return fmt.Errorf("leaf %d is of version %d of %s, whose leaf is %d", i, l.Number, l.Incident, v.Leaf)
		}
		tree.Add(b)
		states[l.State] = true
		return nil
	})
	if err != nil {
		return 0, err
	}
	root, err := proof.Root(ctx, db.Log(), size)
	if err != nil || root != tree.Root() {
		return 0, fmt.Errorf("the stored tree has another root than its leaves: %w", errors.Join(err, downwind.ErrInvalid))
	}
	for hash := range acked {
		if !states[hash] {
			return 0, fmt.Errorf("an acknowledged version (state %s) is missing", hash)
		}
	}
	return size, nil
}
