package resource_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"svc/api/apitest"
)

// shown holds the fields of a version that the race tests check.
type shown struct {
	Version string
	Latest  bool `json:"is_latest"`
	Preview bool `json:"is_preview"`
}

// checkOnce sends an update check and returns the offered version, or nil if the project does not
// have a version yet. It returns an error if the response is inconsistent.
func checkOnce(t testing.TB, s *apitest.Server, current string, preview bool) (*edition, error) {
	status, answer, err := s.Call(t, "POST", "/public/app/versions/check-update",
		fmt.Sprintf(`{"current_comparable_version":%q,"include_preview":%t}`, current, preview))
	if err != nil || status == http.StatusNotFound {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("got %d %s, want 200", status, answer)
	}
	var a struct {
		Should bool     `json:"should_update"`
		Latest *shown   `json:"latest_version"`
		Best   *shown   `json:"latest_preview_version"`
		Target *shown   `json:"target_version"`
		Codes  []string `json:"reason_codes"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, err
	}
	offered, ok := newEdition(a.Latest.Version)
	from, _ := newEdition(current)
	newer := ok && offered.compare(&from) > 0
	switch {
	case !ok:
		err = fmt.Errorf("no version is offered")
	case a.Latest.Preview && !preview:
		err = fmt.Errorf("a preview is offered")
	case a.Should != newer:
		err = fmt.Errorf("should_update is not whether the offered version is newer than %s", current)
	case (a.Target != nil) != a.Should:
		err = fmt.Errorf("target_version must be there exactly when should_update is true")
	case a.Target != nil && a.Target.Version != a.Latest.Version:
		err = fmt.Errorf("without milestones the target is the offered version")
	case len(a.Codes) == 1 != a.Should:
		err = fmt.Errorf("reason_codes must say that a newer version is available, and nothing else")
	case a.Best != nil && !a.Best.Preview:
		err = fmt.Errorf("latest_preview_version is no preview")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, answer)
	}
	return &offered, nil
}

// race is the state that the goroutines of a race test share.
type race struct {
	*apitest.Server
	t       *testing.T
	texts   []string
	created []atomic.Int32 // number of 201 responses for each text
	done    atomic.Bool    // all versions are published
}

// publishAll publishes all versions in a random order. After each acknowledged version, it checks
// that the next update check offers this version or a higher one.
func (r *race) publishAll(random *rand.Rand) error {
	for _, i := range random.Perm(len(r.texts)) {
		text := r.texts[i]
		status, answer, err := r.Call(r.t, "PUT", apitest.VersionsOf("app")+"/by-version/"+text,
			fmt.Sprintf(`{"title":"t","is_preview":%t}`, strings.Contains(text, "-")))
		if err != nil {
			return err
		}
		switch status {
		case http.StatusCreated:
			r.created[i].Add(1)
		case http.StatusOK:
		default:
			return fmt.Errorf("PUT %s: got %d %s, want 201 or 200", text, status, answer)
		}
		offered, err := checkOnce(r.t, r.Server, "0.1", true)
		if err != nil {
			return err
		}
		if mine, _ := newEdition(text); offered == nil || offered.compare(&mine) < 0 {
			return fmt.Errorf("after %s was published, %v is offered", text, offered)
		}
	}
	return nil
}

// check sends update checks repeatedly. It checks that the offered version never decreases, because
// no version is ever removed.
func (r *race) check(random *rand.Rand, preview bool) error {
	var before *edition
	for !r.done.Load() {
		offered, err := checkOnce(r.t, r.Server, r.texts[random.IntN(len(r.texts))], preview)
		if err != nil {
			return err
		}
		if before != nil && (offered == nil || offered.compare(before) < 0) {
			return fmt.Errorf("first %s was offered, then %v", before.text, offered)
		}
		before = offered
	}
	return nil
}

// list checks the latest flag in a list repeatedly. Exactly one version must have the flag if there
// is an official version, and none otherwise.
func (r *race) list(path string) error {
	for !r.done.Load() {
		status, answer, err := r.Call(r.t, "GET", path+"?limit=100", "")
		if err != nil {
			return err
		}
		var page struct{ Data []shown }
		if err := json.Unmarshal(answer, &page); err != nil || status != http.StatusOK {
			return errors.Join(err, fmt.Errorf("GET %s: got %d %s", path, status, answer))
		}
		flags, official := 0, 0
		for _, v := range page.Data {
			if v.Latest {
				flags++
			}
			if !v.Preview {
				official++
			}
		}
		if flags != min(official, 1) {
			return fmt.Errorf("%d latest of %d official versions: %s", flags, official, answer)
		}
	}
	return nil
}

// claim repeatedly chooses a random official version and makes it the latest version if it exists.
func (r *race) claim(random *rand.Rand) error {
	for !r.done.Load() {
		text := r.texts[random.IntN(len(r.texts))]
		status, answer, err := r.Call(r.t, "GET", "/public/app/versions/by-version/"+text, "")
		if err != nil || status != http.StatusOK || strings.Contains(text, "-") {
			if err != nil {
				return err
			}
			continue
		}
		var found struct{ ID string }
		if err := json.Unmarshal(answer, &found); err != nil {
			return err
		}
		status, answer, err = r.Call(r.t, "PATCH", apitest.VersionsOf("app")+"/"+found.ID, `{"is_latest":true}`)
		if err != nil || status != http.StatusOK {
			return errors.Join(err, fmt.Errorf("PATCH %s: got %d %s", text, status, answer))
		}
	}
	return nil
}

func TestPublishersAtOnce(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	r := &race{Server: s, t: t}
	for i := range 24 {
		r.texts = append(r.texts, fmt.Sprintf("%d.%d%s", 1+i/8, i%8, []string{"", "", "-rc.1"}[i%3]))
	}
	r.created = make([]atomic.Int32, len(r.texts))
	var publishers, others sync.WaitGroup
	run := func(group *sync.WaitGroup, n uint64, name string, work func(*rand.Rand) error) {
		group.Go(func() {
			if err := work(rand.New(rand.NewPCG(seed, n))); err != nil {
				t.Errorf("seed %d, %s: %v", seed, name, err)
			}
		})
	}
	for n := range uint64(4) {
		run(&publishers, n, "publisher", r.publishAll)
	}
	run(&others, 10, "check", func(random *rand.Rand) error { return r.check(random, false) })
	run(&others, 11, "check with previews", func(random *rand.Rand) error { return r.check(random, true) })
	run(&others, 12, "list", func(*rand.Rand) error { return r.list(apitest.VersionsOf("app")) })
	run(&others, 13, "public list", func(*rand.Rand) error { return r.list("/public/app/versions") })
	run(&others, 14, "claim", r.claim)
	publishers.Wait()
	r.done.Store(true)
	others.Wait()
	for i, text := range r.texts {
		if n := r.created[i].Load(); n != 1 {
			t.Errorf("%s: got 201 %d times, want once", text, n)
		}
	}
	if total := apitest.Field[int](t, s.Must(t, 200, "GET", apitest.VersionsOf("app"), ""), "total"); total != len(r.texts) {
		t.Errorf("got %d versions, want %d", total, len(r.texts))
	}
}

// TestPublishersOfOneVersion checks that only one request creates a version if several goroutines
// publish it at the same moment.
func TestPublishersOfOneVersion(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	for round := range 20 {
		text := fmt.Sprintf("1.%d", round)
		var created, updated atomic.Int32
		var group sync.WaitGroup
		begin := make(chan struct{})
		for n := range 6 {
			group.Go(func() {
				<-begin
				status, answer, err := s.Call(t, "PUT", apitest.VersionsOf("app")+"/by-version/"+text, fmt.Sprintf(`{"title":"%d"}`, n))
				switch {
				case err != nil:
					t.Error(err)
				case status == http.StatusCreated:
					created.Add(1)
				case status == http.StatusOK:
					updated.Add(1)
				default:
					t.Errorf("%s: got %d %s, want 201 or 200", text, status, answer)
				}
			})
		}
		close(begin)
		group.Wait()
		if created.Load() != 1 || updated.Load() != 5 {
			t.Errorf("%s: got 201 %d times and 200 %d times, want 1 and 5", text, created.Load(), updated.Load())
		}
	}
}
