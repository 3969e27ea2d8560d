package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/api/web"
	"svc/internal/replica"
)

// replicaDouble is the replication of a server in a test.
type replicaDouble struct {
	status   atomic.Pointer[replica.Status]
	failure  error // of Snapshot and Promote
	promoted bool  // with oldPrimaryIsDown
}

func newReplica() *replicaDouble {
	d := &replicaDouble{}
	d.set(replica.Status{Role: replica.RolePrimary, Target: "file:///copy", Mode: "async", Epoch: 3, Position: 812, Shipped: 800,
		LagSeconds: 2.5, LagBytes: 4096, CreateOnly: true, LastSnapshot: 1_795_000_000, SnapshotAge: 2.5})
	return d
}

func (d *replicaDouble) set(s replica.Status) { d.status.Store(&s) }

// follow makes the server a standby that is the given time behind.
func (d *replicaDouble) follow(behind time.Duration) {
	d.set(replica.Status{Role: replica.RoleStandby, Target: "file:///copy", Epoch: 3, Position: 800, LagSeconds: behind.Seconds()})
}

func (d *replicaDouble) option() apitest.Option {
	return apitest.WithConfig(func(c *api.Config) {
		c.Replication = &web.Replication{
			Status: func() replica.Status { return *d.status.Load() },
			Standby: func() (time.Duration, bool) {
				s := d.status.Load()
				return time.Duration(s.LagSeconds * float64(time.Second)), s.Role == replica.RoleStandby
			},
			Counters: func() (requests, failures map[string]uint64, bytes uint64) {
				return map[string]uint64{"create": 7, "open": 2}, map[string]uint64{"create": 1}, 1000
			},
			ClockOffset: func() (time.Duration, bool) { return 90 * time.Second, true },
			Snapshot:    func(context.Context) error { return d.failure },
			Promote: func(_ context.Context, oldPrimaryIsDown bool) (p replica.Promotion, err error) {
				if d.failure != nil {
					return p, d.failure
				}
				d.promoted = oldPrimaryIsDown
				d.set(replica.Status{Role: replica.RolePrimary, Epoch: 4})
				return replica.Promotion{Epoch: 4, Position: 800, Time: time.Unix(1_795_000_000, 0).UTC()}, nil
			},
		}
	})
}

// TestReadyPrimary checks which servers with replication receive which requests from a load balancer.
func TestReadyPrimary(t *testing.T) {
	t.Parallel()
	d := newReplica()
	s := apitest.NewServer(t, d.option())
	expect := func(when, path string, want int, message string) {
		t.Helper()
		status, body, _ := s.Send(t, "GET", path, nil, "")
		if status != want || !strings.Contains(body, `{"name":"primary","ok":`) || !strings.Contains(body, message) {
			t.Errorf("%s, %s: got %d %s, want %d", when, path, status, body, want)
		}
	}
	expect("primary", "/readyz", 200, "")
	d.set(replica.Status{Role: replica.RolePrimary, FailingSince: 1, Failure: "no answer", LagSeconds: 1000})
	expect("target down", "/readyz", 200, "")
	d.set(replica.Status{Role: replica.RolePrimary, Fenced: true})
	expect("fenced", "/readyz", 503, "another server has become the primary")
	expect("fenced", "/readyz?reads=1", 503, "another server has become the primary")
	d.follow(time.Minute)
	expect("standby", "/readyz", 503, "this server is a standby")
	expect("standby", "/readyz?reads=1", 200, "")
	d.follow(61 * time.Second)
	expect("late standby", "/readyz?reads=1", 503, "for 61 seconds")

	plain := apitest.NewServer(t)
	if status, body, _ := plain.Send(t, "GET", "/readyz?reads=1", nil, ""); status != 200 || strings.Contains(body, "primary") {
		t.Errorf("without replication: got %d %s", status, body)
	}
}

func TestReplicationMetrics(t *testing.T) {
	t.Parallel()
	d := newReplica()
	s := apitest.NewServer(t, d.option())
	compare := func(role string, want map[string]string) {
		t.Helper()
		got := metrics(t, s)
		for name, value := range want {
			if got[name] != value {
				t.Errorf("%s: %s is %q, want %q", role, name, got[name], value)
			}
		}
	}
	compare("primary", map[string]string{
		"svc_replication_lag_seconds": "2.5", "svc_replication_lag_bytes": "4096",
		"svc_replication_position": "812", "svc_replication_epoch": "3",
		`svc_replication_requests_total{operation="create"}`: "7", `svc_replication_requests_total{operation="open"}`: "2",
		`svc_replication_failures_total{operation="create"}`: "1", "svc_replication_bytes_total": "1000",
		"svc_replication_snapshot_timestamp_seconds": "1.795e+09", "svc_replication_snapshot_age_intervals": "2.5", "svc_replication_fenced": "0", "svc_replication_failing": "0",
		"svc_standby_lag_seconds": "", `svc_ready{check="primary"}`: "1",
	})
	d.set(replica.Status{Role: replica.RolePrimary, Fenced: true, FailingSince: 5})
	compare("fenced", map[string]string{
		"svc_replication_fenced": "1", "svc_replication_failing": "1", `svc_ready{check="primary"}`: "0",
	})
	d.follow(1500 * time.Millisecond)
	compare("standby", map[string]string{
		"svc_standby_lag_seconds": "1.5", "svc_replication_position": "800", "svc_replication_lag_seconds": "", "svc_replication_fenced": "",
	})
	for name := range metrics(t, apitest.NewServer(t)) {
		if strings.HasPrefix(name, "svc_replication_") || strings.HasPrefix(name, "svc_standby_") {
			t.Errorf("without replication: there is %s", name)
		}
	}
}

// TestReplicationCommands checks what svc replicate, svc promote and svc status ask a server.
func TestReplicationCommands(t *testing.T) {
	t.Parallel()
	d := newReplica()
	s := apitest.NewServer(t, d.option())
	expect := func(want int, method, path, body, text string) {
		t.Helper()
		if status, answer := s.Owner(t, method, "/control/"+path, body); status != want || !strings.Contains(answer, text) {
			t.Errorf("%s %s %s: got %d %s, want %d %s", method, path, body, status, answer, want, text)
		}
	}
	expect(200, "GET", "replication", "", `{"role":"primary","target":"file:///copy","mode":"async","epoch":3,"position":812,"shipped":800,`)
	expect(200, "GET", "status", "", `"replication":{"role":"primary"`)
	expect(200, "POST", "replication/snapshot", "", `"role":"primary"`)
	expect(409, "POST", "replication/promote", "{}", "not a standby")
	d.failure = errors.New("disk quota exceeded")
	expect(409, "POST", "replication/snapshot", "", "snapshot not made: disk quota exceeded")
	d.follow(time.Second)
	expect(200, "GET", "replication", "", `"role":"standby"`)
	expect(409, "POST", "replication/snapshot", "", "only its primary")
	expect(409, "POST", "replication/promote", "{}", "not promoted: disk quota exceeded")
	d.failure = nil
	expect(400, "POST", "replication/promote", `{"old_primary_is_down":1}`, "old_primary_is_down must be true or false")
	expect(200, "POST", "replication/promote", `{"old_primary_is_down":true}`, `{"epoch":4,"position":800,"time":"2026-11-18T`)
	if !d.promoted {
		t.Error("old_primary_is_down was not passed on")
	}

	s = apitest.NewServer(t)
	expect(409, "GET", "replication", "", "no replication")
	expect(409, "POST", "replication/snapshot", "", "no replication")
	expect(409, "POST", "replication/promote", "{}", "not a standby")
	expect(200, "GET", "status", "", `"replication":null`)
}

// TestReplicationForDoctor checks the facts from which svc doctor examines the replication.
func TestReplicationForDoctor(t *testing.T) {
	t.Parallel()
	d := newReplica()
	s := apitest.NewServer(t, d.option())
	want := func(text string) {
		t.Helper()
		if status, answer := s.Owner(t, "GET", "/control/doctor", ""); status != 200 || !strings.Contains(answer, text) {
			t.Errorf("got %d %s, want %s", status, answer, text)
		}
	}
	want(`"replication":{"primary":true,"contacted":true,"failing_since":0,"failure":"","lag_seconds":2.5,"fenced":false,` +
		`"create_only":true,"clock_ahead_seconds":90}`)
	d.follow(time.Second)
	want(`"replication":{"primary":false,`)
}

// TestReplicationOfInstance checks the replication in the state of the instance.
func TestReplicationOfInstance(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, newReplica().option())
	var v struct{ Replication *replica.Status }
	if err := json.Unmarshal([]byte(s.Must(t, 200, "GET", "/admin/status", "")), &v); err != nil {
		t.Fatal(err)
	}
	if v.Replication == nil || v.Replication.Position != 812 || v.Replication.Mode != "async" {
		t.Errorf("got %+v", v.Replication)
	}
	if answer := apitest.NewServer(t).Must(t, 200, "GET", "/admin/status", ""); !strings.Contains(answer, `"replication":null`) {
		t.Errorf("without replication: got %s", answer)
	}
}
