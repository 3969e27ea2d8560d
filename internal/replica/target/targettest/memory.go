// Package targettest contains a target in memory for tests, which can fail as the tests want, and the
// tests that every target must pass.
//
//	memory.go  Memory, a target for tests of other packages
//	suite.go   the tests of targets
package targettest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"svc/internal/replica/target"
)

// Memory is a strongly consistent target. Views of it, see View, share its objects.
type Memory struct {
	mu      sync.Mutex
	objects map[string][]byte
}

// NewMemory returns an empty target.
func NewMemory() *Memory { return &Memory{objects: map[string][]byte{}} }

// Call is a request to a target.
type Call struct {
	Operation string // Create, Replace, Open, List, Delete
	Name      string // of the object or folder
}

// View is the target as one client sees it.
type View struct {
	of *Memory
	// Before is called before a request has an effect, and After afterwards. If one of them returns an
	// error, the request returns it. They can block, which delays the request. nil does nothing.
	Before, After func(ctx context.Context, c Call) error
	// Overwrites makes Create replace an object that exists.
	Overwrites bool
}

// View returns the target for one client. Its fields must be set before it is used.
func (m *Memory) View() *View { return &View{of: m} }

// Objects returns a copy of all objects by name.
func (m *Memory) Objects() map[string][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.objects)
}

// Set replaces an object, or deletes it if content is nil.
func (m *Memory) Set(name string, content []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if content == nil {
		delete(m.objects, name)
	} else {
		m.objects[name] = bytes.Clone(content)
	}
}

// do runs a request between Before and After.
func (v *View) do(ctx context.Context, c Call, request func() error) error {
	check := target.CheckName
	if c.Operation == "List" {
		check = target.CheckFolder
	}
	for _, step := range []func() error{
		ctx.Err,
		func() error { return check(c.Name) },
		func() error { return hook(ctx, v.Before, c) },
		func() error {
			v.of.mu.Lock()
			defer v.of.mu.Unlock()
			return request()
		},
		func() error { return hook(ctx, v.After, c) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func hook(ctx context.Context, fn func(context.Context, Call) error, c Call) error {
	if fn == nil {
		return nil
	}
	return fn(ctx, c)
}

// Create implements target.Target.
func (v *View) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	b := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(content, 0, size), b); err != nil {
		return err
	}
	return v.do(ctx, Call{"Create", name}, func() error {
		if _, exists := v.of.objects[name]; exists && !v.Overwrites {
			return fmt.Errorf("%s: %w", name, target.ErrExists)
		}
		v.of.objects[name] = b
		return nil
	})
}

// Replace implements target.Target.
func (v *View) Replace(ctx context.Context, name string, content []byte) error {
	return v.do(ctx, Call{"Replace", name}, func() error {
		v.of.objects[name] = bytes.Clone(content)
		return nil
	})
}

// Open implements target.Target.
func (v *View) Open(ctx context.Context, name string) (content io.ReadCloser, size int64, err error) {
	err = v.do(ctx, Call{"Open", name}, func() error {
		b, exists := v.of.objects[name]
		if !exists {
			return fmt.Errorf("%s: %w", name, target.ErrMissing)
		}
		content, size = io.NopCloser(bytes.NewReader(b)), int64(len(b))
		return nil
	})
	return content, size, err
}

// List implements target.Target.
func (v *View) List(ctx context.Context, folder string, visit func(target.Object) error) error {
	var found []target.Object
	err := v.do(ctx, Call{"List", folder}, func() error {
		for _, name := range slices.Sorted(maps.Keys(v.of.objects)) {
			if folder == "" || strings.HasPrefix(name, folder+"/") {
				found = append(found, target.Object{Name: name, Size: int64(len(v.of.objects[name]))})
			}
		}
		return nil
	})
	for _, o := range found {
		if err == nil {
			err = visit(o)
		}
	}
	return err
}

// Delete implements target.Target.
func (v *View) Delete(ctx context.Context, name string) error {
	return v.do(ctx, Call{"Delete", name}, func() error {
		delete(v.of.objects, name)
		return nil
	})
}
