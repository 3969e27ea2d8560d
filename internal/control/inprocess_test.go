package control_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"svc/internal/control"
)

// exchange sends a request to a handler in this process and calls look with the response.
func exchange(t *testing.T, h http.HandlerFunc, look func(*http.Response)) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, control.BaseURL+"/x", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := control.InProcess(h).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	look(answer)
}

// TestAnswersAreStreamed checks that a handler with a large response waits until its
// output has been read, so that the output does not accumulate in memory.
func TestAnswersAreStreamed(t *testing.T) {
	t.Parallel()
	written := make(chan string, 10)
	handler := func(w http.ResponseWriter, _ *http.Request) {
		for _, line := range []string{"one\n", "two\n", "three\n"} {
			if _, err := io.WriteString(w, line); err != nil {
				t.Error(err)
			}
			written <- line
		}
		w.Header().Set(http.TrailerPrefix+"Result", "all")
	}
	exchange(t, handler, func(answer *http.Response) {
		lines := bufio.NewReaderSize(answer.Body, 16)
		for range 3 {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if got := <-written; got != line || len(written) > 0 {
				t.Errorf("got %q while %q was read and %d more were written", got, line, len(written))
			}
		}
		if _, err := lines.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("at the end: got %v, want %v", err, io.EOF)
		}
		if got := answer.Trailer.Get("Result"); got != "all" {
			t.Errorf("trailer: got %q, want all", got)
		}
	})
}

func TestCutOffAnswerIsAnError(t *testing.T) {
	t.Parallel()
	handler := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "part")
		panic(http.ErrAbortHandler)
	}
	exchange(t, handler, func(answer *http.Response) {
		if text, err := io.ReadAll(answer.Body); err == nil || string(text) != "part" {
			t.Errorf("got %q, %v; want part and an error", text, err)
		}
	})
}

// TestReaderThatGoes checks that closing a response ends its handler, and waits until the
// handler has returned.
func TestReaderThatGoes(t *testing.T) {
	t.Parallel()
	ended := false
	handler := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "x")
		<-r.Context().Done()
		if _, err := io.WriteString(w, strings.Repeat("x", 1000)); err == nil {
			t.Error("there is nobody to read it")
		}
		ended = true
	}
	exchange(t, handler, func(answer *http.Response) {
		if err := answer.Body.Close(); err != nil || !ended {
			t.Errorf("got %v, ended: %v", err, ended)
		}
	})
}
