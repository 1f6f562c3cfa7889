// Package email sends messages by SMTP: one thread per incident, as text and HTML.
//
// The root's Message-ID is made from its key, replies name it in In-Reply-To and References. The same message sent again
// has the same Message-ID, by which mailboxes can tell the repeat. It cannot edit.
package email

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"strings"
	"time"

	"downwind"
	"downwind/notify"
	"downwind/secret"
)

const (
	// Platform is the word in destinations: "email::name".
	Platform = "email"
	timeout  = 30 * time.Second
	// grey is how long we wait when a server defers (4xx), as greylisting asks.
	grey = 5 * time.Minute
)

// Security is how the connection is protected.
type Security string

// The kinds of protection.
const (
	STARTTLS Security = "starttls" // required, the default
	TLS      Security = "tls"      // from the first byte, port 465
	None     Security = "none"     // loopback only
)

// Config is the outgoing server with its recipients.
type Config struct {
	// Addr is "host:port".
	Addr string
	// Security is starttls, tls or none; empty: starttls.
	Security Security
	// User and Password log in; empty: no login.
	User     string
	Password secret.String
	// From is the sender, "Downwind <downwind@acme.example>".
	From string
	// To are the recipients by name, which is the destination's channel.
	To map[string]string
}

// Validate reports what keeps the server from working.
func (c Config) Validate() error {
	var errs []error
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil || host == "" {
		errs = append(errs, errors.New("addr: host:port is needed"))
	}
	if _, err := mail.ParseAddress(c.From); err != nil {
		errs = append(errs, errors.New("from: an address is needed"))
	}
	switch c.Security {
	case "", STARTTLS, TLS:
	case None:
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			errs = append(errs, errors.New("security: none is for servers on this machine only"))
		}
	default:
		errs = append(errs, errors.New("security: starttls, tls or none"))
	}
	for name, to := range c.To {
		if _, err := mail.ParseAddress(to); err != nil {
			errs = append(errs, fmt.Errorf("to: %s is no address", name))
		}
	}
	return errors.Join(errs...)
}

// Options is what a Notifier needs.
type Options struct {
	Config Config
	// Unsubscribe gives the one-click address of a destination (RFC 8058), empty for none; nil: none.
	Unsubscribe func(d downwind.Destination) string
	// Stopped says why a destination gets no mails any more, empty when it does; nil: nobody stopped them.
	Stopped func(ctx context.Context, d downwind.Destination) string
	// TLS replaces the settings of TLS (for tests).
	TLS *tls.Config
	// Now dates mails; nil: the wall clock.
	Now func() time.Time
}

// Notifier delivers by e-mail. It is safe for concurrent use.
type Notifier struct{ o Options }

// New makes a Notifier.
func New(o Options) *Notifier {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Notifier{o: o}
}

// Post implements notify.Notifier.
func (n *Notifier) Post(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	t.Root = ""
	return n.send(ctx, t, m)
}

// Reply implements notify.Notifier: a mail in the root's thread.
func (n *Notifier) Reply(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	return n.send(ctx, t, m)
}

// send makes a mail and hands it over.
func (n *Notifier) send(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	to, ok := n.o.Config.To[t.Destination.Channel]
	if !ok {
		return notify.Unknown("e-mail", t.Destination.Channel)
	}
	if r, stopped := n.stopped(ctx, t.Destination); stopped {
		return r
	}
	from, err1 := mail.ParseAddress(n.o.Config.From)
	rcpt, err2 := mail.ParseAddress(to)
	if err := errors.Join(err1, err2); err != nil {
		return notify.Result{Verdict: notify.Permanent, Reason: "e-mail: sender or recipient in the configuration is no address", Err: err}
	}
	l := letter{
		from: *from, to: *rcpt, id: messageID(t.Key, from.Address), root: t.Root, date: n.o.Now(), message: m,
	}
	if n.o.Unsubscribe != nil {
		l.unsubscribe = notify.SafeURL(n.o.Unsubscribe(t.Destination))
	}
	raw, err := l.bytes()
	if err != nil {
		return notify.Result{Verdict: notify.Rejected, Err: err}
	}
	r := n.hand(ctx, from.Address, rcpt.Address, raw)
	if r.Verdict == notify.Done {
		r.ID = l.id
	}
	return r
}

// stopped is the result for a destination whose reader wants no mails.
func (n *Notifier) stopped(ctx context.Context, d downwind.Destination) (notify.Result, bool) {
	if n.o.Stopped == nil {
		return notify.Result{}, false
	}
	why := n.o.Stopped(ctx, d)
	return notify.Result{Verdict: notify.Permanent, Reason: why}, why != ""
}

// messageID is made from the key, so that the same message has the same one.
func messageID(key, from string) string {
	_, host, _ := strings.Cut(from, "@")
	return "<" + key + "@" + host + ">"
}

// hand gives a mail to the server. Until the last line of the mail has gone out, nothing is sent.
func (n *Notifier) hand(ctx context.Context, from, to string, raw []byte) notify.Result {
	if r, over := notify.Expired(ctx); over {
		return r
	}
	c, err := n.dial(ctx)
	if err != nil {
		return judge(err, false)
	}
	defer c.Close()
	if err := c.Mail(from); err != nil {
		return judge(err, false)
	}
	if err := c.Rcpt(to); err != nil {
		r := judge(err, false)
		if r.Verdict == notify.Permanent {
			r.Reason = "the mail server refuses the recipient: correct the address in the configuration"
		}
		return r
	}
	w, err := c.Data()
	if err != nil {
		return judge(err, false)
	}
	if _, err := w.Write(raw); err != nil {
		return judge(err, false)
	}
	if err := w.Close(); err != nil {
		return judge(err, true)
	}
	// The mail is taken; how the goodbye goes does not matter.
	_ = c.Quit()
	return notify.Result{Verdict: notify.Done}
}

// dial connects, protects the connection and logs in.
func (n *Notifier) dial(ctx context.Context) (*smtp.Client, error) {
	cfg := n.o.Config
	host, _, err := net.SplitHostPort(cfg.Addr)
	if err != nil {
		return nil, err
	}
	tc := &tls.Config{MinVersion: tls.VersionTLS12}
	if n.o.TLS != nil {
		tc = n.o.TLS.Clone()
	}
	tc.ServerName = host
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var conn net.Conn
	if cfg.Security == TLS {
		conn, err = (&tls.Dialer{Config: tc}).DialContext(ctx, "tcp", cfg.Addr)
	} else {
		conn, err = (&net.Dialer{}).DialContext(ctx, "tcp", cfg.Addr)
	}
	if err != nil {
		return nil, err
	}
	if end, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(end)
	}
	c, err := smtp.NewClient(conn, host)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	if cfg.Security == "" || cfg.Security == STARTTLS {
		if ok, _ := c.Extension("STARTTLS"); !ok {
			_ = c.Close()
			return nil, errNoTLS
		}
		if err := c.StartTLS(tc); err != nil {
			_ = c.Close()
			return nil, err
		}
	}
	if cfg.User != "" {
		if err := c.Auth(smtp.PlainAuth("", cfg.User, cfg.Password.Reveal(), host)); err != nil {
			_ = c.Close()
			return nil, fmt.Errorf("log in: %w", err)
		}
	}
	return c, nil
}

var errNoTLS = errors.New("the mail server offers no STARTTLS")

// judge turns an error into a verdict; handed says that the whole mail had gone out.
func judge(err error, handed bool) notify.Result {
	var proto *textproto.Error
	r := notify.Result{Err: fmt.Errorf("smtp: %w", err)}
	switch {
	case errors.Is(err, errNoTLS):
		r.Verdict, r.Reason = notify.Permanent, "the mail server offers no STARTTLS: set security to tls, or another port"
	case errors.As(err, &proto):
		r.Err = fmt.Errorf("smtp: the server answered %d", proto.Code)
		switch {
		case proto.Code >= 400 && proto.Code < 500:
			r.Verdict, r.RetryAfter = notify.Wait, grey
		case proto.Code == 530 || proto.Code == 534 || proto.Code == 535:
			r.Verdict, r.Reason = notify.Permanent, "the mail server refuses the login: correct user and password"
		case handed:
			r.Verdict, r.Reason = notify.Rejected, fmt.Sprintf("the mail server refused the mail (%d)", proto.Code)
		default:
			r.Verdict, r.Reason = notify.Permanent, fmt.Sprintf("the mail server refuses us (%d): check sender and login", proto.Code)
		}
	case handed:
		r.Verdict = notify.Unclear
	default:
		r.Verdict = notify.NotSent
	}
	return r
}

// Edit implements notify.Notifier: what was sent stays.
func (n *Notifier) Edit(context.Context, notify.Target, notify.Message) notify.Result {
	return notify.NotEditable()
}

// Find implements notify.Notifier: mailboxes are not read.
func (n *Notifier) Find(context.Context, notify.Target) notify.Result {
	return notify.NoLookup("e-mail")
}

// Check implements notify.Notifier: it connects and logs in, and sends nothing.
func (n *Notifier) Check(ctx context.Context, d downwind.Destination) notify.Result {
	if _, ok := n.o.Config.To[d.Channel]; !ok {
		return notify.Unknown("e-mail", d.Channel)
	}
	if err := n.o.Config.Validate(); err != nil {
		return notify.Result{Verdict: notify.Permanent, Reason: "e-mail: " + err.Error(), Err: err}
	}
	if r, stopped := n.stopped(ctx, d); stopped {
		return r
	}
	c, err := n.dial(ctx)
	if err != nil {
		return judge(err, false)
	}
	_ = c.Quit()
	return notify.Result{Verdict: notify.Done}
}

// Limits implements notify.Notifier.
func (n *Notifier) Limits() notify.Limits {
	return notify.Limits{Threads: true, Timeout: timeout}
}
