package cmd

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestUnit checks that the flags in the systemd unit exist, and that systemd does not restart the
// program after a failure that a restart cannot fix.
func TestUnit(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../deploy/svc.service")
	if err != nil {
		t.Fatal(err)
	}
	value := func(key string) string {
		found := regexp.MustCompile(`(?m)^` + key + `=(.*)$`).FindSubmatch(text)
		if found == nil {
			t.Fatalf("%s is missing", key)
		}
		return string(found[1])
	}
	if got, want := value("RestartPreventExitStatus"), fmt.Sprint(exitUsage, exitNoData, exitNewer, exitDamaged); got != want {
		t.Errorf("got RestartPreventExitStatus %s, want %s", got, want)
	}
	if pause, err := time.ParseDuration(value("RestartSec") + "s"); err != nil || 5*pause <= 10*time.Second {
		t.Errorf("got RestartSec %s: systemd gives up after five starts in ten seconds", value("RestartSec"))
	}
	if strings.Contains(string(text), "\nProcSubset=pid") {
		t.Error("ProcSubset=pid hides the limit of waiting connections in /proc/sys and the time of the boot in /proc/stat")
	}
	command, flags, err := Commands().Find(strings.Fields(value("ExecStart"))[1:])
	if err != nil {
		t.Fatal(err)
	}
	if err := command.ParseFlags(flags); err != nil || command.Name() != "serve" {
		t.Errorf("got command %s, %v", command.Name(), err)
	}
	if got := "/var/lib/" + value("StateDirectory"); command.Flag("data").Value.String() != got {
		t.Errorf("the data directory %s is not the folder that may be written to, %s", command.Flag("data").Value, got)
	}
}
