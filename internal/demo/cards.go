package demo

import "encoding/json"

// card is an analysis card of the dashboard.
type card struct {
	title, text string
	query       string // JSON
	size        size
}

// size is the size of a card on the dashboard. The console stores it as the card's layout.
type size struct {
	Width  int `json:"w"` // columns, of 12
	Height int `json:"h"` // 1 = low, 2 = tall
}

// The sizes of cards. A low card shows a single number.
var (
	full  = size{12, 2}
	half  = size{6, 2}
	third = size{4, 2}
	low   = size{6, 1}
)

type cardLine struct {
	ID          string          `json:"card_id"`
	Title       string          `json:"title"`
	Description string          `json:"description,omitempty"`
	Query       json.RawMessage `json:"query"`
	Layout      size            `json:"layout"`
	SortOrder   int             `json:"sort_order"`
	Created     int64           `json:"created_time"`
	Updated     int64           `json:"updated_time"`
}

func (w *world) cardLines() []cardLine {
	c := w.chance("cards")
	lines := make([]cardLine, len(w.cards))
	for i, k := range w.cards {
		at := w.ago(60-3*i, 10)
		lines[i] = cardLine{c.uuid7(at), k.title, k.text, json.RawMessage(k.query), k.size, i, at, at}
	}
	return lines
}
