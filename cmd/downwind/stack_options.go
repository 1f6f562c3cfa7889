package main

import (
	"fmt"
	"os"

	"downwind"
	"downwind/catalog"
	"downwind/stackparse"
)

// overlay lays a file of the user's own signatures over the catalogue's.
func overlay(opt *stackparse.Options, file string) error {
	if file == "" {
		return nil
	}
	r, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("signatures: %w: %w", downwind.ErrUnreadable, err)
	}
	defer r.Close()
	opt.Signatures, err = catalog.NewSignatures(r)
	return err
}

// providerNames gives display names from the catalogue; the slug where it knows none. The catalogue is read while the
// files are, because names are wanted last.
func providerNames() func(slug string) string {
	loaded := make(chan struct{})
	go func() {
		defer close(loaded)
		_, _ = catalog.Load() // it remembers its answer, the error too
	}()
	return func(slug string) string {
		<-loaded
		c, err := catalog.Load()
		if err == nil {
			if p, ok := c.Provider(slug); ok && p.Name != "" {
				return p.Name
			}
		}
		return slug
	}
}
