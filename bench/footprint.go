package main

import (
	"errors"
	"fmt"
	"time"

	"svc/internal/testutil/server"
)

const (
	binaryBar = 45 // in MiB
	idleBar   = 40 // in MiB
	startBar  = 1  // in seconds
)

// footprint measures the size of the program, and the start time and the memory of an idle server.
func (s *suite) footprint() error {
	size, err := s.program.Size()
	if err != nil {
		return err
	}
	svc, err := s.program.Serve(s.ctx, s.folder("footprint"))
	if err != nil {
		return err
	}
	first := svc.Start
	if err := svc.Stop(); err != nil {
		return err
	}
	starts, err := s.starts(svc.Data)
	if err != nil {
		return err
	}
	mib := float64(size) / (1 << 20)
	return s.print("footprint: an empty data directory", append([]row{
		{what: "program, static and stripped", figure: mib, bar: binaryBar, atMost: true, unit: "MiB", ours: fmt.Sprintf("%.1f MiB", mib)},
		{what: "first start until it answers", ours: milliseconds(first)},
	}, starts...))
}

// starts measures how long a server takes to respond after a clean stop and after a kill. It also
// measures the memory of the idle server.
func (s *suite) starts(data string) ([]row, error) {
	var clean, killed, own, resident []float64
	for range s.rounds {
		svc, err := s.program.Serve(s.ctx, data)
		if err != nil {
			return nil, err
		}
		clean = append(clean, svc.Start.Seconds())
		if err := s.idle(svc, &own, &resident); err != nil {
			return nil, errors.Join(err, svc.Kill())
		}
		if err := svc.Kill(); err != nil {
			return nil, err
		}
		if svc, err = s.program.Serve(s.ctx, data); err != nil {
			return nil, err
		}
		killed = append(killed, svc.Start.Seconds())
		if err := svc.Stop(); err != nil {
			return nil, err
		}
	}
	rows := []row{
		{
			what: "start after a clean stop", figure: median(clean), bar: startBar, atMost: true, unit: "s",
			ours: milliseconds(seconds(median(clean))),
		},
		{what: "start after a kill", ours: milliseconds(seconds(median(killed)))},
	}
	if median(resident) > 0 {
		rows = append(rows, row{
			what: "memory of an idle server", figure: median(own), bar: idleBar, atMost: true, unit: "MiB",
			ours: fmt.Sprintf("%.0f MiB, %.0f MiB with mapped files", median(own), median(resident)),
		})
	}
	return rows, nil
}

// idle measures the memory of a server shortly after its start, in MiB. It appends the memory
// without mapped files to own, and the memory with mapped files to resident.
func (s *suite) idle(svc *server.Server, own, resident *[]float64) error {
	select {
	case <-time.After(2 * time.Second):
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
	m := svc.Memory()
	*own = append(*own, float64(m.Own)/(1<<20))
	*resident = append(*resident, float64(m.Resident)/(1<<20))
	return nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.3g ms", float64(d.Microseconds())/1000)
}
