package guidance

import (
	"fmt"
	"time"

	"downwind"
)

// Forms are the notations of a period that people paste. All are UTC; an open bound is "..".
type Forms struct {
	// Interval is ISO 8601: "2026-05-28T13:54:00Z/2026-05-28T15:46:00Z".
	Interval string
	// SQL is a condition on a column called created_at, half-open bounds become one comparison.
	SQL string
	// Epoch is the pair of seconds since 1970, "1779976440 1779983160".
	Epoch string
	// Start and End are RFC 3339, empty where open.
	Start, End string
	// StartUnix and EndUnix are seconds since 1970, 0 where open.
	StartUnix, EndUnix int64
}

// ReplayForms writes a period in the forms that people paste into queries and tools.
func ReplayForms(p downwind.Period) Forms {
	f := Forms{}
	start, end := "..", ".."
	es, ee := "..", ".."
	if !p.Start.IsZero() {
		f.Start, f.StartUnix = p.Start.UTC().Format(time.RFC3339), p.Start.Unix()
		start, es = f.Start, fmt.Sprint(f.StartUnix)
	}
	if !p.End.IsZero() {
		f.End, f.EndUnix = p.End.UTC().Format(time.RFC3339), p.End.Unix()
		end, ee = f.End, fmt.Sprint(f.EndUnix)
	}
	f.Interval, f.Epoch = start+"/"+end, es+" "+ee
	const layout = "2006-01-02 15:04:05+00"
	switch {
	case f.Start != "" && f.End != "":
		f.SQL = fmt.Sprintf("created_at BETWEEN '%s' AND '%s'", p.Start.UTC().Format(layout), p.End.UTC().Format(layout))
	case f.Start != "":
		f.SQL = fmt.Sprintf("created_at >= '%s'", p.Start.UTC().Format(layout))
	case f.End != "":
		f.SQL = fmt.Sprintf("created_at <= '%s'", p.End.UTC().Format(layout))
	}
	return f
}
