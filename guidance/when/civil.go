package when

import "sync"

// A civil date and the seconds of its day, without a zone.
type civil struct {
	days int64 // since 1970-01-01
	secs int64 // since midnight; may pass 86,400
}

const day = 86400

// daysOf counts the days from 1970-01-01 to a date of the Gregorian calendar.
func daysOf(y, m, d int) int64 {
	if m <= 2 {
		y--
	}
	era := floorDiv(int64(y), 400)
	yoe := int64(y) - era*400
	mp := int64((m + 9) % 12)
	doy := (153*mp+2)/5 + int64(d) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}

// dateOf is the inverse of daysOf.
func dateOf(days int64) (y, m, d int) {
	z := days + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	d = int(doy - (153*mp+2)/5 + 1)
	m = int(mp + 3)
	if m > 12 {
		m -= 12
	}
	y = int(yoe + era*400)
	if m <= 2 {
		y++
	}
	return y, m, d
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// weekday returns 0 for Sunday.
func weekday(days int64) int { return int(((days+4)%7 + 7) % 7) }

var monthLen = [13]int{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func validDate(y, m, d int) bool {
	if m < 1 || m > 12 || d < 1 || d > monthLen[m] {
		return false
	}
	return m != 2 || d < 29 || y == 0 || y%4 == 0 && (y%100 != 0 || y%400 == 0)
}

// dstRule names how a place changes its clocks.
type dstRule uint8

const (
	dstNone dstRule = iota
	dstUS           // second Sunday of March to first Sunday of November, at 02:00 local
	dstEU           // last Sunday of March to last Sunday of October, at 01:00 UTC
	dstAU           // first Sunday of October to first Sunday of April
	dstNZ           // last Sunday of September to first Sunday of April
)

// A zone is the wall clock of a place: standard offset in seconds east of Greenwich, and the rule of its summer time.
type zone struct {
	off  int32
	rule dstRule
}

var (
	zoneUTC     = zone{0, dstNone}
	zonePacific = zone{-8 * 3600, dstUS}
	zoneCentral = zone{-6 * 3600, dstUS}
	zoneChina   = zone{8 * 3600, dstNone}
)

// zoneNames are the abbreviations and names read in prose. Summer and winter forms mean the same wall clock.
var zoneNames = sync.OnceValue(func() map[string]zone {
	return map[string]zone{
		"utc": zoneUTC, "gmt": zoneUTC, "zulu": zoneUTC, "uct": zoneUTC, "ut": zoneUTC,
		"pt": zonePacific, "pst": zonePacific, "pdt": zonePacific, "pacific": zonePacific,
		"et": {-5 * 3600, dstUS}, "est": {-5 * 3600, dstUS}, "edt": {-5 * 3600, dstUS}, "eastern": {-5 * 3600, dstUS},
		"ct": zoneCentral, "cst": zoneCentral, "cdt": zoneCentral, "central": zoneCentral,
		"mt": {-7 * 3600, dstUS}, "mst": {-7 * 3600, dstUS}, "mdt": {-7 * 3600, dstUS}, "mountain": {-7 * 3600, dstUS},
		"cet": {3600, dstEU}, "cest": {3600, dstEU},
		"eet": {2 * 3600, dstEU}, "eest": {2 * 3600, dstEU},
		"wet": {0, dstEU}, "bst": {0, dstEU},
		"ist": {19800, dstNone}, "jst": {9 * 3600, dstNone}, "kst": {9 * 3600, dstNone},
		"sgt": {8 * 3600, dstNone}, "hkt": {8 * 3600, dstNone}, "pht": {8 * 3600, dstNone},
		"cat": {2 * 3600, dstNone}, "awst": {8 * 3600, dstNone}, "acst": {9*3600 + 1800, dstNone}, "aest": {10 * 3600, dstAU}, "aedt": {10 * 3600, dstAU}, "aet": {10 * 3600, dstAU},
		"nzst": {12 * 3600, dstNZ}, "nzdt": {12 * 3600, dstNZ},
		"brt": {-3 * 3600, dstNone}, "msk": {3 * 3600, dstNone}, "trt": {3 * 3600, dstNone},
		"gst": {4 * 3600, dstNone}, "sast": {2 * 3600, dstNone},
		"idt": {3 * 3600, dstNone}, "myt": {8 * 3600, dstNone}, "ict": {7 * 3600, dstNone}, "wib": {7 * 3600, dstNone}, "pkt": {5 * 3600, dstNone}, "npt": {20700, dstNone},
		"wat": {3600, dstNone}, "eat": {3 * 3600, dstNone}, "art": {-3 * 3600, dstNone}, "clt": {-4 * 3600, dstNone}, "cot": {-5 * 3600, dstNone},
		"ast": {-4 * 3600, dstUS}, "adt": {-4 * 3600, dstUS}, "ndt": {-12600, dstUS},
		"akst": {-9 * 3600, dstUS}, "akdt": {-9 * 3600, dstUS}, "hst": {-10 * 3600, dstNone},
	}
})

// zonePlaces are the places and names read before "time": "Beijing time", "Central European Summer Time". Words that only say
// which half of the year it is, or that it is the usual time, are left out of the names (see zoneFiller).
var zonePlaces = sync.OnceValue(func() map[string]zone {
	return map[string]zone{
		"beijing": zoneChina, "china": zoneChina, "chinese": zoneChina, "shanghai": zoneChina, "singapore": {8 * 3600, dstNone}, "hong kong": {8 * 3600, dstNone},
		"tokyo": {9 * 3600, dstNone}, "japan": {9 * 3600, dstNone}, "japanese": {9 * 3600, dstNone}, "seoul": {9 * 3600, dstNone}, "korea": {9 * 3600, dstNone}, "korean": {9 * 3600, dstNone},
		"london": {0, dstEU}, "uk": {0, dstEU}, "british": {0, dstEU}, "irish": {0, dstEU}, "western european": {0, dstEU},
		"berlin": {3600, dstEU}, "german": {3600, dstEU}, "paris": {3600, dstEU}, "french": {3600, dstEU}, "amsterdam": {3600, dstEU}, "dutch": {3600, dstEU}, "swiss": {3600, dstEU},
		"swedish": {3600, dstEU}, "danish": {3600, dstEU}, "polish": {3600, dstEU}, "european": {3600, dstEU}, "central european": {3600, dstEU},
		"eastern european": {2 * 3600, dstEU}, "finnish": {2 * 3600, dstEU}, "moscow": {3 * 3600, dstNone},
		"india": {19800, dstNone}, "indian": {19800, dstNone}, "sydney": {10 * 3600, dstAU}, "australian eastern": {10 * 3600, dstAU}, "new zealand": {12 * 3600, dstNZ},
		"east africa": {3 * 3600, dstNone}, "west africa": {3600, dstNone}, "south africa": {2 * 3600, dstNone}, "israel": {2 * 3600, dstEU}, "turkey": {3 * 3600, dstNone}, "gulf": {4 * 3600, dstNone}, "dubai": {4 * 3600, dstNone},
		"pakistan": {5 * 3600, dstNone}, "malaysia": {8 * 3600, dstNone}, "philippine": {8 * 3600, dstNone}, "taiwan": {8 * 3600, dstNone}, "jakarta": {7 * 3600, dstNone}, "bangkok": {7 * 3600, dstNone}, "perth": {8 * 3600, dstNone},
		"brisbane": {10 * 3600, dstNone}, "melbourne": {10 * 3600, dstAU}, "brasilia": {-3 * 3600, dstNone}, "argentina": {-3 * 3600, dstNone}, "toronto": {-5 * 3600, dstUS}, "chicago": zoneCentral, "atlantic": {-4 * 3600, dstUS},
		"greenwich": zoneUTC, "universal": zoneUTC, "coordinated universal": zoneUTC,
		"pacific": zonePacific, "eastern": {-5 * 3600, dstUS}, "central": zoneCentral, "mountain": {-7 * 3600, dstUS}, "new york": {-5 * 3600, dstUS},
	}
})

// zoneFiller reports whether a word of a zone's name does not change its wall clock.
func zoneFiller(s string) bool {
	switch s {
	case "standard", "daylight", "summer", "winter", "mean", "us", "local", "savings", "saving":
		return true
	}
	return false
}

// zoneIANA are the civil zones a caller may name as a provider's usual one, and the last part of such names in prose.
var zoneIANA = sync.OnceValue(func() map[string]zone {
	return map[string]zone{
		"utc": zoneUTC, "etc/utc": zoneUTC, "america/los_angeles": zonePacific, "us/pacific": zonePacific, "america/new_york": {-5 * 3600, dstUS},
		"us/eastern": {-5 * 3600, dstUS}, "america/chicago": zoneCentral, "us/central": zoneCentral, "america/denver": {-7 * 3600, dstUS},
		"us/mountain": {-7 * 3600, dstUS}, "europe/london": {0, dstEU}, "europe/berlin": {3600, dstEU}, "europe/paris": {3600, dstEU},
		"europe/amsterdam": {3600, dstEU}, "europe/stockholm": {3600, dstEU}, "asia/tokyo": {9 * 3600, dstNone}, "asia/shanghai": zoneChina,
		"asia/singapore": {8 * 3600, dstNone}, "asia/kolkata": {19800, dstNone}, "asia/seoul": {9 * 3600, dstNone},
		"australia/sydney": {10 * 3600, dstAU},
	}
})

// unix turns a wall clock reading into seconds since 1970 UTC.
func (z zone) unix(c civil) int64 {
	local := c.days*day + c.secs
	if z.rule == dstNone {
		return local - int64(z.off)
	}
	if z.summer(local) {
		return local - int64(z.off) - 3600
	}
	return local - int64(z.off)
}

// civilOf turns seconds since 1970 UTC into the wall clock reading of the zone.
func (z zone) civilOf(unix int64) civil {
	local := unix + int64(z.off)
	if z.summerAt(local) {
		local += 3600
	}
	d := floorDiv(local, day)
	return civil{d, local - d*day}
}

// summerAt reports whether summer time holds at a moment, given in standard time of the zone.
func (z zone) summerAt(std int64) bool {
	y, _, _ := dateOf(floorDiv(std, day))
	switch z.rule {
	case dstUS:
		return std >= nthSunday(y, 3, 2)*day+7200 && std < nthSunday(y, 11, 1)*day+3600
	case dstEU:
		utc := std - int64(z.off)
		return utc >= lastSunday(y, 3)*day+3600 && utc < lastSunday(y, 10)*day+3600
	case dstAU:
		return std >= nthSunday(y, 10, 1)*day+7200 || std < nthSunday(y, 4, 1)*day+7200
	case dstNZ:
		return std >= lastSunday(y, 9)*day+7200 || std < nthSunday(y, 4, 1)*day+7200
	}
	return false
}

// summer reports whether a wall clock reading, in seconds since 1970, falls in summer time.
func (z zone) summer(local int64) bool {
	y, _, _ := dateOf(floorDiv(local, day))
	switch z.rule {
	case dstUS:
		return local >= nthSunday(y, 3, 2)*day+7200 && local < nthSunday(y, 11, 1)*day+7200
	case dstEU:
		return local >= lastSunday(y, 3)*day+3600+int64(z.off) && local < lastSunday(y, 10)*day+7200+int64(z.off)
	case dstAU:
		return local >= nthSunday(y, 10, 1)*day+7200 || local < nthSunday(y, 4, 1)*day+10800
	case dstNZ:
		return local >= lastSunday(y, 9)*day+7200 || local < nthSunday(y, 4, 1)*day+10800
	}
	return false
}

func nthSunday(y, m, n int) int64 {
	d := daysOf(y, m, 1)
	return d + int64((7-weekday(d))%7) + int64(7*(n-1))
}

func lastSunday(y, m int) int64 {
	d := daysOf(y, m, 31)
	if m == 9 || m == 4 || m == 6 || m == 11 {
		d--
	}
	return d - int64(weekday(d))
}
