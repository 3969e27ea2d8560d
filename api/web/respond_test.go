package web

import "testing"

// FuzzAppendText checks that AppendText and Encode return the same JSON.
func FuzzAppendText(f *testing.F) {
	for _, seed := range []string{"", "1.2.3", `say "a\b"`, "a\nb", "\x7f", "größe <&>", "\xff", "\u2028"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendText([]byte("["), text); string(got) != "["+string(want) {
			t.Errorf("%q: got %s, want [%s", text, got, want)
		}
	})
}
