package cmd

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestUnit holds the systemd unit to the program: the flags it uses are there,
// and it does not start again what a start cannot repair.
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
