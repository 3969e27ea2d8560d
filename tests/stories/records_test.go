package stories

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"svc/internal/notify"
	"svc/internal/platform"
	"svc/internal/stats"
	"svc/store"
)

// recordSteps are the steps that change records by requests.
var recordSteps = []step{
	{name: "create a project", weight: 4, do: createProject},
	{name: "change a project", weight: 3, do: changeProject},
	{name: "rename a project", weight: 1, do: renameProject},
	{name: "delete an alias", weight: 1, do: deleteAlias},
	{name: "delete a project", weight: 1, do: deleteProject},
	{name: "create a language", weight: 2, do: createLanguage},
	{name: "change a language", weight: 1, do: changeLanguage},
	{name: "distribution", weight: 1, do: changeDistribution},
	{name: "trust key", weight: 1, do: trustKey},
	{name: "publish a version", weight: 6, do: publishVersion},
	{name: "change a version", weight: 4, do: changeVersion},
	{name: "delete a version", weight: 1, do: remove("version")},
	{name: "yank a version", weight: 1, do: yankVersion},
	{name: "change a rollout", weight: 3, do: changeRollout},
	{name: "change an asset", weight: 1, do: changeAsset},
	{name: "create an announcement", weight: 3, do: createAnnouncement},
	{name: "change an announcement", weight: 2, do: changeAnnouncement},
	{name: "delete an announcement", weight: 1, do: remove("announcement")},
	{name: "submit feedback", weight: 4, do: submitFeedback},
	{name: "change feedback", weight: 2, do: changeFeedback},
	{name: "delete feedback", weight: 1, do: remove("feedback")},
	{name: "submit logs", weight: 5, do: submitLogs},
	{name: "hide a log", weight: 1, do: hideLog},
	{name: "prune logs", weight: 1, do: pruneLogs},
	{name: "change a log group", weight: 1, do: changeLogGroup},
	{name: "send events", weight: 12, do: sendEvents},
	{name: "change an event definition", weight: 1, do: changeDefinition},
	{name: "create a card", weight: 1, do: createCard},
	{name: "change a card", weight: 1, do: change("card", `{"title":"changed %d"}`)},
	{name: "delete a card", weight: 1, do: remove("card")},
	{name: "create an API key", weight: 2, do: createKey},
	{name: "change an API key", weight: 1, do: change("key", `{"name":"changed %d"}`)},
	{name: "rotate an API key", weight: 1, do: rotate("key", `{"grace_period_minutes":5}`)},
	{name: "revoke an API key", weight: 1, do: remove("key")},
	{name: "create a hook", weight: 3, do: createHook},
	{name: "change a hook", weight: 1, do: change("hook", `{"name":"changed %d"}`)},
	{name: "rotate a hook's secret", weight: 1, do: rotate("hook", `{"grace_minutes":5}`)},
	{name: "delete a hook", weight: 1, do: remove("hook")},
	{name: "change settings", weight: 2, do: changeSettings},
	{name: "create a storage", weight: 1, do: createStorage},
	{name: "change a storage", weight: 1, do: change("storage", `{"name":"storage %d"}`)},
	{name: "delete a storage", weight: 1, do: remove("storage")},
	{name: "upload a file", weight: 3, do: uploadFile},
	{name: "delete a file", weight: 1, do: remove("file")},
	{name: "count requests", weight: 2, do: countRequests},
	{name: "notify hooks", weight: 1, do: notifyHooks},
}

const projects = "/admin/projects"

var (
	locales  = []string{"de", "fr", "pt-BR"}
	subjects = []string{"ann", "bob", "cy", "dee"}
)

// one returns a random element.
func one[T any](s *story, list ...T) T { return list[s.IntN(len(list))] }

// word returns a text that has not occurred before.
func (s *story) word() string {
	s.serial++
	return fmt.Sprintf("word %d", s.serial)
}

// text returns a text. One in 24 is longer, and another one is so long that it has a bucket of its own.
func (s *story) text() string {
	text := s.word()
	switch s.IntN(24) {
	case 0:
		return strings.Repeat(text+" ", 100+s.IntN(400))
	case 1:
		return strings.Repeat(text+" ", 4000+s.IntN(1000))
	}
	return text
}

// short returns a text of at most 4,000 bytes.
func (s *story) short() string {
	text := s.text()
	return text[:min(len(text), 4000)]
}

// existing returns the path of a record of a kind that has been created.
func (s *story) existing(kind string) (path string, ok bool) {
	if len(s.made[kind]) == 0 {
		return "", false
	}
	return one(s, s.made[kind]...), true
}

// project returns the path of a project, and its key.
func (s *story) project() (path, key string, ok bool) {
	list := s.db.Projects()
	if len(list) == 0 {
		return "", "", false
	}
	key = one(s, list...).Key
	return projects + "/" + key, key, true
}

// in calls do with the path and the key of a project, if there is one.
func in(s *story, do func(path, key string)) {
	if path, key, ok := s.project(); ok {
		do(path, key)
	}
}

// remove returns a step that deletes a record of a kind.
func remove(kind string) func(*story) {
	return func(s *story) {
		if path, ok := s.existing(kind); ok {
			s.do("DELETE", path, "")
		}
	}
}

// change returns a step that changes a record of a kind. body contains a number.
func change(kind, body string) func(*story) {
	return func(s *story) {
		if path, ok := s.existing(kind); ok {
			s.serial++
			s.do("PATCH", path, fmt.Sprintf(body, s.serial))
		}
	}
}

// rotate returns a step that gives a record of a kind another secret.
func rotate(kind, body string) func(*story) {
	return func(s *story) {
		if path, ok := s.existing(kind); ok {
			s.do("POST", path+"/rotate", body)
		}
	}
}

func createProject(s *story) {
	if len(s.db.Projects()) > 4 {
		return
	}
	s.serial++
	s.do("POST", projects, fmt.Sprintf(
		`{"project_key":"p%d","name":%q,"event_collection_enabled":true,"event_retention_days":%d,"stats_retention_days":%d}`,
		s.serial, s.word(), one(s, 2, 30, 365), one(s, 2, 60, 365)))
}

func changeProject(s *story) {
	in(s, func(path, _ string) {
		s.do("PATCH", path, one(s,
			fmt.Sprintf(`{"name":%q}`, s.word()),
			fmt.Sprintf(`{"description":%q}`, s.text()),
			fmt.Sprintf(`{"log_retention_days":%d,"feedback_retention_days":%d}`, 1+s.IntN(9), 1+s.IntN(9)),
			fmt.Sprintf(`{"translations":[{"locale":%q,"name":%q}]}`, one(s, locales...), s.word()),
		))
	})
}

func renameProject(s *story) {
	in(s, func(path, _ string) {
		s.serial++
		s.do("PATCH", path, fmt.Sprintf(`{"project_key":"r%d"}`, s.serial))
	})
}

func deleteAlias(s *story) {
	for _, p := range s.db.Projects() {
		if len(p.Aliases) > 0 {
			s.do("DELETE", projects+"/"+p.Key+"/aliases/"+one(s, p.Aliases...).Name, "")
			return
		}
	}
}

func deleteProject(s *story) {
	in(s, func(path, _ string) { s.do("DELETE", path, "") })
}

func createLanguage(s *story) {
	in(s, func(path, _ string) {
		s.do("POST", path+"/locales", fmt.Sprintf(`{"locale":%q,"label":%q}`, one(s, locales...), s.word()))
	})
}

func changeLanguage(s *story) {
	for _, p := range s.db.Projects() {
		if len(p.Languages) == 0 {
			continue
		}
		path := projects + "/" + p.Key + "/locales/" + one(s, p.Languages...).Tag
		if s.IntN(3) == 0 {
			s.do("DELETE", path, "")
			return
		}
		s.do("PATCH", path, fmt.Sprintf(`{"locale":%q,"label":%q}`, one(s, locales...), s.word()))
		return
	}
}

func changeDistribution(s *story) {
	in(s, func(path, _ string) {
		s.do("PUT", path+"/distribution", one(s, `{"channels":[{"name":"beta","includes":["stable"]}]}`, `{"signature_policy":"off"}`,
			`{"rollout_default":{"percent":20}}`, `{"channels":[],"health":{"false_alarm":0.05}}`))
	})
}

func trustKey(s *story) {
	if path, ok := s.existing("trust"); ok && s.IntN(2) == 0 {
		s.do("PATCH", path, fmt.Sprintf(`{"label":%q,"state":%q}`, s.word(), one(s, "active", "retired")))
		return
	}
	in(s, func(path, _ string) {
		path += "/trust-keys"
		s.create("trust", "POST", path, path, `{"scheme":"sparkle","public_key":"eGVygzLgOmO2RCtC75jusdS+/R6cUDK4PXD2Tl9VGlA="}`)
	})
}

func publishVersion(s *story) {
	in(s, func(path, _ string) {
		path += "/versions"
		rollout := one(s, "null", "null", `{"percent":25}`, `{"steps":[{"percent":5,"hold_seconds":60},{"percent":100}],"auto_advance":true}`)
		s.create("version", "PUT", fmt.Sprintf("%s/by-version/%d.%d", path, s.IntN(4), s.IntN(6)), path,
			fmt.Sprintf(`{"title":%q,"content":%q,"rollout":%s,"download_links":[{"url":"https://example.com/%d.zip"}]}`,
				s.word(), s.text(), rollout, s.IntN(9)))
	})
}

func changeVersion(s *story) {
	if path, ok := s.existing("version"); ok {
		s.do("PATCH", path, one(s, fmt.Sprintf(`{"title":%q}`, s.word()), fmt.Sprintf(`{"content":%q}`, s.text()),
			fmt.Sprintf(`{"is_deprecated":%v}`, s.IntN(2) == 0), fmt.Sprintf(`{"custom_data":{"a":%q}}`, s.word()),
			fmt.Sprintf(`{"translations":[{"locale":%q,"title":%q,"content":%q}]}`, one(s, locales...), s.word(), s.text())))
	}
}

func yankVersion(s *story) {
	if path, ok := s.existing("version"); ok {
		if status, _ := s.do("POST", path+"/yank", `{"reason":"loses settings"}`); status != http.StatusOK {
			s.do("DELETE", path+"/yank", "")
		}
	}
}

func changeRollout(s *story) {
	if path, ok := s.existing("version"); ok {
		if path += "/rollout"; s.IntN(3) == 0 {
			s.do("PUT", path, fmt.Sprintf(`{"percent":%d}`, 1+s.IntN(100)))
			return
		}
		s.do("POST", path+"/"+one(s, "pause", "resume", "advance", "complete", "abort"), `{"reason":"a story"}`)
	}
}

func changeAsset(s *story) {
	path, ok := s.existing("version")
	if !ok {
		return
	}
	_, answer := s.do("GET", path+"/assets", "")
	var list struct{ Data []struct{ Name string } }
	if json.Unmarshal([]byte(answer), &list) == nil && len(list.Data) > 0 {
		s.do("PATCH", path+"/assets/"+one(s, list.Data...).Name, fmt.Sprintf(`{"size":%d,"arch":%q}`, 1+s.IntN(999), one(s, "arm64", "x64")))
	}
}

func createAnnouncement(s *story) {
	in(s, func(path, _ string) {
		path += "/announcements"
		s.create("announcement", "POST", path, path, fmt.Sprintf(`{"title":%q,"content":%q,"is_pinned":%v}`, s.word(), s.text(), s.IntN(2) == 0))
	})
}

func changeAnnouncement(s *story) {
	if path, ok := s.existing("announcement"); ok {
		s.do("PATCH", path, one(s, fmt.Sprintf(`{"content":%q}`, s.text()), `{"is_hidden":true}`,
			fmt.Sprintf(`{"translations":[{"locale":%q,"title":%q}]}`, one(s, locales...), s.word())))
	}
}

func submitFeedback(s *story) {
	in(s, func(path, key string) {
		for range 1 + s.IntN(8) {
			s.create("feedback", "POST", "/public/"+key+"/feedbacks", path+"/feedbacks",
				fmt.Sprintf(`{"content":%q,"rating":%d,"user_id":%q}`, s.short(), 1+s.IntN(5), one(s, subjects...)))
		}
	})
}

func changeFeedback(s *story) {
	if path, ok := s.existing("feedback"); ok {
		s.do("PATCH", path, one(s, fmt.Sprintf(`{"status":%q}`, one(s, "open", "in_progress", "resolved", "closed")),
			fmt.Sprintf(`{"reply":%q}`, s.short()), `{"is_hidden":true}`, fmt.Sprintf(`{"rating":%d}`, 1+s.IntN(5))))
	}
}

func submitLogs(s *story) {
	in(s, func(path, key string) {
		for range 1 + s.IntN(12) {
			content := fmt.Sprintf("E%d: no answer after %d ms\n%s", s.IntN(5), s.IntN(1000), s.short())
			s.create("log", "POST", "/public/"+key+"/logs", path+"/logs",
				fmt.Sprintf(`{"level":%d,"content":%q,"platform":"web","platform_version":"1.%d"}`, s.IntN(4), content, s.IntN(3)))
		}
	})
}

func hideLog(s *story) {
	if path, ok := s.existing("log"); ok {
		s.do("PATCH", path, `{"is_hidden":true}`)
	}
}

func pruneLogs(s *story) {
	in(s, func(path, _ string) { s.do("POST", path+"/logs/prune", fmt.Sprintf(`{"level":%d}`, s.IntN(4))) })
}

func changeLogGroup(s *story) {
	in(s, func(path, _ string) {
		_, answer := s.do("GET", path+"/log-groups", "")
		var list struct{ Data []struct{ ID string } }
		if json.Unmarshal([]byte(answer), &list) == nil && len(list.Data) > 0 {
			s.do("PATCH", path+"/log-groups/"+one(s, list.Data...).ID,
				fmt.Sprintf(`{"note":%q,"state":%q}`, s.word(), one(s, "open", "resolved", "muted")))
		}
	})
}

// sendEvents sends events of times that are out of order, up to 400 days ago.
func sendEvents(s *story) {
	in(s, func(_, key string) {
		for range 1 + s.IntN(4) {
			s.try("POST", "/public/"+key+"/events", s.batch(one(s, subjects...), ""))
		}
	})
}

// batch returns events as a request body. Some repeat earlier ones.
func (s *story) batch(subject, note string) string {
	var list []string
	for range 1 + s.IntN(20) {
		s.serial++
		id := s.serial
		if s.IntN(10) == 0 {
			id = 1 + s.IntN(s.serial)
		}
		ago := s.IntN(3600)
		if s.IntN(3) == 0 {
			ago = s.IntN(400 * 24 * 3600)
		}
		list = append(list, fmt.Sprintf(`{"event_id":"e%d","name":"n%d","occurred_at":%d,"properties":{"plan":%q,"n":%d,"note":%q}}`,
			id, s.IntN(12), s.now().Unix()-int64(ago), one(s, "free", "pro"), s.IntN(100), note))
	}
	return fmt.Sprintf(`{"distinct_id":%q,"session_id":"s%d","platform":"linux","events":[%s]}`, subject, s.IntN(30), strings.Join(list, ","))
}

func changeDefinition(s *story) {
	in(s, func(path, _ string) {
		path += "/events/definitions"
		_, answer := s.do("GET", path+"?include_archived=1", "")
		var list struct {
			Data []struct {
				ID string `json:"event_definition_id"`
			}
		}
		if json.Unmarshal([]byte(answer), &list) != nil || len(list.Data) == 0 {
			return
		}
		if path += "/" + one(s, list.Data...).ID; s.IntN(3) == 0 {
			s.do("DELETE", path, "")
			return
		}
		s.do("PATCH", path, fmt.Sprintf(`{"display_name":%q,"archived":%v}`, s.word(), s.IntN(2) == 0))
	})
}

func createCard(s *story) {
	in(s, func(path, _ string) {
		path += "/events/dashboards/cards"
		s.create("card", "POST", path, path, fmt.Sprintf(`{"title":%q,"query":{"type":"value","events":[{"name":"n1","alias":"A"}]}}`, s.word()))
	})
}

func createKey(s *story) {
	s.create("key", "POST", "/auth/api-keys", "/auth/api-keys",
		fmt.Sprintf(`{"name":%q,"scopes":["projects:read","logs:read"],"all_projects":true,"never_expires":true}`, s.word()))
}

func createHook(s *story) {
	list := "/admin/hooks"
	if path, _, ok := s.project(); ok && s.IntN(2) == 0 {
		list = path + "/hooks"
	}
	s.create("hook", "POST", list, list, fmt.Sprintf(`{"name":%q,"kind":"webhook","url":"http://127.0.0.1:1/","events":["*"]}`, s.word()))
}

func changeSettings(s *story) {
	switch s.IntN(5) {
	case 0:
		s.do("PUT", "/admin/storage/cdn", fmt.Sprintf(`{"provider":"aliyun","access_key_id":%q}`, s.word()))
	case 1:
		s.do("PUT", "/admin/translation", fmt.Sprintf(`{"model":%q}`, s.word()))
	case 2:
		s.do("PUT", "/admin/codehost-app", fmt.Sprintf(`{"app_id":"%d"}`, s.IntN(1000)))
	case 3:
		s.do("DELETE", one(s, "/admin/storage/cdn", "/admin/translation", "/admin/codehost-app"), "")
	case 4:
		in(s, func(path, _ string) { s.do("POST", path+"/codehost-webhook/regenerate", `{}`) })
	}
}

func createStorage(s *story) {
	s.create("storage", "POST", "/admin/storage/backends", "/admin/storage/backends",
		fmt.Sprintf(`{"name":%q,"kind":"webdav","base_url":"http://127.0.0.1:1","username":"u","password":"p"}`, s.word()))
}

func uploadFile(s *story) {
	in(s, func(path, _ string) {
		s.serial++
		path += "/files"
		s.create("file", "PUT", fmt.Sprintf("%s?filename=app-%d.zip", path, s.serial), path, s.text())
	})
}

// countRequests sends requests of apps, counts requests and failures of versions, and stores the counters.
func countRequests(s *story) {
	in(s, func(_, key string) {
		s.do("GET", "/public/"+key+"/versions/latest", "")
		s.do("POST", "/public/"+key+"/versions/check-update", `{"current_version":"1.0","platform":"linux"}`)
		s.run("request-statistics")
		s.must(s.db.Update(func(tx *store.Tx) error {
			p, err := tx.Project(key)
			if err != nil {
				return err
			}
			hour := store.HourOf(tx.Now().Add(-time.Duration(s.IntN(100*24)) * time.Hour))
			place := store.NewPlace(one(s, "CN", "DE"), "", "")
			return tx.AddRequests(map[store.RequestCounter]uint64{
				store.CountRequest(p.ID, hour, store.NewRequest(1, platform.Linux, place, stats.OffsetOf(60))): 1 + s.Uint64N(9),
				store.CountClient(p.ID, hour, platform.Linux, s.word()):                                        1,
			})
		}))
	})
}

func notifyHooks(s *story) {
	in(s, func(_, key string) {
		s.must(s.db.Update(func(tx *store.Tx) error {
			p, err := tx.Project(key)
			if err != nil {
				return err
			}
			return tx.Notify(p.ID, notify.Event{Name: notify.RolloutHeldEvent, Data: notify.Notice{Message: s.word()}})
		}))
	})
}
