package pattern_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"downwind/internal/pattern"
)

// A lazy expression shows its faults late; so that none waits for its first use, all that stand in the sources of the
// program are compiled here.
func TestEveryExpressionOfTheProgramIsWellFormed(t *testing.T) {
	for _, text := range expressions(t) {
		if _, err := regexp.Compile(text); err != nil {
			t.Error(err)
		}
	}
}

// expressions returns all that stand in the sources of the program.
func expressions(t *testing.T) (all []string) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 || !isNew(call.Fun) {
				return true
			}
			if text, ok := literal(call.Args[0]); ok { // others are put together while the program runs
				all = append(all, text)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("found only %d expressions in the sources", len(all))
	}
	return all
}

func isNew(fun ast.Expr) bool {
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "New" {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "pattern"
}

// literal returns the text of a literal, or of literals that are joined.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		x, okX := literal(e.X)
		y, okY := literal(e.Y)
		return x + y, okX && okY
	}
	return "", false
}

func TestCompilesOnceAndAtTheFirstUse(t *testing.T) {
	broken := pattern.New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("an expression that is not well formed did not panic at its first use")
		}
	}()
	broken.MatchString("x")
}
