package web

import (
	"net/http"
	"testing"
	"time"
)

// BenchmarkAnswered measures the cost of metrics per request. It does not include reading the
// clock, which the access log needs anyway.
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
