package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"svc/internal/platform"
	"svc/internal/release"
	"svc/internal/searchtext"
	"svc/store"
)

// change makes one random change.
func (w *world) change() {
	w.t.Helper()
	if len(w.projects) == 0 || w.r.IntN(12) == 0 {
		w.addContents()
		return
	}
	p := w.projects[w.r.IntN(len(w.projects))]
	w.update(func(tx *store.Tx) error {
		for range 1 + w.r.IntN(3) {
			if err := w.changeOne(tx, p); err != nil {
				return err
			}
		}
		return nil
	})
	if w.r.IntN(25) == 0 {
		w.update(func(tx *store.Tx) error { return tx.DeleteProject(p.Project) })
		w.projects = slices.DeleteFunc(w.projects, func(o *contents) bool { return o == p })
	}
}

func (w *world) addContents() {
	w.t.Helper()
	author := w.text()
	p := &store.Project{Key: fmt.Sprintf("key-%d", w.r.Uint32()), Name: w.text(), Author: &author}
	w.update(func(tx *store.Tx) error { return tx.CreateProject(p) })
	w.projects = append(w.projects, &contents{Project: p})
}

func (w *world) changeOne(tx *store.Tx, p *contents) error {
	switch w.r.IntN(9) {
	case 0, 1:
		for range w.r.IntN(400) {
			source := w.text()
			l := &store.Log{Level: w.r.IntN(4), Content: w.text(), Source: &source, Hidden: w.r.IntN(5) == 0, Platform: w.platform()}
			if err := tx.AddLog(p.ID, l); err != nil {
				return err
			}
			p.logs = append(p.logs, l)
		}
	case 2:
		for range w.r.IntN(400) {
			contact := w.text()
			f := &store.Feedback{Content: w.text(), Contact: &contact, Hidden: w.r.IntN(5) == 0, Platform: w.platform()}
			if err := tx.AddFeedback(p.ID, f); err != nil {
				return err
			}
			p.feedback = append(p.feedback, f)
		}
	case 3:
		for range w.r.IntN(5) {
			if l := pick(w.r, p.logs); l != nil {
				l.Hidden = !l.Hidden
				if err := tx.PutLog(p.ID, l); err != nil {
					return err
				}
			}
		}
	case 4:
		for range w.r.IntN(5) {
			if f := pick(w.r, p.feedback); f != nil {
				f.Content, f.Hidden = w.text(), w.r.IntN(5) == 0
				if err := tx.PutFeedback(p.ID, f); err != nil {
					return err
				}
			}
		}
	case 5:
		for range w.r.IntN(20) {
			if f := pick(w.r, p.feedback); f != nil {
				if err := tx.DeleteFeedback(p.ID, f); err != nil {
					return err
				}
				p.feedback = slices.DeleteFunc(p.feedback, func(o *store.Feedback) bool { return o == f })
			}
		}
	case 6:
		return w.changeVersions(tx, p)
	case 7:
		return w.changeAnnouncements(tx, p)
	case 8:
		p.Name = w.text()
		return tx.PutProject(p.Project)
	}
	return nil
}

func (w *world) changeVersions(tx *store.Tx, p *contents) error {
	title, notes := w.text(), w.text()
	v := pick(w.r, p.versions)
	switch {
	case v == nil || w.r.IntN(2) == 0:
		display := fmt.Sprintf("%d.%d.%d", w.r.IntN(10), w.r.IntN(100), w.r.IntN(1000))
		number, _ := release.Parse(display)
		v = &store.Version{Version: display, Comparable: number, Title: &title, Content: &notes}
		if named, err := tx.VersionNamed(p.ID, display); err != nil || named != nil {
			return err
		}
		p.versions = append(p.versions, v)
		return tx.CreateVersion(p.ID, v, nil)
	case w.r.IntN(2) == 0:
		v.Title, v.Content = &title, &notes
		return tx.UpdateVersion(p.ID, v, nil, false)
	default:
		p.versions = slices.DeleteFunc(p.versions, func(o *store.Version) bool { return o == v })
		return tx.DeleteVersion(p.ID, v)
	}
}

func (w *world) changeAnnouncements(tx *store.Tx, p *contents) error {
	a := pick(w.r, p.announcements)
	switch {
	case a == nil || w.r.IntN(2) == 0:
		a = &store.Announcement{Title: w.text(), Content: w.text()}
		p.announcements = append(p.announcements, a)
		return tx.PutAnnouncement(p.ID, a)
	case w.r.IntN(2) == 0:
		a.Title, a.Content = w.text(), w.text()
		return tx.PutAnnouncement(p.ID, a)
	default:
		p.announcements = slices.DeleteFunc(p.announcements, func(o *store.Announcement) bool { return o == a })
		return tx.DeleteAnnouncement(p.ID, a)
	}
}

// vocabulary contains characters that folding changes. It has few words, so that searches
// for parts of words have matches.
var vocabulary = []string{"Connection", "ERR_CONN_42", "timeout", "v1.2.0-beta.1", "10.0.0.1", "user@example.org", "超时", "连接失败", "İstanbul", "e\u0301te\u0301", "H\u0331", "\u1112\u1161\u11ab", "👩‍🚀", "a\tb", "%", "_", "\x01", "ß", "Ⅷ"}

func (w *world) text() string {
	words := make([]string, 1+w.r.IntN(6))
	for i := range words {
		words[i] = pick(w.r, vocabulary)
		if w.r.IntN(3) == 0 {
			words[i] = fmt.Sprintf("%x", w.r.Uint32())
		}
	}
	return strings.Join(words, " ")
}

func (w *world) platform() *platform.Platform {
	if w.r.IntN(3) == 0 {
		return nil
	}
	p := pick(w.r, platform.All[:])
	return &p
}

// pick returns a random element of a list, or the zero value if the list is empty.
func pick[T any](r *rand.Rand, list []T) (one T) {
	if len(list) > 0 {
		one = list[r.IntN(len(list))]
	}
	return one
}

// terms returns search terms. They are parts of a text that exists, or of a text that
// could exist.
func (w *world) terms(p *contents) []string {
	text := w.text()
	switch w.r.IntN(6) {
	case 0:
		if v := pick(w.r, p.versions); v != nil {
			text = *v.Title
		}
	case 1:
		if a := pick(w.r, p.announcements); a != nil {
			text = a.Content
		}
	case 2:
		if f := pick(w.r, p.feedback); f != nil {
			text = f.Content
		}
	case 3, 4:
		if l := pick(w.r, p.logs); l != nil {
			text = l.Content
		}
	}
	runes := []rune(searchtext.Text(text))
	from := w.r.IntN(len(runes))
	part := string(runes[from:min(len(runes), from+1+w.r.IntN(12))])
	if words := searchtext.Words(part); len(words) > 1 && w.r.IntN(2) == 0 {
		return words
	}
	return []string{part}
}
