package jobs

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"svc/internal/notify"
	"svc/internal/notify/delivery"
	"svc/internal/outbound"
	"svc/internal/seal"
	"svc/store"
)

// TestHooksAreTold checks that a running server sends events that were stored before its start, and
// those that happen later.
func TestHooksAreTold(t *testing.T) {
	t.Parallel()
	received := make(chan string)
	r := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { received <- q.Header.Get("Tags") }))
	t.Cleanup(r.Close)
	db := openStore(t)
	happen := func(name string) {
		t.Helper()
		err := db.Update(func(tx *store.Tx) error {
			return tx.Notify(0, notify.Event{Name: name, Data: notify.Notice{Message: "It happened."}})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := db.Update(func(tx *store.Tx) error {
		return tx.PutHook(0, &store.Hook{Name: "H", Kind: "ntfy", Enabled: true, URL: r.URL, Events: []string{"*"}})
	})
	if err != nil {
		t.Fatal(err)
	}
	happen("instance.disk_low")
	log := slog.New(slog.DiscardHandler)
	j := New(Config{DB: db, Log: log, Flush: func() error { return nil }, Hooks: delivery.New(delivery.Config{
		DB: db, Keys: seal.NewKeys([]byte("secret")), Log: log, Now: time.Now,
		Client: outbound.New(outbound.Config{Profile: outbound.Operator}),
	})})
	j.Start()
	for _, want := range []string{"instance.disk_low", "instance.backup_failed"} {
		if got := <-received; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if want == "instance.disk_low" {
			happen("instance.backup_failed")
		}
	}
	if err := j.Stop(); err != nil {
		t.Error(err)
	}
}
