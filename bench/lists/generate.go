package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc/internal/platform"
	"svc/store"
)

// The generated logs are spread over thirty days.
const (
	beginning = 1_700_000_000 // Unix seconds
	span      = 30 * 24 * 3600
)

// clock is the time of the store while it is filled.
type clock struct{ at atomic.Int64 } // nanoseconds since the beginning

func (c *clock) now() time.Time { return time.Unix(beginning, c.at.Load()) }

// middle is a tenth of the time of the logs.
func (d *data) middle() (from, to int64) { return beginning + span*45/100, beginning + span*55/100 }

// groupSize is how many records one submission adds, so that making a million
// takes a minute and not ten.
const groupSize = 50

// fill brings the project to so many logs and feedback entries.
func (d *data) fill(logs, feedback int) error {
	have, err := d.counts()
	if err != nil {
		return err
	}
	if have.logs >= logs && have.feedback >= feedback {
		return nil
	}
	begin := time.Now()
	if err := d.addLogs(logs - have.logs); err != nil {
		return err
	}
	if err := d.addFeedback(feedback - have.feedback); err != nil {
		return err
	}
	fmt.Printf("made in %.0f s\n", time.Since(begin).Seconds())
	return nil
}

func (d *data) counts() (n struct{ logs, feedback int }, err error) {
	err = d.db.View(func(tx *store.Tx) error {
		levels, err := tx.LogStatistics()
		for _, level := range levels {
			n.logs += int(level)
		}
		if err != nil {
			return err
		}
		st, err := tx.FeedbackStatistics()
		n.feedback = int(st.Count)
		return err
	})
	return n, err
}

func (d *data) addLogs(n int) error {
	return d.submit(n, func(tx *store.Tx, r *rand.Rand, i int) error {
		return tx.AddLog(d.project, newLog(r, i, n))
	})
}

func (d *data) addFeedback(n int) error {
	return d.submit(n, func(tx *store.Tx, r *rand.Rand, _ int) error {
		return tx.AddFeedback(d.project, newFeedback(r))
	})
}

// submit adds n records from 32 goroutines, groupSize in each submission.
func (d *data) submit(n int, add func(*store.Tx, *rand.Rand, int) error) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	errs := make(chan error, 32)
	for w := range cap(errs) {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 7))
			for {
				first := int(next.Add(groupSize)) - groupSize
				if first >= n {
					return
				}
				d.clock.at.Store(span * int64(time.Second) / int64(n) * int64(first))
				err := d.db.Submit(func(tx *store.Tx) error {
					for i := first; i < min(first+groupSize, n); i++ {
						if err := add(tx, r, i); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wait.Wait()
	close(errs)
	return <-errs
}

// rareText is in about one log of a hundred thousand.
const rareText = "ERR_QUOTA_7731"

// long is 128 runes of a template.
var long = strings.Repeat("request ", 16)

var (
	hosts   = []string{"eu-1", "eu-2", "us-east", "us-west", "ap-south", "sa-1"}
	paths   = []string{"/api/items", "/api/users/me", "/sync/batch", "/files/upload", "/auth/refresh", "/search"}
	modules = []string{"net", "render", "storage", "audio", "auth", "sync", "ui", "update"}
	files   = []string{"cache.bin", "index.db", "thumbs.pack", "journal.log", "settings.json"}
	cities  = []string{"Berlin", "Lyon", "Osaka", "Austin", "Pune", "Recife", "上海", "München"}
)

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

func token(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// content is a line of about 100 to 150 bytes: words, numbers, ids, some CJK.
func content(r *rand.Rand, i, n int) string {
	if i == n/3 {
		return "独一无二的一行，之后不再出现"
	}
	if r.IntN(100_000) == 0 {
		return fmt.Sprintf("%s on %s: limit of %d MiB reached for tenant %s", rareText, pick(r, hosts), r.IntN(4096), token(r, 9))
	}
	switch p := r.IntN(100); {
	case p < 16:
		return fmt.Sprintf("request GET %s/%d finished with %d in %d ms, id %016x, session %s, %d bytes", pick(r, paths), r.IntN(1e6), 200+r.IntN(300), r.IntN(3000), r.Uint64(), token(r, 12), r.IntN(1e6))
	case p < 30:
		return fmt.Sprintf("request to upstream %s 10.%d.%d.%d:443 failed after %d ms: connection reset by peer, attempt %d of 5, trace %016x", pick(r, hosts), r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(30000), r.IntN(5), r.Uint64())
	case p < 31:
		return fmt.Sprintf("checksum mismatch in block %d of %s: got %08x, want %08x, file will be fetched again", r.IntN(1e5), pick(r, files), r.Uint32(), r.Uint32())
	case p < 36:
		return fmt.Sprintf("连接超时：%s 在 %d 秒后没有响应，第 %d 次重试，会话 %s", pick(r, hosts), r.IntN(60), r.IntN(5), token(r, 12))
	case p < 50:
		return fmt.Sprintf("frame %d dropped: decode took %d.%d ms, queue %d, gpu memory %d MiB, surface %dx%d, codec h264 profile %d", r.IntN(1e7), r.IntN(100), r.IntN(10), r.IntN(60), r.IntN(4096), r.IntN(4000), r.IntN(3000), r.IntN(100))
	case p < 65:
		return fmt.Sprintf("user %s signed in from device %s, app v2.%d.%d, locale de-DE, push token %s", token(r, 6), token(r, 12), r.IntN(20), r.IntN(30), token(r, 24))
	case p < 80:
		return fmt.Sprintf("cache entry %016x evicted, age %d s, %d hits, %d KiB freed, %s holds %d entries in %d shards", r.Uint64(), r.IntN(1e6), r.IntN(1000), r.IntN(1e5), pick(r, files), r.IntN(1e6), r.IntN(64))
	default:
		return fmt.Sprintf("worker %d took job %s from queue %s, payload %d bytes, lease until %d, %d jobs are waiting", r.IntN(64), token(r, 12), pick(r, modules), r.IntN(1e6), beginning+r.IntN(span), r.IntN(5000))
	}
}

func newLog(r *rand.Rand, i, n int) *store.Log {
	source := pick(r, modules)
	l := &store.Log{Level: r.IntN(4), Content: content(r, i, n), Source: &source, Hidden: r.IntN(50) == 0, Sender: newSender(r)}
	l.Platform, l.PlatformVersion = newPlatform(r)
	if r.IntN(4) == 0 {
		l.DeviceInfo = json.RawMessage(fmt.Sprintf(`{"model":"Model %d","ram_mb":%d}`, r.IntN(500), 1024*(1+r.IntN(16))))
	}
	return l
}

func newPlatform(r *rand.Rand) (*platform.Platform, *string) {
	p := platform.All[r.IntN(len(platform.All))]
	v := fmt.Sprintf("%d.%d", 8+r.IntN(10), r.IntN(10))
	return &p, &v
}

func newSender(r *rand.Rand) store.Sender {
	ip := fmt.Sprintf("10.%d.%d.%d", r.IntN(32), r.IntN(256), r.IntN(256))
	city, code, country := pick(r, cities), "DE", "Germany"
	return store.Sender{IP: &ip, City: &city, CountryCode: &code, CountryName: &country}
}

var opinions = []string{
	"The app crashes when I open the third tab after %d minutes, please have a look.",
	"Love it! %d stars if the dark theme came back.",
	"Export of %d entries takes forever and then the list is empty.",
	"打开第 %d 个页面时闪退，请尽快修复。",
	"Sync with %d devices works, but a crash in the background loses the last note.",
	"Bitte den Knopf größer machen, ich treffe ihn nur jedes %d. Mal.",
}

func newFeedback(r *rand.Rand) *store.Feedback {
	user := fmt.Sprintf("u-%d", r.IntN(1e6))
	contact := fmt.Sprintf("user%d@example.org", r.IntN(1e5))
	f := &store.Feedback{
		Content: fmt.Sprintf(pick(r, opinions), r.IntN(100)), UserID: &user, Contact: &contact,
		Status: store.FeedbackStatus(r.IntN(4)), Hidden: r.IntN(50) == 0, Sender: newSender(r),
	}
	if rating := r.IntN(6); rating > 0 {
		f.Rating = &rating
	}
	f.Platform, f.PlatformVersion = newPlatform(r)
	return f
}

// size is what the files below a folder, or a file, take.
func size(path string) (n int64) {
	_ = filepath.WalkDir(path, func(_ string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if info, err := e.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}
