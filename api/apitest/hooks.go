package apitest

import (
	"slices"
	"testing"

	"svc/internal/notify"
	"svc/store"
)

// Hear adds a hook that selects all events of a project. If project is "", it selects the events of
// all projects and of the instance. Hear returns a function that returns the bodies of these
// events, the oldest first.
func (s *Server) Hear(t testing.TB, project string) (bodies func() []string) {
	t.Helper()
	h := &store.Hook{Name: "all", Kind: notify.Webhook, Enabled: true, URL: "https://receiver.example/", Events: []string{notify.All}}
	err := s.DB.Update(func(tx *store.Tx) error {
		owner := store.Instance
		if project != "" {
			p, err := tx.Project(project)
			if err != nil {
				return err
			}
			owner = p.ID
		}
		return tx.PutHook(owner, h)
	})
	if err != nil {
		t.Fatal(err)
	}
	return func() (list []string) {
		t.Helper()
		err := s.DB.View(func(tx *store.Tx) error {
			all, _, err := tx.HookDeliveries(h.ID, store.DeliveryFilter{}, 0, store.MaxWaitingDeliveries)
			for _, d := range slices.Backward(all) {
				body, err := tx.HookBody(d)
				if err != nil {
					return err
				}
				list = append(list, string(body))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
}
