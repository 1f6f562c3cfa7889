package ots

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"
)

// A Header is what a Bitcoin block's header says.
type Header struct {
	// Hash is the block's hash as explorers write it; Root its Merkle root in the order of bytes of the header.
	Hash string
	Root [sha256.Size]byte
	// Time is the miner's, UTC; the chain's rules hold it to about two hours.
	Time time.Time
}

// ParseHeader reads the 80 bytes of a block header in hex (`bitcoin-cli getblockheader HASH false`). It refuses one whose
// hash does not bear the difficulty that it claims itself; that it stands in the chain, whoever gives it must know.
func ParseHeader(text string) (Header, error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != 80 {
		return Header{}, errors.New("a block header is 160 hex digits")
	}
	first := sha256.Sum256(raw)
	hash := sha256.Sum256(first[:])
	slices.Reverse(hash[:])
	bits := binary.LittleEndian.Uint32(raw[72:])
	target := new(big.Int).Lsh(big.NewInt(int64(bits&0x7fffff)), uint(8*(bits>>24)))
	target.Rsh(target, 8*3)
	if new(big.Int).SetBytes(hash[:]).Cmp(target) > 0 {
		return Header{}, fmt.Errorf("the block header is altered: its hash %x does not bear the difficulty that it claims", hash)
	}
	return Header{
		Hash: hex.EncodeToString(hash[:]), Root: [sha256.Size]byte(raw[36:]),
		Time: time.Unix(int64(binary.LittleEndian.Uint32(raw[68:])), 0).UTC(),
	}, nil
}
