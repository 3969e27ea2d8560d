package setting

import "testing"

func TestMisspelt(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"SVC_LISTEN=:1":     "",
		"SVC_LISEN=:1":      "SVC_LISEN is not a setting; the nearest is SVC_LISTEN",
		"SVC_LOG_LEVELS=x":  "SVC_LOG_LEVELS is not a setting; the nearest is SVC_LOG_LEVEL",
		"SVC_URL=http://x":  "",
		"SVC_KEY=svc_1":     "",
		"LISTEN=:1":         "",
		"JWT_SECRET_FILE=x": "",
		"SVC_LISEN= ":       "",
		"=":                 "",
	} {
		got := ""
		for _, err := range Misspelt([]string{"PATH=/bin", entry}) {
			got += err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", entry, got, want)
		}
	}
}
