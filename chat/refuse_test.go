package chat_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/chat"
)

func TestGuestsMayReadOnly(t *testing.T) {
	w := newWorld(t)
	w.who.Guest = true
	for _, text := range []string{"subscribe livekit", "unsubscribe all yes", "mute livekit for 1h", "stack add twilio", "stack clear yes", "stack import", "digest daily", "quiet off", "ack", "settings"} {
		priv, pub := w.say(text)
		wants(t, priv, "Guests can read")
		if pub != "" {
			t.Errorf("%s: announced %q", text, pub)
		}
	}
	w.clock.Add(time.Minute)
	for _, text := range []string{"list", "status", "help", "stack show", "feed github"} {
		if priv, _ := w.say(text); strings.Contains(priv, "Guests") {
			t.Errorf("%s is refused to a guest", text)
		}
	}
	if w.store.Writes() != 0 {
		t.Errorf("%d writes, want none", w.store.Writes())
	}
}

func TestTooManyCommandsAreRefused(t *testing.T) {
	w := newWorld(t)
	var last string
	for range 21 {
		last, _ = w.say("list")
	}
	wants(t, last, "more than 20 commands in a minute")
	w.clock.Add(time.Minute)
	if last, _ = w.say("list"); strings.Contains(last, "more than") {
		t.Error("the next minute is refused too")
	}
}

func TestFailuresTellNothingOfTheInside(t *testing.T) {
	w := newWorld(t, func(o *chat.Options) { o.Store = broken{o.Store} })
	priv, pub := w.say("list")
	wants(t, priv, "went wrong on our side")
	if strings.Contains(priv, "hunter2") || pub != "" {
		t.Errorf("leaks: %q %q", priv, pub)
	}
}

type broken struct{ chat.Store }

func (broken) Subscriptions(context.Context, string) ([]downwind.Subscription, error) {
	return nil, errors.New("postgres://u:hunter2@db failed")
}
