package svcsdk

import "iter"

// Page is a part of a list.
type Page[T any] struct {
	// Total is the number of entries in the whole list.
	Total int64 `json:"total"`
	// TotalIsEstimate reports whether Total is only an upper bound.
	TotalIsEstimate bool `json:"total_is_estimate,omitempty"`
	// Data holds the entries of this page.
	Data []T `json:"data"`
}

// List is a whole list.
type List[T any] struct {
	Data []T `json:"data"`
}

const pageSize = 100

// paged is a pointer to the options of a paged list.
type paged[O any] interface {
	*O
	page() (limit, offset *int)
}

// walk yields all entries of a list, page by page.
func walk[O, T any, P paged[O]](opts P, fetch func(P) (*Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var o O
		if opts != nil {
			o = *opts
		}
		limit, offset := P(&o).page()
		*limit, *offset = pageSize, 0
		for {
			page, err := fetch(&o)
			if err != nil {
				var zero T
				yield(zero, err)
				return
			}
			if page == nil {
				return
			}
			for _, entry := range page.Data {
				if !yield(entry, nil) {
					return
				}
			}
			*offset += len(page.Data)
			if len(page.Data) == 0 || int64(*offset) >= page.Total {
				return
			}
		}
	}
}
