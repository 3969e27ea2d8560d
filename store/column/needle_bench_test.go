package column

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// BenchmarkNeedle compares the substring search with bytes.Index on the same texts in the
// same run. Needle is worth its code only while the median of the ratios is at least 1.5.
func BenchmarkNeedle(b *testing.B) {
	for _, texts := range []struct {
		name string
		body []byte
	}{{"plain", folded(plainTexts)}, {"scripts", folded(scripts)}, {"program", programLog()}} {
		sample := texts.body[:16<<10]
		for _, term := range []string{"timeout", "not there at all", "access", "user77", "out of range [9"} {
			needle := NewNeedles([]string{term}, sample, 100)[0]
			b.Run(texts.name+"/"+strings.ReplaceAll(term, " ", "_"), func(b *testing.B) {
				var ours, reference time.Duration
				for b.Loop() {
					ours += walk(texts.body, needle.index)
					reference += walk(texts.body, func(body []byte) int { return bytes.Index(body, []byte(term)) })
				}
				b.ReportMetric(float64(reference)/float64(ours), "x-bytes.Index")
			})
		}
	}
}

// walk finds one match in each record of about 200 bytes, and returns the time that this
// takes.
func walk(body []byte, index func([]byte) int) time.Duration {
	const record = 200
	begin := time.Now()
	for at := 0; at < len(body); {
		i := index(body[at:])
		if i < 0 {
			break
		}
		at += i + record
	}
	return time.Since(begin)
}

// plainTexts and scripts are templates for the texts that folded returns. Each text
// contains a number.
var (
	plainTexts = []string{
		"request to upstream eu-%d failed after a timeout: connection reset by peer",
		"cache entry %x evicted from thumbs.pack, 312 hits, 4096 KiB freed",
		"frame %d dropped: decode took 41.7 ms, codec h264, surface 1920x1080",
		"worker took job %x from queue render, 18 jobs are waiting",
	}
	scripts = []string{
		"die Verbindung %x wurde vom Gegenüber zurückgesetzt, größere Übertragung",
		"подключение %d сброшено другой стороной при чтении ответа",
		"服务器在 %d 秒内没有响应，请稍后重试",
		"انقطع الاتصال بالخادم %d أثناء قراءة الرد",
		"\n\tat com.example.app.net.Client$Inner.lambda$call$0(Client.java:%d)",
	}
)

// folded returns the folded texts of 3,000 records of about 120 bytes, made from the
// templates.
func folded(texts []string) []byte {
	r := rand.New(rand.NewPCG(1, 1))
	var b []byte
	for range 3000 {
		b = fmt.Appendf(b, `{"level":%d,"content":"`+texts[r.IntN(len(texts))]+`"}`, r.IntN(4), r.Uint32())
	}
	return bytes.ToLower(b)
}

// programLog returns lines like those that a desktop program logs.
func programLog() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	modules := []string{"window", "client", "layer", "cache"}
	var b []byte
	for range 10_000 {
		module := modules[r.IntN(len(modules))]
		switch r.IntN(4) {
		case 0:
			b = fmt.Appendf(b, "2026-11-%02dt%02d:%02d:%02dz warn src/%s.rs:%d request to /v1/items/%d took %d ms, retrying\n",
				1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), module, r.IntN(900), r.IntN(100_000), r.IntN(9000))
		case 1:
			b = fmt.Appendf(b, "error: cannot open c:\\users\\user%d\\appdata\\roaming\\my-app\\settings.json: access is denied. (os error 5)\n", r.IntN(1000))
		case 2:
			b = fmt.Appendf(b, "panic: index out of range [%d] with length %d at src/%s.rs:%d\n   3: my_app::%s::draw\n   4: my_app::main\n",
				r.IntN(100), r.IntN(100), module, r.IntN(700), module)
		default:
			b = fmt.Appendf(b, "started version 1.%d.%d on windows 11 build %d with 16 gb of memory, session %x\n",
				r.IntN(10), r.IntN(20), 22_000+r.IntN(5000), r.Uint64())
		}
	}
	return b
}
