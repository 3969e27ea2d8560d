package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"svc/internal/control"
	"svc/internal/load"
	"svc/internal/sample"
)

const (
	benchProject = "bench"
	// benchChunk is the number of events that are made up beforehand, so that the
	// clock only runs while they are sent.
	benchChunk = 200_000
)

// measure fills a server and asks it.
func (b *eventsBench) measure(ctx context.Context, i *instance, addr string, r *eventsReport, progress io.Writer) (err error) {
	owner := connection{client: control.InProcess(i.handler)}
	key, err := b.prepare(ctx, owner)
	if err != nil {
		return err
	}
	peak := load.WatchMemory()
	defer func() { r.PeakMiB = peak().Own >> 20 }()
	server := connection{client: http.DefaultClient, base: "http://" + addr, key: key}
	there, err := b.count(ctx, server)
	if err != nil {
		return err
	}
	switch {
	case there == 0:
		if err := b.send(ctx, i, server, addr, r, progress); err != nil {
			return err
		}
	case there != b.plan.Count:
		return fmt.Errorf("%s holds %d events, not %d: take another directory", b.keep, there, b.plan.Count)
	}
	if err := i.events.Flush(); err != nil {
		return err
	}
	for worked := true; worked; {
		if worked, err = i.events.Compact(); err != nil {
			return err
		}
	}
	_, live, err := i.events.Size()
	if err != nil {
		return err
	}
	r.BytesPerEvent = float64(live) / float64(b.plan.Count)
	for _, q := range b.questions() {
		answer, err := b.time(ctx, server, q)
		if err != nil {
			return err
		}
		r.Questions = append(r.Questions, answer)
	}
	return nil
}

// prepare makes the project, if it is not there, and a key to ask with.
func (b *eventsBench) prepare(ctx context.Context, owner connection) (key string, err error) {
	list, err := owner.call(ctx, http.MethodGet, "/api/v1/admin/projects", nil)
	if err != nil {
		return "", err
	}
	if !bytes.Contains(list, []byte(`"project_key":"`+benchProject+`"`)) {
		project := map[string]any{"project_key": benchProject, "name": "Bench", "event_retention_days": 365}
		if _, err := owner.call(ctx, http.MethodPost, "/api/v1/admin/projects", project); err != nil {
			return "", err
		}
	}
	raw, err := owner.call(ctx, http.MethodPost, "/api/v1/auth/api-keys", map[string]any{"name": "bench", "scopes": []string{"events:read", "projects:write"}})
	if err != nil {
		return "", err
	}
	var made struct {
		Token string `json:"token"`
	}
	err = json.Unmarshal(raw, &made)
	return made.Token, err
}

// send makes events up and sends them. Meanwhile somebody saves something in the
// console now and then.
func (b *eventsBench) send(ctx context.Context, i *instance, server connection, addr string, r *eventsReport, progress io.Writer) error {
	source := sample.New(b.plan)
	var batch sample.Batch
	var took time.Duration
	var saved []float64
	batches := 0
	for sent := 0; sent < b.plan.Count; {
		before := sent
		var requests [][]byte
		for sent-before < benchChunk && source.Next(&batch) {
			requests = append(requests, benchRequest(&batch))
			batches++
			sent += len(batch.Events)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		stop := keepSaving(ctx, server)
		result, err := load.Target{Name: "svc", Addr: addr, Requests: requests}.Shared(b.connections)
		times, failed := stop()
		if err := errors.Join(err, failed); err != nil {
			return err
		}
		saved = append(saved, times...)
		took += result.Took
		say(progress, "%d of %d events, %.0f a second", sent, b.plan.Count, float64(sent-before)/result.Took.Seconds())
	}
	if err := agree(i, b.plan.Count, batches); err != nil {
		return err
	}
	slices.Sort(saved)
	r.EventsPerSec = float64(b.plan.Count) / took.Seconds()
	r.Saving = saved[len(saved)*99/100]
	return nil
}

// agree compares what was sent with what the server has counted of it, which is
// what its metrics say.
func agree(i *instance, events, batches int) error {
	s, err := i.handler.Status()
	if err != nil {
		return err
	}
	if s.Events.Stored != uint64(events) || s.Events.Batches != uint64(batches) {
		return fmt.Errorf("the server has counted %d events in %d batches; sent were %d in %d", s.Events.Stored, s.Events.Batches, events, batches)
	}
	return nil
}

// keepSaving changes the project every few milliseconds until the returned
// function is called, which tells how many milliseconds each change took.
func keepSaving(ctx context.Context, server connection) (stop func() (times []float64, err error)) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	var times []float64
	var failed error
	go func() {
		defer close(done)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for n := 0; failed == nil; n++ {
			begun := time.Now()
			_, failed = server.ask(context.WithoutCancel(ctx), question{"change of the project", "PATCH", "", fmt.Sprintf(`{"name":"Bench %d"}`, n)})
			times = append(times, float64(time.Since(begun).Microseconds())/1000)
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return func() ([]float64, error) {
		cancel()
		<-done
		return times, failed
	}
}

// benchRequest is a batch as an app sends it.
func benchRequest(batch *sample.Batch) []byte {
	body := fmt.Appendf(nil, `{"distinct_id":"%s","session_id":"%s","platform":"windows 11","events":[`, batch.Subject, batch.Session)
	for i := range batch.Events {
		e := &batch.Events[i]
		if i > 0 {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `{"event_id":"%s","name":"%s","occurred_at":%d,"properties":`, e.ID, e.Name, e.At)
		body = append(e.Properties.AppendJSON(body), '}')
	}
	body = append(body, "]}"...)
	return fmt.Appendf(nil, "POST /api/v1/public/%s/events HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: svc-bench/1 (Windows NT 10.0)\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		benchProject, len(body), body)
}

// question is one that the console asks.
type question struct {
	name, method, path, body string
}

// questions are all kinds there are, over all days.
func (b *eventsBench) questions() []question {
	end := b.plan.Start + int64(b.plan.Days)*86400 - 1
	span := fmt.Sprintf(`"start_time":%d,"end_time":%d`, b.plan.Start, end)
	query := fmt.Sprintf("?start_time=%d&end_time=%d", b.plan.Start, end)
	const steps = `"steps":[{"event_name":"open"},{"event_name":"view"},{"event_name":"buy"}]`
	return []question{
		{"overview", "GET", "/events/stats/overview" + query, ""},
		{"time series by event, days", "GET", "/events/stats/timeseries" + query + "&group_by=event", ""},
		{"breakdown by platform", "GET", "/events/stats/breakdown" + query + "&dimension=platform", ""},
		{"breakdown by a property of 5 values", "GET", "/events/stats/breakdown" + query + "&dimension=property&property_key=format", ""},
		{"breakdown by a property of 2,000 values", "GET", "/events/stats/breakdown" + query + "&dimension=property&property_key=item", ""},
		{"heat map", "GET", "/events/stats/heatmap" + query, ""},
		{"funnel of 3 steps in 7 days", "POST", "/events/analysis/funnel", `{` + span + `,` + steps + `}`},
		{"the same, any entry", "POST", "/events/analysis/funnel", `{` + span + `,"entry":"any",` + steps + `}`},
		{"funnel with a filter", "POST", "/events/analysis/funnel", `{` + span + `,"steps":[{"event_name":"open"},{"event_name":"buy","filters":[{"property":"plan","op":"eq","value":"pro"}]}]}`},
		{"retention by week", "POST", "/events/analysis/retention", `{` + span + `,"start_event":"open","period":"week","periods":5}`},
		{"retention by day", "POST", "/events/analysis/retention", `{` + span + `,"start_event":"open","period":"day","periods":14}`},
		{"paths of sessions, depth 4", "POST", "/events/analysis/paths", `{` + span + `,"depth":4}`},
		{"paths of users, depth 4", "POST", "/events/analysis/paths", `{` + span + `,"depth":4,"scope":"user"}`},
		{"unique users of an event, days", "POST", "/events/analysis/query", `{` + span + `,"type":"timeseries","events":[{"name":"open","alias":"A","measure":"unique_users"}]}`},
		{"formula of two events", "POST", "/events/analysis/query", `{` + span + `,"type":"value","formula":"A / B * 100","events":[{"name":"buy","alias":"A","measure":"unique_users"},{"name":"open","alias":"B","measure":"unique_users"}]}`},
	}
}

// ask asks a question about the project.
func (c connection) ask(ctx context.Context, q question) ([]byte, error) {
	var body any
	if q.body != "" {
		body = json.RawMessage(q.body)
	}
	answer, err := c.call(ctx, q.method, "/api/v1/admin/projects/"+benchProject+q.path, body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.name, err)
	}
	return answer, nil
}

// count is how many events there are already.
func (b *eventsBench) count(ctx context.Context, server connection) (int, error) {
	raw, err := server.ask(ctx, question{"overview", "GET", fmt.Sprintf("/events/stats/overview?start_time=%d&end_time=%d", b.plan.Start, b.plan.Start+int64(b.plan.Days+1)*86400), ""})
	if err != nil {
		return 0, err
	}
	var o struct {
		Total int `json:"total"`
	}
	err = json.Unmarshal(raw, &o)
	return o.Total, err
}

// time asks a question some times; the first time, which finds the file cold, is
// left out.
func (b *eventsBench) time(ctx context.Context, server connection, q question) (benchAnswer, error) {
	var all []float64
	for round := range b.rounds + 1 {
		begun := time.Now()
		if _, err := server.ask(ctx, q); err != nil {
			return benchAnswer{}, err
		}
		if round > 0 {
			all = append(all, float64(time.Since(begun).Microseconds())/1000)
		}
	}
	slices.Sort(all)
	return benchAnswer{Question: q.name, Median: all[len(all)/2], Slowest: all[len(all)-1]}, nil
}
