package doctor

import (
	"os"
	"path/filepath"

	"svc/internal/backup"
)

// checkBackup checks the backup schedule, the backup directory and the age of the last backup.
func checkBackup(p *Installation) []Finding {
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
		repair := messagef("set backup.every to 24h and backup.dir to a directory on another disk, or run svc backup from a timer")
		if len(archives) > 0 {
			return []Finding{note("backup_unscheduled_with_last",
				messagef("no backups are scheduled; the last one in %s is %d days old", dir, days(age)), repair)}
		}
		return []Finding{note("backup_unscheduled", messagef("no backups are scheduled"), repair)}
	}
	var findings []Finding
	unusable := p.Facts != nil && p.Facts.BackupFolder != ""
	if unusable {
		findings = append(findings,
			problem("backup_folder", messagef("backups cannot be made: %s", p.Facts.BackupFolder),
				messagef("fix that, then run: svc job run backup")))
	}
	switch {
	case len(archives) == 0 && unusable: // reported above
	case len(archives) == 0:
		findings = append(findings,
			warning("backup_missing", messagef("backups are scheduled, but there is none in %s", dir),
				messagef("if the server has run for longer than backup.every, look in its log for the reason")))
	case age > 2*every:
		text := p.Settings.Value("backup.every").Text
		findings = append(findings,
			problem("backup_late", messagef("the last backup was made at %s, but backup.every is %s", moment(last.At), text),
				messagef("look in the log of the server for the reason; svc backup FILE makes one now")))
	}
	if onSameDisk(p.Settings.Data, dir) {
		findings = append(findings,
			warning("backup_same_disk", messagef("backups are on the same disk as the data and would be lost with it: %s", dir),
				messagef("set backup.dir to a directory on another disk")))
	}
	return findings
}

// onSameDisk reports whether dir and data are on the same file system. If dir does not exist, it
// checks the closest parent of dir that exists.
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
