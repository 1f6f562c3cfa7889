package proof

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"downwind"
	"downwind/proof/ots"
)

// KindOTS is the kind of stamps by OpenTimestamps calendars.
const KindOTS = "opentimestamps"

const (
	// clocksDiffer is how far a reading may lie after the authority's stamp that covers it.
	clocksDiffer = 5 * time.Minute
	// minersDiffer is how far the time in a Bitcoin block may be off: nodes refuse one that is two hours ahead.
	minersDiffer = 2 * time.Hour
)

// checkStamps judges stamps over a checkpoint; newest is the latest reading that it covers. It returns the roots of the
// authorities whose stamps are good.
func checkStamps(r *Report, stamps []Stamp, c Checkpoint, newest string, p Policy) map[string]bool {
	good := map[string]bool{}
	for _, s := range stamps {
		st, state, text := judgeStamp(s, c, p)
		at := st.At.UTC().Format("2006-01-02 15:04:05Z")
		if seen, err := time.Parse(timeForm, newest); state == "ok" && err == nil && seen.After(st.At.Add(st.Within)) {
			state, text = "failed", fmt.Sprintf("%s says %s, the leaf beneath claims to be read at %s, after that", st.Signer, at, newest)
		}
		if state == "ok" {
			good[st.Root] = true
			text = fmt.Sprintf("%s says %s", st.Signer, at)
			r.Proves = append(r.Proves, fmt.Sprintf("The checkpoint existed at %s, says %s.", at, st.Signer))
		}
		r.add("time stamp", state, "%s", text)
	}
	if len(good) < p.Stamps {
		r.add("time stamps", "weak", "%d good ones of different authorities, %d asked for", len(good), p.Stamps)
	}
	return good
}

// judgeStamp says what one stamp shows, with the state and the text of its finding where that is nothing.
func judgeStamp(s Stamp, c Checkpoint, p Policy) (st Stamped, state, text string) {
	var err error
	switch {
	case s.Kind == KindOTS:
		st, state, err = judgeOTS(s, []byte(c.Text()), p.Blocks)
	case s.Kind != KindRFC3161:
		return st, "skipped", fmt.Sprintf("%s: a stamp of kind %q is unknown here", s.Authority, s.Kind)
	case p.Roots == nil:
		return st, "skipped", s.Authority + ": no roots were given to judge it by"
	default:
		if st, err = p.Roots(s, []byte(c.Text())); err != nil {
			state = "failed"
		}
	}
	if err != nil {
		return st, state, fmt.Sprintf("%s: %v", s.Authority, err)
	}
	return st, "ok", ""
}

// judgeOTS judges an OpenTimestamps proof by the headers of blocks. The error is the reason for a state other than "ok".
func judgeOTS(s Stamp, message []byte, blocks map[uint64]ots.Header) (Stamped, string, error) {
	chain, err := s.OTS(message)
	if err != nil {
		return Stamped{}, "failed", err
	}
	var pending, unknown []string
	for _, a := range chain.Attestations() {
		if !a.Block {
			if a.Calendar != "" {
				pending = append(pending, a.Calendar)
			}
			continue
		}
		h, ok := blocks[a.Height]
		switch {
		case !ok:
			unknown = append(unknown, fmt.Sprintf("%d (Merkle root %s)", a.Height, displayed(a.Message)))
		case string(a.Message) != string(h.Root[:]):
			return Stamped{}, "failed", fmt.Errorf("it does not lead to the Merkle root of Bitcoin's block %d: it was altered", a.Height)
		default:
			return Stamped{Signer: fmt.Sprintf("Bitcoin's block %d, %s", a.Height, h.Hash), At: h.Time, Within: minersDiffer, Root: "Bitcoin"}, "ok", nil
		}
	}
	switch {
	case len(unknown) > 0:
		return Stamped{}, "skipped", fmt.Errorf("complete: it leads to Bitcoin's block %s; that the block has this root was not checked, which needs its header (--bitcoin-block)", strings.Join(unknown, ", "))
	case len(pending) > 0:
		return Stamped{}, "skipped", fmt.Errorf("pending: promised by the calendar %s, not yet shown to be in a block", strings.Join(pending, ", "))
	}
	return Stamped{}, "skipped", fmt.Errorf("it leads to no block of Bitcoin")
}

// displayed is a Merkle root as explorers write it: the last byte first.
func displayed(root []byte) string {
	root = slices.Clone(root)
	slices.Reverse(root)
	return hex.EncodeToString(root)
}

// OTS reads the proof in a stamp of KindOTS and checks that it is over a message.
func (s Stamp) OTS(message []byte) (*ots.Proof, error) {
	file, err := unbase64(s.Token)
	if err != nil {
		return nil, downwind.Errorf(downwind.ErrInvalid, "the proof is not base64")
	}
	chain, err := ots.Parse(file)
	if err != nil {
		return nil, downwind.Errorf(downwind.ErrInvalid, "the proof cannot be read: %v", err)
	}
	if chain.Digest != sha256.Sum256(message) {
		return nil, downwind.Errorf(downwind.ErrInvalid, "the proof is over something else, not over this checkpoint")
	}
	return chain, nil
}

// NewOTS makes a stamp of a proof.
func NewOTS(chain *ots.Proof, calendar string) Stamp {
	return Stamp{Kind: KindOTS, Authority: calendar, Token: base64.StdEncoding.EncodeToString(chain.Bytes())}
}

// ParseBlock reads "358391:02000000…", the height and the header in hex of a Bitcoin block that the verifier trusts.
func ParseBlock(text string) (uint64, ots.Header, error) {
	height, header, ok := strings.Cut(text, ":")
	n, err := strconv.ParseUint(height, 10, 32)
	if !ok || err != nil {
		return 0, ots.Header{}, downwind.Errorf(downwind.ErrUnreadable, "%q is not a height and a header, as in 358391:02000000…", text)
	}
	h, err := ots.ParseHeader(header)
	if err != nil {
		return 0, ots.Header{}, downwind.Errorf(downwind.ErrUnreadable, "block %d: %v", n, err)
	}
	return n, h, nil
}
