package chattest

import (
	"context"
	"fmt"
	"strings"

	"downwind"
)

// Hostile is text that tries to ping, link or format its way out, of about n characters.
func Hostile(n int) string {
	const bait = "<!channel> @everyone <@U1> <@&12345678> <!subteam^S1|x> [bank](https://evil.example/x) <https://evil.example|slack.com> ``` *b* _i_ ~s~ &lt;!here&gt; </feed:1> <id:browse> \u202e # - > | "
	return strings.Repeat(bait, n/len(bait)+1)[:n]
}

// HostileStacks reads anything as a stack of so many providers with hostile names everywhere.
type HostileStacks struct{ Providers, Evidence, Length int }

// ReadFiles implements chat.StackReader.
func (s HostileStacks) ReadFiles(_ context.Context, files map[string][]byte) downwind.Stack {
	st := downwind.Stack{Dropped: 3, SelfHosted: map[string][]downwind.Evidence{"livekit": {{File: Hostile(s.Length), Match: Hostile(s.Length)}}}}
	for name := range files {
		st.Files = append(st.Files, downwind.StackFile{Path: Hostile(s.Length) + name, Kind: "npm", Dependencies: 100, Diagnostics: []downwind.Diagnostic{{Severity: downwind.SeverityWarning, Summary: Hostile(s.Length)}}})
	}
	for i := range s.Providers {
		u := downwind.Use{
			Provider: fmt.Sprintf("provider-%03d", i), Name: Hostile(s.Length), Regions: []string{Hostile(s.Length), "eu-west-1"},
			Confidence: []downwind.Confidence{downwind.Sure, downwind.Likely, downwind.Guess}[i%3],
		}
		for j := range s.Evidence {
			u.Evidence = append(u.Evidence, downwind.Evidence{File: Hostile(s.Length), Line: j + 1, Match: Hostile(s.Length), Kind: "npm"})
		}
		st.Providers = append(st.Providers, u)
		st.Unknown = append(st.Unknown, downwind.Evidence{File: "x", Match: Hostile(s.Length) + fmt.Sprint(i)})
	}
	return st
}

// ReadDomains implements chat.StackReader.
func (s HostileStacks) ReadDomains(context.Context, []string) downwind.Stack { return downwind.Stack{} }
