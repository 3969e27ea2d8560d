package control_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"svc/internal/control"
)

// post asks a handler in this process.
func post(t *testing.T, ctx context.Context, h http.HandlerFunc) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, control.BaseURL+"/x", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := control.InProcess(h).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// TestAnswersAreStreamed: the handler of a large answer does not go on before what
// it wrote has been read, so that nothing piles up.
func TestAnswersAreStreamed(t *testing.T) {
	t.Parallel()
	written := make(chan string, 10)
	answer := post(t, t.Context(), func(w http.ResponseWriter, _ *http.Request) {
		for _, line := range []string{"one\n", "two\n", "three\n"} {
			_, err := io.WriteString(w, line)
			if err != nil {
				t.Error(err)
			}
			written <- line
		}
		w.Header().Set(http.TrailerPrefix+"Result", "all")
	})
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
}

func TestCutOffAnswerIsAnError(t *testing.T) {
	t.Parallel()
	answer := post(t, t.Context(), func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "part")
		panic(http.ErrAbortHandler)
	})
	if text, err := io.ReadAll(answer.Body); err == nil || string(text) != "part" {
		t.Errorf("got %q, %v; want part and an error", text, err)
	}
}

// TestReaderThatGoes: closing an answer ends its handler and waits for it.
func TestReaderThatGoes(t *testing.T) {
	t.Parallel()
	ended := false
	answer := post(t, t.Context(), func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "x")
		<-r.Context().Done()
		if _, err := io.WriteString(w, strings.Repeat("x", 1000)); err == nil {
			t.Error("there is nobody to read it")
		}
		ended = true
	})
	if err := answer.Body.Close(); err != nil || !ended {
		t.Errorf("got %v, ended: %v", err, ended)
	}
}
