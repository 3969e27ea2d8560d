package server

import (
	"os"
	"runtime"
	"testing"
	"time"
)

func TestProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells what a process uses: run this on Linux")
	}
	p := Process(os.Getpid())
	peak := p.WatchMemory()
	kept := make([]byte, 64<<20)
	for i := range kept { // pages become resident when they are written
		kept[i] = 1
	}
	now := p.Memory()
	if now.Own < 64<<20 || now.Resident < now.Own {
		t.Errorf("got %+v beside 64 MiB", now)
	}
	runtime.KeepAlive(kept)
	if most := peak(); most.Own == 0 || most.Resident < most.Own {
		t.Errorf("got peak %+v", most)
	}
	for end := time.Now().Add(time.Minute); p.CPU() == 0 && time.Now().Before(end); { // the CPU time has a resolution of 10 ms
	}
	if p.CPU() == 0 {
		t.Error("no processor time after a minute of work")
	}
	if gone := Process(1 << 30); gone.CPU() != 0 || gone.Memory() != (Memory{}) || gone.Written() != 0 {
		t.Errorf("got %s, %+v and %d of a process that does not exist", gone.CPU(), gone.Memory(), gone.Written())
	}
}
