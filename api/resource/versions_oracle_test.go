package resource_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/testutil"
)

// oracle holds a project on a server and the project's expected content.
type oracle struct {
	*apitest.Server
	t      *testing.T
	random *rand.Rand
	model  model
	gone   []string       // ids of deleted versions
	log    []string       // all writes so far, printed when the test fails
	counts map[string]int // responses by method and status
}

func (o *oracle) pick(list ...any) any { return list[o.random.IntN(len(list))] }

// body returns a body with some random fields. Occasionally one is invalid.
func (o *oracle) body() map[string]any {
	number := func() any { return o.random.IntN(5) }
	link := func() any {
		return map[string]any{"url": fmt.Sprintf("https://a.example/%d", o.random.IntN(5))}
	}
	fields := map[string]func() any{
		"title":          func() any { return o.pick(nil, "", "t1", "t2") },
		"content":        func() any { return o.pick(nil, "c1", "c2") },
		"custom_data":    func() any { return o.pick(nil, map[string]any{}, map[string]any{"n": number()}) },
		"download_url":   func() any { return o.pick(nil, "u1", "u2") },
		"download_links": func() any { return o.pick(nil, []any{}, []any{link()}, []any{link(), link()}) },
		"platform":       func() any { return o.pick(nil, "web", "ios") },
		"platforms":      func() any { return o.pick(nil, []any{}, []any{"linux"}, []any{"web", "macos"}) },
		"published_at":   func() any { return o.pick(number(), number(), number(), nil) },
		"is_latest":      func() any { return o.pick(true, false, true, false, nil) },
		"is_preview":     func() any { return o.pick(true, false, false, nil) },
		"is_milestone":   func() any { return o.pick(true, false, nil) },
		"is_deprecated":  func() any { return o.pick(true, true, false, false, nil) },
		"comparable_version": func() any {
			return o.pick(nil, "x", "1.0", "1.0.0", "1.5-rc.1", "2", "2.0", "3.0")
		},
	}
	body, sparse := map[string]any{}, 3+o.random.IntN(8)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if o.random.IntN(sparse) == 0 {
			body[name] = fields[name]()
		}
	}
	return body
}

// text returns one of a few display versions, so that the versions often collide.
func (o *oracle) text() string {
	return o.pick("1.0", "v1.0", "1.0.0", "1.5-rc.1", "2.0", "V2.0", "2.0-beta", "3.0", "10", "Spring/1").(string)
}

// step makes a random write and compares the response with the expected one.
func (o *oracle) step() {
	o.t.Helper()
	switch n := o.random.IntN(10); {
	case n < 2:
		body := o.body()
		body["version"] = o.text()
		if _, sent := body["comparable_version"]; !sent {
			body["comparable_version"] = "1." + fmt.Sprint(o.random.IntN(4))
		}
		o.write("POST", apitest.VersionsOf("app"), body, o.model.create(body))
	case n < 5:
		text, body := o.text(), o.body()
		if o.random.IntN(4) == 0 {
			body["version"] = o.pick(nil, text, " "+text+" ", "other")
		}
		o.write("PUT", apitest.VersionsOf("app")+"/by-version/"+url.PathEscape(text), body, o.model.publish(text, body))
	case n < 8:
		id, body := o.anyID(), o.body()
		if o.random.IntN(3) == 0 {
			body["version"] = o.pick(o.text(), o.text(), o.text(), nil)
		}
		o.write("PATCH", o.anyPath(id), body, o.model.update(id, body))
	default:
		id := o.anyID()
		out := o.model.remove(id)
		o.write("DELETE", o.anyPath(id), nil, out)
		if out.next != nil {
			o.gone = append(o.gone, id)
		}
	}
}

// anyID returns the id of a version, occasionally of a deleted one.
func (o *oracle) anyID() string {
	ids := slices.Sorted(maps.Keys(o.model))
	if len(ids) == 0 || len(o.gone) > 0 && o.random.IntN(10) == 0 {
		ids = append(o.gone, "01900000-0000-7000-8000-000000000000")
	}
	return ids[o.random.IntN(len(ids))]
}

// anyPath returns one of the two paths of a version.
func (o *oracle) anyPath(id string) string {
	return o.pick(apitest.VersionsOf("app")+"/", "/admin/versions/").(string) + id
}

// write sends a write request and compares the response with want. It updates the model only if the
// write succeeds.
func (o *oracle) write(method, path string, body map[string]any, want outcome) {
	o.t.Helper()
	sent, err := json.Marshal(body)
	if err != nil {
		o.t.Fatal(err)
	}
	before := o.now()
	status, answer := o.Ask(o.t, method, path, string(sent))
	o.log = append(o.log, fmt.Sprintf("%s %s %s: %d", method, path, sent, status))
	o.counts[fmt.Sprint(method, " ", status)]++
	if !slices.Contains(want.statuses, status) {
		o.fail("got %d %s, want one of %v", status, answer, want.statuses)
	}
	if want.next == nil {
		return
	}
	if written := want.written; written != nil {
		if status == http.StatusCreated {
			written.id, written.created = apitest.Field[string](o.t, answer, "id"), apitest.Field[int64](o.t, answer, "created_at")
			want.next[written.id] = written
			if written.created < before || written.created > before+60 {
				o.fail("created_at is %d, want now, which is %d", written.created, before)
			}
			if written.published < 0 {
				written.published = written.created
			}
		}
		o.same("the answer", answer, written.view())
		o.same("the record", o.Must(o.t, 200, "GET", o.anyPath(written.id), ""), written.view())
	}
	o.model = want.next
}

func (o *oracle) now() int64 { return o.Clock.Now().Unix() }

// compare reads the project from all endpoints and compares it with the model.
func (o *oracle) compare() {
	o.t.Helper()
	list := slices.SortedFunc(maps.Values(o.model), func(a, b *record) int { return -a.order(b) })
	all := make([]any, len(list))
	for i, v := range list {
		all[i] = v.view()
	}
	want := map[string]any{"total": len(all), "data": all}
	o.same("the list", o.Must(o.t, 200, "GET", apitest.VersionsOf("app")+"?limit=100", ""), want)
	o.same("the public list", o.Must(o.t, 200, "GET", "/public/app/versions?limit=100", ""), want)
	latest, preview := o.model.latest(), o.model.latestPreview()
	status, answer := o.Ask(o.t, "GET", "/public/app/versions/latest", "")
	if latest == nil && status != 404 {
		o.fail("latest: got %d %s, want 404", status, answer)
	}
	if latest != nil {
		o.same("latest", answer, latest.view())
	}
	answer = o.Must(o.t, 200, "GET", "/public/app/versions/latest-preview", "")
	if preview == nil && answer != "null" {
		o.fail("latest preview: got %s, want null", answer)
	}
	if preview != nil {
		o.same("latest preview", answer, preview.view())
	}
}

func (o *oracle) same(what, got string, want any) {
	o.t.Helper()
	b, err := json.Marshal(want)
	if err != nil {
		o.t.Fatal(err)
	}
	if why := apitest.CompareJSON(o.t, got, string(b)); why != "" {
		o.fail("%s: %s\ngot  %s\nwant %s", what, why, got, b)
	}
}

// fail prints the writes that led to the failure and ends the test.
func (o *oracle) fail(format string, args ...any) {
	o.t.Helper()
	o.t.Fatalf("%s\nafter:\n%s", fmt.Sprintf(format, args...), strings.Join(o.log[max(0, len(o.log)-30):], "\n"))
}

func TestVersionsByOracle(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	o := &oracle{
		Server: apitest.NewServer(t), t: t, random: rand.New(rand.NewPCG(seed, 0)),
		model: model{}, counts: map[string]int{},
	}
	o.Project(t, "app")
	for range 600 {
		o.step()
		o.compare()
	}
	for _, answer := range []string{"POST 201", "POST 409", "PUT 201", "PUT 200", "PUT 400", "PATCH 200", "PATCH 400", "PATCH 404", "PATCH 409", "DELETE 200", "DELETE 404"} {
		if o.counts[answer] == 0 {
			t.Errorf("%s was never met in %v", answer, o.counts)
		}
	}
	t.Log(o.counts)
}
