//go:build unix

package clients

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"svc/api/apitest"
)

// number returns the value of an environment variable as a number, or otherwise if the variable is
// not set.
func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// seeds returns the seeds of the stories to run. If SVC_STORY_SEED is set, it returns only that
// seed. Otherwise it returns SVC_STORY_SEEDS seeds, by default one.
func seeds(t *testing.T) (all []uint64) {
	t.Helper()
	if seed := number(t, "SVC_STORY_SEED", 0); seed != 0 {
		return []uint64{seed}
	}
	for i := range number(t, "SVC_STORY_SEEDS", 1) {
		all = append(all, i+1)
	}
	return all
}

// played is the record of one step. It has a line for each request that the library sent, and one
// for the result.
type played []string

// TestEveryLibraryTellsTheStory checks that all libraries send the same requests in the same story,
// and that the contract requires these requests.
func TestEveryLibraryTellsTheStory(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(t) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			plan := tell(t, seed, steps)
			var mu sync.Mutex
			all := map[string][]played{}
			t.Run("libraries", func(t *testing.T) {
				eachLanguage(t, func(t *testing.T, language string) {
					did, err := perform(t, language, plan, seed)
					mu.Lock()
					all[language] = did
					mu.Unlock()
					if err != nil {
						t.Errorf("seed %d: after step %d: %v", seed, len(did)-1, err)
					}
					compare(t, seed, plan, did)
				})
			})
			compareAll(t, seed, plan, all)
		})
	}
}

// perform makes a library play a story. It returns a record of each step that the library
// completed.
func perform(t *testing.T, language string, plan []planned, seed uint64) (did []played, err error) {
	all := readOperations(t)
	contract := apitest.LoadContract(t)
	answers := &sampler{random: rand.New(rand.NewPCG(seed, 16))}
	r := record(t, func(q *http.Request) answer {
		o := contract.Find(q.Method, q.URL.EscapedPath())
		if o == nil {
			return all.success(answers, q.Method, "")
		}
		return all.success(answers, q.Method, strings.TrimPrefix(o.Path, apiPath))
	})
	p := play(t, language, r)
	if err := p.start(); err != nil {
		return nil, err
	}
	naming := newNames()
	for _, step := range plan {
		r.expect(step.answers)
		if step.refuse {
			r.refuse()
		} else {
			r.accept(t)
		}
		result, err := p.do(step.step)
		if err != nil {
			return did, err
		}
		did = append(did, lines(naming, r.taken(), selected(result, step.result)))
	}
	return did, p.finish()
}

// selected returns the fields of result for which want has a value, because the model predicts only
// these. If the step failed, the error is always included.
func selected(result, want map[string]any) map[string]any {
	out := map[string]any{}
	for name := range want {
		out[name] = result[name]
	}
	failed, _ := result["error"].(map[string]any)
	if failed == nil {
		return out
	}
	known, _ := want["error"].(map[string]any)
	told := map[string]any{"kind": failed["kind"]}
	for name := range known {
		told[name] = failed[name]
	}
	out["error"] = told
	return out
}

func lines(naming *names, requests []request, result map[string]any) (out played) {
	for _, r := range requests {
		out = append(out, naming.line(r))
	}
	return append(out, "result "+canonical(result))
}

// most is the maximum number of differing steps that are printed. Later differences are often
// consequences of earlier ones.
const most = 3

// compare compares the steps played by a library with the predictions of the model.
func compare(t *testing.T, seed uint64, plan []planned, did []played) {
	t.Helper()
	naming, differ := newNames(), 0
	for i, step := range plan[:min(len(plan), len(did))] {
		want := lines(naming, step.want, step.result)
		if slices.Equal(did[i], want) {
			continue
		}
		if differ++; differ <= most {
			t.Errorf("seed %d, step %d: %s\nanswers: %s\ngot  %s\nwant %s", seed, i, canonical(step.step), told(step), shown(did[i]), shown(want))
		}
	}
	if differ > most {
		t.Errorf("seed %d: %d steps differ", seed, differ)
	}
}

// compareAll compares the libraries with each other and reports differences.
func compareAll(t *testing.T, seed uint64, plan []planned, all map[string][]played) {
	t.Helper()
	for i, step := range plan {
		groups := map[string][]string{}
		for language, did := range all {
			if i < len(did) {
				groups[shown(did[i])] = append(groups[shown(did[i])], language)
			}
		}
		if len(groups) < 2 {
			continue
		}
		var text strings.Builder
		for did, languages := range groups {
			slices.Sort(languages)
			fmt.Fprintf(&text, "%s:%s\n", strings.Join(languages, ", "), did)
		}
		t.Errorf("seed %d, step %d: the libraries differ: %s\n%s", seed, i, canonical(step.step), &text)
		return // stop at the first one; the others are often consequences
	}
}

func shown(lines []string) string {
	const long = 1500
	var out strings.Builder
	for _, line := range lines {
		if len(line) > long {
			line = line[:long] + "…"
		}
		out.WriteString("\n     " + line)
	}
	return out.String()
}

func told(step planned) string {
	var out []string
	for _, a := range step.answers {
		switch {
		case a.Closed:
			out = append(out, "closed")
		case a.Cut:
			out = append(out, "cut")
		default:
			out = append(out, fmt.Sprint(a.Status, " ", a.Header["Retry-After"]))
		}
	}
	if step.refuse {
		out = append(out, "connections refused")
	}
	return strings.Join(out, ", ")
}
