package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs each testdata/script/*.txtar against the real program, in a process of its own.
func TestScripts(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv(childEnv, "1")
			e.Setenv("downwind", self)
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_DATA_HOME", e.WorkDir+"/data")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": exitStatus},
	})
}

// exitStatus runs "status N ARGS…": downwind with ARGS must end with N.
func exitStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N ARGS...")
	}
	err := ts.Exec(ts.Getenv("downwind"), args[1:]...)
	got := "0"
	if err != nil {
		got = exitCode(err)
	}
	if got != args[0] {
		ts.Fatalf("downwind %v: exit status %s, want %s (%v)", args[1:], got, args[0], err)
	}
}

// exitCode is the status that a process ended with, or what kept it from running.
func exitCode(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return strconv.Itoa(exit.ExitCode())
	}
	return err.Error()
}
