package web

import (
	"net/http"
	"testing"
	"time"
)

// BenchmarkAnswered is what the metrics add to a request: the additions before
// and after it. The clock is read for the access log anyway.
func BenchmarkAnswered(b *testing.B) {
	m := &Metrics{}
	m.Register([]Route{{Method: http.MethodPost, Path: "/"}})
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			m.Begun.Add(1)
			m.Routes[0].Answered(http.StatusOK, 20*time.Microsecond)
		}
	})
}
