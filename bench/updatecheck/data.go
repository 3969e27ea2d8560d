package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"svc/internal/platform"
	"svc/internal/release"
	"svc/store"
)

const projectKey = "desktop-app"

// fill stores a project with many versions as a desktop app has them after
// some years: notes in two languages, a preview before each minor version, old
// ones deprecated, a milestone now and then. The same seed makes the same
// data. It returns the display texts of the versions, oldest first.
func fill(db *store.Store, versions int) ([]string, error) {
	random := rand.New(rand.NewPCG(1, 2))
	var names []string
	err := db.Update(func(tx *store.Tx) error {
		p := &store.Project{Key: projectKey, Name: "Desktop App"}
		if err := tx.CreateProject(p); err != nil {
			return err
		}
		for _, tag := range []string{"en", "de"} {
			if _, err := tx.RegisterLanguage(p, tag, store.LanguageEdit{}); err != nil {
				return err
			}
		}
		for i := range versions {
			v, err := makeVersion(random, i, versions)
			if err != nil {
				return err
			}
			if err := tx.CreateVersion(p.ID, v, nil); err != nil {
				return err
			}
			names = append(names, v.Version)
		}
		return deprecate(tx, p, names[:versions/10])
	})
	return names, err
}

// makeVersion is the version of a number: five patches and a preview a minor
// version, ten minor versions a major one.
func makeVersion(random *rand.Rand, number, of int) (*store.Version, error) {
	minor, patch := number/6, number%6
	text := fmt.Sprintf("%d.%d.%d", 1+minor/10, minor%10, patch-1)
	if patch == 0 {
		text = fmt.Sprintf("%d.%d.0-rc.1", 1+minor/10, minor%10)
	}
	comparable, ok := release.Parse(text)
	if !ok {
		return nil, fmt.Errorf("%s is no comparable version", text)
	}
	title, english, german := "Version "+text, notes(random), notes(random)
	v := &store.Version{
		Version: text, Comparable: comparable, Title: &title, Content: &english,
		Preview: patch == 0, Milestone: patch == 1 && minor%10 == 0,
		Platforms:    []platform.Platform{platform.Windows, platform.Linux, platform.MacOS},
		CustomData:   json.RawMessage(`{"build":` + fmt.Sprint(1000+number) + `}`),
		PublishedAt:  time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Unix() - int64(of-number)*7*24*3600,
		Translations: map[string]store.VersionText{"de": {Content: &german}},
	}
	for _, file := range []string{"windows-x64.msi", "windows-arm64.msi", "linux-x64.tar.gz", "macos-universal.dmg"} {
		v.DownloadLinks = append(v.DownloadLinks, store.DownloadLink{
			URL:  "https://downloads.example.org/desktop-app/" + text + "/desktop-app-" + text + "-" + file,
			Name: file, Platform: file[:strings.IndexByte(file, '-')],
		})
	}
	v.DownloadURL = &v.DownloadLinks[0].URL
	return v, nil
}

func deprecate(tx *store.Tx, p *store.Project, names []string) error {
	for _, name := range names {
		v, err := tx.VersionNamed(p.ID, name)
		if err != nil {
			return err
		}
		v.Deprecated = true
		if err := tx.UpdateVersion(p.ID, v, nil, false); err != nil {
			return err
		}
	}
	return nil
}

var words = strings.Fields(`the window remembers its place when a second screen is unplugged and
	search finds words with accents faster export of large tables no longer stops at the first empty row
	settings are kept after an update dark theme follows the system <b>bold</b> text & "quoted" labels import`)

// notes are release notes of 1 to 4 kB in Markdown.
func notes(random *rand.Rand) string {
	var b strings.Builder
	for size := 1024 + random.IntN(3<<10); b.Len() < size; {
		if b.Len() == 0 || random.IntN(8) == 0 {
			fmt.Fprintf(&b, "\n## %s\n\n", []string{"New", "Changed", "Fixed"}[random.IntN(3)])
		}
		b.WriteString("-")
		for range 6 + random.IntN(12) {
			b.WriteString(" " + words[random.IntN(len(words))])
		}
		fmt.Fprintf(&b, " (#%d)\n", random.IntN(9000))
	}
	return b.String()
}

// questions are the requests of the installed apps: of every version, half of
// them in German, a few of them ready for previews.
func questions(names []string) [][]byte {
	var all [][]byte
	for i, name := range names {
		body := map[string]any{"current_version": name, "current_comparable_version": name, "include_preview": i%20 == 0}
		if i%2 == 1 {
			body["locale"] = "de-DE"
		}
		all = append(all, request(body))
	}
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func request(body map[string]any) []byte {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // texts and booleans always encode
	}
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: desktop-app/1.0\r\n"+
		"Accept: application/json\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		"/api/v1/public/"+projectKey+"/versions/check-update", len(text), text)
}
