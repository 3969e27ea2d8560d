package doctor

import (
	"fmt"
	"os"
	"path/filepath"

	"svc/internal/backup"
)

// checkBackup looks at the schedule of backups, at where they go, and at the
// age of the last one.
func checkBackup(p *Patient) []Finding {
	every, dir := p.Settings.BackupEvery, p.Settings.BackupDir
	archives, err := backup.ListScheduled(dir, p.Now)
	if err != nil {
		return unread(err)
	}
	var last backup.Scheduled
	if len(archives) > 0 {
		last = archives[len(archives)-1]
	}
	age := p.Now.Sub(last.At)
	if every <= 0 {
		f := Finding{Status: Note, What: "no backups are scheduled", Repair: "set backup.every to 24h and backup.dir to a folder on another disk, or let a timer run svc backup"}
		if len(archives) > 0 {
			f.What += fmt.Sprintf("; the last one in %s is %d days old", dir, days(age))
		}
		return []Finding{f}
	}
	var findings []Finding
	switch {
	case len(archives) == 0:
		findings = append(findings, Finding{Status: Warning, What: "backups are scheduled, but there is none in " + dir, Repair: "if the server has run for longer than backup.every, look for the reason in its log"})
	case age > 2*every:
		text := p.Settings.Value("backup.every").Text
		findings = append(findings, Finding{Status: Problem, What: fmt.Sprintf("the last backup is of %s, though there should be one every %s", moment(last.At), text), Repair: "look for the reason in the log of the server; svc backup FILE makes one now"})
	}
	if onSameDisk(p.Settings.Data, dir) {
		findings = append(findings, Finding{Status: Warning, What: "backups are on the disk of the data, and go with it: " + dir, Repair: "set backup.dir to a folder on another disk"})
	}
	return findings
}

// onSameDisk compares a folder with another one, which may not be there yet;
// then its parent counts.
func onSameDisk(data, dir string) bool {
	one, err := os.Stat(data)
	if err != nil {
		return false
	}
	for {
		other, err := os.Stat(dir)
		if err == nil {
			return sameDisk(one, other)
		}
		if dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
}
