package notify

import (
	"crypto/sha256"
	"encoding/base32"
)

// Key is the key of one message of a delivery: "dw_" and the first 20 characters of the base32 SHA-256 of
// destination, incident and part ("root", "v3"), 23 characters in all (Discord's nonce allows 25).
func Key(destination, incident, part string) string {
	sum := sha256.Sum256([]byte(destination + "|" + incident + "|" + part))
	return "dw_" + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:])[:20]
}
