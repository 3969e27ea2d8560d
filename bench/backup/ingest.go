package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"svc/internal/load"
	"svc/internal/sample"
)

// chunk is the number of events of one measurement.
const chunk = 400_000

// source makes up requests with events.
type source struct{ *sample.Source }

// next makes up requests with a number of events.
func (s *source) next(count int) (requests [][]byte) {
	var batch sample.Batch
	for made := 0; made < count && s.Next(&batch); made += len(batch.Events) {
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
		requests = append(requests, fmt.Appendf(nil, "POST /api/v1/public/bench/events HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench/1 (Windows NT 10.0)\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			len(body), body))
	}
	return requests
}

// fill sends events and adds local files, half of which can be compressed, until
// the directory has its size.
func (s *service) fill(p plan) error {
	count := p.events + 2*(p.rounds+1)*chunk
	s.source = &source{sample.New(sample.Plan{Seed: 1, Users: 100_000, Names: 50, Days: 30, Start: time.Now().Unix() - 31*86400, Count: count})}
	for sent := 0; sent < p.events; sent += chunk {
		if _, err := s.send(p, s.source.next(min(chunk, p.events-sent))); err != nil {
			return err
		}
	}
	if err := s.events.Flush(); err != nil {
		return err
	}
	for worked := true; worked; {
		var err error
		if worked, err = s.events.Compact(); err != nil {
			return err
		}
	}
	file, _, err := s.events.Size()
	if err != nil {
		return err
	}
	const part = 16 << 20
	random := rand.NewChaCha8([32]byte{1})
	text := sample.New(sample.Plan{Seed: 2, Users: 1000, Names: 50, Days: 30, Count: 1 << 30})
	for n, left := 0, int64(p.megabytes)*1e6-file; left > 0; n, left = n+1, left-part {
		b := make([]byte, 0, part)
		if n%2 == 0 { // a program that people download
			b = b[:part]
			_, _ = random.Read(b) // never fails
		}
		var batch sample.Batch
		for len(b) < part && text.Next(&batch) { // a table that people download
			for i := range batch.Events {
				b = batch.Events[i].Properties.AppendJSON(append(b, batch.Events[i].ID...))
			}
		}
		if err := os.WriteFile(filepath.Join(s.data, "files", "objects", fmt.Sprint(n)), b, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (s *service) send(p plan, requests [][]byte) (eventsPerSecond float64, err error) {
	r, err := load.Target{Name: "svc", Addr: s.addr, Requests: requests}.Shared(p.connections)
	return r.Rate() * sample.BatchSize, err
}

// besideIngest measures events that come in, in turn alone and while one backup
// after the other is made.
func (s *service) besideIngest(p plan, out io.Writer) error {
	var ratios []float64
	for round := range p.rounds + 1 {
		alone, err := s.send(p, s.source.next(chunk))
		if err != nil {
			return err
		}
		requests := s.source.next(chunk)
		stop := s.keepBackingUp()
		beside, err := s.send(p, requests)
		made, failed := stop()
		if err != nil || failed != nil {
			return fmt.Errorf("events: %w, backup: %w", err, failed)
		}
		if round == 0 {
			continue // warming up
		}
		ratios = append(ratios, beside/alone)
		_, _ = fmt.Fprintf(out, "  %7.0f events/s alone, %7.0f beside %.1f backups: %.2f\n", alone, beside, made, beside/alone)
	}
	share := median(ratios)
	_, err := fmt.Fprintf(out, "  median ratio %.2f; bar %.1f %s\n", share, leastShare, verdict(share >= leastShare))
	return err
}

// keepBackingUp makes backups until the returned function is called, which says
// how many were made; the one that it interrupts counts as a half.
func (s *service) keepBackingUp() (stop func() (made float64, err error)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	var made float64
	var failed error
	go func() {
		defer close(done)
		for ctx.Err() == nil && failed == nil {
			if _, _, failed = s.backUp(ctx); failed == nil {
				made++
			}
		}
		if ctx.Err() != nil && failed != nil {
			made, failed = made+0.5, nil
		}
	}()
	return func() (float64, error) {
		cancel()
		<-done
		return made, failed
	}
}
