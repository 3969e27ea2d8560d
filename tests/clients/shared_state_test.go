//go:build unix

package clients

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestEveryLibraryReadsTheOthers checks that libraries with a state file can share that file. Apps
// in several languages on one machine share the state of a project. Each library must send the
// events left by the others, use the identifier of the first library, and honour an opt-out.
func TestEveryLibraryReadsTheOthers(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, reader string) {
		if reader == "browser" {
			t.Skip("the state of a page is in its browser, not in a file: clients/browser tests it")
		}
		s := &sharing{recorder: record(t, func(*http.Request) answer { return answer{Status: http.StatusServiceUnavailable} }), state: t.TempDir()}
		writers := []string{reader}
		for _, l := range languages {
			if l.name != "browser" && l.name != reader && lacking(l.needs) == "" {
				writers = append(writers, l.name)
			}
		}
		if err := s.run(t, reader, writers); err != nil {
			t.Fatal(err)
		}
	})
}

// sharing holds a state folder and a recorder for libraries that share the state.
type sharing struct {
	*recorder
	state string
}

func (s *sharing) run(t *testing.T, reader string, writers []string) error {
	for _, writer := range writers {
		_, err := s.visit(t, writer,
			map[string]any{"do": "track", "name": writer, "properties": map[string]any{"text": "é\"\\ 日本", "n": 1.5, "list": []any{nil, true}}},
			map[string]any{"do": "flush"})
		if err != nil {
			return err
		}
	}
	s.taken() // discard the refused requests
	accepted := answer{Status: http.StatusAccepted, Body: `{"accepted":1,"skipped":0,"suppressed":false}`, Header: map[string]string{"Content-Type": "application/json"}}
	s.expect(slices.Repeat([]answer{accepted}, len(writers)))
	if _, err := s.visit(t, reader, map[string]any{"do": "flush"}); err != nil {
		return err
	}
	var names []string
	senders := map[any]bool{}
	for _, r := range s.taken() {
		if !strings.HasSuffix(r.Path, "/events") {
			continue
		}
		batch, _ := r.Body.(map[string]any)
		senders[batch["distinct_id"]] = true
		events, _ := batch["events"].([]any)
		for _, e := range events {
			event, _ := e.(map[string]any)
			names = append(names, fmt.Sprint(event["name"]))
			if got, want := canonical(event["properties"]), `{"list":[null,true],"n":1.5,"text":"é\"\\ 日本"}`; got != want {
				t.Errorf("properties of %v, sent by %s: got %s, want %s", event["name"], reader, got, want)
			}
		}
	}
	if !slices.Equal(names, writers) || len(senders) != 1 {
		t.Errorf("%s sent %v of %d identifiers, want %v of one", reader, names, len(senders), writers)
	}
	if _, err := s.visit(t, reader, map[string]any{"do": "opt_out"}); err != nil {
		return err
	}
	for _, other := range writers {
		out, err := s.visit(t, other, map[string]any{"do": "has_opted_out"})
		if err != nil {
			return err
		}
		if out["value"] != true {
			t.Errorf("%s does not know that %s has opted out: %v", other, reader, out)
		}
	}
	return nil
}

// visit runs some steps in a new process, which ends without closing the client. It returns the
// result of the last step.
func (s *sharing) visit(t *testing.T, language string, steps ...map[string]any) (result map[string]any, err error) {
	if err := built(language); err != nil {
		return nil, err
	}
	p := play(t, language, s.recorder)
	p.state = s.state
	if err := p.start(); err != nil {
		return nil, err
	}
	open := map[string]any{"do": "open", "base_url": s.url, "options": map[string]any{
		"project_key": "shared", "state_dir": s.state, "platform": "linux", "platform_version": "1",
		"analytics": map[string]any{"flush_interval": 3600},
	}}
	for _, step := range append([]map[string]any{open}, steps...) {
		if result, err = p.do(step); err != nil {
			return nil, err
		}
		if result["error"] != nil {
			return nil, fmt.Errorf("%s, %v: %v", language, step["do"], result)
		}
	}
	return result, p.leave()
}
