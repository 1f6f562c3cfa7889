package guidance

import (
	"downwind"
)

// advise words advice and checklist. See table.go for the sentences.
func advise(g *downwind.Guidance, use *downwind.Use) (advice, checklist []string) {
	return nil, nil
}
