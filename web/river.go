package web

import "net/http"

// riverPath is where the job engine's own pages stand.
const riverPath = "/admin/river"

// riverPolicy allows those pages what they are made of: their own scripts and calls, and style elements that the scripts
// write. They try eval and do without it.
const riverPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// showRiver hands a request to the job engine's own pages. Their calls carry no form token, so each must come from this
// site; what they link to stands under the prefix that a proxy adds.
func (s *Server) showRiver(w http.ResponseWriter, r *http.Request) error {
	if err := s.sameOrigin(r); err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", riverPolicy)
	w.Header().Set("Cache-Control", "no-store")
	whole := r.Clone(r.Context())
	whole.URL.Path, whole.URL.RawPath = s.prefix+r.URL.Path, ""
	whole.Body = http.MaxBytesReader(w, r.Body, maxForm)
	s.river.ServeHTTP(w, whole)
	return nil
}
