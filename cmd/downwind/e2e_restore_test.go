package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// command runs the real program beside or without the daemon and returns what it printed.
func (o *outage) command(args ...string) string {
	o.t.Helper()
	self, err := os.Executable()
	if err != nil {
		o.t.Fatal(err)
	}
	cmd := exec.CommandContext(o.t.Context(), self, append(args, "--config", filepath.Join(o.dir, "config.toml"))...)
	cmd.Env = append(os.Environ(), childEnv+"=1", "XDG_DATA_HOME="+o.dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		o.t.Fatalf("downwind %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestRestoreEndToEnd runs the real program, puts an older copy back in the middle of an outage, and goes on: nothing that
// is out comes a second time, what comes after is told, and the copy says that it is one.
func TestRestoreEndToEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real processes for some seconds; left out with -short")
	}
	o := newOutage(t)
	o.start()
	o.subscribe()
	o.waitRead()
	o.reach(0, 1, 0, "Investigating")
	copied := filepath.Join(o.dir, "copy.db")
	o.command("backup", copied)
	o.reach(1, 1, 1, "Identified")
	o.reach(2, 1, 2, "Monitoring")
	before := map[string]string{}
	for _, m := range o.slack.Messages("C012") {
		before[m.TS] = m.Delivery()
	}
	o.kill()
	o.command("restore", copied)
	o.start()
	o.reach(3, 1, 3, "14:12")
	keys := map[string]int{}
	for _, m := range o.slack.Messages("C012") {
		if keys[m.Delivery()]++; keys[m.Delivery()] > 1 {
			t.Errorf("message %q came again", m.Delivery())
		}
		delete(before, m.TS)
	}
	if len(before) > 0 {
		t.Errorf("messages are gone: %v", before)
	}
	if !strings.Contains(o.logs.String(), "restored copy") {
		t.Error("the daemon does not say that it runs on a copy")
	}
	o.export()
}

// export writes the archive beside the daemon and verifies it: versions and log of the copy agree, and what was read after
// follows behind.
func (o *outage) export() {
	o.t.Helper()
	deadline := time.Now().Add(60 * time.Second)
	for time.Now().Before(deadline) {
		resp, err := http.Get("http://" + o.addr + "/log/checkpoint")
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				break
			}
		}
		select {
		case <-o.t.Context().Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	file := filepath.Join(o.dir, "all.dwarchive")
	o.command("archive", "export", file)
	self, err := os.Executable()
	if err != nil {
		o.t.Fatal(err)
	}
	cmd := exec.CommandContext(o.t.Context(), self, "verify", file)
	cmd.Env = append(os.Environ(), childEnv+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		o.t.Errorf("the export of the restored store: %v\n%s", err, out)
	}
}
