package store

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"downwind"
)

// fill gives every field below v a value of its own: a field that the reader forgets differs from what the library reads.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d \"é\U0001F980\\\t</x>", *n))
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, n)
			fill(value, n)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	default:
		panic("no value for a " + v.Kind().String())
	}
}

func TestReadStackReadsAsTheLibraryDoes(t *testing.T) {
	var full downwind.Stack
	n := 0
	fill(reflect.ValueOf(&full).Elem(), &n)
	whole, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{
		"every field":    string(whole),
		"nothing":        `{}`,
		"null":           `null`,
		"null lists":     `{"files":null,"providers":null,"unknown":null,"self_hosted":null,"weak":null}`,
		"empty lists":    `{"files":[],"providers":[],"unknown":[],"self_hosted":{},"weak":{"a":[],"b":null}}`,
		"sparse use":     `{"providers":[{"provider":"aws","evidence":null},{"services":[],"regions":null}]}`,
		"unknown fields": `{"providers":[{"provider":"aws","colour":{"provider":"red"},"evidence":[{"kind":"npm","new":[1,{"kind":"x"}]}]}],"schema":"v2"}`,
		"spaces":         " { \"providers\" : [ { \"provider\" : \"a\\u00e9\\ud83e\\udd80\" } ] , \"dropped\" : 12 } ",
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			var got, want downwind.Stack
			if err := json.Unmarshal([]byte(text), &want); err != nil {
				t.Fatal(err)
			}
			if err := readStack([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %#v\nwant %#v", got, want)
			}
		})
	}
	for _, broken := range []string{"", "{", `{"providers":[}`, `{"files":[{"path":7}]}`, strings.TrimSuffix(string(whole), "}")} {
		if err := readStack([]byte(broken), &downwind.Stack{}); err == nil {
			t.Errorf("%.40q is read without an error", broken)
		}
	}
}
