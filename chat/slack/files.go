package slack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"downwind/chat"
)

var errForeignHost = errors.New("leads away from Slack")

// fileClient follows redirects on Slack's hosts only, so that the token never leaves them.
func (a *App) fileClient() *http.Client {
	base := a.o.HTTP.Transport
	return &http.Client{
		Transport: base, Timeout: 20 * time.Second,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > 3 || !a.own(r.URL) {
				return errForeignHost
			}
			return nil
		},
	}
}

// download reads files from Slack into memory; one that cannot be read says why.
func (a *App) download(ctx context.Context, workspace string, files []slackgo.File) []chat.File {
	var out []chat.File
	total := 0
	for i, f := range files {
		got := chat.File{Name: f.Name}
		switch {
		case i >= chat.MaxFiles:
			got.Refused = fmt.Sprintf("more than %d files", chat.MaxFiles)
		case f.Size > chat.MaxFileSize:
			got.Refused = "larger than 5 MiB"
		case total > chat.MaxTotalSize:
			got.Refused = "more than 20 MiB together"
		default:
			data, err := a.fetch(ctx, workspace, f)
			if err != nil {
				got.Refused = err.Error()
			}
			got.Data = data
			total += len(data)
		}
		out = append(out, got)
		if i > chat.MaxFiles {
			break
		}
	}
	return out
}

// fetch reads one file. Its errors are for people and hold no address.
func (a *App) fetch(ctx context.Context, workspace string, f slackgo.File) ([]byte, error) {
	token, err := a.token(ctx, workspace)
	if err != nil {
		return nil, errors.New("this workspace has no token; install the app again")
	}
	if f.FileAccess == "check_file_info" || f.URLPrivateDownload == "" && f.URLPrivate == "" {
		full, _, _, err := slackgo.New(token.Reveal(), a.options()...).GetFileInfoContext(ctx, f.ID, 0, 0)
		if err != nil {
			a.o.Logger.Warn("slack: files.info", "err", err)
			return nil, errors.New("this app does not get it from Slack; the scope files:read may be missing")
		}
		f = *full
	}
	address := f.URLPrivateDownload
	if address == "" {
		address = f.URLPrivate
	}
	u, err := url.Parse(address)
	if err != nil || !a.own(u) {
		return nil, errors.New("it is not kept by Slack")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("its address cannot be read")
	}
	req.Header.Set("Authorization", "Bearer "+token.Reveal())
	resp, err := a.files.Do(req)
	if err != nil {
		if errors.Is(err, errForeignHost) {
			return nil, errors.New("its address leads away from Slack")
		}
		return nil, errors.New("no answer from Slack in time")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d from Slack", resp.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, chat.MaxFileSize+1))
	if err != nil {
		return nil, errors.New("the download broke off")
	}
	if signInPage(resp.Header.Get("Content-Type"), data) {
		return nil, errors.New("a sign-in page came from Slack: the scope files:read is missing. Add it under OAuth & Permissions and install the app again")
	}
	if len(data) > chat.MaxFileSize {
		return nil, errors.New("larger than 5 MiB")
	}
	return data, nil
}

// signInPage reports whether Slack answered with a page in the place of a file.
func signInPage(contentType string, data []byte) bool {
	if strings.HasPrefix(strings.ToLower(contentType), "text/html") {
		return true
	}
	head := bytes.ToLower(bytes.TrimSpace(data[:min(len(data), 256)]))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}
