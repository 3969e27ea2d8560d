package upload_test

import (
	"errors"
	"fmt"
	"testing"

	"svc/internal/disk"
	"svc/internal/fault"
	"svc/internal/files/upload"
)

// TestOpenSessions checks limits.md 4: a credential may have at most 8 open sessions and a project
// at most 32.
func TestOpenSessions(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), newClock()
	s := open(t, dir, clock.now)
	begin := func(project uint32, credential string) (*upload.Session, error) {
		return s.Create(upload.Request{Project: project, Filename: "setup.zip", Size: 1 << 20, Backend: "local", Credential: credential, CredentialName: "name of " + credential})
	}
	refused := func(what string, project uint32, credential string) {
		t.Helper()
		_, err := begin(project, credential)
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.TooMany || f.RetryAfter <= 0 || f.RetryAfter > upload.Life {
			t.Errorf("%s: got %v, want TooMany until the first one expires", what, err)
		}
	}
	accepted := func(what string, project uint32, credential string) *upload.Session {
		t.Helper()
		u, err := begin(project, credential)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return u
	}
	var own []*upload.Session
	for i := range upload.MaxPerCredential {
		own = append(own, accepted("up to the limit", uint32(1+i%2), "a")) // divided between two projects
	}
	refused("one more", 1, "a")
	refused("one more in a third project", 3, "a")
	s = open(t, dir, clock.now)
	refused("after a restart", 1, "a")
	if err := s.Abort(1, own[0].ID); err != nil {
		t.Fatal(err)
	}
	accepted("after one was given up", 1, "a")
	refused("again one more", 1, "a")
	if n := len(s.ListOpen(1)); n != 4 {
		t.Fatalf("got %d open sessions, want 4", n)
	}
	for i := range upload.MaxPerProject - 4 {
		accepted("another credential", 1, fmt.Sprint(i))
	}
	refused("the project is full", 1, "b")
	accepted("but not another project", 2, "b")
	for _, u := range s.ListOpen(1)[1:] {
		if u.CredentialName != "name of "+u.Credential || !u.Created().Equal(clock.now()) || u.ReceivedBytes() != 0 {
			t.Errorf("got %+v", u)
		}
	}
	clock.add(upload.Life)
	accepted("expired ones do not count", 1, "a")
	if list := s.ListOpen(1); len(list) != 1 || list[0].Credential != "a" {
		t.Errorf("got %d sessions, want the last one", len(list))
	}
}

// TestCompletedSessionsDoNotCount checks that a completed session can still be found but does not
// count as open.
func TestCompletedSessionsDoNotCount(t *testing.T) {
	t.Parallel()
	s, to := open(t, t.TempDir(), newClock().now), newStorage(t)
	for range upload.MaxPerCredential + 1 {
		u := create(t, s, chunkSize)
		send(t, s, u, 0, content(1, chunkSize))
		if got := s.ListOpen(project); len(got) != 1 || got[0].ID != u.ID || got[0].ReceivedBytes() != chunkSize {
			t.Fatalf("got %+v, want the session with its bytes", got)
		}
		if _, err := s.Complete(project, u.ID, to.register); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.ListOpen(project); len(got) > 0 {
		t.Errorf("got %d open sessions", len(got))
	}
}

// TestExpiredSessionsNeedNoRoom checks limits.md 4.2: only the bytes that have arrived count for an
// expired session, even before the session is removed.
func TestExpiredSessionsNeedNoRoom(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), newClock()
	s := open(t, dir, clock.now)
	s.SetChunkSize(1 << 30)
	s.SetReserve(0)
	free, err := disk.Free(dir)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(free) / 5 * 2 // two uploads of this size exceed half of the space
	create(t, s, size)
	if err := s.Room(project, size, 0); !fault.Is(err, fault.NoSpace) {
		t.Errorf("beside an open session: got %v, want NoSpace", err)
	}
	clock.add(upload.Life)
	if err := s.Room(project, size, 0); err != nil {
		t.Errorf("beside an expired one: %v", err)
	}
}
