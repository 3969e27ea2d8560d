package demo

import "encoding/hex"

// Key is an API key. Its secret is unknown, so it cannot be used.
type Key struct {
	ID       [16]byte // a UUIDv7 that contains the time of creation
	Name     string
	Scopes   []string
	Projects []string // keys of the projects; empty = all projects
	// Unix seconds; 0 = never.
	Expires, Revoked, Used int64
}

// APIKeys returns the API keys of the demo, the oldest first. Some are active, and others
// have expired or have been revoked.
func APIKeys(c Config) []Key {
	w := newWorld(c, &project{key: "keys"})
	r := w.chance("keys")
	list := []struct {
		name                       string
		scopes, projects           []string
		made, expires, ended, used int // days ago; negative = in the future, 0 = never
	}{
		{"ci quillmere (old)", []string{"versions:write"}, []string{"quillmere"}, 400, 35, 0, 36},
		{"reports", []string{"projects:read", "stats:read", "events:read"}, nil, 210, 0, 0, 1},
		{"laptop, lost in the train", []string{"versions:write", "files:write", "announcements:write"}, nil, 160, 0, 71, 72},
		{"ci tidebrook", []string{"versions:write", "files:write"}, []string{"tidebrook-field-guide"}, 95, -85, 0, 13},
		{
			"support desk", []string{"feedbacks:read", "feedbacks:write", "logs:read"}, []string{"quillmere", "tidebrook-field-guide"}, 60, -300, 0,
			1,
		},
		{"ci quillmere", []string{"versions:read", "versions:write", "files:write"}, []string{"quillmere"}, 34, -56, 0, 1},
		{"trial of the export to a warehouse", []string{"events:read"}, []string{"wicklume"}, 20, 6, 0, 0},
		{"ci wicklume", []string{"versions:write"}, []string{"wicklume"}, 12, -18, 0, 0},
	}
	keys := make([]Key, len(list))
	when := func(days int) int64 {
		if days == 0 {
			return 0
		}
		return w.today - int64(days)*day + 9*3600
	}
	for i, k := range list {
		keys[i] = Key{Name: k.name, Scopes: k.scopes, Projects: k.projects, Expires: when(k.expires), Revoked: when(k.ended)}
		if k.used > 0 {
			keys[i].Used = min(w.now, when(k.used)+int64(r.IntN(4*3600)))
		}
		text := r.uuid7(when(k.made))
		raw, _ := hex.DecodeString(text[:8] + text[9:13] + text[14:18] + text[19:23] + text[24:]) // decodes the text form of a UUID
		keys[i].ID = [16]byte(raw)
	}
	return keys
}
