package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc/internal/fault"
	"svc/internal/integrity"
	"svc/internal/notify"
)

// MaxHooks is the maximum number of hooks of a project, and of the instance.
const MaxHooks = 20

// The reasons for which the server disables a hook.
const (
	HookGone    = "gone"    // the receiver has answered 410
	HookFailing = "failing" // attempts have failed for too long
)

// The limits at which a hook is disabled.
const (
	maxFailing   = 5 * 24 * time.Hour // time without a successful attempt
	maxDeadInRow = 100                // deliveries given up in a row, without a successful one in between
)

// Hook sends events of a project, or of the instance, to a receiver. Times are Unix seconds.
type Hook struct {
	ID      ID        `json:"-"`
	Project ProjectID `json:"-"` // 0 = the instance

	Name    string      `json:"name"`
	Kind    notify.Kind `json:"kind"`
	Enabled bool        `json:"enabled,omitempty"`
	URL     string      `json:"url,omitempty"` // sealed if Kind.SecretURL, see package seal
	Events  []string    `json:"events"`        // see notify.IsSelector
	To      []string    `json:"to,omitempty"`  // recipients of email

	Authorization string `json:"authorization,omitempty"` // sealed
	Secret        string `json:"secret,omitempty"`        // sealed; of a webhook
	// FormerSecret is the previous Secret, with which requests are also signed until FormerUntil.
	// It is sealed.
	FormerSecret    string `json:"former_secret,omitempty"`
	FormerUntil     int64  `json:"former_until,omitempty"`
	SecretUpdatedAt int64  `json:"secret_updated_at,omitempty"`

	DisabledReason string `json:"disabled_reason,omitempty"` // HookGone, HookFailing or ""
	UpdatedAt      int64  `json:"updated_at"`
}

// CreatedAt returns the time at which the hook was created.
func (h *Hook) CreatedAt() int64 { return CreatedAt(h.ID) }

// Secrets returns the sealed secrets with which requests are signed at the given time, the newest
// first.
func (h *Hook) Secrets(now time.Time) (list []string) {
	if h.Secret != "" {
		list = append(list, h.Secret)
	}
	if h.FormerSecret != "" && now.Unix() < h.FormerUntil {
		list = append(list, h.FormerSecret)
	}
	return list
}

// HookState summarizes the attempts to send deliveries of a hook. It is stored apart from the hook,
// so that an attempt does not change the hook.
type HookState struct {
	LastStatus    *int  `json:"last_status,omitempty"`     // nil = no attempt yet; 0 = no answer
	LastAttemptAt int64 `json:"last_attempt_at,omitempty"` // Unix seconds
	FailingSince  int64 `json:"failing_since,omitempty"`   // time of the first failure since the last success, Unix seconds
	Dead          int   `json:"dead,omitempty"`            // deliveries given up since the last success
	Slow          bool  `json:"slow,omitempty"`            // the last attempt failed or took long
	Waiting       int   `json:"waiting,omitempty"`         // deliveries that have not ended
	Ended         int   `json:"ended,omitempty"`           // deliveries that have ended and are still stored
}

func hookKey(p ProjectID, id ID) []byte { return append(p.key(), id[:]...) }

func decodeHook(key, raw []byte) (*Hook, error) {
	if len(key) != 4+len(ID{}) {
		return nil, fmt.Errorf("%w: %x is no key of a hook", ErrDamaged, key)
	}
	h, err := decode[Hook](key, raw)
	if err != nil {
		return nil, err
	}
	h.Project, err = projectOf(key[:4])
	h.ID = ID(key[4:])
	return h, err
}

// Hooks returns the hooks of a project, or of the instance if p is 0, the oldest first.
func (tx *Tx) Hooks(p ProjectID) (list []*Hook, err error) {
	b := tx.bolt.Bucket(hooksBucket)
	if b == nil {
		return nil, nil
	}
	cursor := b.Cursor()
	for key, raw := cursor.Seek(p.key()); bytes.HasPrefix(key, p.key()); key, raw = cursor.Next() {
		h, err := decodeHook(key, raw)
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}

// Hook returns one hook of a project, or of the instance if p is 0.
func (tx *Tx) Hook(p ProjectID, id ID) (*Hook, error) {
	b := tx.bolt.Bucket(hooksBucket)
	if b == nil {
		return nil, notFound("hook")
	}
	key := hookKey(p, id)
	raw := b.Get(key)
	if raw == nil {
		return nil, notFound("hook")
	}
	return decodeHook(key, raw)
}

// PutHook stores a new or changed hook, and assigns an id to a new one. If a hook becomes enabled,
// its failures are counted from 0 again. The error is a Conflict if there are too many hooks, and
// Invalid if the kind of a hook changes.
func (tx *Tx) PutHook(p ProjectID, h *Hook) error {
	h.Project = p
	if h.ID == (ID{}) {
		known, err := tx.Hooks(p)
		if err != nil {
			return err
		}
		if len(known) >= MaxHooks {
			return fault.New(fault.Conflict, "there can be at most %d hooks; delete one first", MaxHooks)
		}
		h.ID, h.DisabledReason = tx.newID(), ""
		return tx.writeHook(h)
	}
	before, err := tx.Hook(p, h.ID)
	if err != nil {
		return err
	}
	if h.Kind != before.Kind {
		return fault.Validation("kind must not be changed")
	}
	if h.Enabled {
		h.DisabledReason = ""
	}
	if h.Enabled && !before.Enabled {
		if err := tx.ForgetHookFailures(h.ID); err != nil {
			return err
		}
	}
	return tx.writeHook(h)
}

// ForgetHookFailures starts counting the failures of a hook anew.
func (tx *Tx) ForgetHookFailures(id ID) error {
	state, err := tx.HookState(id)
	if err != nil {
		return err
	}
	state.FailingSince, state.Dead = 0, 0
	return tx.putHookState(id, state)
}

func (tx *Tx) writeHook(h *Hook) error {
	b, err := tx.bolt.CreateBucketIfNotExists(hooksBucket)
	if err != nil {
		return err
	}
	h.UpdatedAt = tx.now.Unix()
	tx.hooksChanged, tx.hooksWaiting = true, true
	return put(b, hookKey(h.Project, h.ID), h)
}

// DeleteHook deletes a hook. Its deliveries cannot be found from then on. Purge deletes them later.
func (tx *Tx) DeleteHook(p ProjectID, id ID) error {
	if _, err := tx.Hook(p, id); err != nil {
		return err
	}
	tx.hooksChanged, tx.hooksWaiting, tx.projectDeleted = true, true, true
	err := tx.bolt.Bucket(hooksBucket).Delete(hookKey(p, id))
	if states := tx.bolt.Bucket(hookStatesBucket); states != nil {
		err = errors.Join(err, states.Delete(id[:]))
	}
	return err
}

// deleteHooks deletes the hooks of a project.
func deleteHooks(tx *Tx, p ProjectID) error {
	list, err := tx.Hooks(p)
	for _, h := range list {
		err = errors.Join(err, tx.DeleteHook(p, h.ID))
	}
	return err
}

// HookState returns the state of a hook. The zero value means that nothing has been queued or sent.
func (tx *Tx) HookState(id ID) (HookState, error) {
	b := tx.bolt.Bucket(hookStatesBucket)
	if b == nil {
		return HookState{}, nil
	}
	s, err := get[HookState](b, id[:])
	if s == nil {
		s = &HookState{}
	}
	return *s, err
}

func (tx *Tx) putHookState(id ID, s HookState) error {
	b, err := tx.bolt.CreateBucketIfNotExists(hookStatesBucket)
	if err != nil {
		return err
	}
	return put(b, id[:], s)
}

// deliveriesWaiting returns the number of waiting deliveries of all hooks.
func (tx *Tx) deliveriesWaiting() (n int, err error) {
	b := tx.bolt.Bucket(hookStatesBucket)
	if b == nil {
		return 0, nil
	}
	err = b.ForEach(func(key, raw []byte) error {
		s, err := decode[HookState](key, raw)
		if err == nil {
			n += s.Waiting
		}
		return err
	})
	return n, err
}

// loadHooks reads all hooks into memory.
func (s *Store) loadHooks(tx *Tx) error {
	all := map[ProjectID][]*Hook{}
	if b := tx.bolt.Bucket(hooksBucket); b != nil {
		err := b.ForEach(func(key, raw []byte) error {
			h, err := decodeHook(key, raw)
			if err == nil {
				all[h.Project] = append(all[h.Project], h)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	s.hooks.Store(&all)
	return nil
}

// EnabledHooks returns all enabled hooks. The caller must not change them.
func (s *Store) EnabledHooks() (list []*Hook) {
	for _, hooks := range *s.hooks.Load() {
		for _, h := range hooks {
			if h.Enabled {
				list = append(list, h)
			}
		}
	}
	return list
}

// HooksChanged returns a channel that is closed at the next commit that changes hooks or queues a
// delivery.
func (s *Store) HooksChanged() <-chan struct{} {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.hooksWork == nil {
		s.hooksWork = make(chan struct{})
	}
	return s.hooksWork
}

// announceHooks wakes the readers of HooksChanged.
func (s *Store) announceHooks() {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.hooksWork != nil {
		close(s.hooksWork)
		s.hooksWork = nil
	}
}

// selecting returns the enabled hooks of the project p and of the instance that select an event. If
// p is 0, it returns only hooks of the instance. A write transaction may use the hooks in memory
// unless it has changed hooks, because no other write transaction runs at the same time.
func (tx *Tx) selecting(p ProjectID, event string) (list []*Hook, err error) {
	owners := []ProjectID{p, 0}
	if p == 0 {
		owners = owners[:1]
	}
	for _, owner := range owners {
		hooks := (*tx.store.hooks.Load())[owner]
		if tx.hooksChanged {
			if hooks, err = tx.Hooks(owner); err != nil {
				return nil, err
			}
		}
		for _, h := range hooks {
			if h.Enabled && notify.Selected(h.Events, event) {
				list = append(list, h)
			}
		}
	}
	return list, nil
}

// hooks checks the hooks, and their states and deliveries.
func (c *checker) hooks() error {
	b := c.bucket(hooksBucket)
	if b == nil {
		return nil
	}
	known := map[ID]bool{}
	err := c.each(b, func(key, raw []byte) error {
		h, err := decodeHook(key, raw)
		if err == nil && h.Project != 0 && c.projects[h.Project] == nil && !c.unread[h.Project] {
			err = fmt.Errorf("there is no project number %d", h.Project)
		}
		if err == nil && !slices.Contains(notify.Kinds, h.Kind) {
			err = fmt.Errorf("kind %q is not known", h.Kind)
		}
		if err != nil {
			c.report.Add(integrity.Record, integrity.Path(hooksBucket)+"/"+integrity.Key(key), "%v", err)
			return nil
		}
		c.use(h.ID)
		known[h.ID] = true
		return nil
	})
	return errors.Join(err, c.outboxes(known))
}
