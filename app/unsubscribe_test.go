package app_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"downwind/config"
)

// mailServer takes every mail.
type mailServer struct {
	addr string
	mu   sync.Mutex
	got  []string
}

func newMailServer(t *testing.T) *mailServer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	s := &mailServer{addr: ln.Addr().String()}
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go s.talk(c)
		}
	}()
	return s
}

func (s *mailServer) talk(c net.Conn) {
	defer c.Close()
	r := textproto.NewReader(bufio.NewReader(c))
	fmt.Fprint(c, "220 test\r\n")
	for {
		line, err := r.ReadLine()
		if err != nil {
			return
		}
		switch strings.ToUpper(strings.Fields(line + " .")[0]) {
		case "DATA":
			fmt.Fprint(c, "354 go\r\n")
			raw, err := io.ReadAll(r.DotReader())
			if err != nil {
				return
			}
			s.mu.Lock()
			s.got = append(s.got, string(raw))
			s.mu.Unlock()
			fmt.Fprint(c, "250 taken\r\n")
		case "QUIT":
			fmt.Fprint(c, "221 bye\r\n")
			return
		default:
			fmt.Fprint(c, "250 ok\r\n")
		}
	}
}

func (s *mailServer) mails() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

// header is one header of a mail, without the brackets around an address.
func header(raw, name string) string {
	m, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		return ""
	}
	return strings.Trim(m.Header.Get(name), "<>")
}

// ask sends a request to the pages as a mail program or a person does.
func (v *village) ask(method, address string, form url.Values) (int, string) {
	v.t.Helper()
	req := httptest.NewRequest(method, address, strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	v.app.Handler().ServeHTTP(w, req)
	return w.Code, w.Body.String()
}

func TestUnsubscribeByOneClick(t *testing.T) {
	server := newMailServer(t)
	v := newVillage(t, func(c *config.Config) {
		c.Email = config.Email{Addr: server.addr, Security: "none", From: "downwind@example.org"}
		c.Destination = []config.Destination{{Name: "oncall", Team: "Checkout", Kind: "email", To: "ana@example.org"}}
	})
	v.until(hour(14, 40))
	mails := server.mails()
	if len(mails) == 0 {
		t.Fatal("no mail")
	}
	stop := header(mails[0], "List-Unsubscribe")
	if !strings.HasPrefix(stop, "https://downwind.example/unsubscribe?") || header(mails[0], "List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
		t.Fatalf("List-Unsubscribe is %q", stop)
	}
	for _, forged := range []string{stop[:len(stop)-1] + "x", strings.Replace(stop, "oncall", "other", 1), "https://downwind.example/unsubscribe"} {
		if code, _ := v.ask(http.MethodPost, forged, url.Values{"List-Unsubscribe": {"One-Click"}}); code != http.StatusNotFound {
			t.Errorf("%s is answered with %d", forged, code)
		}
	}
	if code, page := v.ask(http.MethodGet, stop, nil); code != http.StatusOK || !strings.Contains(page, "Stop these mails") {
		t.Errorf("the page: %d %s", code, page)
	}
	v.until(hour(14, 46))
	before := len(server.mails())
	if before == len(mails) {
		t.Fatal("looking at the page, or a forged address, stopped the mails")
	}
	if code, _ := v.ask(http.MethodPost, stop, url.Values{"List-Unsubscribe": {"One-Click"}}); code != http.StatusOK {
		t.Fatalf("one click is answered with %d", code)
	}
	// Neither what goes on nor the silent tests bring the mails back.
	v.until(hour(16, 30))
	if n := len(server.mails()); n != before {
		t.Errorf("%d mails after the click", n-before)
	}
	told := strings.Join(v.texts("C0OPERATOR"), "\n")
	if !strings.Contains(told, "its reader unsubscribed") {
		t.Errorf("the operator was not told: %q", told)
	}
	code, page := v.ask(http.MethodPost, stop, url.Values{"do": {"again"}})
	if code != http.StatusOK || !strings.Contains(page, "again") {
		t.Errorf("turning them on again: %d %s", code, page)
	}
	v.until(demoEdit)
	if n := len(server.mails()); n == before {
		t.Error("no mail after they were turned on again")
	}
}

// demoEdit is after the demo's postmortem and silent edit.
var demoEdit = time.Date(2026, 3, 12, 12, 0, 0, 0, time.UTC)
