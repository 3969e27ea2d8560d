package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"svc/bench/internal/loadgen"
	"svc/internal/testutil/server"
)

const (
	versions         = 300
	checkConnections = 32
	checkBar         = 0.75
)

// answerSize describes the texts and links of versions, which determine the size of a response.
type answerSize struct {
	name       string
	notes      int  // minimum size of release notes in bytes; the maximum is twice that
	links      bool // versions have a link to a file for each operating system
	translated bool
}

// updateChecks measures the rate of update checks.
func (s *suite) updateChecks() error {
	var rows []row
	for _, size := range []answerSize{{"2 KB", 30, false, false}, {"12 KB", 1500, true, true}} {
		more, err := s.updateChecksOf(size)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	return s.print(fmt.Sprintf("update check: %d versions, %d connections; the reference decodes the same body and writes a constant of the "+
		"same size", versions, checkConnections), rows)
}

func (s *suite) updateChecksOf(size answerSize) (rows []row, err error) {
	svc, err := s.program.Serve(s.ctx, s.folder("updatecheck "+size.name))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, svc.Discard()) }()
	names, err := s.publish(svc, size)
	if err != nil {
		return nil, err
	}
	for _, unkind := range []bool{false, true} {
		target := loadgen.Target{Name: "svc", Addr: svc.Addr, Requests: checks(names, unkind)}
		all, err := target.Send(1)
		if err != nil {
			return nil, err
		}
		row, err := s.compareChecks(svc, target, all.Bytes/all.Answers)
		if err != nil {
			return nil, err
		}
		row.what = fmt.Sprintf("answers of %s bytes, one kind of app", number(float64(all.Bytes/all.Answers)))
		if unkind {
			row.what = fmt.Sprintf("answers of %s bytes, many kinds of apps", number(float64(all.Bytes/all.Answers)))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (s *suite) compareChecks(svc *server.Server, target loadgen.Target, size int) (row row, err error) {
	bare, err := startReference(s.ctx, "check", size, "")
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, bare.stop()) }()
	reference := loadgen.Target{Name: "reference", Addr: bare.addr, Requests: target.Requests}
	ours := &contender{process: svc.Process, run: func() (loadgen.Result, error) { return target.Run(checkConnections, s.each) }}
	theirs := &contender{process: bare.Process, run: func() (loadgen.Result, error) { return reference.Run(checkConnections, s.each) }}
	if err := interleave(s.rounds, ours, theirs); err != nil {
		return row, err
	}
	row.ratio, row.bar = ratios(ours, theirs, rate), checkBar
	row.ours, row.reference = describe(ours, 1, ""), describe(theirs, 1, "")
	return row, nil
}

// publish creates a project with many versions, like a desktop app after some years. It has release
// notes, a preview before each minor version, deprecated old versions and some milestones. publish
// returns the names of the versions.
func (s *suite) publish(svc *server.Server, size answerSize) (names []string, err error) {
	random := rand.New(rand.NewPCG(1, 2))
	if err := svc.CreateProject(s.ctx, "desktop-app"); err != nil {
		return nil, err
	}
	const project = "/admin/projects/desktop-app"
	for _, tag := range []string{"en", "de"} {
		if err := svc.Call(s.ctx, http.MethodPost, project+"/locales", map[string]any{"locale": tag}, nil); err != nil {
			return nil, err
		}
	}
	// Publish the newest version first: only a version with a newer one can be deprecated.
	for number := versions - 1; number >= 0; number-- {
		name, fields := version(random, number, size)
		if err := svc.Call(s.ctx, http.MethodPut, project+"/versions/by-version/"+url.PathEscape(name), fields, nil); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// version returns the name and the fields of the version with the given number, from 0. There are
// five patches and a preview per minor version, and ten minor versions per major version.
func version(random *rand.Rand, number int, size answerSize) (name string, fields map[string]any) {
	minor, patch := number/6, number%6
	name = fmt.Sprintf("%d.%d.%d", 1+minor/10, minor%10, patch-1)
	if patch == 0 {
		name = fmt.Sprintf("%d.%d.0-rc.1", 1+minor/10, minor%10)
	}
	fields = map[string]any{
		"title": "Version " + name, "content": notes(random, size.notes),
		"is_preview": patch == 0, "is_milestone": patch == 1 && minor%10 == 0, "is_deprecated": number < versions/10,
		"platforms":    []string{"windows", "linux", "macos"},
		"custom_data":  map[string]any{"build": 1000 + number},
		"published_at": time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Unix() - int64(versions-number)*7*24*3600,
	}
	if size.translated {
		fields["translations"] = []map[string]any{{"locale": "de", "content": notes(random, size.notes)}}
	}
	if !size.links {
		fields["download_url"] = "https://example.org/app/" + name
		return name, fields
	}
	var links []map[string]any
	for _, file := range []string{"windows-x64.msi", "windows-arm64.msi", "linux-x64.tar.gz", "macos-universal.dmg"} {
		links = append(links, map[string]any{
			"url":  "https://downloads.example.org/desktop-app/" + name + "/desktop-app-" + name + "-" + file,
			"name": file, "platform": file[:strings.IndexByte(file, '-')],
		})
	}
	fields["download_links"] = links
	return name, fields
}

var noteWords = strings.Fields(`the window remembers its place when a second screen is unplugged and
	search finds words with accents faster export of large tables no longer stops at the first empty row
	settings are kept after an update dark theme follows the system <b>bold</b> text & "quoted" labels import`)

// notes returns release notes in Markdown of about the given size.
func notes(random *rand.Rand, size int) string {
	var b strings.Builder
	for end := size + random.IntN(size); b.Len() < end; {
		if b.Len() == 0 || random.IntN(8) == 0 {
			fmt.Fprintf(&b, "\n## %s\n\n", []string{"New", "Changed", "Fixed"}[random.IntN(3)])
		}
		b.WriteString("-")
		for range 6 + random.IntN(12) {
			b.WriteString(" " + noteWords[random.IntN(len(noteWords))])
		}
		fmt.Fprintf(&b, " (#%d)\n", random.IntN(9000))
	}
	return b.String()
}

// checks returns requests from installed apps of every version. Half of them ask for German, and a
// few accept previews. If unkind is true, they come from many addresses, systems and languages, and
// some have versions that were never published.
func checks(names []string, unkind bool) (all [][]byte) {
	random := rand.New(rand.NewPCG(3, 4))
	const path = "/api/v1/public/desktop-app/versions/check-update"
	for i := range 10 * len(names) {
		name := names[i%len(names)]
		body := map[string]any{"current_version": name, "current_comparable_version": name, "include_preview": i%20 == 0}
		if i%2 == 1 {
			body["locale"] = "de-DE"
		}
		agent, headers := "desktop-app/1.0", []string(nil)
		if unkind {
			if i%5 == 0 {
				body = map[string]any{"current_comparable_version": fmt.Sprintf("%d.%d.%d-rc.%d", 1+random.IntN(6), random.IntN(20), random.IntN(20),
					i)}
			}
			body["locale"] = []string{"zh-Hant-TW", "de-AT", "EN-us", "pt-BR", "xx-unknown"}[random.IntN(5)]
			body["platform"] = []string{"Windows 11", "macOS", "ubuntu linux", "iPadOS", "something else"}[random.IntN(5)]
			body["platform_version"] = fmt.Sprintf("%d.%d", random.IntN(30), random.IntN(100))
			agent = fmt.Sprintf("desktop-app/%s (X11; Linux x86_64; rv:%d.0)", name, random.IntN(200))
			headers = []string{
				fmt.Sprintf("X-Forwarded-For: %d.%d.%d.%d", 80+random.IntN(16), random.IntN(256), random.IntN(256), 1+random.IntN(254)),
				"Accept-Language: de-AT,de;q=0.9,en;q=0.8,fr;q=0.7,*;q=0.5", "Accept-Encoding: gzip, deflate, br",
			}
		}
		text, err := json.Marshal(body)
		if err != nil {
			panic(err) // cannot fail for strings and booleans
		}
		all = append(all, loadgen.Post(path, agent, text, headers...))
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}
