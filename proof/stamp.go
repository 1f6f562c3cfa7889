package proof

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/digitorus/pkcs7"
	"github.com/digitorus/timestamp"

	"downwind"
)

// KindRFC3161 is the kind of stamps by RFC 3161 authorities.
const KindRFC3161 = "rfc3161"

// Stamped is what a good time stamp says.
type Stamped struct {
	// Signer is the name in the authority's certificate, or the block; At its time, UTC, good to Within.
	Signer string
	At     time.Time
	Within time.Duration
	// Root is the pinned certificate that the authority's leads to; stamps under one root count as one authority.
	Root string
}

// A Judge says what a stamp over a message proves, or what is wrong with it.
type Judge func(s Stamp, message []byte) (Stamped, error)

// NewJudge makes a Judge that trusts the certificates of a PEM text and no others. A chain is judged at the time in the
// stamp, never at the present: a certificate that has expired since does not spoil what it signed before.
func NewJudge(roots []byte) (Judge, error) {
	pool := x509.NewCertPool()
	n := 0
	for rest := roots; ; n++ {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d of the roots cannot be read: %w", n+1, err)
		}
		pool.AddCert(cert)
	}
	if n == 0 {
		return nil, downwind.Errorf(downwind.ErrUnreadable, "the roots hold no certificate in PEM form")
	}
	return func(s Stamp, message []byte) (Stamped, error) { return judge(pool, s, message) }, nil
}

// judge checks one stamp. The parsers beneath were not made for hostile bytes: what they throw is an error of the stamp.
func judge(roots *x509.CertPool, s Stamp, message []byte) (out Stamped, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = downwind.Errorf(downwind.ErrInvalid, "the token cannot be read (%v)", r)
		}
	}()
	der, err := unbase64(s.Token)
	if err != nil {
		return Stamped{}, downwind.Errorf(downwind.ErrInvalid, "the token is not base64")
	}
	ts, signer, p7, err := readToken(der)
	if err != nil {
		return Stamped{}, err
	}
	if err := covers(ts, message); err != nil {
		return Stamped{}, err
	}
	between := x509.NewCertPool()
	for _, c := range p7.Certificates {
		between.AddCert(c)
	}
	at := ts.Time.UTC()
	chains, err := signer.Verify(x509.VerifyOptions{
		Roots: roots, Intermediates: between, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping},
	})
	if err != nil {
		return Stamped{}, downwind.Errorf(downwind.ErrInvalid, "signer %q at %s: %v", certName(signer), at.Format(time.RFC3339), err)
	}
	root := chains[0][len(chains[0])-1]
	return Stamped{Signer: certName(signer), At: at, Within: clocksDiffer, Root: root.Subject.String()}, nil
}

// readToken reads a token and checks its signature by the certificate it carries, without judging that.
func readToken(der []byte) (*timestamp.Timestamp, *x509.Certificate, *pkcs7.PKCS7, error) {
	ts, err := timestamp.Parse(der)
	if err != nil {
		return nil, nil, nil, downwind.Errorf(downwind.ErrInvalid, "the token is altered or unreadable: %v", err)
	}
	p7, err := pkcs7.Parse(der)
	if err != nil {
		return nil, nil, nil, downwind.Errorf(downwind.ErrInvalid, "the token cannot be read: %v", err)
	}
	signer := p7.GetOnlySigner()
	if signer == nil {
		return nil, nil, nil, downwind.Errorf(downwind.ErrInvalid, "the token carries no certificate of its one signer")
	}
	return ts, signer, p7, nil
}

// covers reports whether a token is over a message.
func covers(ts *timestamp.Timestamp, message []byte) error {
	if ts.HashAlgorithm != crypto.SHA256 {
		return downwind.Errorf(downwind.ErrInvalid, "the token is over a %v, not over a SHA-256", ts.HashAlgorithm)
	}
	if sum := sha256.Sum256(message); !bytes.Equal(ts.HashedMessage, sum[:]) {
		return downwind.Errorf(downwind.ErrInvalid, "the token is over something else, not over this checkpoint")
	}
	return nil
}

func certName(c *x509.Certificate) string {
	if c.Subject.CommonName != "" {
		return c.Subject.CommonName
	}
	return c.Subject.String()
}

// A StampRequest is a question to a time-stamp authority.
type StampRequest struct {
	// DER is the body of the HTTP request (Content-Type application/timestamp-query).
	DER     []byte
	message []byte
	nonce   *big.Int
}

// NewStampRequest asks for a stamp over a message, with a nonce, and for the authority's certificate.
func NewStampRequest(message []byte) (StampRequest, error) {
	nonce, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 63))
	if err != nil {
		return StampRequest{}, fmt.Errorf("ask for a time stamp: %w", err)
	}
	der, err := timestamp.CreateRequest(bytes.NewReader(message), &timestamp.RequestOptions{Hash: crypto.SHA256, Certificates: true, Nonce: nonce})
	if err != nil {
		return StampRequest{}, fmt.Errorf("ask for a time stamp: %w", err)
	}
	return StampRequest{DER: der, message: message, nonce: nonce}, nil
}

// Answer takes the authority's answer (application/timestamp-reply): refused, of another question, or a stamp.
func (r StampRequest) Answer(reply []byte, authority string) (s Stamp, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = downwind.Errorf(downwind.ErrUnreadable, "the authority's answer cannot be read (%v)", p)
		}
	}()
	ts, err := timestamp.ParseResponse(reply)
	if err != nil {
		return Stamp{}, fmt.Errorf("the authority answers: %w", err)
	}
	if ts.Nonce == nil || ts.Nonce.Cmp(r.nonce) != 0 {
		return Stamp{}, errors.New("the authority answers another question (nonce)")
	}
	if err := covers(ts, r.message); err != nil {
		return Stamp{}, err
	}
	return Stamp{Kind: KindRFC3161, Authority: authority, Token: base64.StdEncoding.EncodeToString(ts.RawToken)}, nil
}
