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
