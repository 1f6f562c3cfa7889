package notifytest

import "downwind/notify"

// StackResult is an answer to an uploaded stack, in the shape that chat gives it: what was read, what was found with its
// evidence, what is unsure, what was dropped.
func StackResult() notify.Message {
	code := func(s string) notify.Run { return notify.Run{Text: s, Code: true, Foreign: true} }
	text := func(s string) notify.Run { return notify.Run{Text: s} }
	use := func(name, match, where string) []notify.Run {
		return []notify.Run{{Text: name, Bold: true, Foreign: true}, text(" "), code(match), text(" in "), code(where)}
	}
	return notify.Message{
		Tone: notify.ToneMonitoring, Title: "4 providers found in your stack",
		Text: "4 providers found in your stack: 3 sure, 1 guess to confirm. 2 values that looked like secrets were dropped unread.",
		Blocks: []notify.Block{
			{Kind: notify.BlockContext, Lines: [][]notify.Run{
				{text("Read: "), code("package.json"), text(" (38), "), code("infra/main.tf"), text(" (6), "), code(".env.example"), text(" (12)")},
				{text("The files were not kept; only the names below are.")},
			}},
			{Kind: notify.BlockList, Title: "Sure (3)", Lines: [][]notify.Run{
				use("ExampleCloud", "@examplecloud/sdk", "package.json:17"), use("ExampleDB", "db.example", ".env.example:4"),
				use("ExampleCDN", "examplecdn_zone", "infra/main.tf:12"),
			}},
			{Kind: notify.BlockList, Title: "Guess, please confirm (1)", Lines: [][]notify.Run{use("ExampleSMS", "SMS_GATEWAY", ".env.example:9")}},
			{Kind: notify.BlockContext, Lines: [][]notify.Run{
				{text("Unknown (1): "), code("hooks.partner.example")},
				{text("2 values that looked like secrets dropped unread: not stored, not logged. If the file was shared by mistake, change them and delete it here too.")},
			}},
		},
		Actions: []notify.Action{
			{Label: "Subscribe this channel to 3", ID: notify.ActionID("yes", "subscribe stack"), Style: "primary"},
			{Label: "Discard", ID: notify.ActionID("discard", "9f2c")},
			{Label: "Full list", URL: "https://downwind.example/stack"},
		},
	}
}
