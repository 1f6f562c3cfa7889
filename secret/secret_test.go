package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"downwind/secret"
)

func TestNeverPrints(t *testing.T) {
	s := secret.New("xoxb-hunter2")
	var out bytes.Buffer
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "token", s)
	js, err := json.Marshal(struct{ Token secret.String }{s})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "%s %v %+v %#v %q %x %s", s, s, s, s, s, s, js)
	fmt.Fprintf(&out, "%v %+v %#v", struct{ T secret.String }{s}, &s, []secret.String{s})
	if strings.Contains(out.String(), "hunter2") || strings.Contains(out.String(), fmt.Sprintf("%x", "hunter2")) {
		t.Errorf("secret printed: %s", out.String())
	}
	if s.Reveal() != "xoxb-hunter2" {
		t.Error("Reveal does not give the secret back")
	}
	if !(secret.String{}).IsZero() || s.IsZero() {
		t.Error("IsZero")
	}
}
