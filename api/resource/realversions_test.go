package resource_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/testutil"
)

// edition is a published version, with only the properties that the rules depend on.
type edition struct {
	text, comparable               string
	core, tagged                   []*big.Int
	tag                            int // 0 = alpha, 1 = beta, 2 = rc, 3 = no suffix
	preview, milestone, deprecated bool
	published, created             int64 // created is the position in creation order
}

var grammar = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)*)(?:-(alpha|beta|rc)((?:\.[0-9]+)*))?$`)

// newEdition parses a display version. ok is false if no comparable version can be derived from it.
func newEdition(text string) (e edition, ok bool) {
	e.text, e.comparable = text, text
	if strings.HasPrefix(text, "v") || strings.HasPrefix(text, "V") {
		e.comparable = text[1:]
	}
	m := grammar.FindStringSubmatch(e.comparable)
	if m == nil || len(e.comparable) > 64 {
		return e, false
	}
	e.core = bigNumbers(m[1])
	e.tag = slices.Index([]string{"alpha", "beta", "rc", ""}, m[2])
	e.tagged = bigNumbers(strings.TrimPrefix(m[3], "."))
	e.preview = strings.Contains(text, "-")
	return e, true
}

func bigNumbers(text string) (list []*big.Int) {
	for part := range strings.SplitSeq(text, ".") {
		n, _ := new(big.Int).SetString("0"+part, 10)
		list = append(list, n)
	}
	return list
}

// compareNumbers compares two lists of numbers from left to right. Missing numbers count as 0.
func compareNumbers(a, b []*big.Int) int {
	for i := range max(len(a), len(b)) {
		x, y := new(big.Int), new(big.Int)
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if c := x.Cmp(y); c != 0 {
			return c
		}
	}
	return 0
}

// compare compares two editions by their comparable versions only.
func (e *edition) compare(f *edition) int {
	if c := compareNumbers(e.core, f.core); c != 0 {
		return c
	}
	if e.tag != f.tag {
		return e.tag - f.tag
	}
	return compareNumbers(e.tagged, f.tagged)
}

// above reports whether e ranks above f. If their comparable versions are equal, the later
// publication decides, then the later creation.
func (e *edition) above(f *edition) bool {
	switch c := e.compare(f); {
	case c != 0:
		return c > 0
	case e.published != f.published:
		return e.published > f.published
	}
	return e.created > f.created
}

// greatest returns the highest edition for which fits returns true, or nil if there is none.
func greatest(list []edition, fits func(*edition) bool) (best *edition) {
	for i := range list {
		if e := &list[i]; fits(e) && (best == nil || e.above(best)) {
			best = e
		}
	}
	return best
}

// candidate returns the highest preview if preview is true, and the highest official version
// otherwise. It returns a deprecated edition only if there is no other.
func candidate(list []edition, preview bool) *edition {
	best := greatest(list, func(e *edition) bool { return e.preview == preview && !e.deprecated })
	if best == nil {
		best = greatest(list, func(e *edition) bool { return e.preview == preview })
	}
	return best
}

// mayDeprecate reports whether e can be deprecated. That requires a higher official version that is
// not deprecated.
func mayDeprecate(list []edition, e *edition) bool {
	return slices.ContainsFunc(list, func(f edition) bool {
		return f.text != e.text && !f.preview && !f.deprecated && f.compare(e) > 0
	})
}

// question is the body of an update check.
type question struct {
	Version    string `json:"current_version,omitempty"`
	Comparable string `json:"current_comparable_version,omitempty"`
	Preview    bool   `json:"include_preview"`
}

// verdict is the expected content of a response. It identifies versions by their text, with "" for
// null.
type verdict struct {
	Should, Required             bool
	Reasons                      string
	Version, Comparable          string
	Latest, LatestPreview        string
	Target                       string
	OnMilestone, LatestMilestone bool
	Guarded                      bool
}

// offer returns the version that an update check offers. Without previews, that is the official
// candidate. With previews, it is the higher of the official candidate and the preview candidate,
// or the preview candidate if both are equal.
func offer(list []edition, preview bool) *edition {
	official, test := candidate(list, false), candidate(list, true)
	if !preview || test == nil {
		return official
	}
	if official == nil || test.compare(official) >= 0 {
		return test
	}
	return official
}

// registered returns the published version that the question refers to, or nil if there is none.
func registered(list []edition, q question, at *edition) *edition {
	if q.Comparable == "" {
		return greatest(list, func(e *edition) bool { return e.text == q.Version })
	}
	var found *edition
	for i := range list {
		e := &list[i]
		if e.compare(at) != 0 {
			continue
		}
		if found == nil || found.preview && !e.preview || found.preview == e.preview && e.published > found.published {
			found = e
		}
	}
	return found
}

// decide implements the rules of the update check. Updates are optional in the range from low to
// high, where nil means unbounded. It returns status 400 for an unpublished version without a
// comparable version, and 404 if there is no version to offer.
func decide(list []edition, low, high *edition, q question) (verdict, int) {
	latest := offer(list, q.Preview)
	if latest == nil {
		return verdict{}, http.StatusNotFound
	}
	at, _ := newEdition(q.Comparable)
	current := registered(list, q, &at)
	if q.Comparable == "" {
		if current == nil {
			return verdict{}, http.StatusBadRequest
		}
		at = *current
	}
	v := verdict{Version: q.Version, Comparable: at.comparable, Latest: latest.text, LatestMilestone: latest.milestone}
	if p := greatest(list, func(e *edition) bool { return e.preview }); p != nil {
		v.LatestPreview = p.text
	}
	deprecated := false
	if current != nil {
		v.Version, v.OnMilestone, deprecated = current.text, current.milestone, current.deprecated
	}
	outside := low != nil && at.compare(low) < 0 || high != nil && at.compare(high) > 0
	v.Should = latest.compare(&at) > 0
	v.Required = v.Should && (deprecated || outside)
	if v.Should {
		v.Target = latest.text
		if guard := lowestMilestone(list, &at, latest); guard != nil {
			v.Target, v.Guarded = guard.text, true
		}
	}
	v.Reasons = reasons(v.Should, deprecated, v.Should && outside, v.Guarded)
	return v, http.StatusOK
}

// lowestMilestone returns the first milestone that an update must not skip. It is the lowest
// milestone that is official, not deprecated, higher than the current edition and not higher than
// the target edition.
func lowestMilestone(list []edition, from, to *edition) (guard *edition) {
	for i := range list {
		e := &list[i]
		if e.milestone && !e.preview && !e.deprecated && e.compare(from) > 0 && e.compare(to) <= 0 && (guard == nil || e.compare(guard) < 0) {
			guard = e
		}
	}
	return guard
}

func reasons(newer, deprecated, outside, guarded bool) string {
	var codes []string
	for _, r := range []struct {
		holds bool
		code  string
	}{
		{newer, "newer_version_available"},
		{deprecated, "current_version_deprecated"},
		{outside, "outside_optional_update_range"},
		{guarded, "milestone_guard"},
	} {
		if r.holds {
			codes = append(codes, r.code)
		}
	}
	return strings.Join(codes, " ")
}

// readVerdict parses the response to an update check.
func readVerdict(t *testing.T, body string) verdict {
	t.Helper()
	type named struct{ Version string }
	var a struct {
		Should     bool     `json:"should_update"`
		Required   bool     `json:"required"`
		Reasons    []string `json:"reason_codes"`
		Version    string   `json:"current_version"`
		Comparable string   `json:"current_comparable_version"`
		Latest     named    `json:"latest_version"`
		Preview    named    `json:"latest_preview_version"`
		Target     named    `json:"target_version"`
		Milestone  struct {
			Current bool `json:"current"`
			Latest  bool `json:"latest"`
			Target  bool `json:"target_is_milestone"`
		} `json:"milestone"`
	}
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return verdict{
		a.Should, a.Required, strings.Join(a.Reasons, " "), a.Version, a.Comparable,
		a.Latest.Version, a.Preview.Version, a.Target.Version,
		a.Milestone.Current, a.Milestone.Latest, a.Milestone.Target,
	}
}

// realProject is a list of real version texts, with the editions that the server has created from
// them.
type realProject struct {
	key       string
	texts     []string // the version texts, in the order of the list
	refused   []string // texts from which no comparable version can be derived
	list      []edition
	low, high *edition
}

func readRealProjects(t *testing.T) (all []*realProject) {
	t.Helper()
	files, err := filepath.Glob("../../testdata/versions/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := &realProject{key: strings.TrimSuffix(filepath.Base(file), ".txt")}
		for line := range strings.Lines(string(b)) {
			if text := strings.TrimSpace(line); !strings.HasPrefix(text, "#") {
				p.texts = append(p.texts, text)
			}
		}
		count += len(p.texts)
		all = append(all, p)
	}
	if len(all) < 5 || count < 1000 {
		t.Fatalf("%d versions of %d projects, want 1000 of 5 at least", count, len(all))
	}
	return all
}

// publish creates the project and its versions, in a shuffled but reproducible order. The position
// of a version determines its flags, as far as the rules allow them.
func (p *realProject) publish(t *testing.T, s *apitest.Server) {
	s.Must(t, http.StatusCreated, "POST", "/admin/projects", fmt.Sprintf(`{"project_key":%q,"name":%q}`, p.key, p.key))
	mixed := rand.New(rand.NewPCG(1, uint64(len(p.texts)))).Perm(len(p.texts))
	for _, i := range mixed {
		e, ok := newEdition(p.texts[i])
		e.published, e.created = 1_600_000_000+int64(i)*3600, int64(len(p.list))
		// The upper third has no milestones, so that some updates have none ahead.
		e.milestone, e.deprecated = i%9 == 4 && 3*i < 2*len(mixed), i%5 == 1 || e.preview && i%2 == 1
		if !ok {
			p.put(t, s, e, http.StatusBadRequest)
			p.refused = append(p.refused, e.text)
			continue
		}
		if e.deprecated && !mayDeprecate(p.list, &e) {
			p.put(t, s, e, http.StatusBadRequest)
			e.deprecated = false
		}
		p.put(t, s, e, http.StatusCreated)
		p.list = append(p.list, e)
	}
}

func (p *realProject) put(t *testing.T, s *apitest.Server, e edition, status int) {
	t.Helper()
	body := fmt.Sprintf(`{"published_at":%d,"is_preview":%t,"is_milestone":%t,"is_deprecated":%t}`,
		e.published, strings.Contains(e.text, "-"), e.milestone, e.deprecated)
	s.Must(t, status, "PUT", "/admin/projects/"+p.key+"/versions/by-version/"+url.PathEscape(e.text), body)
}

// setRange sets the range of versions in which updates are optional. The range has both ends if way
// is 1, only a lower end if way is 2, and only an upper end if way is 3. Otherwise there is no
// range.
func (p *realProject) setRange(t *testing.T, s *apitest.Server, way int) {
	sorted := slices.SortedFunc(slices.Values(p.list), func(a, b edition) int { return a.compare(&b) })
	low, high := "null", "null"
	if way == 1 || way == 2 {
		p.low = &sorted[len(sorted)/4]
		low = `"` + p.low.comparable + `"`
	}
	if way == 1 || way == 3 {
		p.high = &sorted[len(sorted)*3/4]
		high = `"` + p.high.comparable + `"`
	}
	s.Must(t, http.StatusOK, "PATCH", "/admin/projects/"+p.key,
		`{"optional_update_min_comparable_version":`+low+`,"optional_update_max_comparable_version":`+high+`}`)
}

func (p *realProject) ask(t *testing.T, s *apitest.Server, q question) {
	t.Helper()
	body, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	want, wantStatus := decide(p.list, p.low, p.high, q)
	status, answer, _ := s.Do(t, "POST", "/public/"+p.key+"/versions/check-update", "", string(body))
	if status != wantStatus {
		t.Fatalf("%s from %s: got %d %s, want %d", p.key, body, status, answer, wantStatus)
	}
	if status != http.StatusOK {
		return
	}
	if got := readVerdict(t, answer); got != want {
		t.Errorf("%s from %s:\ngot  %+v\nwant %+v", p.key, body, got, want)
	}
}

func TestRealVersions(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	for i, p := range readRealProjects(t) {
		t.Run(p.key, func(t *testing.T) {
			t.Parallel()
			p.publish(t, s)
			p.setRange(t, s, i%4)
			for _, preview := range []bool{false, true} {
				for _, e := range p.list {
					p.ask(t, s, question{Version: e.text, Preview: preview})
					p.ask(t, s, question{Comparable: e.comparable, Preview: preview})
					// This version is just above e and is not published.
					p.ask(t, s, question{Comparable: e.comparable + ".0.1", Preview: preview})
				}
				for _, text := range p.refused {
					p.ask(t, s, question{Version: text, Preview: preview})
				}
			}
		})
	}
}
