//go:build unix

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"downwind"
	"downwind/archive"
	"downwind/proof"
)

// verifyEnv holds the file's name in the process that verifies it.
const verifyEnv = "DOWNWIND_BENCH_VERIFY"

// verify writes an archive and has a process of its own verify it.
func verify(ctx context.Context, file string, entries int) error {
	size, err := write(file, entries)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), verifyEnv+"="+file)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	begun := time.Now()
	if err := cmd.Run(); err != nil {
		return err
	}
	took, cpu := time.Since(begun), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	fmt.Printf("%d entries, %d MB: %.0f leaves/s by the clock, %.0f by processor time\n", entries, size>>20, float64(entries)/took.Seconds(), float64(entries)/cpu.Seconds())
	return nil
}

// verifyFile is what the process does.
func verifyFile(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if r := proof.VerifyArchive(f, proof.Policy{}); r.Verdict != proof.Valid {
		return fmt.Errorf("%s: %v", r.Verdict, r.Findings)
	}
	// Not the parent's view of it: that counts what the parent itself had when it started the process.
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil // told on Linux only
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "\n")
	fmt.Println("resident at most:", strings.TrimSpace(peak))
	return nil
}

// write makes an archive of different entries, each with its incident, and returns its size in bytes.
func write(file string, entries int) (size int64, err error) {
	secret, _, err := note.GenerateKey(rand.Reader, "downwind.example/log")
	if err != nil {
		return 0, err
	}
	key, err := proof.ParseKey(secret)
	if err != nil {
		return 0, err
	}
	// The head names the checkpoint over all entries, so they are made twice.
	var tree proof.Edge
	for n := range entries {
		leaf, _, err := entry(n)
		if err != nil {
			return 0, err
		}
		tree.Add(leaf)
	}
	signed, err := proof.Checkpoint{Origin: "downwind.example/log", Size: int64(entries), Root: tree.Root()}.Sign(key.Signer)
	if err != nil {
		return 0, err
	}
	f, err := os.Create(file)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w, err := proof.NewArchiveWriter(f, proof.ArchiveHead{Key: key.Public, Checkpoint: string(signed)})
	if err != nil {
		return 0, err
	}
	for n := range entries {
		leaf, state, err := entry(n)
		if err != nil {
			return 0, err
		}
		if err := w.Entry(leaf, state, nil); err != nil {
			return 0, err
		}
	}
	if err := w.Flush(); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// entry is the nth leaf and its incident, four versions to each.
func entry(n int) (leaf, state []byte, err error) {
	at := start.Add(time.Duration(n) * time.Second)
	in := downwind.Incident{
		Provider: "lumen", ID: fmt.Sprintf("incident-%d", n/4), Kind: downwind.KindIncident, Title: "Calls fail", Phase: downwind.Investigating,
		Impact: downwind.ImpactMajor, StartedAt: start,
		Updates: []downwind.Update{{ID: "u", Phase: downwind.Investigating, PostedAt: at, Body: fmt.Sprintf("Calls fail in the west, report %d.", n)}},
	}
	if state, err = archive.Canonical(&in); err != nil {
		return nil, nil, err
	}
	v := downwind.Version{
		Provider: "lumen", Incident: in.ID, Number: n%4 + 1, State: in, Hash: archive.Hash(state), SeenAt: at,
		Fetch: downwind.Fetch{URL: "https://status.lumen.example/api/v2/incidents.json", Status: 200, TLSHost: "status.lumen.example"},
	}
	leaf, err = proof.NewLeaf(v, "").Bytes()
	return leaf, state, err
}
