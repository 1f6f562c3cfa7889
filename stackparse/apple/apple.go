// Package apple reads CocoaPods, the Swift package manager and fastlane: Podfile, Podfile.lock, Package.swift,
// Package.resolved, Fastfile and Appfile.
package apple

import (
	"context"
	"path"
	"strings"
	"sync"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "apple".
func (Parser) Name() string { return "apple" }

// Claims takes Podfile, Podfile.lock, Package.swift and Package.resolved, the scripts of fastlane, and the settings of Firebase.
func (Parser) Claims(p string) bool {
	switch path.Base(p) {
	case "Podfile", "Podfile.lock", "Package.resolved", "Package.swift", "Fastfile", "Appfile", firebaseList:
		return true
	}
	return false
}

// firebaseList is what Firebase writes for apps of Apple's.
const firebaseList = "GoogleService-Info.plist"

// listed is a text of a property list with its key, in one line or in two.
var listed = pattern.New(`<key>([A-Za-z_][\w.]*)</key>\s*<string>([^<]*)</string>`)

// properties takes the hosts out of a property list.
func properties(in stackparse.Input, out *stackparse.Result) {
	out.Kind = "plist"
	key := ""
	scan.Lines(in.Data, func(line int, text string) {
		t := strings.TrimSpace(text)
		if m := listed.FindStringSubmatch(key + t); m != nil {
			out.Value(stackparse.Setting{Name: m[1], Line: line, Deep: true}, m[2], stackparse.Firm)
		}
		key = ""
		if strings.HasPrefix(t, "<key>") && strings.HasSuffix(t, "</key>") {
			key = t
		}
	})
}

var (
	pod      = pattern.New(`^\s*pod\s+['"]([^'"]+)['"](?:\s*,\s*['"]([^'"]*)['"])?(.*)`)
	swiftURL = pattern.New(`\.package\([^)]*url:\s*"https?://([^"]+)"`)
	action   = pattern.New(`^\s*(?:\w+\s*=\s*)?([a-z][a-z0-9_]+)\s*(?:\(|$|[a-z_]+:|do\b)`)
	variable = pattern.New(`ENV(?:\.fetch\()?\[?["']([A-Z][A-Z0-9_]+)["']`)
	podLock  = pattern.New(`^  - "?([^\s"(:]+)"?`)
)

// Streams takes Podfile.lock.
func (Parser) Streams(p string) bool { return path.Base(p) == "Podfile.lock" }

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	switch base := path.Base(in.Path); base {
	case "Podfile":
		scan.Lines(in.Data, func(line int, text string) {
			if m := pod.FindStringSubmatch(text); m != nil && !strings.Contains(m[3], ":path") && !strings.Contains(m[3], "path:") {
				out.Add(stackparse.Fact{Kind: "pod", Name: m[1], Line: line, Version: m[2]})
			}
		})
		registry(in, out)
	case "Fastfile", "Appfile":
		fastlane(in, out)
	case firebaseList:
		properties(in, out)
	case "Podfile.lock":
		lock(in, out)
		registry(in, out)
	case "Package.resolved":
		n, probs := scan.JSON(in.Data)
		out.Problems(probs)
		for _, p := range append(n.Get("pins").All(), n.Get("object", "pins").All()...) {
			where := p.Get("location")
			if where == nil {
				where = p.Get("repositoryURL")
			}
			swift(where.Str(), line(where), p.Get("state", "version").Str(), in.Beside("Package.swift"), out)
		}
	case "Package.swift":
		scan.Lines(in.Data, func(line int, text string) {
			if m := swiftURL.FindStringSubmatch(text); m != nil && !strings.HasPrefix(strings.TrimSpace(text), "//") {
				swift(m[1], line, "", false, out)
			}
		})
	}
}

// fastlane reads the actions of lanes, known by signatures of kind "step", and the variables that are handed in.
func fastlane(in stackparse.Input, out *stackparse.Result) {
	out.Kind = "fastlane"
	scan.Lines(in.Data, func(line int, text string) {
		if strings.HasPrefix(strings.TrimSpace(text), "#") {
			return
		}
		if m := action.FindStringSubmatch(text); m != nil && in.Known("step", "fastlane:"+m[1]) {
			out.Add(stackparse.Fact{Kind: "step", Name: "fastlane:" + m[1], Show: m[1], Line: line})
		}
		for _, m := range variable.FindAllStringSubmatch(text, -1) {
			out.Setting(stackparse.Setting{Name: m[1], Line: line, Secret: true, Pipeline: true})
		}
	})
}

func line(n *scan.Node) int {
	if n == nil {
		return 0
	}
	return n.Line
}

func registry(in stackparse.Input, out *stackparse.Result) {
	if out.Dependencies > 0 {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegistry, Provider: "cocoapods", Name: path.Base(in.Path)})
	}
}

// lock reads Podfile.lock: DEPENDENCIES lists what is direct.
func lock(in stackparse.Input, out *stackparse.Result) {
	beside := in.Beside("Podfile") || in.Beside("../pubspec.yaml")
	section := ""
	direct := map[string]bool{}
	in.Lines(func(line int, text string) {
		if text != "" && text[0] != ' ' {
			section = text
			return
		}
		m := podLock.FindStringSubmatch(text)
		if m == nil {
			return
		}
		switch section {
		case "DEPENDENCIES:":
			direct[m[1]] = true
			if !strings.Contains(text, "(from `.symlinks") {
				out.Add(stackparse.Fact{Kind: "pod", Name: m[1], Line: line, Transitive: beside})
			} else {
				// Flutter's plug-ins: the pubspec says the same.
				out.Add(stackparse.Fact{Kind: "pod", Name: m[1], Line: line, State: stackparse.Loose})
			}
		case "PODS:":
			out.Dependencies++
			if in.Known("pod", m[1]) {
				out.Facts = append(out.Facts, stackparse.Fact{Kind: "pod", Name: m[1], Line: line, Transitive: true})
			}
		}
	})
}

// swiftPods maps repositories of Swift packages to the pod of the same library, where the names differ.
var swiftPods = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"firebase/firebase-ios-sdk": "Firebase", "getsentry/sentry-cocoa": "Sentry", "stripe/stripe-ios": "Stripe", "stripe/stripe-ios-spm": "Stripe",
		"supabase/supabase-swift": "Supabase", "RevenueCat/purchases-ios": "RevenueCat", "PostHog/posthog-ios": "PostHog", "livekit/client-sdk-swift": "LiveKitClient",
		"DataDog/dd-sdk-ios": "DatadogCore", "amplitude/Amplitude-Swift": "AmplitudeSwift", "mixpanel/mixpanel-swift": "Mixpanel-swift", "aws-amplify/amplify-swift": "Amplify",
		"auth0/Auth0.swift": "Auth0", "OneSignal/OneSignal-iOS-SDK": "OneSignal", "segmentio/analytics-swift": "Analytics", "mapbox/mapbox-maps-ios": "MapboxMaps",
		"launchdarkly/ios-client-sdk": "LaunchDarkly", "intercom/intercom-ios-sp": "Intercom", "bugsnag/bugsnag-cocoa": "Bugsnag", "algolia/algoliasearch-client-swift": "AlgoliaSearchClient",
	}
})

func swift(url string, line int, version string, transitive bool, out *stackparse.Result) {
	u := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "git@"), ".git")
	u = strings.Replace(u, "github.com:", "github.com/", 1)
	repo, ok := strings.CutPrefix(u, "github.com/")
	if !ok {
		return
	}
	for k, name := range swiftPods() {
		if strings.EqualFold(k, repo) {
			out.Add(stackparse.Fact{Kind: "pod", Name: name, Show: repo, Line: line, Version: version, Transitive: transitive})
			return
		}
	}
	out.Add(stackparse.Fact{Kind: "pod", Name: path.Base(repo), Show: repo, Line: line, Version: version, Transitive: transitive, State: stackparse.Loose})
}
