package main

import (
	"math"

	"svc/internal/platform"
	"svc/store"
)

const endOfTime = math.MaxInt64

// cases are the lists that are measured.
func (d *data) cases() []listCase {
	type page = store.Selection
	ios, level, rating, open := platform.IOS, 3, 5, store.StatusOpen
	lines := func(s page) store.LogSelection { return store.LogSelection{Selection: s} }
	entries := func(s page) store.FeedbackSelection { return store.FeedbackSelection{Selection: s} }
	from, to := d.middle()
	deep := max(0, *logs/2)
	return []listCase{
		d.logList("logs: first page", "", lines(page{})),
		d.logList("logs: offset in the middle", "", lines(page{Offset: deep})),
		d.logList("logs: hidden too", "", lines(page{Hidden: true})),
		d.logList("logs: platform", "", lines(page{Platform: &ios})),
		d.logList("logs: level", "", store.LogSelection{Level: &level}),
		d.logList("logs: level, platform, offset", "", store.LogSelection{Level: &level, Selection: page{Platform: &ios, Offset: *logs / 100}}),
		d.logList("logs: a tenth of the time", "", store.LogSelection{From: from, To: to}),
		d.logList("logs: search, rare", rareText, lines(page{})),
		d.logList("logs: search, 1 %", "checksum mismatch", lines(page{})),
		d.logList("logs: search, 1 %, offset", "checksum mismatch", lines(page{Offset: *logs / 200})),
		d.logList("logs: search, 14 %", "upstream", lines(page{})),
		d.logList("logs: search, 14 %, offset", "upstream", lines(page{Offset: *logs / 10})),
		d.logList("logs: search, 30 %", "request", lines(page{})),
		d.logList("logs: search, 30 %, level, platform", "request", store.LogSelection{Level: &level, Selection: page{Platform: &ios}}),
		d.logList("logs: search, 30 %, a tenth of the time", "request", store.LogSelection{From: from, To: to}),
		d.logList("logs: search, one rune", "e", lines(page{})),
		d.logList("logs: search, one rune, offset", "e", lines(page{Offset: deep})),
		d.logList("logs: search, two CJK runes, 5 %", "超时", lines(page{})),
		d.logList("logs: search, CJK in one log", "独一无二", lines(page{})),
		d.logList("logs: search, found nowhere", "no such text anywhere", lines(page{})),
		d.logList("logs: search, one word found nowhere", "zzzyqx", lines(page{})),
		d.logList("logs: search, two words in any order", "mismatch block", lines(page{})),
		d.logList("logs: search, version", "v2.14.3", lines(page{})),
		d.logList("logs: search, address", "10.17.", lines(page{})),
		d.logList("logs: search, 128 runes", long, lines(page{})),
		d.feedbackList("feedback: first page", "", entries(page{})),
		d.feedbackList("feedback: offset in the middle", "", entries(page{Offset: *feedback / 2})),
		d.feedbackList("feedback: rating", "", store.FeedbackSelection{Rating: &rating}),
		d.feedbackList("feedback: status", "", store.FeedbackSelection{Status: &open}),
		d.feedbackList("feedback: search, rare", "user48213@", entries(page{})),
		d.feedbackList("feedback: search, common", "crash", entries(page{})),
		d.feedbackList("feedback: search, one rune", "a", entries(page{})),
		d.feedbackList("feedback: search, two CJK runes", "闪退", entries(page{})),
	}
}
