package resource_test

import (
	"fmt"
	"testing"
	"time"

	"svc/api/apitest"
)

// heldKey is an API key that a test follows through its life cycle.
type heldKey struct {
	*apitest.Server
	family, id string
	texts      []string // all texts, oldest first
}

func hold(t *testing.T, s *apitest.Server, family, more string) *heldKey {
	t.Helper()
	answer := s.Must(t, 201, "POST", family, `{"name":"held","scopes":["projects:read"]`+more+`}`)
	return &heldKey{s, family, apitest.Field[string](t, answer, "id"), []string{apitest.Field[string](t, answer, "token")}}
}

func (k *heldKey) one() string { return k.family + "/" + k.id }

// rotate rotates the key and returns the response.
func (k *heldKey) rotate(t *testing.T, body string) string {
	t.Helper()
	answer := k.Must(t, 201, "POST", k.one()+"/rotate", body)
	k.texts = append(k.texts, apitest.Field[string](t, answer, "token"))
	if got := apitest.Field[string](t, answer, "id"); got != k.id {
		t.Errorf("rotation answers with id %s, want %s", got, k.id)
	}
	return answer
}

// accepted checks which of the key's texts the server accepts. The expected results in want are in
// the order of the texts, oldest first.
func (k *heldKey) accepted(t *testing.T, when string, want ...bool) {
	t.Helper()
	for i, text := range k.texts {
		status, answer, _ := k.Do(t, "GET", "/admin/projects/one", text, "")
		if status != 200 && status != 401 || (status == 200) != want[i] {
			t.Errorf("%s: text %d: got %d %s, want it accepted: %v", when, i, status, answer, want[i])
		}
	}
}

// listed returns the key's entry in the list.
func (k *heldKey) listed(t *testing.T) apiKeyItem {
	t.Helper()
	for _, item := range apitest.Field[[]apiKeyItem](t, k.Must(t, 200, "GET", "/auth/api-keys", ""), "data") {
		if item.ID == k.id {
			return item
		}
	}
	t.Fatalf("key %s is not in the list", k.id)
	return apiKeyItem{}
}

type apiKeyItem struct {
	ID, Name      string
	Scopes        []string
	AllProjects   bool     `json:"all_projects"`
	ProjectIDs    []string `json:"project_ids"`
	IsActive      bool     `json:"is_active"`
	ExpiresAt     *int64   `json:"expires_at"`
	RevokedAt     *int64   `json:"revoked_at"`
	LastUsedAt    *int64   `json:"last_used_at"`
	PreviousEnd   *int64   `json:"previous_key_expires_at"`
	CreatedAtUnix int64    `json:"created_at"`
}

// momentText formats a time that may be null.
func momentText(moment *int64) string {
	if moment == nil {
		return "null"
	}
	return fmt.Sprint(*moment)
}

// stayLoggedIn advances the clock by d and renews the session token, which would expire otherwise.
func stayLoggedIn(t *testing.T, s *apitest.Server, d time.Duration) {
	t.Helper()
	s.Clock.Advance(d)
	s.Admin = s.Token(t, apitest.Secret, s.DB.Account().ID.String(), 1, 0)
}

func TestAPIKeyExpires(t *testing.T) {
	t.Parallel()
	bothFamilies(t, func(t *testing.T, s *apitest.Server, family string) {
		t.Helper()
		k := hold(t, s, family, `,"expires_in_days":1`)
		stayLoggedIn(t, s, 24*time.Hour-10*time.Second)
		k.accepted(t, "before its end", true)
		stayLoggedIn(t, s, 11*time.Second)
		k.accepted(t, "after its end", false)
		if item := k.listed(t); !item.IsActive || item.RevokedAt != nil {
			t.Errorf("expiry looks like revocation: %+v", item)
		}
		s.Exchanges(t, []apitest.Exchange{
			{"cannot be rotated", "POST", k.one() + "/rotate", ``, 409, `{"message":"the API key has expired"}`},
			{"can be given more time", "PATCH", k.one(), `{"expires_in_days":2}`, 200, `{"name":"held"}`},
		})
		k.accepted(t, "with more time", true)
		if got := *k.listed(t).ExpiresAt - s.Clock.Now().Unix(); got < 2*apitest.Day-5 || got > 2*apitest.Day {
			t.Errorf("days count from now: it has %d s left, want two days", got)
		}
		s.Must(t, 200, "PATCH", k.one(), `{"never_expires":false}`)
		if got := *k.listed(t).ExpiresAt - s.Clock.Now().Unix(); got < 30*apitest.Day-5 || got > 30*apitest.Day {
			t.Errorf("never_expires false alone: it has %d s left, want 30 days", got)
		}
		s.Must(t, 200, "PATCH", k.one(), `{"never_expires":true}`)
		stayLoggedIn(t, s, 1000*24*time.Hour)
		k.accepted(t, "a key without an end", true)
	})
}

func TestRotateAtOnce(t *testing.T) {
	t.Parallel()
	bothFamilies(t, func(t *testing.T, s *apitest.Server, family string) {
		t.Helper()
		k := hold(t, s, family, `,"expires_in_days":7,"project_ids":["one"]`)
		k.accepted(t, "new", true)
		before := k.listed(t)
		for _, body := range []string{``, `{}`, `{"grace_period_minutes":0}`, `{"grace_period_minutes":null}`} {
			answer := k.rotate(t, body)
			if why := apitest.CompareJSON(t, answer, `{"grace_period_minutes":0,"previous_key_expires_at":null}`); why != "" {
				t.Errorf("rotation with %q: %s", body, why)
			}
			after := k.listed(t)
			if after.LastUsedAt != nil || after.PreviousEnd != nil {
				t.Errorf("rotation with %q: last use %s, end of the former text %s, want none", body, momentText(after.LastUsedAt), momentText(after.PreviousEnd))
			}
			after.LastUsedAt = before.LastUsedAt
			if got, want := fmt.Sprintf("%+v", flat(after)), fmt.Sprintf("%+v", flat(before)); got != want {
				t.Errorf("rotation with %q changed the key\nbefore %s\nafter  %s", body, want, got)
			}
			want := make([]bool, len(k.texts))
			want[len(want)-1] = true
			k.accepted(t, "after rotation with "+body, want...)
		}
	})
}

// flat returns the fields of a key without pointers, so that they can be compared as text.
func flat(k apiKeyItem) []any {
	return []any{k.ID, k.Name, k.Scopes, k.AllProjects, k.ProjectIDs, k.IsActive, k.CreatedAtUnix, momentText(k.ExpiresAt), momentText(k.RevokedAt)}
}

func TestRotateWithGrace(t *testing.T) {
	t.Parallel()
	bothFamilies(t, func(t *testing.T, s *apitest.Server, family string) {
		t.Helper()
		k := hold(t, s, family, ``)
		answer := k.rotate(t, `{"grace_period_minutes":60}`)
		end := apitest.Field[int64](t, answer, "previous_key_expires_at")
		if got := end - s.Clock.Now().Unix(); apitest.Field[int](t, answer, "grace_period_minutes") != 60 || got < 3595 || got > 3600 {
			t.Errorf("the former text ends in %d s: %s", got, answer)
		}
		if got := k.listed(t).PreviousEnd; momentText(got) != fmt.Sprint(end) {
			t.Errorf("the list says the former text ends at %s, want %d", momentText(got), end)
		}
		k.accepted(t, "in the grace period", true, true)
		stayLoggedIn(t, s, 59*time.Minute)
		k.accepted(t, "at the end of the grace period", true, true)
		stayLoggedIn(t, s, time.Minute+time.Second)
		k.accepted(t, "after the grace period", false, true)
		if got := k.listed(t).PreviousEnd; got != nil {
			t.Errorf("after the grace period the list says it ends at %d, want null", *got)
		}

		k.rotate(t, `{"grace_period_minutes":10080}`)
		k.accepted(t, "rotated again", false, true, true)
		k.rotate(t, `{"grace_period_minutes":5}`)
		k.accepted(t, "rotated in a grace period: only one former text is kept", false, false, true, true)
		k.rotate(t, ``)
		k.accepted(t, "rotated in a grace period, without one", false, false, false, false, true)
		k.rotate(t, `{"grace_period_minutes":60}`)
		k.accepted(t, "before revocation", false, false, false, false, true, true)
		s.Must(t, 200, "DELETE", k.one(), "")
		k.accepted(t, "revocation ends both texts", false, false, false, false, false, false)
		if got := k.listed(t).PreviousEnd; got != nil {
			t.Errorf("after revocation the former text ends at %d, want null", *got)
		}
	})
}

// TestRotateNearTheEnd checks that a previous text of a key never remains valid after the key has
// expired, even if the key's expiry is changed.
func TestRotateNearTheEnd(t *testing.T) {
	t.Parallel()
	bothFamilies(t, func(t *testing.T, s *apitest.Server, family string) {
		t.Helper()
		k := hold(t, s, family, `,"expires_in_days":1`)
		answer := k.rotate(t, `{"grace_period_minutes":10080}`)
		end := *k.listed(t).ExpiresAt
		if got := apitest.Field[int64](t, answer, "previous_key_expires_at"); got != end || apitest.Field[int](t, answer, "grace_period_minutes") != 10080 {
			t.Errorf("the former text ends at %d, want the key's end %d: %s", got, end, answer)
		}
		s.Must(t, 200, "PATCH", k.one(), `{"expires_in_days":30}`)
		stayLoggedIn(t, s, 24*time.Hour+time.Second)
		k.accepted(t, "the key has got more time, its former text has not", false, true)

		k.rotate(t, `{"grace_period_minutes":10080}`)
		s.Must(t, 200, "PATCH", k.one(), `{"expires_in_days":1}`)
		item := k.listed(t)
		if momentText(item.PreviousEnd) != momentText(item.ExpiresAt) {
			t.Errorf("the former text ends at %s, the key at %s, want the same", momentText(item.PreviousEnd), momentText(item.ExpiresAt))
		}
		s.Must(t, 200, "PATCH", k.one(), `{"never_expires":true}`)
		k.accepted(t, "shortened and prolonged", false, true, true)
	})
}

func TestRevokeTwice(t *testing.T) {
	t.Parallel()
	bothFamilies(t, func(t *testing.T, s *apitest.Server, family string) {
		t.Helper()
		k := hold(t, s, family, ``)
		k.accepted(t, "new", true)
		s.Exchanges(t, []apitest.Exchange{{"revoked", "DELETE", k.one(), "", 200, `{"success":true}`}})
		k.accepted(t, "revoked", false)
		first := k.listed(t)
		if first.IsActive || first.RevokedAt == nil {
			t.Fatalf("the list shows %+v", first)
		}
		s.Clock.Advance(time.Minute)
		s.Exchanges(t, []apitest.Exchange{{"revoked again", "DELETE", k.one(), "", 200, `{"success":true}`}})
		if again := k.listed(t); again.IsActive || momentText(again.RevokedAt) != momentText(first.RevokedAt) {
			t.Errorf("revoked at %s, want still %s", momentText(again.RevokedAt), momentText(first.RevokedAt))
		}
	})
}

func TestLastUse(t *testing.T) {
	t.Parallel()
	bothFamilies(t, func(t *testing.T, s *apitest.Server, family string) {
		t.Helper()
		k := hold(t, s, family, ``)
		if got := k.listed(t).LastUsedAt; got != nil {
			t.Errorf("a key that was never used was used at %d", *got)
		}
		use := func(after time.Duration) string {
			t.Helper()
			s.Clock.Advance(after)
			k.accepted(t, "use", true)
			return momentText(k.listed(t).LastUsedAt)
		}
		begin := s.Clock.Now().Unix()
		first := use(0)
		if got := *k.listed(t).LastUsedAt; got < begin || got > s.Clock.Now().Unix() {
			t.Errorf("used at %d, want %d", got, begin)
		}
		if got := use(50 * time.Second); got != first {
			t.Errorf("used again after 50 s: written at %s, want still %s", got, first)
		}
		second := use(11 * time.Second)
		if second == first {
			t.Errorf("used again after 61 s: still written at %s", first)
		}
		k.rotate(t, `{"grace_period_minutes":5}`)
		if got := k.listed(t).LastUsedAt; got != nil {
			t.Errorf("after rotation: used at %d, want null", *got)
		}
		k.texts = k.texts[1:]
		if got := use(0); got == "null" {
			t.Error("use of the new text right after rotation is not noted")
		}
	})
}
