package doctor

// largeLogs is the size, in bytes, from which the logs of a project cause a finding if
// they are kept forever.
const largeLogs = 256 << 20

// checkSubmissions suggests limits for the feedback and the logs that apps send, because
// their growth is easily overlooked.
func checkSubmissions(p *Installation) []Finding {
	if p.Facts == nil {
		return unasked
	}
	var findings []Finding
	total := int64(0)
	for _, of := range p.Facts.Submissions {
		total += of.Feedback + of.Logs
		if of.Logs >= largeLogs && of.LogRetention == 0 && p.Settings.LogRetentionDays == 0 {
			findings = append(findings, note("logs_kept",
				messagef("the logs of project %s take %d MiB and are kept forever", of.Project, of.Logs>>20),
				messagef("set log.retention_days, or log_retention_days of the project; to make room now: svc logs prune %s --before 90d", of.Project)))
		}
	}
	if total > 0 && p.Settings.SubmissionMaxMiB == 0 {
		findings = append(findings, note("submissions_unlimited",
			messagef("feedback and logs take %d MiB, and a project may send as much as the disk holds", (total+1<<20-1)>>20),
			messagef("set submission.max_mib to the most that one project may take")))
	}
	return findings
}

// checkEventNames reports projects that have reached the limit on the number of event
// names. The server then skips events with new names, without an error for the app.
func checkEventNames(p *Installation) []Finding {
	if p.Facts == nil {
		return unasked
	}
	var findings []Finding
	for _, of := range p.Facts.EventNames {
		if of.Names >= p.Settings.EventMaxNames {
			findings = append(findings, warning("event_names_full",
				messagef("project %s has %d event names, and events with further new names are skipped", of.Project, of.Names),
				messagef("values belong in properties: check whether names of project %s contain some; for more names, raise event.max_names; unused "+
					"ones are forgotten at night", of.Project)))
		}
	}
	return findings
}
