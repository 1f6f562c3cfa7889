package discord

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"downwind/chat"
)

// attachment is a file that came with a command. Its address expires, so it is read at once.
type attachment struct {
	Name string `json:"filename"`
	Size int    `json:"size"`
	URL  string `json:"url"`
}

// cdnHosts are the hosts on which Discord keeps files.
var cdnHosts = map[string]bool{"cdn.discordapp.com": true, "media.discordapp.net": true}

// own reports whether an address is on Discord's file hosts.
func (a *App) own(u *url.URL) bool {
	if a.host != "" && u.Host == a.host {
		return true
	}
	return u.Scheme == "https" && u.User == nil && (u.Port() == "" || u.Port() == "443") && cdnHosts[strings.ToLower(u.Hostname())]
}

var errForeignHost = errors.New("leads away from Discord")

func (a *App) fileClient() *http.Client {
	c := &http.Client{Timeout: 20 * time.Second, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > 3 || !a.own(r.URL) {
			return errForeignHost
		}
		return nil
	}}
	if a.o.HTTP != nil {
		c.Transport = a.o.HTTP.Transport
	}
	return c
}

// download reads attachments into memory; one that cannot be read says why.
func (a *App) download(ctx context.Context, files []attachment) []chat.File {
	var out []chat.File
	total := 0
	for i, f := range files {
		got := chat.File{Name: f.Name}
		switch {
		case i >= chat.MaxFiles:
			got.Refused = fmt.Sprintf("more than %d files", chat.MaxFiles)
		case f.Size > chat.MaxFileSize:
			got.Refused = "larger than 5 MiB"
		case total+f.Size > chat.MaxTotalSize:
			got.Refused = "more than 20 MiB together"
		default:
			data, err := a.fetch(ctx, f)
			if err != nil {
				got.Refused = err.Error()
			}
			got.Data = data
			total += len(data)
		}
		out = append(out, got)
	}
	return out
}

// fetch reads one attachment, without any token. Its errors are for people and hold no address.
func (a *App) fetch(ctx context.Context, f attachment) ([]byte, error) {
	u, err := url.Parse(f.URL)
	if err != nil || !a.own(u) {
		return nil, errors.New("it is not kept by Discord")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, nil)
	if err != nil {
		return nil, errors.New("its address cannot be read")
	}
	resp, err := a.files.Do(req)
	if err != nil {
		if errors.Is(err, errForeignHost) {
			return nil, errors.New("its address leads away from Discord")
		}
		return nil, errors.New("no answer from Discord in time")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d from Discord; attach it again", resp.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, chat.MaxFileSize+1))
	if err != nil {
		return nil, errors.New("the download broke off")
	}
	if len(data) > chat.MaxFileSize {
		return nil, errors.New("larger than 5 MiB")
	}
	return data, nil
}
