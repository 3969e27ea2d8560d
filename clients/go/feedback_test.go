package svcsdk

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// replying returns the handler of a server that stores feedback, and has a reply to the feedback
// with an even number.
func replying(t *testing.T) http.HandlerFunc {
	t.Helper()
	n := 0
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusCreated)
			_, _ = fmt.Fprintf(w, `{"id":"f%d","status":"open","reply_token":"t%d"}`, n, n)
			n++
			return
		}
		parts := strings.Split(r.URL.Path, "/")
		id := parts[len(parts)-2]
		switch number := strings.TrimPrefix(id, "f"); {
		case r.Header.Get("X-Reply-Token") != "t"+number, number == "4":
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprint(w, `{"statusCode":404,"message":"feedback not found"}`)
		case strings.Contains("02468", number[len(number)-1:]):
			_, _ = fmt.Fprintf(w, `{"id":%q,"status":"resolved","reply":"to %s","replied_at":7}`, id, id)
		default:
			_, _ = fmt.Fprintf(w, `{"id":%q,"status":"open","reply":null,"replied_at":null}`, id)
		}
	}
}

func sendFeedback(t *testing.T, c *Client, n int) {
	t.Helper()
	for range n {
		if _, err := c.Public.CreateFeedback(t.Context(), FeedbackInput{Content: "x"}); err != nil {
			t.Fatal(err)
		}
	}
}

func expectReplies(t *testing.T, c *Client, want string) {
	t.Helper()
	replies, err := c.Public.FeedbackReplies(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range replies {
		got = append(got, fmt.Sprintf("%s:%s", r.ID, r.Status))
	}
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestFeedbackReplies(t *testing.T) {
	t.Parallel()
	storage := &memoryStorage{}
	handler := replying(t)
	c := served(t, handler, WithAnalytics(AnalyticsOptions{Persistence: PersistDevice, Storage: storage, Namespace: "n"}))
	sendFeedback(t, c, 7)
	expectReplies(t, c, "f0:resolved f2:resolved f6:resolved")
	later := served(t, handler, WithAnalytics(AnalyticsOptions{Persistence: PersistDevice, Storage: storage, Namespace: "n"}))
	sendFeedback(t, later, 18)
	expectReplies(t, later, "f6:resolved f8:resolved f10:resolved f12:resolved f14:resolved f16:resolved f18:resolved f20:resolved f22:resolved f24:resolved")
	later.Public.OptOut()
	sendFeedback(t, later, 1)
	expectReplies(t, later, "")
	for key := range storage.texts {
		if strings.HasSuffix(key, feedbackSuffix) {
			t.Errorf("after opting out, %s is stored", key)
		}
	}
	later.Public.OptIn()
	expectReplies(t, later, "")
}

func TestFeedbackRepliesByPersistence(t *testing.T) {
	t.Parallel()
	for persistence, want := range map[Persistence]string{PersistNone: "", PersistSession: "f0:resolved f2:resolved"} {
		storage := &memoryStorage{}
		c := served(t, replying(t), WithAnalytics(AnalyticsOptions{Persistence: persistence, Storage: storage}))
		sendFeedback(t, c, 3)
		expectReplies(t, c, want)
		if len(storage.texts) > 0 {
			t.Errorf("%s stores %v", persistence, storage.texts)
		}
		c.Public.OptOut()
		expectReplies(t, c, "")
	}
}

func TestFeedbackRepliesFail(t *testing.T) {
	t.Parallel()
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			replying(t)(w, r)
			return
		}
		w.WriteHeader(http.StatusBadRequest)
	}, WithAnalytics(AnalyticsOptions{Persistence: PersistSession}))
	sendFeedback(t, c, 1)
	if _, err := c.Public.FeedbackReplies(t.Context()); err == nil {
		t.Error("got no error")
	}
}

// storedFeedback returns the ids of the feedback in a storage.
func storedFeedback(t *testing.T, storage *memoryStorage) []string {
	t.Helper()
	var ids []string
	for key, text := range storage.texts {
		if strings.HasSuffix(key, "."+feedbackSuffix) {
			for _, f := range parseFeedback(text) {
				ids = append(ids, f.ID)
			}
		}
	}
	return ids
}

func TestFeedbackIsNotKeptWhileCollectionIsOff(t *testing.T) {
	t.Parallel()
	for _, persistence := range []Persistence{PersistDevice, PersistSession} {
		t.Run(string(persistence), func(t *testing.T) {
			t.Parallel()
			storage, handler := &memoryStorage{}, replying(t)
			options := AnalyticsOptions{RequireConsent: true, Persistence: persistence, Storage: storage, Namespace: "n"}
			c := served(t, handler, WithAnalytics(options))
			sendFeedback(t, c, 1)
			if len(storage.texts) > 0 {
				t.Errorf("before consent, %v is stored", storage.texts)
			}
			c.Public.GrantConsent()
			expectReplies(t, c, "")
			sendFeedback(t, c, 2)
			expectReplies(t, c, "f2:resolved")

			waiting := served(t, handler, WithAnalytics(options))
			expectReplies(t, waiting, "")
			waiting.Public.RevokeConsent()
			if stored := storedFeedback(t, storage); len(stored) > 0 {
				t.Errorf("after the revocation, %v is stored", stored)
			}

			sendFeedback(t, c, 2)
			c.Public.RevokeConsent()
			sendFeedback(t, c, 2)
			expectReplies(t, c, "")
			if len(storage.texts) > 0 {
				t.Errorf("after the revocation, %v is stored", storage.texts)
			}
			c.Public.GrantConsent()
			expectReplies(t, c, "")
			sendFeedback(t, c, 2)
			expectReplies(t, c, "f8:resolved")
		})
	}
	storage := &memoryStorage{}
	c := served(t, replying(t), WithAnalytics(AnalyticsOptions{Disabled: true, Persistence: PersistDevice, Storage: storage}))
	sendFeedback(t, c, 1)
	expectReplies(t, c, "")
	if len(storage.texts) > 0 {
		t.Errorf("without collection, %v is stored", storage.texts)
	}
}

func TestDeletedFeedbackIsForgotten(t *testing.T) {
	t.Parallel()
	for _, persistence := range []Persistence{PersistDevice, PersistSession} {
		t.Run(string(persistence), func(t *testing.T) {
			t.Parallel()
			var asked []string
			var failure string
			handler := replying(t)
			storage := &memoryStorage{}
			c := served(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					asked = append(asked, strings.Split(r.URL.Path, "/")[6])
					if failure != "" {
						http.Error(w, failure, http.StatusNotFound)
						return
					}
				}
				handler(w, r)
			}, WithAnalytics(AnalyticsOptions{Persistence: persistence, Storage: storage}))
			sendFeedback(t, c, 6)
			failure = "<h1>Not Found</h1>"
			expectReplies(t, c, "")
			failure = ""
			expectReplies(t, c, "f0:resolved f2:resolved")
			asked = nil
			expectReplies(t, c, "f0:resolved f2:resolved")
			if got := strings.Join(asked, " "); got != "f0 f1 f2 f3 f5" {
				t.Errorf("asked for %s", got)
			}
			if got := storedFeedback(t, storage); persistence == PersistDevice && strings.Join(got, " ") != "f0 f1 f2 f3 f5" {
				t.Errorf("%v is stored", got)
			}
		})
	}
}

func TestProjectsOfANamespaceKeepTheirOwnFeedback(t *testing.T) {
	t.Parallel()
	c := served(t, replying(t), WithAnalytics(AnalyticsOptions{Storage: &memoryStorage{}, Namespace: "n"}))
	sendFeedback(t, c, 1)
	c.SetProjectKey("other")
	expectReplies(t, c, "")
	sendFeedback(t, c, 2)
	expectReplies(t, c, "f2:resolved")
	c.SetProjectKey("ACME")
	expectReplies(t, c, "f0:resolved")
}
