package doctor

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// verificationJob is the name of the scheduled job that verifies the replica.
const verificationJob = "replica-verification"

// lagAllowed is how old a change may be that is not at the target.
const lagAllowed = time.Minute

// checkReplication checks the replica: whether it is kept up to date, whether it can be used, and
// whether what destroys or reveals the data leaves the replica alone.
func checkReplication(p *Installation) []Finding {
	var findings []Finding
	if p.Facts != nil && p.Facts.Replication != nil {
		findings = p.Facts.Replication.findings()
		for _, job := range p.Facts.FailedJobs {
			if job.Name == verificationJob {
				findings = append(findings, problem("replica_damaged", messagef("the last verification of the replica failed: %s", job.Error),
					messagef("make a new snapshot: svc replicate snapshot; once the cause is fixed: svc job run %s", job.Name)))
			}
		}
	}
	return append(findings, replicaPlace(p)...)
}

// findings reports what a running server knows about its replica.
func (r *Replication) findings() (findings []Finding) {
	add := func(f Finding) { findings = append(findings, f) }
	if r.Fenced {
		return []Finding{problem("replica_fenced", messagef("another server has become the primary, so this one accepts no writes"),
			messagef("send the clients there; svc replicate status shows what only this one has"))}
	}
	lag := time.Duration(r.LagSeconds * float64(time.Second))
	switch {
	case r.FailingSince > 0:
		add(problem("replica_unreachable", messagef("the target of the replication has failed since %s: %s",
			moment(time.Unix(r.FailingSince, 0)), r.Failure), messagef("fix that; the server tries again by itself")))
	case lag > lagAllowed && !r.Primary:
		add(warning("standby_behind", messagef("this standby has not heard from its primary for %d seconds", int(lag.Seconds())),
			messagef("look at the primary; if it is gone: svc promote")))
	case lag > lagAllowed:
		add(warning("replica_behind", messagef("changes are not at the target of the replication for %d seconds", int(lag.Seconds())),
			messagef("its network or its disk is too slow; svc replicate status shows the size of what waits")))
	}
	if r.Primary && r.Contacted && !r.CreateOnly {
		add(warning("replica_replaces", messagef("the target replaces objects that exist, so it cannot stop an old primary"),
			messagef("use a storage that supports If-None-Match: *, or stop the old primary before each svc promote")))
	}
	if ahead := time.Duration(r.ClockAhead * float64(time.Second)); ahead.Abs() > slack {
		add(warning("replica_clock", messagef("the clock of the target differs by %d seconds", int(ahead.Abs().Seconds())),
			messagef("synchronize both clocks with NTP; a restore to a point in time uses the clock of this machine")))
	}
	return findings
}

// replicaPlace checks the place of the target and whether other people can read it. It does not apply to
// standbys, because their primary chooses the target.
func replicaPlace(p *Installation) (findings []Finding) {
	to := p.Settings.ReplicateTo
	dir, local := strings.CutPrefix(to, "file://")
	switch {
	case to == "", p.Facts != nil && p.Facts.Replication != nil && !p.Facts.Replication.Primary:
		return nil
	case local && onSameDisk(p.Settings.Data, dir):
		findings = append(findings, warning("replica_same_disk",
			messagef("the replica is on the same disk as the data and would be lost with it: %s", dir),
			messagef("set replicate.to to a place on another machine, or at least on another disk")))
	case !local && !strings.HasPrefix(to, "svc://") && len(p.Settings.ReplicateRecipient) == 0:
		findings = append(findings, warning("replica_not_encrypted",
			messagef("the replica contains all secrets, and its target can read them"),
			messagef("set replicate.recipient to the age key of a recipient; age-keygen makes one")))
	}
	if len(p.Settings.ReplicateRecipient) > 0 {
		if name := ageIdentity(p.Settings.Data); name != "" {
			findings = append(findings, warning("replica_identity",
				messagef("an identity that decrypts is beside the data and would be lost with it: %s", name),
				messagef("move it to another machine: without it an encrypted replica cannot be read")))
		}
	}
	return findings
}

// ageIdentity returns the name of a file in dir that contains an age identity, or "". Files that
// cannot be read are skipped.
func ageIdentity(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() && startsWithIdentity(filepath.Join(dir, entry.Name())) {
			return entry.Name()
		}
	}
	return ""
}

// startsWithIdentity reports whether the beginning of a file contains an age identity.
func startsWithIdentity(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	beginning, err := io.ReadAll(io.LimitReader(f, 4<<10))
	return err == nil && bytes.Contains(beginning, []byte("AGE-SECRET-KEY-1"))
}
