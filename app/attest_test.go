package app_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"downwind/app/demo"
	"downwind/config"
	"downwind/proof"
)

// authority is a throw-away time-stamp authority: certificates made here, answers made by `openssl ts`.
type authority struct {
	t     *testing.T
	dir   string
	roots string // PEM file
	down  bool
	asked int
}

// newAuthority makes one whose signer is good until an instant.
func newAuthority(t *testing.T, name string, until time.Time) *authority {
	t.Helper()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("no openssl in the path: no throw-away time-stamp authority")
	}
	a := &authority{t: t, dir: t.TempDir()}
	caKey, ca := a.certificate(name+" CA", nil, nil, time.Now().Add(24*time.Hour))
	key, signer := a.certificate(name, ca, caKey, until)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	fatal(t, err)
	a.roots = a.write("roots.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Raw}))
	a.write("signer.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signer.Raw}))
	a.write("key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	a.write("serial", []byte("01\n"))
	a.write("tsa.cnf", fmt.Appendf(nil, "[tsa]\ndefault_tsa=t\n[t]\nserial=%s\ncrypto_device=builtin\ndigests=sha256\nsigner_digest=sha256\ndefault_policy=1.2.3.4.1\n", filepath.Join(a.dir, "serial")))
	return a
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (a *authority) write(name string, data []byte) string {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	fatal(a.t, os.WriteFile(path, data, 0o600))
	return path
}

func (a *authority) certificate(name string, parent *x509.Certificate, by *ecdsa.PrivateKey, until time.Time) (*ecdsa.PrivateKey, *x509.Certificate) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	fatal(a.t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: until, KeyUsage: x509.KeyUsageDigitalSignature,
	}
	if parent == nil {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage, parent, by = true, true, x509.KeyUsageCertSign, c, key
	} else {
		usage, err := asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}}) // timeStamping, critical (RFC 3161 section 2.3)
		fatal(a.t, err)
		c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: usage}}
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, by)
	fatal(a.t, err)
	cert, err := x509.ParseCertificate(der)
	fatal(a.t, err)
	return key, cert
}

// ServeHTTP answers as RFC 3161 over HTTP does.
func (a *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.asked++
	query, err := io.ReadAll(r.Body)
	if err != nil || a.down || r.Header.Get("Content-Type") != "application/timestamp-query" {
		http.Error(w, "no", http.StatusServiceUnavailable)
		return
	}
	out := filepath.Join(a.dir, "reply.tsr")
	cmd := exec.CommandContext(r.Context(), "openssl", "ts", "-reply", "-config", filepath.Join(a.dir, "tsa.cnf"), "-queryfile", a.write("query.tsq", query),
		"-inkey", filepath.Join(a.dir, "key.pem"), "-signer", filepath.Join(a.dir, "signer.pem"), "-out", out)
	if text, err := cmd.CombinedOutput(); err != nil {
		a.t.Errorf("openssl ts: %v: %s", err, text)
	}
	http.ServeFile(w, r, out)
}

func TestTimeStamps(t *testing.T) {
	valid, expired := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	good, old, other := newAuthority(t, "Good", valid), newAuthority(t, "Old", expired), newAuthority(t, "Other", valid)
	servers := map[string]*httptest.Server{}
	var list []config.TSA
	for name, s := range map[string]*authority{"good": good, "old": old, "other": other} {
		servers[name] = httptest.NewServer(s)
		t.Cleanup(servers[name].Close)
		roots := s.roots
		if name == "other" {
			roots = good.roots // the signer is not the one that was pinned
		}
		list = append(list, config.TSA{URL: servers[name].URL, Roots: roots})
	}
	databases(t, func(t *testing.T, url string) {
		ctx := t.Context()
		good.asked, good.down = 0, false
		a := newArchiver(t, url, func(c *config.Config) { c.Archive.Authorities = list })
		a.until(hour(14, 10), true)
		err := a.app.Attest(ctx)
		if err == nil || !strings.Contains(err.Error(), servers["old"].URL) || !strings.Contains(err.Error(), servers["other"].URL) || strings.Contains(err.Error(), servers["good"].URL) {
			t.Errorf("an expired and a changed signer: %v", err)
		}
		c, err := a.app.Store().NewestCheckpoint(ctx)
		if err != nil || len(c.Stamps) != 1 || c.Stamps[0].Authority != servers["good"].URL {
			t.Fatalf("stamps %+v, %v", c.Stamps, err)
		}
		v, err := a.app.Store().VersionByLeaf(ctx, 0)
		fatal(t, err)
		data, err := a.app.Bundle(ctx, v.ID, false)
		fatal(t, err)
		pems, err := os.ReadFile(good.roots)
		fatal(t, err)
		judge, err := proof.NewJudge(pems)
		fatal(t, err)
		if r := proof.VerifyBundle(data, proof.Policy{Roots: judge, Stamps: 1}); time.Now().After(hour(15, 0)) && r.Verdict != proof.Valid {
			t.Errorf("the stamped bundle: %v: %+v", r.Verdict, r.Findings)
		}
		// The same tree is not stamped twice, a grown one after an hour.
		a.clock.Set(hour(16, 10))
		_ = a.app.Attest(ctx) // the other two fail again
		if good.asked != 1 {
			t.Errorf("asked %d times although nothing has grown", good.asked)
		}
		a.until(hour(16, 40), true)
		good.down = true
		if err := a.app.Attest(ctx); err == nil || !strings.Contains(err.Error(), "status 503") {
			t.Errorf("an authority that is down: %v", err)
		}
		_ = a.app.Attest(ctx)
		if good.asked != 2 {
			t.Errorf("asked %d times, again at once after a failure", good.asked)
		}
		good.down = false
		a.until(hour(16, 56), true)
		if err := a.app.Attest(ctx); err != nil && strings.Contains(err.Error(), servers["good"].URL) {
			t.Errorf("up again: %v", err)
		}
		if c, err = a.app.Store().NewestCheckpoint(ctx); err != nil || len(c.Stamps) != 1 {
			t.Errorf("stamps of the grown tree: %+v, %v", c.Stamps, err)
		}
	})
}

// witness is a small C2SP witness: it remembers the size that it saw last and cosigns what continues that.
type witness struct {
	name string
	key  ed25519.PrivateKey
	vkey string
	seen proof.Checkpoint
}

// ServeHTTP implements add-checkpoint.
func (w *witness) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // a broken question does not decode
	e, err := proof.DecodeExtension(body)
	if err != nil || r.URL.Path != "/add-checkpoint" {
		http.Error(rw, "bad", http.StatusBadRequest)
		return
	}
	if e.Old != w.seen.Size {
		rw.WriteHeader(http.StatusConflict)
		fmt.Fprintf(rw, "%d\n", w.seen.Size)
		return
	}
	text, _, _ := bytes.Cut(e.Checkpoint, []byte("\n\n"))
	c, err := checkpointText(string(text) + "\n")
	if err == nil && e.Old > 0 {
		err = tlog.CheckTree(e.Proof, c.Size, c.Root, e.Old, w.seen.Root)
	}
	if err != nil {
		http.Error(rw, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	w.seen = c
	_, _ = rw.Write(proof.Cosign(w.name, w.key, c.Text(), 1_773_150_000)) // a reader that went away fails its own test
}

// checkpointText reads the three lines of a checkpoint; the witness of the test does not check the log's signature.
func checkpointText(text string) (c proof.Checkpoint, err error) {
	tree, err := tlog.ParseTree([]byte("go.sum database tree\n" + text[strings.Index(text, "\n")+1:]))
	return proof.Checkpoint{Origin: text[:strings.Index(text, "\n")], Size: tree.N, Root: tree.Hash}, err
}

func TestWitnesses(t *testing.T) {
	databases(t, func(t *testing.T, url string) {
		ctx := t.Context()
		public, private, err := ed25519.GenerateKey(rand.Reader)
		fatal(t, err)
		w := &witness{name: "witness.example", key: private, vkey: proof.WitnessKey("witness.example", public)}
		server := httptest.NewServer(w)
		t.Cleanup(server.Close)
		a := newArchiver(t, url, func(c *config.Config) { c.Archive.Witness = []config.Witness{{Key: w.vkey, URL: server.URL + "/"}} })
		a.until(hour(14, 10), true)
		fatal(t, a.app.Attest(ctx))
		a.until(hour(15, 45), true)
		fatal(t, a.app.Attest(ctx)) // with a consistency proof from the size that the witness saw
		c, err := a.app.Store().NewestCheckpoint(ctx)
		if err != nil || c.Cosigned != 1 || w.seen.Size != c.Size {
			t.Fatalf("cosigned by %d, the witness saw %d of %d, %v", c.Cosigned, w.seen.Size, c.Size, err)
		}
		list, err := a.app.Store().Versions(ctx, demo.Slug, "nr7k4euapi503")
		fatal(t, err)
		data, err := a.app.Bundle(ctx, list[0].ID, false)
		fatal(t, err)
		if r := proof.VerifyBundle(data, proof.Policy{Witnesses: []string{w.vkey}, Quorum: 1}); r.Verdict != proof.Valid {
			t.Errorf("%v: %+v", r.Verdict, r.Findings)
		}
		// A witness that has seen more than there is: an older copy, or a fork.
		a.until(hour(34, 30), true)
		w.seen.Size = 1 << 40
		if err := a.app.Attest(ctx); err == nil || !strings.Contains(err.Error(), "older copy") {
			t.Errorf("a witness that saw more: %v", err)
		}
	})
}
