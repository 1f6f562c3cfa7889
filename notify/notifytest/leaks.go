package notifytest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"downwind/notify"
)

// LeaksNoSecret fails when a result, printed in any way, holds a secret in clear or in a usual encoding.
func LeaksNoSecret(t testing.TB, r notify.Result, secrets ...string) {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%v %+v %#v %s", r, r, r, r.Reason)
	for err := r.Err; err != nil; {
		fmt.Fprintf(&b, " %v %+v %#v", err, err, err)
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			break
		}
		err = u.Unwrap()
	}
	HoldsNoSecret(t, b.String(), secrets...)
}

// HoldsNoSecret fails when a text holds a secret in clear or in a usual encoding.
func HoldsNoSecret(t testing.TB, text string, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		for _, form := range []string{s, url.QueryEscape(s), url.PathEscape(s), hex.EncodeToString([]byte(s)), base64.StdEncoding.EncodeToString([]byte(s))} {
			if form != "" && strings.Contains(text, form) {
				t.Errorf("a secret leaks: %s", strings.ReplaceAll(text, form, "‹SECRET›"))
				return
			}
		}
	}
}
