package store

// TermsDocument is what the operator has made of a terms document. The zero value is a
// document that was never touched.
type TermsDocument struct {
	Custom    bool   `json:"custom,omitempty"`   // the draft is shown, if there is one
	Draft     string `json:"draft,omitempty"`    // Markdown; "" = none
	DraftAt   int64  `json:"draft_at,omitempty"` // when the text of the draft changed, Unix seconds; 0 without one
	UpdatedAt int64  `json:"updated_at"`         // last save, Unix seconds; 0 before the first one
}

// Effective reports whether the draft is what people read: Custom is on and there is one.
func (d *TermsDocument) Effective() bool { return d.Custom && d.Draft != "" }

// dateTerms sets the times of a save. The time of the draft changes with its text alone, and
// is 0 without one.
func dateTerms(before, d *TermsDocument, now int64) {
	d.UpdatedAt = now
	switch d.Draft {
	case "":
		d.DraftAt = 0
	case before.Draft:
		d.DraftAt = before.DraftAt
	default:
		d.DraftAt = now
	}
}
