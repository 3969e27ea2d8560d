package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"svc/bench/internal/loadgen"
	"svc/internal/testutil/server"
)

// The required results of uploads and downloads. downloadBar is the minimum ratio of the download
// speed to that of nginx. uploadMemoryBar is the maximum memory of the server during an upload.
// writtenBar is the maximum number of bytes that are written for each uploaded byte.
const (
	downloadBar     = 1
	uploadMemoryBar = 64 // in MiB
	writtenBar      = 1.05
)

const (
	rangeSize        = 64 << 10
	rangeConnections = 8
	ranges           = 10_000 // distinct ranges, which are requested repeatedly
)

// files measures uploads to, and downloads from, local storage.
func (s *suite) files() (err error) {
	data := s.folder("files")
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	path, err := s.transfers(data)
	if err != nil {
		return err
	}
	return s.slowDownloads(data, path)
}

// transfers measures uploads and the speed of downloads. It returns the URL path of the file that
// was downloaded.
func (s *suite) transfers(data string) (path string, err error) {
	svc, err := s.program.Serve(s.ctx, data)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, svc.Stop()) }()
	if err := svc.CreateProject(s.ctx, benchProject); err != nil {
		return "", err
	}
	if err := s.uploads(svc); err != nil {
		return "", err
	}
	file := s.folder("download.bin")
	if err := writeNoise(file, int64(s.download)<<20); err != nil {
		return "", err
	}
	path, err = s.uploadFile(svc, file)
	if err := errors.Join(err, os.Remove(file)); err != nil {
		return "", err
	}
	return path, s.downloads(svc, path)
}

// writeNoise creates an incompressible file.
func writeNoise(path string, size int64) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err = io.CopyN(f, rand.NewChaCha8([32]byte{1}), size); err != nil {
		return err
	}
	return f.Sync()
}

// uploadFile uploads a file in chunks, like the console, and returns the path of the file's link.
func (s *suite) uploadFile(svc *server.Server, file string) (path string, err error) {
	key, err := svc.Key(s.ctx)
	if err != nil {
		return "", err
	}
	base := "http://" + svc.Addr
	link, err := s.program.Run(s.ctx, "files", "upload", "--url", base, "--key", key, "--project", benchProject, file)
	return strings.TrimPrefix(link, base), err
}

// putFile uploads a file in one request.
func (s *suite) putFile(svc *server.Server, file string) (err error) {
	key, err := svc.Key(s.ctx)
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	to := "http://" + svc.Addr + "/api/v1/admin/projects/" + benchProject + "/files?filename=" + url.QueryEscape(filepath.Base(file))
	r, err := http.NewRequestWithContext(s.ctx, http.MethodPut, to, f)
	if err != nil {
		return err
	}
	r.ContentLength = info.Size()
	r.Header.Set("X-Api-Key", key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusCreated {
		return errors.Join(err, fmt.Errorf("upload: %s: %s", answer.Status, text))
	}
	return nil
}

// uploads measures the resources that the server uses during uploads.
func (s *suite) uploads(svc *server.Server) error {
	file := s.folder("upload.bin")
	if err := writeNoise(file, int64(s.upload)<<20); err != nil {
		return err
	}
	var rows []row
	for _, way := range []struct {
		name string
		send func() error
	}{
		{"in chunks", func() error { _, err := s.uploadFile(svc, file); return err }},
		{"in one request", func() error { return s.putFile(svc, file) }},
	} {
		before, begin := svc.Written(), time.Now()
		peak := svc.WatchMemory()
		err := way.send()
		memory := peak()
		if err != nil {
			return err
		}
		took, size := time.Since(begin), float64(s.upload)*(1<<20)
		written := float64(svc.Written() - before)
		rows = append(rows, row{what: way.name, ours: fmt.Sprintf("%s MB/s", number(size/1e6/took.Seconds()))})
		if memory.Own > 0 {
			rows = append(rows,
				row{
					what: way.name + ": memory at most", figure: float64(memory.Own) / (1 << 20), bar: uploadMemoryBar, atMost: true, unit: "MiB",
					ours: fmt.Sprintf("%d MiB", memory.Own>>20),
				},
				row{
					what: way.name + ": bytes written for each byte", figure: written / size, bar: writtenBar, atMost: true,
					ours: fmt.Sprintf("%.3f", written/size),
				})
		}
	}
	return errors.Join(os.Remove(file),
		s.print(fmt.Sprintf("upload: a file of %s MiB, on disk before the answer", number(float64(s.upload))), rows))
}

// downloads compares downloads of the same file from svc and from nginx.
func (s *suite) downloads(svc *server.Server, path string) (err error) {
	beside, err := startNginx(s.ctx, s.folder("nginx"), filepath.Join(svc.Data, "files", "objects"))
	if errors.Is(err, errNoNginx) {
		_, _ = fmt.Fprintf(s.out, "  skipped: downloads beside nginx, because %v\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, beside.stop()) }()
	contenders := func(requests [][]byte, connections int) (ours, theirs *contender) {
		run := func(name, addr string) func() (loadgen.Result, error) {
			target := loadgen.Target{Name: name, Addr: addr, Requests: requests}
			return func() (loadgen.Result, error) { return target.Run(connections, s.each) }
		}
		return &contender{process: svc.Process, run: run("svc", svc.Addr)}, &contender{run: run("nginx", beside.addr)}
	}
	var rows []row
	for _, connections := range []int{1, 8} {
		ours, theirs := contenders([][]byte{loadgen.Get(path, "bench")}, connections)
		if err := interleave(s.rounds, ours, theirs); err != nil {
			return err
		}
		rows = append(rows, row{
			what:  fmt.Sprintf("whole, connections: %d", connections),
			ratio: ratios(ours, theirs, throughput), bar: downloadBar, ours: describeDownload(ours), reference: describeDownload(theirs),
		})
	}
	ours, theirs := contenders(s.rangeRequests(path), rangeConnections)
	if err := interleave(s.rounds, ours, theirs); err != nil {
		return err
	}
	rows = append(rows, row{
		what:  fmt.Sprintf("ranges of %d KiB at random, connections: %d", rangeSize>>10, rangeConnections),
		ratio: ratios(ours, theirs, rate), ours: describe(ours, 1, ""), reference: describe(theirs, 1, ""),
	})
	return s.print(fmt.Sprintf("download: a file of %s MiB on the local storage; the reference is nginx with sendfile and an access log, "+
		"serving the same file", number(float64(s.download))), rows)
}

// rangeRequests returns requests for parts of a file, like those of differential updaters.
func (s *suite) rangeRequests(path string) (requests [][]byte) {
	random := rand.New(rand.NewPCG(5, 6))
	for range ranges {
		at := random.Int64N(int64(s.download)<<20 - rangeSize)
		requests = append(requests, loadgen.Get(path, "bench", fmt.Sprintf("Range: bytes=%d-%d", at, at+rangeSize-1)))
	}
	return requests
}

// throughput returns the number of bytes per second.
func throughput(t turn) float64 { return float64(t.Bytes) / t.Took.Seconds() }

// describeDownload formats the speed of a contender.
func describeDownload(c *contender) string {
	text := fmt.Sprintf("%.2f GB/s", c.median(throughput)/1e9)
	if cost := c.median(func(t turn) float64 { return t.cpu.Seconds() / (float64(t.Bytes) / 1e9) }); cost > 0 {
		text += fmt.Sprintf(", %.0f ms of processor for a GB", cost*1000)
	}
	return text
}

// slowDownloads measures how much memory a new server uses for many long downloads.
func (s *suite) slowDownloads(data, path string) (err error) {
	svc, err := s.program.Serve(s.ctx, data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, svc.Stop()) }()
	var own, resident []float64
	if err := s.idle(svc, &own, &resident); err != nil {
		return err
	}
	if own[0] == 0 {
		_, _ = fmt.Fprintln(s.out, "  skipped: memory of slow downloads, which only Linux tells")
		return nil
	}
	during, err := s.downloadSlowly(svc, path)
	if err != nil {
		return err
	}
	return s.print(fmt.Sprintf("memory: %s slow downloads at the same time, of a file of %s MiB", number(float64(s.slow)),
		number(float64(s.download))), []row{
		{what: "of an idle server", ours: fmt.Sprintf("%.0f MiB", own[0])},
		{what: "at most meanwhile", ours: fmt.Sprintf("%.0f MiB", during)},
		{what: "for each download", ours: fmt.Sprintf("%.1f KiB", (during-own[0])*1024/float64(s.slow))},
	})
}

// downloadSlowly runs many slow downloads at the same time. It returns the server's maximum memory
// during the downloads, in MiB.
func (s *suite) downloadSlowly(svc *server.Server, path string) (mib float64, err error) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	var all sync.WaitGroup
	begun := make(chan error, s.slow)
	peak := svc.WatchMemory()
	for range s.slow {
		all.Go(func() { sip(ctx, svc.Addr, path, begun) })
	}
	for range s.slow {
		err = errors.Join(err, <-begun)
	}
	if err == nil {
		select {
		case <-time.After(s.each):
		case <-s.ctx.Done():
			err = s.ctx.Err()
		}
	}
	during := peak()
	cancel()
	all.Wait()
	return float64(during.Own) / (1 << 20), err
}

// sip downloads a file slowly until ctx ends: it reads a small part every tenth of a second. It
// sends nil to the channel begun when the first bytes arrive. If no bytes arrive, it sends the
// error instead.
func sip(ctx context.Context, addr, path string, begun chan<- error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		begun <- err
		return
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	var part [16 << 10]byte
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute)) // if this fails, the read fails as well
	_, err = conn.Write(loadgen.Get(path, "bench"))
	if err == nil {
		_, err = conn.Read(part[:])
	}
	begun <- err
	_ = conn.SetReadDeadline(time.Time{})
	for tick := time.Tick(100 * time.Millisecond); err == nil; <-tick {
		_, err = conn.Read(part[:])
	}
}
