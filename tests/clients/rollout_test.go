//go:build unix

package clients

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"svc/internal/testutil/server"
)

// TestEveryLibraryTakesPartInRollouts checks that a rollout at 50 % reaches about half of the rollout
// keys, and that each library with one of these keys gets the server's decision for it.
func TestEveryLibraryTakesPartInRollouts(t *testing.T) {
	t.Parallel()
	const keys = 300
	r := &rollingOut{included: map[string]bool{}}
	started := sync.OnceValue(func() error {
		if err := r.start(t); err != nil {
			return err
		}
		return r.ask(t, keys)
	})
	eachLanguage(t, func(t *testing.T, language string) {
		if err := started(); err != nil {
			t.Fatal(err)
		}
		p := play(t, language, record(t, nil))
		if err := p.start(); err != nil {
			t.Fatal(err)
		}
		for key, included := range r.included {
			decision, err := r.check(p, key)
			if err != nil {
				t.Fatal(err)
			}
			if want := map[bool]string{true: "optional", false: "none"}[included]; decision != want {
				t.Errorf("key %s: got the decision %v, want %s", key, decision, want)
			}
		}
		if err := p.finish(); err != nil {
			t.Error(err)
		}
	})
}

// rollingOut is a server with a project that has a rollout at 50 %.
type rollingOut struct {
	*server.Server
	included map[string]bool // the server's decisions by rollout key
}

func (r *rollingOut) start(t *testing.T) error {
	program, err := server.Find(t.Context(), t.TempDir())
	if err != nil {
		return err
	}
	r.Server, err = program.Serve(context.WithoutCancel(t.Context()), filepath.Join(t.TempDir(), "data"))
	if err != nil {
		return err
	}
	t.Cleanup(func() {
		if err := r.Stop(); err != nil {
			t.Error(err)
		}
	})
	const version = "/admin/projects/app/versions/by-version/"
	return errors.Join(
		r.CreateProject(t.Context(), "app"),
		r.Call(t.Context(), http.MethodPut, version+"1.0.0", map[string]any{}, nil),
		r.Call(t.Context(), http.MethodPut, version+"2.0.0", map[string]any{"rollout": map[string]any{"percent": 50}}, nil),
	)
}

// ask asks the server for its decisions on random keys.
func (r *rollingOut) ask(t *testing.T, keys int) error {
	reached := 0
	for len(r.included) < keys {
		key := fmt.Sprint(rand.IntN(10_000))
		if _, known := r.included[key]; known {
			continue
		}
		var answer struct {
			ShouldUpdate bool `json:"should_update"`
			Rollout      struct{ Included bool }
		}
		body := map[string]any{"current_version": "1.0.0", "rollout_key": key}
		if err := r.Call(t.Context(), http.MethodPost, "/public/app/versions/check-update", body, &answer); err != nil {
			return err
		}
		if answer.ShouldUpdate != answer.Rollout.Included {
			t.Errorf("key %s: should_update is %t, included %t", key, answer.ShouldUpdate, answer.Rollout.Included)
		}
		if r.included[key] = answer.ShouldUpdate; answer.ShouldUpdate {
			reached++
		}
	}
	const deviation = 61 // seven standard deviations of the number of 300 keys
	if reached < keys/2-deviation || reached > keys/2+deviation {
		t.Errorf("the rollout at 50 %% reaches %d of %d keys", reached, keys)
	}
	return nil
}

// check returns the decision that a library with the given key gets.
func (r *rollingOut) check(p *player, key string) (decision any, err error) {
	open := map[string]any{"do": "open", "base_url": "http://" + r.Addr + apiPath, "options": map[string]any{
		"project_key": "app", "app_version": "1.0.0", "rollout_key": key, "state_dir": placeholderState,
		"analytics": map[string]any{"persistence": "none"},
	}}
	if _, err := p.do(open); err != nil {
		return nil, err
	}
	result, err := p.do(map[string]any{"do": "check_updates", "args": map[string]any{"force": true}})
	if err == nil && result["error"] != nil {
		err = fmt.Errorf("key %s: %v", key, result["error"])
	}
	return result["decision"], err
}
