package python_test

import (
	"testing"

	"downwind/stackparse/python"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, python.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, python.Parser{}, "requirements.txt", "pyproject.toml", "Pipfile", "Pipfile.lock", "poetry.lock", "uv.lock", "setup.cfg", "setup.py", "environment.yml")
}
