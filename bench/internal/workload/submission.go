package workload

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"svc/bench/internal/loadgen"
)

// Submissions generates logs and feedback as sent by apps. Each one comes from a different address.
type Submissions struct {
	random *rand.Rand
	unkind bool
	made   int
}

// NewSubmissions returns a generator, which always generates the same submissions for the same
// seed. Plain logs are lines of 100 to 150 bytes, with IDs and numbers as in real programs. One in
// twenty is in Chinese. If unkind is true, submissions are hard to store and index: texts of 100
// bytes to 4 kB in many scripts, stack traces, unique tokens and nested descriptions.
func NewSubmissions(seed uint64, unkind bool) *Submissions {
	return &Submissions{random: rand.New(rand.NewPCG(seed, 1)), unkind: unkind}
}

// Log returns the body of a request that submits a log, and the content of that log. All logs of a
// seed are different, so the server never treats one as a repetition.
func (s *Submissions) Log() (body []byte, content string) {
	s.made++
	r := s.random
	if s.unkind {
		content = string(appendText(fmt.Appendf(nil, "%d %016x ", s.made, r.Uint64()), r, lengthBetween(r, 100, 3900)))
		body = fmt.Appendf(nil, `{"level":%d,"source":"module.%d.%d","device_info":{"model":`, r.IntN(4), r.IntN(50), r.IntN(50))
		body = appendQuoted(body, string(appendText(nil, r, 40)))
		body = fmt.Appendf(body, `,"memory":%d,"screens":[{"w":%d,"h":%d},{"w":%d,"h":%d}],"id":"%016x"},"content":`,
			r.IntN(1<<16), r.IntN(8000), r.IntN(8000), r.IntN(8000), r.IntN(8000), r.Uint64())
		return append(appendQuoted(body, content), '}'), content
	}
	content = s.line()
	body = fmt.Appendf(nil, `{"level":%d,"source":"%s",`, r.IntN(4), pick(r, modules...))
	if r.IntN(4) == 0 {
		body = fmt.Appendf(body, `"device_info":{"model":"Model %d","ram_mb":%d},`, r.IntN(500), 1024*(1+r.IntN(16)))
	}
	body = fmt.Appendf(body, `"platform":"%s %d.%d","content":`, pick(r, systems...), 8+r.IntN(10), r.IntN(10))
	return append(appendQuoted(body, content), '}'), content
}

// LogRequest returns a request that sends the next log to a project, and the content of that log.
func (s *Submissions) LogRequest(project string) (request []byte, content string) {
	body, content := s.Log()
	return loadgen.Post("/api/v1/public/"+project+"/logs", "bench/1 (Linux)", body, s.forwarded()), content
}

// FeedbackRequest returns a request that sends feedback to a project.
func (s *Submissions) FeedbackRequest(project string) []byte {
	r := s.random
	body := fmt.Appendf(nil, `{"user_id":"u-%d","contact":"user%d@example.org","rating":%d,"content":`, r.IntN(1e6), r.IntN(1e5), 1+r.IntN(5))
	body = append(appendQuoted(body, fmt.Sprintf(pick(r, opinions...), r.IntN(100))), '}')
	return loadgen.Post("/api/v1/public/"+project+"/feedbacks", "bench/1 (Linux)", body, s.forwarded())
}

// forwarded returns an X-Forwarded-For header with a random client address.
func (s *Submissions) forwarded() string {
	return fmt.Sprintf("X-Forwarded-For: %d.%d.%d.%d", 80+s.random.IntN(16), s.random.IntN(256), s.random.IntN(256), 1+s.random.IntN(254))
}

const (
	// RareText occurs in about one of 100,000 plain logs.
	RareText = "ERR_QUOTA_7731"
	// OnceText occurs only in the thousandth plain log that is generated from a seed.
	OnceText = "独一无二的一行"
)

var (
	hosts    = []string{"eu-1", "eu-2", "us-east", "us-west", "ap-south", "sa-1"}
	paths    = []string{"/api/items", "/api/users/me", "/sync/batch", "/files/upload", "/auth/refresh", "/search"}
	modules  = []string{"net", "render", "storage", "audio", "auth", "sync", "ui", "update"}
	files    = []string{"cache.bin", "index.db", "thumbs.pack", "journal.log", "settings.json"}
	systems  = []string{"windows", "linux", "macos", "ios", "android"}
	opinions = []string{
		"The app crashes when I open the third tab after %d minutes, please have a look.",
		"Love it! %d stars if the dark theme came back.",
		"Export of %d entries takes forever and then the list is empty.",
		"打开第 %d 个页面时闪退，请尽快修复。",
		"Sync with %d devices works, but a crash in the background loses the last note.",
		"Bitte den Knopf größer machen, ich treffe ihn nur jedes %d. Mal.",
	}
)

// line returns a line of about 100 to 150 bytes.
func (s *Submissions) line() string {
	r := s.random
	if s.made == 1000 {
		return OnceText + "，之后不再出现"
	}
	if r.IntN(100_000) == 0 {
		return fmt.Sprintf("%s on %s: limit of %d MiB reached for tenant %s", RareText, pick(r, hosts...), r.IntN(4096), token(r, 9))
	}
	switch p := r.IntN(100); {
	case p < 16:
		return fmt.Sprintf("request GET %s/%d finished with %d in %d ms, id %016x, session %s, %d bytes", pick(r, paths...), r.IntN(1e6),
			200+r.IntN(300), r.IntN(3000), r.Uint64(), token(r, 12), r.IntN(1e6))
	case p < 30:
		return fmt.Sprintf("request to upstream %s 10.%d.%d.%d:443 failed after %d ms: connection reset by peer, attempt %d of 5, trace %016x",
			pick(r, hosts...), r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(30000), r.IntN(5), r.Uint64())
	case p < 31:
		return fmt.Sprintf("checksum mismatch in block %d of %s: got %08x, want %08x, file will be fetched again", r.IntN(1e5), pick(r, files...),
			r.Uint32(), r.Uint32())
	case p < 36:
		return fmt.Sprintf("连接超时：%s 在 %d 秒后没有响应，第 %d 次重试，会话 %s", pick(r, hosts...), r.IntN(60), r.IntN(5), token(r, 12))
	case p < 50:
		return fmt.Sprintf("frame %d dropped: decode took %d.%d ms, queue %d, gpu memory %d MiB, surface %dx%d, codec h264 profile %d",
			r.IntN(1e7), r.IntN(100), r.IntN(10), r.IntN(60), r.IntN(4096), r.IntN(4000), r.IntN(3000), r.IntN(100))
	case p < 65:
		return fmt.Sprintf("user %s signed in from device %s, app v2.%d.%d, locale de-DE, push token %s", token(r, 6), token(r, 12), r.IntN(20),
			r.IntN(30), token(r, 24))
	case p < 80:
		return fmt.Sprintf("cache entry %016x evicted, age %d s, %d hits, %d KiB freed, %s holds %d entries in %d shards", r.Uint64(),
			r.IntN(1e6), r.IntN(1000), r.IntN(1e5), pick(r, files...), r.IntN(1e6), r.IntN(64))
	default:
		return fmt.Sprintf("worker %d took job %s from queue %s, payload %d bytes, lease until %d, %d jobs are waiting", r.IntN(64), token(r, 12),
			pick(r, modules...), r.IntN(1e6), 1_700_000_000+r.IntN(2_592_000), r.IntN(5000))
	}
}

// token returns a random base64 text of n bytes.
func token(r *rand.Rand, n int) string {
	b := make([]byte, 0, n+8)
	for len(b) < n {
		b = binary.LittleEndian.AppendUint64(b, r.Uint64())
	}
	return base64.RawURLEncoding.EncodeToString(b[:n])
}
