package store

import (
	"bytes"
	"sync/atomic"
)

// Encoding keeps the answers made of one record: index 0 in the default
// texts, index i+1 in language i.
type Encoding struct {
	made []atomic.Pointer[[]byte]
}

func newEncoding(languages int) *Encoding {
	return &Encoding{made: make([]atomic.Pointer[[]byte], languages+1)}
}

// Get returns the answer in a language, -1 for the default texts, and makes it
// when nobody asked before. The bytes must not be changed.
func (e *Encoding) Get(language int, make func() ([]byte, error)) ([]byte, error) {
	place := &e.made[language+1]
	if b := place.Load(); b != nil {
		return *b, nil
	}
	b, err := make()
	if err != nil {
		return nil, err
	}
	for i := range e.made { // a language without a translation shows the default texts
		if same := e.made[i].Load(); same != nil && bytes.Equal(*same, b) {
			place.Store(same)
			return *same, nil
		}
	}
	place.Store(&b)
	return b, nil
}
