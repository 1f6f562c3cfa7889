package email_test

import (
	"bufio"
	"context"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"downwind"
	"downwind/notify"
	"downwind/notify/email"
	"downwind/notify/notifytest"
	"downwind/secret"
)

// server is a small SMTP server. Answers replaces the answer to a command ("RCPT": "550 no"); "." is the end of the mail,
// and the answer "cut" closes the connection.
type server struct {
	ln      net.Listener
	answers map[string]string
	mails   chan string
}

func serve(t *testing.T, answers map[string]string) *server {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{ln, answers, make(chan string, 100)}
	t.Cleanup(func() { ln.Close() })
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

func (s *server) talk(c net.Conn) {
	defer c.Close()
	r := textproto.NewReader(bufio.NewReader(c))
	say := func(cmd, normal string) bool {
		if a, ok := s.answers[cmd]; ok {
			normal = a
		}
		if normal == "cut" {
			return false
		}
		_, err := io.WriteString(c, normal+"\r\n")
		return err == nil
	}
	if !say("", "220 test") {
		return
	}
	for {
		line, err := r.ReadLine()
		if err != nil {
			return
		}
		cmd := strings.ToUpper(strings.SplitN(line, " ", 2)[0])
		switch cmd {
		case "EHLO":
			if !say(cmd, "250-test\r\n250 AUTH PLAIN") {
				return
			}
		case "AUTH":
			if !say(cmd, "235 ok") {
				return
			}
		case "DATA":
			if !say(cmd, "354 go") {
				return
			}
			if s.answers[cmd] != "" {
				continue
			}
			b, err := io.ReadAll(r.DotReader())
			if err != nil {
				return
			}
			s.mails <- string(b)
			if !say(".", "250 taken") {
				return
			}
		case "QUIT":
			say(cmd, "221 bye")
			return
		default:
			if !say(cmd, "250 ok") {
				return
			}
		}
	}
}

func notifier(s *server) *email.Notifier {
	return email.New(email.Options{
		Config: email.Config{
			Addr: s.ln.Addr().String(), Security: email.None, User: "dw", Password: secret.New("pass-w0rd"), From: "Downwind <dw@acme.example>",
			To: map[string]string{"ops": "ops@acme.example"},
		},
		Unsubscribe: func(downwind.Destination) string { return "https://downwind.example/unsubscribe/abc" },
		Now:         func() time.Time { return time.Date(2026, 12, 4, 9, 50, 0, 0, time.UTC) },
	})
}

func target(key, root string) notify.Target {
	return notify.Target{Destination: downwind.Destination{Platform: "email", Channel: "ops"}, Key: key, Root: root}
}

// parse reads a mail back.
func parse(t interface{ Fatal(...any) }, raw string) (mail.Header, map[string]string) {
	m, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	r := multipart.NewReader(m.Body, params["boundary"])
	for {
		p, err := r.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type"))
		parts[kind] = string(b)
	}
	return m.Header, parts
}

func TestOneThreadPerIncident(t *testing.T) {
	s := serve(t, nil)
	n := notifier(s)
	now := time.Date(2026, 12, 4, 9, 50, 0, 0, time.UTC)
	root := n.Post(context.Background(), target("dw_root", ""), notify.Compose(notify.Sample(downwind.ChangeNew, now), notify.ComposeOptions{Root: true, BaseURL: "https://downwind.example"}))
	if root.Verdict != notify.Done || root.ID != "<dw_root@acme.example>" {
		t.Fatalf("%+v", root)
	}
	first, parts := parse(t, <-s.mails)
	if first.Get("Auto-Submitted") != "auto-generated" || first.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" ||
		first.Get("List-Unsubscribe") != "<https://downwind.example/unsubscribe/abc>" || first.Get("In-Reply-To") != "" {
		t.Errorf("headers: %v", first)
	}
	if !strings.Contains(parts["text/plain"], "Do now:") || !strings.Contains(parts["text/html"], "<ol>") {
		t.Errorf("parts: %v", parts)
	}
	r := n.Reply(context.Background(), target("dw_v2", root.ID), notify.Compose(notify.Sample(downwind.ChangeResolved, now), notify.ComposeOptions{BaseURL: "https://downwind.example"}))
	if r.Verdict != notify.Done {
		t.Fatalf("%+v", r)
	}
	second, _ := parse(t, <-s.mails)
	if second.Get("In-Reply-To") != root.ID || second.Get("References") != root.ID || second.Get("Subject") != "Re: "+first.Get("Subject") {
		t.Errorf("headers: %v", second)
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers map[string]string
		want    notify.Verdict
	}{
		{"greylisted", map[string]string{"RCPT": "451 later"}, notify.Wait},
		{"no such recipient", map[string]string{"RCPT": "550 unknown"}, notify.Permanent},
		{"bad login", map[string]string{"AUTH": "535 no"}, notify.Permanent},
		{"sender refused", map[string]string{"MAIL": "553 no"}, notify.Permanent},
		{"cut before the mail", map[string]string{"MAIL": "cut"}, notify.NotSent},
		{"cut after the mail", map[string]string{".": "cut"}, notify.Unclear},
		{"mail refused", map[string]string{".": "554 spam"}, notify.Rejected},
		{"mail deferred", map[string]string{".": "452 full"}, notify.Wait},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := notifier(serve(t, c.answers)).Post(context.Background(), target("dw_k", ""), notify.Message{Title: "x"})
			if r.Verdict != c.want {
				t.Errorf("verdict %d, want %d: %v", r.Verdict, c.want, r.Err)
			}
			notifytest.LeaksNoSecret(t, r, "pass-w0rd")
		})
	}
	s := serve(t, nil)
	n := notifier(s)
	s.ln.Close()
	if r := n.Post(context.Background(), target("dw_k", ""), notify.Message{Title: "x"}); r.Verdict != notify.NotSent {
		t.Errorf("no server: %+v", r)
	}
}

func TestPlainConnectionsAreRefusedByDefault(t *testing.T) {
	s := serve(t, nil)
	n := email.New(email.Options{Config: email.Config{Addr: s.ln.Addr().String(), From: "a@b.example", To: map[string]string{"ops": "c@d.example"}}})
	if r := n.Post(context.Background(), target("dw_k", ""), notify.Message{Title: "x"}); r.Verdict != notify.Permanent || !strings.Contains(r.Reason, "STARTTLS") {
		t.Errorf("%+v", r)
	}
}

// TestNoHeaderInjection: hostile text in every field adds no header and no markup.
func TestNoHeaderInjection(t *testing.T) {
	s := serve(t, nil)
	n := notifier(s)
	rapid.Check(t, func(t *rapid.T) {
		m := notify.Compose(notifytest.Alert(t), notify.ComposeOptions{Root: true, BaseURL: "https://downwind.example", StatusURL: "https://status.example.org"})
		if r := n.Post(context.Background(), target("dw_k", ""), m); r.Verdict != notify.Done {
			t.Fatalf("%+v", r)
		}
		h, parts := parse(t, <-s.mails)
		if h.Get("Injected") != "" || len(h) != 11 {
			t.Fatalf("headers: %v", h)
		}
		page := parts["text/html"]
		if strings.Contains(page, "<script") || strings.Contains(page, `href="https://evil`) || strings.Contains(page, "javascript:a\"") {
			t.Fatalf("live page: %s", page)
		}
	})
}

func TestValidate(t *testing.T) {
	good := email.Config{Addr: "smtp.acme.example:587", From: "dw@acme.example", To: map[string]string{"ops": "ops@acme.example"}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*email.Config){
		"no port":            func(c *email.Config) { c.Addr = "smtp" },
		"no sender":          func(c *email.Config) { c.From = "x" },
		"plain to elsewhere": func(c *email.Config) { c.Security = email.None },
		"bad recipient":      func(c *email.Config) { c.To = map[string]string{"ops": "x"} },
	} {
		c := good
		change(&c)
		if c.Validate() == nil {
			t.Errorf("%s passes", name)
		}
	}
}
