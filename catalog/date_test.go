package catalog

import (
	"testing"
	"time"
)

func TestDateIsADay(t *testing.T) {
	if _, err := time.Parse(time.DateOnly, Date()); err != nil {
		t.Errorf("data/date.txt: %v", err)
	}
}
