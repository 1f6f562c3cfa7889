package store

import (
	"encoding/json"
	"errors"

	"github.com/tidwall/gjson"

	"downwind"
)

// packedStack scans a team's packed stack; empty and null leave it alone.
type packedStack struct {
	db    *DB
	stack *downwind.Stack
}

// Scan implements sql.Scanner.
func (p packedStack) Scan(v any) error {
	raw, err := p.db.unpackColumn(v)
	if err != nil || len(raw) == 0 {
		return err
	}
	return readStack(raw, p.stack)
}

// readStack reads a stack as json.Unmarshal would, in a quarter of the time: the daemon reads those of all teams when it starts, and
// those of the teams that an incident hits with every incident. A test holds the two alike, field by field.
func readStack(raw []byte, s *downwind.Stack) error {
	if !gjson.ValidBytes(raw) {
		return errors.New("a stack that is no JSON")
	}
	var failed error
	gjson.ParseBytes(raw).ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "files":
			// Their diagnostics have types of their own, and there are few.
			failed = json.Unmarshal([]byte(v.Raw), &s.Files)
		case "providers":
			s.Providers = listOf(v, readUse)
		case "unknown":
			s.Unknown = listOf(v, readEvidence)
		case "self_hosted":
			s.SelfHosted = evidenceByProvider(v)
		case "weak":
			s.Weak = evidenceByProvider(v)
		case "dropped":
			s.Dropped = int(v.Int())
		}
		return failed == nil
	})
	return failed
}

// listOf reads a list; nil for null.
func listOf[T any](list gjson.Result, read func(gjson.Result) T) []T {
	if !list.IsArray() {
		return nil
	}
	out := []T{}
	list.ForEach(func(_, v gjson.Result) bool {
		out = append(out, read(v))
		return true
	})
	return out
}

func evidenceByProvider(object gjson.Result) map[string][]downwind.Evidence {
	if !object.IsObject() {
		return nil
	}
	out := map[string][]downwind.Evidence{}
	object.ForEach(func(provider, list gjson.Result) bool {
		out[provider.Str] = listOf(list, readEvidence)
		return true
	})
	return out
}

func readUse(object gjson.Result) (u downwind.Use) {
	object.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "provider":
			u.Provider = v.Str
		case "name":
			u.Name = v.Str
		case "confidence":
			u.Confidence = downwind.Confidence(v.Str)
		case "services":
			u.Services = listOf(v, gjson.Result.String)
		case "regions":
			u.Regions = listOf(v, gjson.Result.String)
		case "evidence":
			u.Evidence = listOf(v, readEvidence)
		case "manual":
			u.Manual = v.Bool()
		}
		return true
	})
	return u
}

func readEvidence(object gjson.Result) (e downwind.Evidence) {
	object.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "file":
			e.File = v.Str
		case "line":
			e.Line = int(v.Int())
		case "kind":
			e.Kind = v.Str
		case "match":
			e.Match = v.Str
		case "version":
			e.Version = v.Str
		case "direct":
			e.Direct = v.Bool()
		case "dev":
			e.Dev = v.Bool()
		case "service":
			e.Service = v.Str
		case "region":
			e.Region = v.Str
		case "relation":
			e.Relation = downwind.Relation(v.Str)
		}
		return true
	})
	return e
}
