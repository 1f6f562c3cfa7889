package catalog

import (
	_ "embed"
	"strings"
)

//go:embed data/date.txt
var dateFile string

// Date is the day on which the built-in tables were last revised, as YYYY-MM-DD. Whoever changes a table changes it.
func Date() string { return strings.TrimSpace(dateFile) }
