package web

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"strings"

	"downwind/internal/pattern"
)

// Ceilings of an upload.
const (
	maxFiles    = 2000
	maxFileSize = 20 << 20
)

// An upload is what somebody handed over to be read: files by their path, and the fields of the form.
type upload struct {
	files   map[string][]byte
	skipped int
	fields  map[string]string
}

// readUpload reads a multipart body file by file. Folders of installed packages are passed over unread.
func readUpload(r *http.Request) (*upload, error) {
	mr, err := r.MultipartReader()
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "Send the files as a form (multipart/form-data).")
	}
	up := &upload{files: map[string][]byte{}, fields: map[string]string{}}
	for {
		part, err := mr.NextRawPart()
		if errors.Is(err, io.EOF) {
			return up, nil
		}
		if err != nil {
			return nil, uploadError(err)
		}
		if err := up.take(part); err != nil {
			return nil, err
		}
	}
}

// uploadError keeps the refusal of a body that is too large and names all else a broken upload.
func uploadError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return err
	}
	return &httpError{status: http.StatusBadRequest, sentence: "The upload broke off or is not a valid form. Send it again.", cause: err}
}

func (up *upload) take(part *multipart.Part) error {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return uploadError(err)
	}
	raw, isFile := params["filename"]
	if !isFile {
		body, err := io.ReadAll(io.LimitReader(part, 1<<20))
		if err != nil {
			return uploadError(err)
		}
		up.fields[params["name"]] = string(body)
		return nil
	}
	name := uploadPath(raw)
	if name == "" || passedOver(name) {
		if name != "" {
			up.skipped++
		}
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(part, maxFileSize+1))
	if err != nil {
		return uploadError(err)
	}
	if len(body) > maxFileSize {
		return refuse(http.StatusRequestEntityTooLarge, "%s is larger than %d MB, the limit of one file.", clip(oneLine(name), 80), maxFileSize>>20)
	}
	if len(up.files) >= maxFiles {
		return refuse(http.StatusRequestEntityTooLarge, "More than %d files. Upload the lockfiles and manifests only.", maxFiles)
	}
	up.files[name] = body
	return nil
}

// uploadPath makes a relative path with forward slashes of what the browser calls a file; it never climbs.
func uploadPath(name string) string {
	name = path.Clean("/" + strings.ReplaceAll(clean(name), `\`, "/"))
	name = strings.TrimPrefix(name, "/")
	if len(name) > 400 {
		name = path.Base(name)
	}
	return clip(name, 400)
}

func passedOver(name string) bool {
	for _, dir := range strings.Split(path.Dir(name), "/") {
		switch dir {
		case "node_modules", ".git", ".terraform", ".venv", "venv", "__pycache__", "target", ".next":
			return true
		}
	}
	return false
}

var (
	domainLine  = pattern.New(`^(https?://|wss?://)?([a-zA-Z0-9_*-]+\.)+[a-zA-Z]{2,}(:\d+)?(/\S*)?$`)
	requireLine = pattern.New(`(?m)^[A-Za-z0-9_.-]+(\[[^\]]*\])?\s*(==|>=|<=|~=|!=|<|>)\s*[0-9]`)
	envLine     = pattern.New(`(?m)^(export )?[A-Za-z_][A-Za-z0-9_]*=`)
	terraform   = pattern.New(`(?m)^(resource|provider|module|data|terraform|variable)\s*("[^"]*"\s*)*\{`)
	dockerLine  = pattern.New(`(?mi)^FROM\s+\S+`)
	goModule    = pattern.New(`(?m)^module\s+\S+`)
	yamlKey     = pattern.New(`(?m)^(services|apiVersion|jobs|dependencies):`)
)

// pastedName guesses what a pasted text is called where the visitor does not say.
func pastedName(text string) string {
	head := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(head, "{") && strings.Contains(head, `"terraform_version"`):
		return "terraform.tfstate"
	case strings.HasPrefix(head, "{") && strings.Contains(head, `"lockfileVersion"`):
		return "package-lock.json"
	case strings.HasPrefix(head, "{"):
		return "package.json"
	case terraform.MatchString(head):
		return "main.tf"
	case goModule.MatchString(head):
		return "go.mod"
	case strings.HasPrefix(head, "[") && (strings.Contains(head, "[project]") || strings.Contains(head, "[tool.")):
		return "pyproject.toml"
	case dockerLine.MatchString(head):
		return "Dockerfile"
	case yamlKey.MatchString(head) && strings.Contains(head, "services:"):
		return "compose.yaml"
	case yamlKey.MatchString(head):
		return "manifest.yaml"
	case domainLines(head):
		return "domains.txt"
	case requireLine.MatchString(head):
		return "requirements.txt"
	case envLine.MatchString(head):
		return ".env"
	}
	return "domains.txt"
}

// domainLines reports whether every line that is no comment looks like a domain or an address.
func domainLines(text string) bool {
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ',' || r == ' ' }) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !domainLine.MatchString(line) {
			return false
		}
	}
	return true
}

// stackFiles joins uploaded files and pasted text into the files to read.
func (up *upload) stackFiles() (map[string][]byte, error) {
	if text := up.fields["text"]; strings.TrimSpace(text) != "" {
		name := uploadPath(strings.TrimSpace(up.fields["name"]))
		if name == "" {
			name = pastedName(text)
		}
		if _, taken := up.files[name]; taken {
			name = "pasted/" + name
		}
		up.files[name] = []byte(text)
	}
	if len(up.files) == 0 {
		if up.skipped > 0 {
			return nil, refuse(http.StatusBadRequest, "All %d files lie in folders of installed packages, which are not read. Choose the folder with the lockfiles.", up.skipped)
		}
		return nil, refuse(http.StatusBadRequest, "Choose a file, or paste some text or domains.")
	}
	return up.files, nil
}
