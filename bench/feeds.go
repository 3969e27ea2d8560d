package main

import (
	"errors"
	"fmt"
	"os"

	"svc/bench/internal/loadgen"
	"svc/internal/testutil/server"
)

// feedBar is the required rate of a feed that is the same for everyone, relative to update checks.
const feedBar = 0.8

// feeds measures the rate of requests for feeds by callers without a key, and compares it with the
// rate of update checks on the same server.
func (s *suite) feeds() (err error) {
	svc, err := s.program.Serve(s.ctx, s.folder("feeds"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, svc.Discard()) }()
	names, err := s.publish(svc, answerSize{"short notes", 30, true, false})
	if err != nil {
		return err
	}
	file := s.folder("desktop-app-" + names[0] + "-x86_64.AppImage")
	if err := os.WriteFile(file, make([]byte, 64<<10), 0o600); err != nil {
		return err
	}
	key, err := svc.Key(s.ctx)
	if err != nil {
		return err
	}
	if _, err := s.program.Run(s.ctx, "files", "upload", "--url", "http://"+svc.Addr, "--key", key, "--project", "desktop-app",
		"--version", names[0], file); err != nil {
		return err
	}
	var rows []row
	for _, feed := range []string{"electron/latest-linux.yml", "releases.atom"} {
		row, err := s.compareFeed(svc, feed, checks(names, false))
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	return s.print(fmt.Sprintf("feeds: %d versions, %d connections; the reference is the update check of the same server",
		versions, checkConnections), rows)
}

func (s *suite) compareFeed(svc *server.Server, feed string, checks [][]byte) (row row, err error) {
	target := loadgen.Target{Name: feed, Addr: svc.Addr, Requests: [][]byte{loadgen.Get("/feeds/desktop-app/"+feed, "desktop-app/1.0")}}
	once, err := target.Send(1)
	if err != nil {
		return row, err
	}
	reference := loadgen.Target{Name: "update check", Addr: svc.Addr, Requests: checks}
	ours := &contender{process: svc.Process, run: func() (loadgen.Result, error) { return target.Run(checkConnections, s.each) }}
	theirs := &contender{process: svc.Process, run: func() (loadgen.Result, error) { return reference.Run(checkConnections, s.each) }}
	if err := interleave(s.rounds, ours, theirs); err != nil {
		return row, err
	}
	row.what = fmt.Sprintf("%s, %s bytes", feed, number(float64(once.Bytes)))
	row.ratio, row.bar = ratios(ours, theirs, rate), feedBar
	row.ours, row.reference = describe(ours, 1, ""), describe(theirs, 1, "")
	return row, nil
}
