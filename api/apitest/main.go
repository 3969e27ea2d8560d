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

// Package identifies a package that must test a part of the documented responses.
type Package string

// The packages that share the documented responses. See owner.
const (
	API          Package = "api"
	Analytics    Package = "api/analytics"
	Distribution Package = "api/distribution"
	Feeds        Package = "api/feeds"
	Hooks        Package = "api/hooks"
	Control      Package = "api/control"
	Resource     Package = "api/resource"
	Pages        Package = "api/pages"
	Codehost     Package = "api/codehost"
)

// answered is a documented combination of an operation and a status.
type answered struct {
	operation string
	status    int
}

// seen records the responses that Check has validated, for use by Main.
var seen = struct {
	sync.Mutex
	answers map[answered]bool
}{answers: map[answered]bool{}}

// Main runs the tests of a package. If all tests of the package were run, it also fails if they did
// not provoke every documented response that the package owns. Every documented response has an
// owner, so all of them are tested.
func Main(m *testing.M, p Package) {
	debug.SetGCPercent(400) // the tests allocate much and keep little
	code := m.Run()
	if testing.Verbose() {
		fmt.Printf("standby: %d responses compared, %d requests refused, %d beside changes\n", comparisons.equal.Load(),
			comparisons.refused.Load(), comparisons.busy.Load())
	}
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

// owner returns the package that must test a documented response. Package api owns the responses
// that are decided before the handler runs, the responses to If-Match, and the rejections for lack
// of memory. Other responses belong to the package of the handler.
func owner(o *Operation, status int) Package {
	if o.Raw() {
		return Distribution
	}
	if o.Security != nil && len(*o.Security) == 1 && (*o.Security)[0]["signature"] != nil {
		return Codehost // the handler, not the server, authenticates the sender
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
	case tag == "Files", tag == "Storage", strings.Contains(o.Path+"/", "/assets/"):
		return Distribution
	case o.OperationID == "getFeeds":
		return Feeds
	case tag == "Notifications":
		return Hooks
	case tag == "Client library":
		return Pages
	case tag == "Code host", o.OperationID == "forwardFeedback", o.OperationID == "submitFeedback" && status == http.StatusServiceUnavailable:
		return Codehost // the code host receives the issues
	case tag == "Health":
		return API
	case tag == "Events", tag == "Statistics", o.Extensions["x-scope"] == "stats:read",
		strings.HasPrefix(o.Path, "/api/v1/public/{k}/events"):
		return Analytics
	}
	return Resource
}

// unseen returns the documented responses of a package that none of its tests has provoked.
func unseen(p Package) (missing []string) {
	c, err := readContract()
	if err != nil {
		return []string{"anything: " + err.Error()}
	}
	seen.Lock()
	defer seen.Unlock()
	for _, o := range c.Operations {
		for _, status := range slices.Sorted(maps.Keys(o.Responses.Map())) {
			number, err := strconv.Atoi(status) // "default" is not a number
			if err == nil && owner(&o, number) == p && !seen.answers[answered{o.OperationID, number}] {
				missing = append(missing, fmt.Sprintf("%s %s answers %s (%s)", o.Method, o.Path, status, o.OperationID))
			}
		}
	}
	return missing
}
