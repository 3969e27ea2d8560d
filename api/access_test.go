package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/auth"
	"svc/internal/notify"
	"svc/store"
)

// target names one record for each parameter that a path can contain.
type target struct {
	project, alias, version, announcement, feedback, log, key, definition, card, file, link, upload, backend string
	replyToken                                                                                               string // reply token of the feedback
	trustKey                                                                                                 string
	hook, delivery, instanceHook, instanceDelivery                                                           string
	logGroup                                                                                                 string
}

// sampleTarget is a target for routes that are called without existing records.
var sampleTarget = target{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "/f/a/b/c", "k", "l", "", "m", "n", "o", "p", "q", "r"}

// unknownRecords contains well-formed IDs that do not exist in the project "a".
var unknownRecords = target{"a", "a-old", noRecord, noRecord, noRecord, noRecord, noRecord, noRecord, noRecord, "000000000000", "/f/a/000000000000/a", strings.Repeat("0", 32), noRecord, "", noRecord, noRecord, noDelivery, noRecord, noDelivery, "0000000000000000"}

const (
	noRecord   = "00000000-0000-7000-8000-000000000000"
	noDelivery = "msg_00000000000000000000000000"
)

// makeTarget creates a project with a former key, a language and one record of each kind. It also
// creates an API key, which tests read but do not use as a credential.
func makeTarget(t *testing.T, s *apitest.Server, name string) target {
	t.Helper()
	one := "/admin/projects/" + name
	s.Must(t, 201, "POST", "/admin/projects", fmt.Sprintf(`{"project_key":"%s-old","name":"%[1]s"}`, name))
	s.Must(t, 200, "PATCH", one+"-old", fmt.Sprintf(`{"project_key":%q}`, name))
	s.Must(t, 201, "POST", one+"/locales", `{"locale":"de"}`)
	s.Must(t, 201, "POST", one+"/versions", `{"version":"0.9.0","comparable_version":"0.9.0"}`)
	version := s.Must(t, 201, "POST", one+"/versions", `{"version":"1.0.0","comparable_version":"1.0.0","rollout":{"percent":50}}`)
	announcement := s.Must(t, 201, "POST", one+"/announcements", `{"title":"Hello","content":"World"}`)
	feedback := s.Must(t, 201, "POST", "/public/"+name+"/feedbacks", `{"content":"nice"}`)
	log := s.Must(t, 201, "POST", one+"/logs", `{"level":1,"content":"line"}`)
	uploaded := s.Must(t, 201, "POST", "/public/"+name+"/logs", `{"level":3,"content":"failed"}`)
	key := s.Must(t, 201, "POST", "/auth/api-keys", `{"name":"to be looked at"}`)
	s.Must(t, 202, "POST", "/public/"+name+"/events", `{"distinct_id":"somebody","events":[{"event_id":"1","name":"open"}]}`)
	definitions := apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", one+"/events/definitions", ""), "data")
	card := s.Must(t, 201, "POST", one+"/events/dashboards/cards", `{"title":"Openings","query":{"type":"value","events":[{"name":"open","alias":"A"}]}}`)
	file := s.Upload(t, name, "a.txt", "hello")
	s.Must(t, 200, "POST", one+"/codehost-webhook/regenerate", "")
	s.Must(t, 200, "PUT", "/admin/codehost-app", `{"webhook_secret":"0123456789abcdef"}`)
	// Use a separate key, because a credential may have only a few open uploads.
	status, upload, _ := s.Do(t, "POST", one+"/files/uploads", s.Key(t, `{"name":"uploads","scopes":["files:write"]}`), `{"filename":"b","size":1}`)
	if status != 201 {
		t.Fatalf("an upload: got %d %s", status, upload)
	}
	id := func(record string) string { return apitest.Field[string](t, record, "id") }
	hook, delivery, instanceHook, instanceDelivery := makeHooks(t, s, name)
	return target{
		name, name + "-old", id(version), id(announcement), id(feedback), id(log), id(key),
		fmt.Sprint(definitions[0]["event_definition_id"]), apitest.Field[string](t, card, "card_id"),
		id(file), apitest.Field[string](t, file, "path"), apitest.Field[string](t, upload, "upload_id"),
		id(s.Must(t, 201, "POST", "/admin/storage/backends", `{"name":"NAS","kind":"webdav","base_url":"http://127.0.0.1:1"}`)),
		apitest.Field[string](t, feedback, "reply_token"),
		id(s.Must(t, 201, "POST", one+"/trust-keys", `{"scheme":"sparkle","public_key":"eGVygzLgOmO2RCtC75jusdS+/R6cUDK4PXD2Tl9VGlA="}`)),
		hook, delivery, instanceHook, instanceDelivery,
		apitest.Field[string](t, uploaded, "group_id"),
	}
}

// makeHooks creates a hook of a project and one of the instance, each with a delivery. The instance
// cannot have many: a target that finds no room has the id of none.
func makeHooks(t *testing.T, s *apitest.Server, project string) (hook, delivery, instanceHook, instanceDelivery string) {
	t.Helper()
	const body = `{"name":"CI","kind":"webhook","url":"http://127.0.0.1:1"}`
	all := "/admin/projects/" + project + "/hooks"
	hook = apitest.Field[string](t, s.Must(t, 201, "POST", all, body), "id")
	instanceHook = noRecord
	if status, answer := s.Ask(t, "POST", "/admin/hooks", body); status == http.StatusCreated {
		instanceHook = apitest.Field[string](t, answer, "id")
	}
	err := s.DB.Update(func(tx *store.Tx) error {
		p, err := tx.Project(project)
		if err != nil {
			return err
		}
		return tx.Notify(p.ID, notify.Event{Name: notify.LogGuardEvent, Data: notify.LogGuard{Limit: 20}})
	})
	if err != nil {
		t.Fatal(err)
	}
	first := func(deliveries string) string {
		page := apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", deliveries, ""), "data")
		return fmt.Sprint(page[len(page)-1]["id"])
	}
	instanceDelivery = noDelivery
	if instanceHook != noRecord {
		instanceDelivery = first("/admin/hooks/" + instanceHook + "/deliveries")
	}
	return hook, first(all + "/" + hook + "/deliveries"), instanceHook, instanceDelivery
}

// path returns the path of a route with its parameters filled in. A new parameter must be added
// here.
func (a target) path(route string) string {
	if strings.HasPrefix(route, "/f/") {
		return a.link
	}
	segments := strings.Split(route, "/")
	for i, segment := range segments {
		switch segment {
		case ":k":
			segments[i] = a.project
		case ":alias":
			segments[i] = a.alias
		case ":locale":
			segments[i] = "de"
		case ":distinct_id":
			segments[i] = "somebody"
		case ":upload_id":
			segments[i] = a.upload
		case ":index":
			segments[i] = "0"
		case ":v":
			segments[i] = "1.0.0"
		case ":slug":
			segments[i] = "privacy-policy"
		case ":file":
			segments[i] = "svc-sdk.js"
		case ":did":
			if segments[i-3] == "hooks" && segments[i-4] == "admin" {
				segments[i] = a.instanceDelivery
			} else {
				segments[i] = a.delivery
			}
		case ":id":
			segments[i] = a.record(segments[:i])
		default:
			if strings.HasPrefix(segment, ":") {
				segments[i] = "nothing"
			}
		}
	}
	return strings.Join(segments, "/")
}

// record returns the ID for a path parameter that follows the given segments.
func (a target) record(before []string) string {
	switch before[len(before)-1] {
	case "announcements":
		return a.announcement
	case "feedbacks":
		return a.feedback
	case "logs":
		return a.log
	case "log-groups":
		return a.logGroup
	case "definitions":
		return a.definition
	case "cards":
		return a.card
	case "files":
		return a.file
	case "backends":
		return a.backend
	case "trust-keys":
		return a.trustKey
	case "hooks":
		if before[len(before)-2] == "admin" {
			return a.instanceHook
		}
		return a.hook
	case "api-keys", "tokens":
		return a.key
	}
	return a.version
}

// isLink reports whether a route serves direct links. The clients of such a route expect no JSON.
func isLink(e api.Endpoint) bool { return strings.HasPrefix(e.Path, "/f/") }

// isSDK reports whether a route serves the client library for web pages.
func isSDK(e api.Endpoint) bool { return strings.HasPrefix(e.Path, "/sdk/") }

// grant creates an API key that never expires, with the given scopes and additional fields, and
// returns its token.
func grant(t *testing.T, s *apitest.Server, scopes []string, more string) string {
	t.Helper()
	list, err := json.Marshal(scopes)
	if err != nil {
		t.Fatal(err)
	}
	return s.Key(t, fmt.Sprintf(`{"name":"k","never_expires":true,"scopes":%s%s}`, list, more))
}

func scopes(t *testing.T, s *apitest.Server) []string {
	t.Helper()
	return apitest.Field[[]string](t, s.Must(t, 200, "GET", "/auth/api-scopes", ""), "data")
}

// deadKeys returns invalid keys. Each of them has every scope for every project, and has become
// invalid in a different way. To let keys expire, deadKeys advances the clock by a day, and
// therefore renews the administrator's login.
func deadKeys(t *testing.T, s *apitest.Server) map[string]string {
	t.Helper()
	all, keys, ids := scopes(t, s), map[string]string{}, map[string]string{}
	for _, name := range []string{"revoked", "expired", "former text", "former text after its grace"} {
		list, _ := json.Marshal(all)
		answer := s.Must(t, 201, "POST", "/auth/api-keys", fmt.Sprintf(`{"name":%q,"expires_in_days":2,"scopes":%s}`, name, list))
		keys[name], ids[name] = apitest.Field[string](t, answer, "token"), apitest.Field[string](t, answer, "id")
		if status, answer, _ := s.Do(t, "GET", "/admin/projects", keys[name], ""); status != 200 {
			t.Fatalf("key %q does not work while it should: %d %s", name, status, answer)
		}
	}
	s.Must(t, 200, "DELETE", "/auth/api-keys/"+ids["revoked"], "")
	s.Must(t, 200, "PATCH", "/auth/api-keys/"+ids["expired"], `{"expires_in_days":1}`)
	s.Must(t, 201, "POST", "/auth/api-keys/"+ids["former text"]+"/rotate", "")
	s.Must(t, 201, "POST", "/auth/api-keys/"+ids["former text after its grace"]+"/rotate", `{"grace_period_minutes":60}`)
	s.Clock.Advance(24 * time.Hour)
	s.Admin = s.Token(t, apitest.Secret, s.DB.Account().ID.String(), 1, 0)
	return keys
}

// visitor is a kind of caller, together with the routes that it may use.
type visitor struct {
	name    string
	opens   func(api.Endpoint) bool
	headers func(t *testing.T, e api.Endpoint, at target) map[string]string
}

func nothing(api.Endpoint) bool { return false }

func anything(api.Endpoint) bool { return true }

func scopedOnly(e api.Endpoint) bool { return e.Access == "scoped" }

// narrowed reports whether a route limits its response to the projects of the key.
func narrowed(e api.Endpoint) bool { return e.Project == "each" }

func scopedInProject(e api.Endpoint) bool { return e.Access == "scoped" && e.Project != "none" }

// visitors returns all kinds of callers.
func visitors(t *testing.T, s *apitest.Server) []visitor {
	t.Helper()
	account := s.DB.Account().ID.String()
	scopes := scopes(t, s)
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"elsewhere","name":"Elsewhere"}`)
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"short-lived","name":"Deleted"}`)
	orphan := grant(t, s, scopes, `,"project_ids":["short-lived"]`)
	s.Must(t, 200, "DELETE", "/admin/projects/short-lived", "")
	everything := grant(t, s, scopes, "")
	dead := deadKeys(t, s)

	var all []visitor
	add := func(name string, opens func(api.Endpoint) bool, headers map[string]string) {
		all = append(all, visitor{name, opens, func(*testing.T, api.Endpoint, target) map[string]string { return headers }})
	}
	bearer := func(name string, opens func(api.Endpoint) bool, value string) {
		add(name, opens, map[string]string{"Authorization": "Bearer " + value})
	}
	// made adds a visitor with a key that is created for each route and target.
	made := func(name string, opens func(api.Endpoint) bool, header string, key func(*testing.T, api.Endpoint, target) string) {
		all = append(all, visitor{name, opens, func(t *testing.T, e api.Endpoint, at target) map[string]string {
			t.Helper()
			if header == "Authorization" {
				return map[string]string{header: "Bearer " + key(t, e, at)}
			}
			return map[string]string{header: key(t, e, at)}
		}})
	}

	add("no credential", nothing, nil)
	add("malformed credential: empty", nothing, map[string]string{"Authorization": ""})
	add("malformed credential: scheme alone", nothing, map[string]string{"Authorization": "Bearer"})
	add("malformed credential: token alone", nothing, map[string]string{"Authorization": s.Admin})
	add("malformed credential: other scheme", nothing, map[string]string{"Authorization": "Basic " + s.Admin})
	bearer("garbage JWT", nothing, "a.b.c")
	bearer("JWT cut off", nothing, s.Admin[:len(s.Admin)-1])
	bearer("JWT of another secret", nothing, s.Token(t, strings.Repeat("x", 32), account, 1, 0))
	bearer("JWT of another account", nothing, s.Token(t, apitest.Secret, uuid.NewString(), 1, 0))
	bearer("JWT of an older epoch", nothing, s.Token(t, apitest.Secret, account, 0, 0))
	bearer("JWT of a later epoch", nothing, s.Token(t, apitest.Secret, account, 2, 0))
	bearer("expired JWT", nothing, s.Token(t, apitest.Secret, account, 1, 3*time.Hour))
	add("JWT as an API key", nothing, map[string]string{"X-API-Key": s.Admin})
	bearer("unknown key", nothing, auth.NewKey())
	bearer("prefix of a key", nothing, "svc_")
	bearer("key in capitals", nothing, "svc_"+strings.ToUpper(everything[4:]))
	for name, key := range dead {
		bearer("key: "+name, nothing, key)
	}
	bearer("key whose only project was deleted", narrowed, orphan)
	add("unknown X-API-Key beats JWT", nothing, map[string]string{"X-API-Key": auth.NewKey(), "Authorization": "Bearer " + s.Admin})
	made("key with every scope but that of the route", nothing, "Authorization", func(t *testing.T, e api.Endpoint, _ target) string {
		t.Helper()
		return grant(t, s, slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return slices.Contains(strings.Fields(e.Scope), scope) }), "")
	})
	made("right scope, other project", narrowed, "Authorization", func(t *testing.T, _ api.Endpoint, _ target) string {
		t.Helper()
		return grant(t, s, scopes, `,"project_ids":["elsewhere"]`)
	})
	made("right scope, right project", scopedInProject, "Authorization", func(t *testing.T, e api.Endpoint, at target) string {
		t.Helper()
		return grant(t, s, scopeOr(e, "logs:read"), fmt.Sprintf(`,"project_ids":[%q]`, at.project))
	})
	made("right scope, all projects", scopedOnly, "X-API-Key", func(t *testing.T, e api.Endpoint, _ target) string {
		t.Helper()
		return grant(t, s, scopeOr(e, "tokens:write"), "")
	})
	bearer("every scope, all projects", scopedOnly, everything)
	add("key with the scheme in capitals", scopedOnly, map[string]string{"Authorization": "BEARER " + everything})
	add("X-API-Key beats JWT", scopedOnly, map[string]string{"X-API-Key": everything, "Authorization": "Bearer " + s.Admin})
	add("blank X-API-Key leaves JWT", anything, map[string]string{"X-API-Key": " ", "Authorization": "bearer " + s.Admin})
	bearer("JWT", anything, s.Admin)
	return all
}

func scopeOr(e api.Endpoint, other string) []string {
	if e.Scope == "" {
		return []string{other}
	}
	return strings.Fields(e.Scope)[:1]
}

// TestAccessMatrix calls every route of the table as every kind of caller. A caller with access may
// be refused for the content of its request, but not for its credential.
func TestAccessMatrix(t *testing.T) {
	t.Parallel()
	// Each visit creates keys. A server with the keys of all visits would be slow, because it reads all of them after each change.
	for routes := range slices.Chunk(api.Routes(), 10) {
		s := apitest.NewServer(t, apitest.WithRateLimit(0))
		visitors := visitors(t, s)
		for i, e := range routes {
			t.Run(e.Method+" "+e.Path, func(t *testing.T) {
				t.Parallel()
				visitAll(t, s, e, visitors, strconv.Itoa(i))
			})
		}
	}
}

// visitAll calls a route as each visitor. name is part of the names of the projects that it creates.
func visitAll(t *testing.T, s *apitest.Server, e api.Endpoint, visitors []visitor, name string) {
	t.Helper()
	refuses := makeTarget(t, s, "refuses-"+name)
	before := s.State(t, refuses.project)
	to, whole := target{}, false // to may be changed; whole is true while it has not been changed
	for at, v := range visitors {
		// A credential neither grants nor prevents access to a signed route. Only the signature counts, and the
		// target's webhook has a secret.
		opens := e.Access == "public" || e.Access != "signed" && v.opens(e)
		if !opens || e.Method == "GET" {
			visit(t, s, e, v, refuses, opens)
			continue
		}
		if !whole {
			to = makeTarget(t, s, fmt.Sprintf("opens-%s-%d", name, at))
		}
		whole = visit(t, s, e, v, to, opens) >= 400
	}
	if after := s.State(t, refuses.project); after != before {
		t.Errorf("refused requests changed something\nbefore %s\nafter  %s", before, after)
	}
}

// visit calls a route and checks that the server admits the caller if and only if opens is true. It
// also calls a GET route with HEAD. It returns the status of the last response.
func visit(t *testing.T, s *apitest.Server, e api.Endpoint, v visitor, to target, opens bool) (status int) {
	t.Helper()
	methods := []string{e.Method}
	if e.Method == "GET" {
		methods = append(methods, "HEAD")
	}
	body := ""
	if e.Method != "GET" && e.Method != "DELETE" {
		body = fmt.Sprintf(`{"project_key":%q}`, to.project)
	}
	headers := v.headers(t, e, to)
	for _, method := range methods {
		var answer string
		status, answer, _ = s.Send(t, method, to.path(e.Path), headers, body)
		if opens == (status == http.StatusUnauthorized) {
			t.Errorf("%s, %s: got %d %s, want it let in: %v", v.name, method, status, answer, opens)
		}
	}
	return status
}

// TestControlRoutesAreHidden checks that the control routes do not exist over TCP, for any
// caller.
func TestControlRoutesAreHidden(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	visitors := visitors(t, s)
	routes := api.ControlRoutes()
	if len(routes) == 0 {
		t.Fatal("no control routes")
	}
	for _, e := range routes {
		for _, v := range visitors {
			status, answer, _ := s.Send(t, e.Method, e.Path, v.headers(t, e, target{project: "elsewhere"}), "{}")
			if status != http.StatusNotFound || !strings.Contains(answer, "no such path or method") {
				t.Errorf("%s %s, %s: got %d %s, want the 404 of an unknown path", e.Method, e.Path, v.name, status, answer)
			}
		}
	}
}
