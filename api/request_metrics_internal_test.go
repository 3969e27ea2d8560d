package api

import (
	"net/http"
	"testing"
	"time"
)

// BenchmarkAnswered is what the metrics add to a request: the additions before
// and after it. The clock is read for the access log anyway.
func BenchmarkAnswered(b *testing.B) {
	s := &Server{}
	s.routes = s.table()
	s.metrics = newRequestMetrics(s.routes)
	r := &request{Request: &http.Request{Method: http.MethodPost}, route: &s.routes[len(s.routes)/2]}
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			s.metrics.begun.Add(1)
			s.metrics.of(r).answered(http.StatusOK, 20*time.Microsecond)
		}
	})
}
