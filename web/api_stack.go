package web

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"downwind"
)

// stackBody reads a stack from a body: JSON of "downwind.stack/v1", files as multipart/form-data, or one raw file
// whose name the query gives (?name=package-lock.json).
func (s *Server) stackBody(r *http.Request) (downwind.Stack, error) {
	kind, _, err := mime.ParseMediaType(queryHeader(r, "Content-Type", "application/octet-stream"))
	if err != nil {
		return downwind.Stack{}, refuse(http.StatusUnsupportedMediaType, "The Content-Type cannot be read.")
	}
	name := uploadPath(queryOr(r.URL.Query(), "name", ""))
	files := map[string][]byte{}
	switch {
	case kind == "application/json" && name == "":
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return downwind.Stack{}, uploadError(err)
		}
		return s.decodeStack(body)
	case kind == "multipart/form-data":
		up, err := readUpload(r)
		if err != nil {
			return downwind.Stack{}, err
		}
		if files, err = up.stackFiles(); err != nil {
			return downwind.Stack{}, err
		}
	case name == "":
		return downwind.Stack{}, refuse(http.StatusUnsupportedMediaType,
			"Send application/json (downwind.stack/v1), multipart/form-data, or one raw file with ?name=package-lock.json.")
	default:
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return downwind.Stack{}, uploadError(err)
		}
		files[name] = body
	}
	if s.opt.Stacks == nil {
		return downwind.Stack{}, refuse(http.StatusNotImplemented, "This installation reads no files; send downwind.stack/v1.")
	}
	return s.opt.Stacks.ReadFiles(r.Context(), files), nil
}

func queryHeader(r *http.Request, key, standard string) string {
	if v := strings.TrimSpace(r.Header.Get(key)); v != "" {
		return v
	}
	return standard
}

// apiCheckStack reads a stack and stores nothing.
func (s *Server) apiCheckStack(w http.ResponseWriter, r *http.Request, _ apiCaller) error {
	stack, err := s.stackBody(r)
	if err != nil {
		return err
	}
	return writeJSON(w, r, stack)
}

func (s *Server) apiTeamStack(w http.ResponseWriter, r *http.Request, who apiCaller) error {
	team, err := s.callersTeam(r.Context(), who, r.PathValue("team"))
	if err != nil {
		return err
	}
	return writeJSON(w, r, s.named(team.MyStack()))
}

// apiPutStack stores a stack as the team's own and answers with what it now is.
func (s *Server) apiPutStack(w http.ResponseWriter, r *http.Request, who apiCaller) error {
	team, err := s.callersTeam(r.Context(), who, r.PathValue("team"))
	if err != nil {
		return err
	}
	stack, err := s.stackBody(r)
	if err != nil {
		return err
	}
	before := teamProviders(team)
	if err := s.opt.Reader.SaveStack(r.Context(), team.ID, stack, "token "+who.name, s.now()); err != nil {
		return fmt.Errorf("store stack of %s: %w", team.ID, err)
	}
	return s.answerStack(w, r, team.ID, before)
}

// named gives the names of providers to those that people added.
func (s *Server) named(stack downwind.Stack) downwind.Stack {
	for i := range stack.Providers {
		if u := &stack.Providers[i]; u.Manual {
			u.Name = s.providerName(u.Provider)
		}
	}
	return stack
}

// answerStack tells what the stack of a team now is, and which providers came and went.
func (s *Server) answerStack(w http.ResponseWriter, r *http.Request, id string, before []string) error {
	team, err := s.opt.Reader.Team(r.Context(), id)
	if err != nil {
		return err
	}
	after := teamProviders(team)
	return writeJSON(w, r, struct {
		Team    string         `json:"team"`
		StackAt stamp          `json:"stack_at"`
		Added   []string       `json:"added"`
		Removed []string       `json:"removed"`
		Stack   downwind.Stack `json:"stack"`
	}{team.ID, stamp(team.StackAt), missingFrom(before, after), missingFrom(after, before), s.named(team.MyStack())})
}

// missingFrom lists what is in b and not in a; both are sorted.
func missingFrom(a, b []string) []string {
	have := map[string]bool{}
	for _, x := range a {
		have[x] = true
	}
	out := []string{}
	for _, x := range b {
		if !have[x] {
			out = append(out, x)
		}
	}
	return out
}
