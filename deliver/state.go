package deliver

import (
	"fmt"
	"time"

	"downwind"
)

// The steps of a delivery as pure functions on its row. docs/delivery.md draws them.

// partEdit is the intent of an edit. Edits are idempotent, but an old one must not land after a newer one.
const partEdit = "edit"

// rootPart names the root's part: "root", and "root2", "root3" for roots that continue lost ones.
func rootPart(d *downwind.Delivery) string {
	if d.Generation == 0 {
		return "root"
	}
	return fmt.Sprintf("root%d", d.Generation+1)
}

// replyPart names the part of a version.
func replyPart(version int) string { return fmt.Sprintf("v%d", version) }

// told names what a reply tells, for its key. In a restored copy the numbers begin again where the copy was made, and what
// is out under the same number may tell something else: an update is known by its id, and only what has none by number.
func told(said *downwind.Part) string {
	name := replyPart(said.Version) + "/" + string(said.Alert.Kind)
	for _, c := range said.Alert.Changes { // oldest first: the newest update names a reply that tells several
		if c.Update != "" && c.Kind != downwind.ChangeEdit {
			name = "u/" + string(c.Kind) + "/" + c.Update
		}
	}
	return name
}

// doing is the next thing that a delivery needs.
type doing int

const (
	doNothing doing = iota
	doRoot
	doReply
	doSkip
	doEdit
)

// nextStep decides what a delivery needs next: the root, then each version in order, then the edit.
func nextStep(w *downwind.Work) doing {
	d := &w.Delivery
	switch {
	case d.State != downwind.DeliveryActive || d.Desired == 0:
		return doNothing
	case d.RootID == "":
		return doRoot
	case d.Applied < d.Desired:
		if len(w.Next) > 0 && w.Next[0].Skipped != "" {
			return doSkip
		}
		return doReply
	case d.Edited < d.Desired:
		return doEdit
	}
	return doNothing
}

// intend notes that a part may go out from now on.
func intend(d *downwind.Delivery, part string, now time.Time, lease time.Duration) {
	if d.IntentPart != part {
		d.IntentPart, d.IntentFirst = part, now
	}
	d.IntentAt, d.LeaseUntil = now, now.Add(lease)
}

func clearIntent(d *downwind.Delivery) {
	d.IntentPart, d.IntentAt, d.IntentFirst = "", time.Time{}, time.Time{}
}

// sentRoot notes that the root is visible and shows a version.
func sentRoot(d *downwind.Delivery, id, thread string, shown int) {
	d.RootID, d.ThreadID = id, thread
	d.Applied, d.Edited = max(d.Applied, 1), shown
	d.NewestRoot, d.Attempts, d.Reason = false, 0, ""
	clearIntent(d)
	release(d)
}

// sentReply notes that a version is visible in the thread.
func sentReply(d *downwind.Delivery, version int, thread string) {
	d.Applied = version
	if thread != "" {
		d.ThreadID = thread
	}
	d.Attempts, d.Reason = 0, ""
	clearIntent(d)
	release(d)
}

// skip notes that a version has no message of its own.
func skip(d *downwind.Delivery, version int) {
	d.Applied = version
	if d.IntentPart == replyPart(version) {
		clearIntent(d)
	}
	release(d)
}

// edited notes that the root shows a version.
func edited(d *downwind.Delivery, version int, now time.Time) {
	d.Edited, d.EditedAt = version, now
	d.Attempts, d.Reason = 0, ""
	clearIntent(d)
	release(d)
}

// rootGone begins a new root that continues the lost one and shows the newest state.
func rootGone(d *downwind.Delivery) {
	d.RootID, d.ThreadID = "", ""
	d.Generation++
	d.Edited, d.NewestRoot, d.NoThread, d.NoEdit = 0, true, false, false
	clearIntent(d)
}

// later gives the lease back until an instant. The intent stands unless it is certain that nothing of it is out: that
// this was the part's first attempt, and it was not sent.
func later(d *downwind.Delivery, until time.Time, notSent bool, reason string) {
	if notSent && d.IntentFirst.Equal(d.IntentAt) {
		clearIntent(d)
	}
	d.NotBefore, d.Reason = until, reason
	d.LeaseOwner, d.LeaseUntil = "", time.Time{}
}

// hold ends work on a delivery with a reason. A root that was refused is tried again with the next version (NewestRoot).
func hold(d *downwind.Delivery, reason string) {
	d.State, d.Reason = downwind.DeliveryHeld, reason
	clearIntent(d)
	d.LeaseOwner, d.LeaseUntil = "", time.Time{}
}

// expire ends work on a delivery that could not be made for too long. An intent stands, as what may be out must be looked
// for when a new version makes it active again.
func expire(d *downwind.Delivery, notSent bool, reason string) {
	later(d, time.Time{}, notSent, reason)
	d.State, d.Attempts, d.NewestRoot = downwind.DeliveryHeld, 0, true
}

// release gives the lease back when everything desired is visible, and ends the delivery when nothing more is expected.
func release(d *downwind.Delivery) {
	if d.Applied < d.Desired || d.Edited < d.Desired || d.RootID == "" {
		return
	}
	if d.Finish && d.State == downwind.DeliveryActive {
		d.State = downwind.DeliveryDone
	}
	d.LeaseOwner, d.LeaseUntil, d.NotBefore = "", time.Time{}, time.Time{}
}

// backoff is the wait after failed attempts: 1 s growing by half to 5 minutes, less up to a quarter, different for each
// delivery.
func backoff(id string, attempts int) time.Duration {
	const most = 5 * time.Minute
	d := time.Second
	for range attempts - 1 {
		if d = d * 3 / 2; d >= most {
			d = most
			break
		}
	}
	spread := uint32(attempts)
	for _, c := range []byte(id) {
		spread = spread*16777619 ^ uint32(c)
	}
	return d - time.Duration(float64(d)*0.25*float64(spread%1000)/1000)
}
