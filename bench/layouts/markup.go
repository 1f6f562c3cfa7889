package main

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// reader is the zone of the person in the pictures.
var reader = time.FixedZone("CET", 3600)

var (
	slackDate = regexp.MustCompile(`<!date\^(\d+)\^[^|>]*\|[^>]*>`)
	slackLink = regexp.MustCompile(`<(https?://[^|>]*)\|([^>]*)>`)
	codeSpan  = regexp.MustCompile("`([^`\n]+)`")
	starBold  = regexp.MustCompile(`(^|[\s(>])\*([^*\n]+)\*`)
	tilde     = regexp.MustCompile(`(^|[\s(>])~([^~\n]+)~`)
	under     = regexp.MustCompile(`(?m)(^|\s)_([^_\n]+)_`)
	fence     = regexp.MustCompile("(?s)```diff\n(.*?)\n```")
	stamp     = regexp.MustCompile(`<t:(\d+):f>`)
	mdLink    = regexp.MustCompile(`\[([^\]]*)\]\((https?://[^)]*)\)`)
	twoStars  = regexp.MustCompile(`\*\*([^\n]+?)\*\*`)
	twoTildes = regexp.MustCompile(`~~([^\n]+?)~~`)
	escaped   = regexp.MustCompile(`\\([\\*_~` + "`" + `|\[\]()<>#+-])`)
)

// local is an instant as the reader sees it.
func local(unix, layout string) string {
	n, err := strconv.ParseInt(unix, 10, 64)
	if err != nil {
		return unix
	}
	return "<time>" + time.Unix(n, 0).In(reader).Format(layout) + "</time>"
}

// mrkdwn turns Slack's markup to HTML. The text is escaped already but for our own tags.
func mrkdwn(s string) string {
	s = slackDate.ReplaceAllStringFunc(s, func(m string) string { return local(slackDate.FindStringSubmatch(m)[1], "Jan 2 15:04") })
	s = slackLink.ReplaceAllString(s, `<a href="$1">$2</a>`)
	s = codeSpan.ReplaceAllString(s, "<code>$1</code>")
	s = starBold.ReplaceAllString(s, "$1<b>$2</b>")
	s = tilde.ReplaceAllString(s, "$1<s>$2</s>")
	s = under.ReplaceAllString(s, "$1<i>$2</i>")
	return quote(s, "> ")
}

// markdown turns Discord's markup to HTML.
func markdown(s string) string {
	var kept []string
	keep := func(h string) string {
		kept = append(kept, h)
		return fmt.Sprintf("\x00%d\x00", len(kept)-1)
	}
	s = fence.ReplaceAllStringFunc(s, func(m string) string {
		var b strings.Builder
		for _, l := range strings.Split(fence.FindStringSubmatch(m)[1], "\n") {
			class := ""
			switch {
			case strings.HasPrefix(l, "+"):
				class = "add"
			case strings.HasPrefix(l, "-"):
				class = "del"
			}
			fmt.Fprintf(&b, "<span class='%s'>%s</span>\n", class, html.EscapeString(l))
		}
		return keep("<pre>" + strings.TrimSuffix(b.String(), "\n") + "</pre>")
	})
	s = codeSpan.ReplaceAllStringFunc(s, func(m string) string { return keep("<code>" + html.EscapeString(m[1:len(m)-1]) + "</code>") })
	s = stamp.ReplaceAllStringFunc(s, func(m string) string { return keep(local(stamp.FindStringSubmatch(m)[1], "2 January 2006 15:04")) })
	s = escaped.ReplaceAllStringFunc(s, func(m string) string { return keep(html.EscapeString(m[1:])) })
	s = mdLink.ReplaceAllString(s, "<a>$1</a>")
	s = twoStars.ReplaceAllString(s, "<b>$1</b>")
	s = twoTildes.ReplaceAllString(s, "<s>$1</s>")
	s = quote(s, "> ")
	for i, h := range kept {
		s = strings.Replace(s, fmt.Sprintf("\x00%d\x00", i), h, 1)
	}
	return s
}

// quote turns quoted lines and line breaks to HTML.
func quote(s, mark string) string {
	var b strings.Builder
	for i, l := range strings.Split(s, "\n") {
		switch {
		case strings.HasPrefix(l, mark):
			b.WriteString("<blockquote>" + l[len(mark):] + "</blockquote>")
		case i > 0 && !strings.HasSuffix(b.String(), "</blockquote>"):
			b.WriteString("<br>" + l)
		default:
			b.WriteString(l)
		}
	}
	return b.String()
}
