package replica

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"svc/internal/durable"
	"svc/internal/fault"
	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

// Contents are the contents of the local files of a server.
type Contents struct {
	// List returns the SHA-256, in hexadecimal, of each content that files refer to.
	List func() ([]string, error)
	// Open opens a content. The error is os.ErrNotExist if no file refers to the content.
	Open func(sha256 string) (*os.File, error)
}

const (
	// contentsEvery is the shortest interval at which the local files are listed.
	contentsEvery = 10 * time.Second
	// contentsShare limits the part of the time that is spent on listing them to 1/contentsShare.
	contentsShare = 50
)

// copier copies the contents of local files.
type copier struct {
	p *Primary
	// stored has the contents at the target; nil before they have been listed.
	stored map[string]bool
	// since says since when a content at the target is not referred to, in Unix seconds.
	since map[string]int64
}

// startContents starts to copy the contents of local files.
func (p *Primary) startContents(ctx context.Context) {
	if p.config.Contents == nil {
		return
	}
	p.work.Go(func() {
		c := &copier{p: p}
		failed := false
		for {
			begun := time.Now()
			err := fault.Catch(func() error { return c.round(ctx) })
			if ctx.Err() != nil || p.isFenced() {
				return
			}
			if err != nil && !failed {
				p.log.Warn("not all contents of local files were copied to the replica; it is tried again", "error", err)
			}
			failed = err != nil
			timer := time.NewTimer(max(contentsEvery, contentsShare*time.Since(begun)))
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return
			case <-p.done:
				timer.Stop()
				return
			}
		}
	})
}

// round stores the contents that are not at the target, and deletes those that no file has referred to for as long as
// a restore can go back.
func (c *copier) round(ctx context.Context) error {
	if c.stored == nil {
		if err := c.load(ctx); err != nil {
			return err
		}
	}
	list, err := c.p.config.Contents.List()
	if err != nil {
		return err
	}
	local := make(map[string]bool, len(list))
	var unreadable error // of the first content that is damaged here; the others are copied all the same
	for _, sum := range list {
		local[sum] = true
		if c.stored[sum] {
			continue
		}
		if err := c.store(ctx, sum); errors.Is(err, errUnreadable) && ctx.Err() == nil {
			unreadable = cmp.Or(unreadable, err)
		} else if err != nil {
			return err
		}
	}
	return errors.Join(unreadable, c.clean(ctx, local))
}

// load finds out which contents are at the target.
func (c *copier) load(ctx context.Context) error {
	stored := map[string]bool{}
	err := c.p.target.List(ctx, format.Contents, func(o target.Object) error {
		if sum, found := strings.CutPrefix(o.Name, format.Contents+"/"); found && len(sum) == 64 {
			stored[sum] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	b, err := os.ReadFile(c.path())
	if err == nil {
		err = json.Unmarshal(b, &c.since)
	}
	if err != nil {
		c.since = map[string]int64{} // the time begins again
	}
	c.stored = stored
	return nil
}

func (c *copier) path() string { return filepath.Join(c.p.config.Dir, unreferencedFile) }

// errUnreadable is wrapped by the errors of contents that cannot be read, or that are not what their names say.
var errUnreadable = errors.New("the content of a local file is damaged")

// store stores a content. It may exist, because its name is its checksum. Because an object is never replaced, store checks
// the content before.
func (c *copier) store(ctx context.Context, sum string) error {
	f, err := c.p.config.Contents.Open(sum)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { _ = f.Close() })() // ends the reading
	h := sha256.New()
	size, err := io.Copy(h, f)
	if err != nil {
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	if hex.EncodeToString(h.Sum(nil)) != sum {
		return fmt.Errorf("%w: %s has another checksum", errUnreadable, sum)
	}
	if err := c.p.target.Create(ctx, format.ContentName(sum), f, size); err != nil && !errors.Is(err, target.ErrExists) {
		return err
	}
	c.stored[sum] = true
	return nil
}

// clean deletes contents that have not been referred to for a while.
func (c *copier) clean(ctx context.Context, local map[string]bool) error {
	now, retain := time.Now().Unix(), int64(c.p.settings().Retain.Seconds())
	before := maps.Clone(c.since)
	var unused []string
	for sum := range c.stored {
		switch since, noted := c.since[sum]; {
		case local[sum]:
			delete(c.since, sum)
		case !noted:
			c.since[sum] = now
		case now-since > retain:
			unused = append(unused, sum)
		}
	}
	if len(unused) > 0 {
		if err := c.p.checkEpoch(ctx); err != nil { // the files of a newer primary are not known here
			return err
		}
	}
	slices.Sort(unused)
	for _, sum := range unused {
		if err := c.p.target.Delete(ctx, format.ContentName(sum)); err != nil {
			return err
		}
		delete(c.stored, sum)
		delete(c.since, sum)
	}
	if maps.Equal(before, c.since) {
		return nil
	}
	b, err := json.Marshal(c.since)
	if err != nil {
		return err
	}
	return durable.WriteFile(c.path(), b, 0o600)
}
