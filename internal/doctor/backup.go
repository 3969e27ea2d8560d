package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// checkBackup looks at the schedule of backups, at where they go, and at the
// age of the last one.
func checkBackup(p *Patient) []Finding {
	every, known := p.text("backup.every")
	if !known {
		return nil
	}
	dir, _ := p.text("backup.dir")
	if dir == "" {
		dir = filepath.Join(p.Settings.Data, "backups")
	}
	return p.judgeBackups(every, dir)
}

// judgeBackups is checkBackup with settings that have been read; every is
// empty, or no duration above zero, when nothing is scheduled.
func (p *Patient) judgeBackups(every, dir string) []Finding {
	last, any := newestBackup(dir)
	period := parsePeriod(every)
	if period <= 0 {
		f := Finding{Status: Note, What: "no backups are scheduled", Repair: "set backup.every to 24h and backup.dir to a folder on another disk, or let a timer run svc backup"}
		if any {
			f.What += fmt.Sprintf("; the last one in %s is %d days old", dir, days(p.Now.Sub(last)))
		}
		return []Finding{f}
	}
	var findings []Finding
	switch age := p.Now.Sub(last); {
	case !any:
		findings = append(findings, Finding{Status: Warning, What: "backups are scheduled, but there is none in " + dir, Repair: "if the server has run for longer than backup.every, look for the reason in its log"})
	case age > 2*period:
		findings = append(findings, Finding{Status: Problem, What: fmt.Sprintf("the last backup is of %s, though there should be one every %s", moment(last), every), Repair: "look for the reason in the log of the server; svc backup FILE makes one now"})
	}
	if onSameDisk(p.Settings.Data, dir) {
		findings = append(findings, Finding{Status: Warning, What: "backups are on the disk of the data, and go with it: " + dir, Repair: "set backup.dir to a folder on another disk"})
	}
	return findings
}

// parsePeriod reads a whole number with s, m, h or d; 0 when it is none.
func parsePeriod(text string) time.Duration {
	if number, ok := strings.CutSuffix(text, "d"); ok {
		n, _ := strconv.Atoi(number)
		return time.Duration(n) * 24 * time.Hour
	}
	d, _ := time.ParseDuration(text)
	return d
}

// newestBackup is the time of the newest archive in a folder.
func newestBackup(dir string) (newest time.Time, any bool) {
	archives, _ := fs.Glob(os.DirFS(dir), "svc-*.tar.zst*") // fails only for a wrong pattern
	for _, name := range archives {
		info, err := os.Stat(filepath.Join(dir, name))
		if err == nil && !strings.HasPrefix(name, "svc-before-") && info.ModTime().After(newest) {
			newest, any = info.ModTime(), true
		}
	}
	return newest, any
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
