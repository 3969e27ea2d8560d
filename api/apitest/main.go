package apitest

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Package names a package whose tests provoke a part of the documented answers.
type Package string

// The packages that share all documented answers among them, see owner.
const (
	API          Package = "api"
	Analytics    Package = "api/analytics"
	Distribution Package = "api/distribution"
	Control      Package = "api/control"
	Resource     Package = "api/resource"
	Site         Package = "api/site"
	Codehost     Package = "api/codehost"
)

// answered is one status of one operation.
type answered struct {
	operation string
	status    int
}

// seen collects the answers that Check has met, for Main.
var seen = struct {
	sync.Mutex
	answers map[answered]bool
}{answers: map[answered]bool{}}

// Main runs the tests of a package and adds one demand to a full run: each
// documented answer that the package owns was provoked by one of its tests. As
// each answer has an owner, all of them are provoked. A partial run cannot be
// held to it.
func Main(m *testing.M, p Package) {
	debug.SetGCPercent(400) // the tests allocate much and keep little
	code := m.Run()
	if code == 0 && fullRun() {
		for _, missing := range unseen(p) {
			fmt.Fprintln(os.Stderr, "documented but never seen:", missing)
			code = 1
		}
	}
	os.Exit(code)
}

func fullRun() bool {
	partial := map[string]string{"run": "", "skip": "", "bench": "", "fuzz": "", "list": "", "short": "false"}
	for name, usual := range partial {
		if flag.Lookup("test."+name).Value.String() != usual {
			return false
		}
	}
	return true
}

// owner names the package whose tests must provoke an answer: what is decided
// before a handler runs belongs to the assembled server, and so does If-Match, whose rule
// is one for all records, and what limits of memory refuse; the rest belongs to the package of the handler.
func owner(o *Operation, status int) Package {
	if o.Raw() {
		return Distribution
	}
	if o.Security != nil && len(*o.Security) == 1 && (*o.Security)[0]["signature"] != nil {
		return Codehost // who delivers is found out by the handler
	}
	switch status {
	case http.StatusUnauthorized, http.StatusPreconditionFailed, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests:
		return API
	}
	if o.Responses.Status(status).Ref == "#/components/responses/Busy" {
		return API
	}
	switch tag := o.Tags[0]; {
	case strings.HasPrefix(o.Path, "/readyz"):
		return Control
	case tag == "Files", tag == "Storage":
		return Distribution
	case tag == "Terms", tag == "Client library":
		return Site
	case tag == "Code host", o.OperationID == "forwardFeedback", o.OperationID == "submitFeedback" && status == http.StatusServiceUnavailable:
		return Codehost // which makes issues of feedback
	case tag == "Health":
		return API
	case tag == "Events", tag == "Statistics", strings.HasPrefix(o.Path, "/api/v1/public/{k}/events"):
		return Analytics
	}
	return Resource
}

// unseen lists the documented answers that a package owns and no test of it has
// met.
func unseen(p Package) (missing []string) {
	c, err := readContract()
	if err != nil {
		return []string{"anything: " + err.Error()}
	}
	seen.Lock()
	defer seen.Unlock()
	for _, o := range c.Operations {
		for _, status := range slices.Sorted(maps.Keys(o.Responses.Map())) {
			number, err := strconv.Atoi(status) // default is no number
			if err == nil && owner(&o, number) == p && !seen.answers[answered{o.OperationID, number}] {
				missing = append(missing, fmt.Sprintf("%s %s answers %s (%s)", o.Method, o.Path, status, o.OperationID))
			}
		}
	}
	return missing
}
