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

// TermsDocument returns a document by its slug.
func (tx *Tx) TermsDocument(slug string) (*TermsDocument, error) {
	d, err := setting[TermsDocument](tx, termsKey(slug))
	if d == nil && err == nil {
		d = &TermsDocument{}
	}
	return d, err
}

// PutTermsDocument stores a document. The time of the draft is that of its text: it
// changes with the text alone, and goes with it.
func (tx *Tx) PutTermsDocument(slug string, d *TermsDocument) error {
	before, err := tx.TermsDocument(slug)
	if err != nil {
		return err
	}
	d.UpdatedAt = tx.now.Unix()
	switch d.Draft {
	case "":
		d.DraftAt = 0
	case before.Draft:
		d.DraftAt = before.DraftAt
	default:
		d.DraftAt = d.UpdatedAt
	}
	return putSetting(tx, termsKey(slug), d)
}

// DeleteTermsDocument drops the draft of a document and switches it off.
func (tx *Tx) DeleteTermsDocument(slug string) error {
	return tx.bolt.Bucket(settingsBucket).Delete(termsKey(slug))
}

func termsKey(slug string) []byte { return []byte("terms/" + slug) }
