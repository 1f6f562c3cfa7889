package feeds

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// Stamp is a JSON time as platforms write it: RFC 3339 with or without zone, RFC 822, epoch seconds or milliseconds.
// What is null, unreadable or before 1990 ("0001-01-01", "<no value>") is zero: not stated.
type Stamp struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler; it never fails.
func (s *Stamp) UnmarshalJSON(b []byte) error {
	s.Time = time.Time{}
	if len(b) == 0 {
		return nil
	}
	if b[0] == '"' {
		if v, err := plainText(b); err == nil {
			s.Time, _ = ParseTime(v)
		}
		return nil
	}
	if n, err := strconv.ParseFloat(string(b), 64); err == nil {
		s.Time = Epoch(n)
	}
	return nil
}

// Epoch converts seconds or milliseconds since 1970, told apart by their size; zero and nonsense are zero.
func Epoch(n float64) time.Time {
	if n > 1e11 {
		n /= 1000
	}
	if n <= 0 || n > 253402300799 {
		return time.Time{}
	}
	return stated(time.Unix(int64(n), int64((n-float64(int64(n)))*1e3)*1e6))
}

// stated drops times that stand for "none".
func stated(t time.Time) time.Time {
	if t.Year() < 1990 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.UTC()
}

// ParseTime reads a time as status pages and feeds write it, to UTC. A time without a zone is UTC; weekdays are ignored,
// also wrong ones; nine digits and more are an epoch; zone names go through ZoneOffset, whatever the host's zone. ok is false when nothing is stated.
func ParseTime(s string) (t time.Time, ok bool) {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseUint(s, 10, 64); err == nil && len(s) >= 9 && len(s) <= 13 { // "20260304" is a date
		t = Epoch(float64(n))
		return t, !t.IsZero()
	}
	if len(s) >= 10 && s[4] == '-' && s[7] == '-' {
		t, ok = parseISO(s)
	} else {
		t, ok = parseWords(s)
	}
	if !ok {
		return time.Time{}, false
	}
	t = stated(t)
	return t, !t.IsZero()
}

// parseISO reads "2026-03-04T09:12:00.5+01:00" and its looser relatives, Go's own Time.String among them.
func parseISO(s string) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t, true
	}
	date, err := time.Parse(time.DateOnly, s[:10])
	if err != nil {
		return time.Time{}, false
	}
	rest := strings.TrimSpace(strings.TrimPrefix(s[10:], "T"))
	if rest == "" {
		return date, true
	}
	if i := strings.IndexAny(rest, "Zz+-"); i > 0 && rest[i-1] != ' ' {
		rest = rest[:i] + " " + rest[i:]
	}
	return withClock(date, strings.Fields(rest))
}

var months = sync.OnceValue(func() map[string]time.Month {
	return map[string]time.Month{
		"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
	}
})

// parseWords reads dates with a month's name: "Wed, 4 Mar 2026 10:00 CET", "Mar 4, 2026 10:00 AM PST".
func parseWords(s string) (time.Time, bool) {
	f := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\u00a0' })
	var day, year int
	var month time.Month
	at := len(f)
	for i, w := range f {
		if strings.ContainsRune(w, ':') {
			at = i
			break
		}
		if m, ok := MonthOf(w); ok {
			month = m
			continue
		}
		n, err := strconv.Atoi(strings.TrimRight(w, "stndrh"))
		if err != nil || n < 0 {
			continue
		}
		if day == 0 && n >= 1 && n <= 31 && len(w) <= 4 {
			day = n
		} else {
			year = n
		}
	}
	if year == 0 && at < len(f)-1 { // "Mar 4 10:00:00 UTC 2026"
		if n, err := strconv.Atoi(f[len(f)-1]); err == nil && n >= 1990 {
			year, f = n, f[:len(f)-1]
		}
	}
	if year > 0 && year < 70 {
		year += 2000
	} else if year >= 70 && year < 100 {
		year += 1900
	}
	if month == 0 || day == 0 || year < 1970 || year > 9999 {
		return time.Time{}, false
	}
	date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if date.Month() != month {
		return time.Time{}, false
	}
	if at >= len(f) {
		return date, true
	}
	return withClock(date, f[at:])
}

// MonthOf reads an English month name, long or short.
func MonthOf(w string) (time.Month, bool) {
	if len(w) < 3 || len(w) > 10 {
		return 0, false
	}
	m, ok := months()[strings.ToLower(w[:3])]
	if ok && len(w) > 3 && !strings.HasPrefix(strings.ToLower(m.String()), strings.ToLower(strings.TrimSuffix(w, "."))) {
		return m, strings.EqualFold(w, "sept") || strings.EqualFold(w, "sept.")
	}
	return m, ok
}

// withClock adds "10:00[:00[.5]] [AM|PM] [zone]" to a date.
func withClock(date time.Time, f []string) (time.Time, bool) {
	if len(f) == 0 {
		return date, true
	}
	clock := strings.ToUpper(f[0])
	half := ""
	if strings.HasSuffix(clock, "AM") || strings.HasSuffix(clock, "PM") {
		clock, half = clock[:len(clock)-2], clock[len(clock)-2:]
	}
	f = f[1:]
	if len(f) > 0 && (strings.EqualFold(f[0], "AM") || strings.EqualFold(f[0], "PM")) {
		half, f = strings.ToUpper(f[0]), f[1:]
	}
	parts := strings.Split(clock, ":")
	var hms [3]int
	var nanos int
	if len(parts) < 2 || len(parts) > 3 {
		return time.Time{}, false
	}
	for i, p := range parts {
		if whole, frac, has := strings.Cut(p, "."); has && i == 2 {
			p = whole
			if v, err := strconv.ParseFloat("0."+frac, 64); err == nil {
				nanos = int(v * 1e9)
			}
		}
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 || n > 60 {
			return time.Time{}, false
		}
		hms[i] = n
	}
	if half == "PM" && hms[0] < 12 {
		hms[0] += 12
	} else if half == "AM" && hms[0] == 12 {
		hms[0] = 0
	}
	if hms[0] > 24 {
		return time.Time{}, false
	}
	offset := 0
	if len(f) > 0 {
		if o, ok := ZoneOffset(f[0]); ok {
			offset = o
		}
	}
	y, m, d := date.Date()
	return time.Date(y, m, d, hms[0], hms[1], hms[2], nanos, time.UTC).Add(-time.Duration(offset) * time.Second), true
}

// zoneHours holds the names that status pages use, in hours east of Greenwich.
var zoneHours = sync.OnceValue(func() map[string]float64 {
	return map[string]float64{
		"UTC": 0, "GMT": 0, "UT": 0, "Z": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2,
		"EET": 2, "EEST": 3, "MSK": 3, "SAST": 2, "IST": 5.5, "SGT": 8, "HKT": 8, "AWST": 8, "PHT": 8, "JST": 9, "KST": 9,
		"ACST": 9.5, "ACDT": 10.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "BRT": -3, "ART": -3, "NST": -3.5, "NDT": -2.5,
		"AST": -4, "ADT": -3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
		"AKST": -9, "AKDT": -8, "HST": -10,
	}
})

// ZoneOffset reads a zone name or numeric offset ("PDT", "+0530", "-04:00", "GMT+2") as seconds east of Greenwich. Names
// have one fixed meaning each, so that the same text gives the same instant on every machine.
func ZoneOffset(name string) (seconds int, ok bool) {
	name = strings.ToUpper(strings.Trim(name, "()."))
	if h, known := zoneHours()[name]; known {
		return int(h * 3600), true
	}
	for _, p := range []string{"UTC", "GMT"} {
		name = strings.TrimPrefix(name, p)
	}
	if len(name) < 2 || (name[0] != '+' && name[0] != '-') {
		return 0, false
	}
	digits := strings.ReplaceAll(name[1:], ":", "")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || len(digits) > 4 {
		return 0, false
	}
	if len(digits) <= 2 {
		n *= 100
	}
	seconds = (n/100)*3600 + (n%100)*60
	if name[0] == '-' {
		seconds = -seconds
	}
	return seconds, seconds >= -14*3600 && seconds <= 14*3600
}
