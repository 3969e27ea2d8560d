package svcsdk

import (
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
)

// rolloutSuffix is the suffix of the key under which the rollout key is stored.
const rolloutSuffix = "rollout_key"

// rolloutKeys holds the rollout keys that were generated or read from the device, by namespace.
type rolloutKeys struct {
	mu    sync.Mutex
	known map[string]rolloutKey
}

type rolloutKey struct {
	text   string
	stored bool // whether text is the key that is stored on the device
}

// rolloutKey returns the key with which the app takes part in rollouts of the bound project: a
// random number from 0 to 9999. It is stored beside the identifier of events, but an opt-out does
// not remove it, because it does not identify a user. While a required consent is missing, it stays
// in memory.
func (c *collector) rolloutKey() string {
	ns := c.namespaceOf(c.client.ProjectKey())
	c.rollouts.mu.Lock()
	defer c.rollouts.mu.Unlock()
	key, known := c.rollouts.known[ns]
	if !known {
		key.text = strconv.Itoa(rand.IntN(10000))
	}
	if !key.stored && c.opts.Persistence == PersistDevice && c.consented() {
		name := "svc.analytics." + ns + "." + rolloutSuffix
		key = rolloutKey{c.storedRolloutKey(newBacking(&c.opts, ns, "", name), name, key.text), true}
	}
	if c.rollouts.known == nil {
		c.rollouts.known = map[string]rolloutKey{}
	}
	c.rollouts.known[ns] = key
	return key.text
}

// storedRolloutKey returns the stored key. If there is none, it stores and returns the given one.
func (c *collector) storedRolloutKey(b backing, name, key string) string {
	if b == nil {
		return key
	}
	merging.Lock()
	defer merging.Unlock()
	old := b.load()
	if validRolloutKey(old[name]) {
		return old[name]
	}
	next := maps.Clone(old)
	if next == nil {
		next = map[string]string{}
	}
	next[name] = key
	if err := b.store(old, next); err != nil {
		c.client.logger.Debug("local state cannot be kept", "error", err)
	}
	return key
}

// validRolloutKey reports whether a text is a number from 0 to 9999.
func validRolloutKey(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n < 10000 && len(text) <= 4
}
