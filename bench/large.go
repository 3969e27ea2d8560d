package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"time"

	"svc/bench/internal/loadgen"
	"svc/bench/internal/workload"
	"svc/internal/testutil/server"
)

const (
	listBar  = 50 // in ms
	listRuns = 100
)

// large measures a server with a data directory like one that has been in use for a long time. It
// contains millions of events, logs and feedback entries.
func (s *suite) large() error {
	if err := s.fillOnce(shapeVisits); err != nil {
		return err
	}
	data := s.folder(shapeVisits)
	if err := s.lists(data); err != nil {
		return err
	}
	rows, err := s.starts(data)
	if err != nil {
		return err
	}
	return s.print(fmt.Sprintf("a large data directory: %s events, %s logs, %s feedback entries", number(float64(s.events)),
		number(float64(s.logs)), number(float64(s.feedback))), rows)
}

// lists fills a data directory with logs and feedback, and then requests lists.
func (s *suite) lists(data string) (err error) {
	svc, err := s.program.Serve(s.ctx, data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, svc.Stop()) }()
	text := s.folder("lines.txt")
	if err := s.fillLists(svc, text); err != nil {
		return err
	}
	late, err := svc.AwaitIndex(s.ctx)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.out, "  the index had seen all logs and feedback after %.0f s\n", late.Seconds())
	var rows []row
	for _, c := range s.listCases() {
		r, err := s.list(svc, text, c)
		if err != nil {
			return err
		}
		rows = append(rows, r)
	}
	return s.print(fmt.Sprintf("lists: the time that 99 of 100 requests keep, %s logs and %s feedback entries; the reference searches for "+
		"the text in the same lines with grep -F, and the ratio is that of the medians",
		number(float64(s.logs)), number(float64(s.feedback))), rows)
}

// fillLists sends logs and feedback. It also writes the content of the logs to a file for grep.
func (s *suite) fillLists(svc *server.Server, path string) (err error) {
	for _, project := range []string{"lines", "texts"} {
		if err := svc.CreateProject(s.ctx, project); err != nil {
			return err
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines, texts := workload.NewSubmissions(11, false), workload.NewSubmissions(12, true)
	send := func(n int, request func() ([]byte, error)) error {
		for sent := 0; sent < n; {
			var requests [][]byte
			for len(requests) < min(n-sent, 50_000) {
				r, err := request()
				if err != nil {
					return err
				}
				requests = append(requests, r)
			}
			if _, err := (loadgen.Target{Name: "svc", Addr: svc.Addr, Requests: requests}).Send(128); err != nil {
				return err
			}
			sent += len(requests)
		}
		return nil
	}
	err = send(s.logs, func() ([]byte, error) {
		request, content := lines.LogRequest("lines")
		_, err := fmt.Fprintln(f, content)
		return request, err
	})
	if err != nil {
		return err
	}
	if err := send(s.feedback, func() ([]byte, error) { return lines.FeedbackRequest("lines"), nil }); err != nil {
		return err
	}
	return send(s.logs/20, func() ([]byte, error) {
		request, _ := texts.LogRequest("texts")
		return request, nil
	})
}

// listCase is a list that the console requests.
type listCase struct {
	name   string
	path   string // path below /api/v1/admin/projects
	query  url.Values
	search string // "" if the request contains no search text
}

func (s *suite) listCases() (all []listCase) {
	add := func(name, path, search string, query ...string) {
		values := url.Values{"limit": {"20"}}
		for i := 0; i < len(query); i += 2 {
			values.Set(query[i], query[i+1])
		}
		if search != "" {
			values.Set("search", search)
		}
		all = append(all, listCase{name, path, values, search})
	}
	logs := func(name, search string, query ...string) { add("logs, "+name, "/lines/logs", search, query...) }
	entries := func(name, search string, query ...string) {
		add("feedback, "+name, "/lines/feedbacks", search, query...)
	}
	texts := func(name, search string) { add("long texts, "+name, "/texts/logs", search) }
	logs("first page", "")
	logs("offset in the middle", "", "offset", strconv.Itoa(s.logs/2))
	logs("level and platform", "", "level", "3", "platform", "ios")
	logs("level, platform, offset", "", "level", "3", "platform", "ios", "offset", strconv.Itoa(s.logs/100))
	logs("search, rare", workload.RareText)
	logs("search, 1 %", "checksum mismatch")
	logs("search, 1 %, offset", "checksum mismatch", "offset", strconv.Itoa(s.logs/200))
	logs("search, 14 %", "upstream")
	logs("search, 14 %, offset", "upstream", "offset", strconv.Itoa(s.logs/10))
	logs("search, 30 %", "request")
	logs("search, 30 %, level, platform", "request", "level", "3", "platform", "ios")
	logs("search, one character", "e")
	logs("search, one character, offset", "e", "offset", strconv.Itoa(s.logs/2))
	logs("search, two Chinese characters, 5 %", "超时")
	logs("search, Chinese in one log", workload.OnceText)
	logs("search, found nowhere", "no such text anywhere")
	logs("search, one word found nowhere", "zzzyqx")
	logs("search, two words in any order", "mismatch block")
	logs("search, version", "v2.14.3")
	logs("search, address", "10.17.")
	entries("first page", "")
	entries("offset in the middle", "", "offset", strconv.Itoa(s.feedback/2))
	entries("rating", "", "rating", "5")
	entries("search, rare", "user48213@")
	entries("search, common", "crash")
	entries("search, two Chinese characters", "闪退")
	texts("first page", "")
	texts("search, a trace", "Client.java:421")
	texts("search, Arabic", "أثناء قراءة")
	texts("search, Turkish in capitals", "İSTANBUL")
	texts("search, a character outside of the basic plane", "👩‍💻")
	texts("search, found nowhere", "no such text anywhere")
	return all
}

// list measures requests for a list, after some warm-up requests. If the request searches the plain
// logs, list also measures the same search with grep in a file of these logs.
func (s *suite) list(svc *server.Server, text string, c listCase) (r row, err error) {
	key, err := svc.Key(s.ctx)
	if err != nil {
		return r, err
	}
	request := loadgen.Get("/api/v1/admin/projects"+c.path+"?"+c.query.Encode(), "bench/1", "X-API-Key: "+key)
	target := loadgen.Target{Name: c.name, Addr: svc.Addr, Requests: make([][]byte, listRuns)}
	for i := range target.Requests {
		target.Requests[i] = request
	}
	if _, err := (loadgen.Target{Name: c.name, Addr: svc.Addr, Requests: target.Requests[:5]}).Send(1); err != nil {
		return r, err
	}
	result, err := target.Send(1)
	if err != nil {
		return r, err
	}
	p99, middle := result.Latency.Quantile(0.99), result.Latency.Quantile(0.5)
	r = row{
		what: c.name, figure: float64(p99.Microseconds()) / 1000, bar: listBar, atMost: true, unit: "ms",
		ours: fmt.Sprintf("%.1f ms, median %.1f ms", float64(p99.Microseconds())/1000, float64(middle.Microseconds())/1000),
	}
	if c.search == "" || c.path != "/lines/logs" {
		return r, nil
	}
	took, err := grep(text, c.search)
	if err != nil || took == 0 {
		return r, err
	}
	r.ratio, r.reference = []float64{took.Seconds() / middle.Seconds()}, milliseconds(took)
	return r, nil
}

// grep returns the median time of a search in a file. It returns 0 if grep is not installed.
func grep(path, text string) (time.Duration, error) {
	program, err := exec.LookPath("grep")
	if err != nil {
		return 0, nil
	}
	var times []float64
	for range 5 {
		c := exec.Command(program, "-c", "-i", "-F", "-e", text, path)
		begin := time.Now()
		if err := c.Run(); err != nil && c.ProcessState.ExitCode() != 1 { // 1 = no match
			return 0, fmt.Errorf("grep: %w", err)
		}
		times = append(times, time.Since(begin).Seconds())
	}
	return seconds(median(times)), nil
}
