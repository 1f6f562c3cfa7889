package terraform_test

import (
	"context"
	"strings"
	"testing"

	"downwind/stackparse"
	"downwind/stackparse/terraform"
)

// Of many attributes that show the same host, the first in the file is the evidence, however often it is read.
func TestAttributesCountInTheOrderOfTheFile(t *testing.T) {
	text := "resource \"aws_lambda_function\" \"f\" {\n  x = \"y\"\n"
	for _, name := range strings.Fields("h g f e d c b a") {
		text += "  " + name + " = \"https://api.stripe.com\"\n"
	}
	reader := stackparse.New(stackparse.Options{Parsers: []stackparse.Parser{terraform.Parser{}}})
	for range 20 {
		s := reader.ReadFiles(context.Background(), map[string][]byte{"main.tf": []byte(text + "}\n")})
		use := s.Use("stripe")
		if use == nil || len(use.Evidence) == 0 {
			t.Fatalf("no use of Stripe in %+v", s)
		}
		if got := use.Evidence[0].Line; got != 3 {
			t.Fatalf("the evidence stands on line %d, want 3", got)
		}
	}
}
