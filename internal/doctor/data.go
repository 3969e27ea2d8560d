package doctor

import (
	"errors"
	"strings"

	"svc/internal/boltfile"
	"svc/internal/setting"
)

func checkSettings(p *Installation) []Finding {
	var findings []Finding
	for _, err := range p.Invalid {
		findings = append(findings,
			problem("setting_invalid", messagef("%v", err), messagef("correct it (see svc config); this check used the defaults")))
	}
	for _, err := range setting.Misspelt(p.environ()) {
		findings = append(findings,
			warning("setting_misspelt", messagef("%v", err), messagef("correct the name in the environment of the server")))
	}
	return findings
}

func checkServer(p *Installation) []Finding {
	switch {
	case p.Unreachable != nil:
		return []Finding{problem("server_unreachable", messagef("%v", p.Unreachable),
			messagef("if it is a server, stop it (kill -9 if it does not stop) and restart it; no acknowledged write is lost"))}
	case p.Server != nil && p.Server.Version != p.Version:
		return []Finding{note("server_other_version",
			messagef("the running server is svc %s, this program is svc %s", p.Server.Version,
				p.Version), messagef("restart the server to use the new version"))}
	}
	return nil
}

// unasked is the result of a check that needs Installation.Facts if these could not be
// collected.
var unasked = []Finding{note("not_examined", messagef("not examined"), messagef("solve the other problems and run svc doctor again"))}

func checkDatabases(p *Installation) []Finding {
	databases := p.Databases
	if p.Facts != nil && len(databases) == 0 {
		for _, d := range p.Facts.Damaged {
			databases = append(databases, Database{Name: d.Name, Err: errors.New(d.Error)})
		}
	}
	if len(databases) == 0 {
		return unasked
	}
	var findings []Finding
	for _, d := range databases {
		switch {
		case errors.Is(d.Err, boltfile.ErrNewer):
			findings = append(findings, problem("database_newer", messagef("%v", d.Err), messagef("install the newer version again")))
		case errors.Is(d.Err, boltfile.ErrLocked):
			findings = append(findings, problem("database_locked", messagef("%v", d.Err), messagef("stop the program that has it open")))
		case d.Err != nil:
			findings = append(findings,
				problem("database_damaged", messagef("%v", d.Err),
					messagef("stop the server, keep a copy of the data directory, and restore the last backup; svc check shows what is damaged")))
		case d.Skipped != "":
			findings = append(findings,
				note("database_skipped", messagef("%s was not opened: %s", d.Name, d.Skipped), messagef("svc check reads everything")))
		}
	}
	return findings
}

// maxLag is the number of unprocessed changes up to which the index of a running server
// causes no finding. The index processes that many changes in much less than a second.
const maxLag = 10_000

func checkIndex(p *Installation) []Finding {
	switch {
	case p.Index != nil:
		return []Finding{note("index_outdated", messagef("it must be rebuilt: %v", p.Index),
			messagef("the next start does that by itself; until then searches read the records"))}
	case p.Facts == nil:
		return unasked
	case p.Server == nil:
		return nil
	case !p.Facts.Index.Answers:
		return []Finding{note("index_rebuilding", messagef("it is being rebuilt; until then searches read the records"),
			messagef("wait; a million logs take about two minutes"))}
	}
	if lag := p.Facts.Index.Last - min(p.Facts.Index.Seen, p.Facts.Index.Last); lag > maxLag {
		return []Finding{warning("index_behind", messagef("it is %d changes behind", lag),
			messagef("look for its errors in the log; if it does not catch up: svc reindex"))}
	}
	return nil
}

func checkJobs(p *Installation) []Finding {
	if p.Facts == nil {
		return unasked
	}
	var findings []Finding
	for _, job := range p.Facts.FailedJobs {
		if job.Name == verificationJob && p.Facts.Replication != nil { // reported by checkReplication
			continue
		}
		findings = append(findings,
			warning("job_failed", messagef("%s failed: %s", job.Name, job.Error),
				messagef("the server retries it; once the cause is fixed: svc job run %s", job.Name)))
	}
	return findings
}

// checkLinks warns if there are files but no base URL is configured, so that their links
// are unknown.
func checkLinks(p *Installation) []Finding {
	switch {
	case p.Facts == nil:
		return unasked
	case p.Facts.Files > 0 && p.Settings.DistBaseURL == "":
		return []Finding{note("links_without_host", messagef("links have no host of their own, nothing is mirrored and no CDN refreshed"),
			messagef("set dist.base_url to the address that people download from"))}
	}
	return nil
}

func checkTerms(p *Installation) []Finding {
	switch {
	case p.Facts == nil:
		return unasked
	case len(p.Facts.UnpublishedTerms) > 0:
		return []Finding{note("terms_unpublished",
			messagef("the public pages do not show %s: placeholders are not filled in", strings.Join(p.Facts.UnpublishedTerms, ", ")),
			messagef("fill them in and save the text in the console: Site settings, Terms"))}
	}
	return nil
}

func checkKeys(p *Installation) []Finding {
	if p.Facts == nil {
		return unasked
	}
	k := p.Facts.Keys
	if k.Other == 0 {
		return nil
	}
	repair := messagef("restore the previous salt (API_KEY_SALT or secrets.toml), or replace each key: svc apikey rotate ID")
	if k.Other == k.Active {
		return []Finding{problem("keys_of_other_salt_all",
			messagef("0 of %d API keys can match: they were made with another API_KEY_SALT", k.Active), repair)}
	}
	return []Finding{warning("keys_of_other_salt",
		messagef("%d of %d API keys can match: the others were made with another API_KEY_SALT", k.Active-k.Other, k.Active), repair)}
}
