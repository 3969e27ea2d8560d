package svcsdk

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// collector has a queue of events for each project that the client has been bound to.
type collector struct {
	client  *Client
	opts    AnalyticsOptions
	granted atomic.Bool

	rollouts rolloutKeys

	mu       sync.Mutex // guards the fields below; never held during I/O
	closed   bool
	queues   map[string]*queue // one queue per project, by namespace and project
	bound    *queue            // queue of the bound project; nil until first used
	badName  map[string]bool   // invalid event names that were already logged
	partings sync.WaitGroup    // running last sends of queues whose project is no longer bound
}

func newCollector(c *Client) *collector {
	return &collector{client: c, opts: c.config.analytics, queues: map[string]*queue{}, badName: map[string]bool{}}
}

// queue returns the queue of the bound project. It returns nil if no project is bound or the client
// is closed.
func (c *collector) queue() *queue {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	if c.bound == nil {
		project := c.client.ProjectKey()
		if project == "" {
			return nil
		}
		ns := c.namespaceOf(project)
		key := ns + "\n" + lowerASCII(project)
		if c.queues[key] == nil {
			c.queues[key] = newQueue(c, ns, project)
		}
		c.bound = c.queues[key]
		c.bound.attach()
	}
	return c.bound
}

// namespaceOf returns the namespace of the local state of a project.
func (c *collector) namespaceOf(project string) string {
	if c.opts.Namespace != "" {
		return c.opts.Namespace
	}
	return namespace(c.client.base, project)
}

// rebind releases the queue of the previous project. It is called after the client was bound to
// another project.
func (c *collector) rebind() {
	c.mu.Lock()
	old := c.bound
	if old != nil && sameProject(old.project, c.client.ProjectKey()) {
		old = nil
	} else {
		c.bound = nil
	}
	c.mu.Unlock()
	if old == nil {
		return
	}
	old.halt()
	if c.opts.Persistence != PersistDevice {
		c.partings.Go(old.sendOnce)
	}
}

// active reports whether the options and the consent permit collection. It does not consider an
// opt-out, which only the queue knows.
func (c *collector) active() bool {
	return !c.opts.Disabled && c.consented()
}

// mostProperties is the maximum size of an event's properties, in bytes of JSON.
const mostProperties = 16 << 10

func (c *collector) track(name string, properties map[string]any) {
	if !c.active() {
		return
	}
	q := c.queue()
	if q == nil {
		return
	}
	normal, ok := eventName(name)
	if !ok {
		c.refuse(name)
		return
	}
	encoded, err := encodeProperties(withAppVersion(properties, c.client.settings.Load().appVersion))
	if err != nil {
		c.drop(normal, "properties cannot be encoded")
		return
	}
	if len(encoded) > mostProperties {
		c.drop(normal, fmt.Sprintf("properties have more than %d KiB", mostProperties>>10))
		return
	}
	q.track(normal, encoded)
}

// refuse drops an event with an invalid name. It logs each name only once.
func (c *collector) refuse(name string) {
	const most = 100
	c.mu.Lock()
	known := c.badName[name] || len(c.badName) >= most
	if !known {
		c.badName[name] = true
	}
	c.mu.Unlock()
	const reason = "name is not valid"
	if !known {
		c.client.logger.Debug("event dropped", "reason", reason)
	}
	c.tellDrop(name, reason)
}

// drop logs a dropped event and calls the OnDrop hook. The caller must not hold a lock.
func (c *collector) drop(name, reason string) {
	c.client.logger.Debug("event dropped", "name", name, "reason", reason)
	c.tellDrop(name, reason)
}

func (c *collector) tellDrop(name, reason string) {
	if c.opts.OnDrop == nil {
		return
	}
	// A panic in the app's hook must not end the app.
	defer func() {
		if r := recover(); r != nil {
			c.client.logger.Debug("the drop hook panicked")
		}
	}()
	c.opts.OnDrop(name, reason)
}

func (c *collector) flush(ctx context.Context) FlushResult {
	q := c.queue()
	if q == nil || !c.active() {
		return FlushResult{}
	}
	return q.flush(ctx)
}

func (c *collector) optOut() {
	if q := c.queue(); q != nil {
		q.optOut()
	}
}

func (c *collector) optIn() {
	if q := c.queue(); q != nil {
		q.optIn()
	}
}

func (c *collector) hasOptedOut() bool {
	q := c.queue()
	return q != nil && q.hasOptedOut()
}

// consented reports whether the user has consented or no consent is required.
func (c *collector) consented() bool { return !c.opts.RequireConsent || c.granted.Load() }

func (c *collector) grantConsent() { c.granted.Store(true) }

func (c *collector) revokeConsent() {
	if !c.opts.RequireConsent {
		c.optOut()
		return
	}
	c.granted.Store(false)
	if q := c.queue(); q != nil {
		q.ready()
	}
	c.mu.Lock()
	queues := slices.Collect(maps.Values(c.queues))
	c.mu.Unlock()
	for _, q := range queues {
		q.forget()
	}
}

func (c *collector) resetIdentity() {
	if q := c.queue(); q != nil {
		q.resetIdentity()
	}
}

func (c *collector) distinctID() string {
	if q := c.queue(); q != nil && c.active() {
		return q.identifier(true)
	}
	return ""
}

// currentID returns the current identifier of the user. It returns "" if none exists or collection
// is off.
func (c *collector) currentID() string {
	if q := c.queue(); q != nil && c.active() {
		return q.identifier(false)
	}
	return ""
}

func (c *collector) erase(ctx context.Context, id string) {
	if q := c.queue(); q != nil {
		q.erase(ctx, id)
	}
}

// close sends the waiting events until ctx ends, and saves the state. Afterwards, Track does
// nothing.
func (c *collector) close(ctx context.Context) {
	c.mu.Lock()
	c.closed = true
	bound := c.bound
	queues := slices.Collect(maps.Values(c.queues))
	c.mu.Unlock()
	if bound != nil && bound.used() && c.active() {
		bound.flush(ctx)
	}
	parted := make(chan struct{})
	go func() {
		c.partings.Wait()
		close(parted)
	}()
	select {
	case <-parted:
	case <-ctx.Done():
	}
	for _, q := range queues {
		q.end()
	}
	<-parted
}

// eventName returns the normalized form of an event's name, and reports whether the name is valid.
func eventName(name string) (string, bool) {
	const most = 64
	name = strings.TrimSpace(name)
	if name == "" || len(name) > most {
		return "", false
	}
	lower := []byte(name)
	for i, c := range lower {
		switch {
		case 'A' <= c && c <= 'Z':
			lower[i] = c + 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_', c == '.', c == ':', c == '-':
		default:
			return "", false
		}
	}
	return string(lower), true
}

// withAppVersion returns the properties with the property app_version added, unless they already
// have it or version is "".
func withAppVersion(properties map[string]any, version string) map[string]any {
	const name = "app_version"
	if _, given := properties[name]; given || version == "" {
		return properties
	}
	all := make(map[string]any, len(properties)+1)
	maps.Copy(all, properties)
	all[name] = version
	return all
}

// encodeProperties encodes the properties of an event. It returns nil if there are none. Values
// that JSON cannot express are encoded as text, and numbers such as NaN as null.
func encodeProperties(properties map[string]any) (encoded []byte, err error) {
	if len(properties) == 0 {
		return nil, nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("encoding panicked: %v", r)
		}
	}()
	if encoded, err = encodeJSON(properties); err == nil {
		return encoded, nil
	}
	return encodeJSON(expressible(reflect.ValueOf(properties), 0))
}

// expressible converts v to a value that JSON can encode, as faithfully as possible.
func expressible(v reflect.Value, depth int) any {
	const deepest = 32
	if !v.IsValid() || depth > deepest {
		return nil
	}
	if v.CanInterface() {
		if encoded, err := encodeJSON(v.Interface()); err == nil {
			return json.RawMessage(encoded)
		}
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil
		}
	case reflect.Interface, reflect.Pointer:
		return expressible(v.Elem(), depth+1)
	case reflect.Map:
		object := make(map[string]any, v.Len())
		for key, value := range v.Seq2() {
			object[fmt.Sprint(key)] = expressible(value, depth+1)
		}
		return object
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = expressible(v.Index(i), depth+1)
		}
		return list
	}
	return fmt.Sprint(v)
}
