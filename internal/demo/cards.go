package demo

import "encoding/json"

// card is an analysis card of the dashboard.
type card struct {
	title, text string
	query       string // JSON
}

type cardLine struct {
	ID          string          `json:"card_id"`
	Title       string          `json:"title"`
	Description string          `json:"description,omitempty"`
	Query       json.RawMessage `json:"query"`
	SortOrder   int             `json:"sort_order"`
	Created     int64           `json:"created_time"`
	Updated     int64           `json:"updated_time"`
}

func (w *world) cardLines() []cardLine {
	c := w.chance("cards")
	lines := make([]cardLine, len(w.cards))
	for i, k := range w.cards {
		at := w.ago(60-3*i, 10)
		lines[i] = cardLine{c.uuid7(at), k.title, k.text, json.RawMessage(k.query), i, at, at}
	}
	return lines
}
