package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"downwind"
)

// A httpError is an error with the status and the sentence that people see; the cause goes to the log only.
type httpError struct {
	status   int
	sentence string
	cause    error
	// retry is the value of Retry-After in seconds, zero without.
	retry int
}

func (e *httpError) Error() string {
	if e.cause != nil {
		return e.sentence + ": " + e.cause.Error()
	}
	return e.sentence
}

func (e *httpError) Unwrap() error { return e.cause }

// refuse makes an error whose sentence is safe to show.
func refuse(status int, format string, args ...any) error {
	return &httpError{status: status, sentence: fmt.Sprintf(format, args...)}
}

// statusOf maps an error to the status and the sentence to show. Unknown errors never show their text.
func statusOf(err error) (int, string) {
	var known *httpError
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known.status, known.sentence
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge, fmt.Sprintf("The upload is larger than the limit of %d MB.", tooLarge.Limit>>20)
	case errors.Is(err, downwind.ErrNotFound):
		return http.StatusNotFound, "There is nothing at this address."
	case errors.Is(err, downwind.ErrForbidden):
		return http.StatusForbidden, "You may not do this."
	case errors.Is(err, downwind.ErrConflict):
		return http.StatusConflict, "This has changed in between. Load the page again and repeat."
	case errors.Is(err, downwind.ErrInvalid):
		return http.StatusBadRequest, "The request could not be understood."
	case errors.Is(err, downwind.ErrUnreadable):
		return http.StatusServiceUnavailable, "The archive cannot be read at the moment."
	case errors.Is(err, context.Canceled):
		return 499, "The request was given up."
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, "This took too long. Try again in a minute."
	}
	return http.StatusInternalServerError, "Something went wrong on our side. It has been logged."
}

// failPage writes an error as a page: the sentence for people, the cause for the log.
func (s *Server) failPage(w http.ResponseWriter, r *http.Request, err error) {
	status, sentence := statusOf(err)
	s.logFailure(r, status, err)
	var known *httpError
	if errors.As(err, &known) && known.retry > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(known.retry))
	}
	w.Header().Set("Cache-Control", "no-store")
	v := s.view(r, http.StatusText(status), errorView{Status: status, Sentence: sentence})
	v.NoIndex = true
	if v.Title == "" {
		v.Title = "Request ended"
	}
	if err := s.render(w, status, "error.html", v); err != nil {
		s.log.Error("error page", "error", err)
	}
}

type errorView struct {
	Status   int
	Sentence string
}

func (s *Server) logFailure(r *http.Request, status int, err error) {
	if status >= 500 {
		s.log.Error("request failed", "method", r.Method, "route", r.Pattern, "status", status, "error", err)
		return
	}
	s.log.Debug("request refused", "method", r.Method, "route", r.Pattern, "status", status, "error", err)
}

func (s *Server) showMissing(_ http.ResponseWriter, _ *http.Request) error {
	return refuse(http.StatusNotFound, "There is no page at this address.")
}
