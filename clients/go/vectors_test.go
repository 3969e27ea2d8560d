package svcsdk

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// textCase is a case that maps a text to another text, or to nothing.
type textCase struct {
	In  *string `json:"in"`
	Out *string `json:"out"`
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func TestVectorsOfTexts(t *testing.T) {
	t.Parallel()
	orNone := func(text string, ok bool) string {
		if !ok {
			return ""
		}
		return text
	}
	for section, f := range map[string]func(string) string{
		"fnv1a32":      fingerprint,
		"origin":       origin,
		"state_file":   func(in string) string { return stateFileStem(in) + ".json" },
		"header_value": cleanHeader,
		"event_name":   func(in string) string { return orNone(eventName(in)) },
		"path_segment": func(in string) string { return orNone(pathSegment(in)) },
		"architecture": architecture,
		"base_url": func(in string) string {
			out, err := cleanBaseURL(in)
			return orNone(out, err == nil)
		},
	} {
		t.Run(section, func(t *testing.T) {
			t.Parallel()
			for _, tc := range vectors[[]textCase](t, section) {
				if got := f(deref(tc.In)); got != deref(tc.Out) {
					t.Errorf("%q: got %q, want %q", deref(tc.In), got, deref(tc.Out))
				}
			}
		})
	}
}

func TestVectorsOfNamespaces(t *testing.T) {
	t.Parallel()
	for _, tc := range vectors[[]struct {
		BaseURL    string  `json:"base_url"`
		ProjectKey *string `json:"project_key"`
		Out        string
	}](t, "namespace") {
		if got := namespace(tc.BaseURL, deref(tc.ProjectKey)); got != tc.Out {
			t.Errorf("%q %q: got %q, want %q", tc.BaseURL, deref(tc.ProjectKey), got, tc.Out)
		}
	}
}

func TestVectorsOfClientTime(t *testing.T) {
	t.Parallel()
	for _, tc := range vectors[[]struct {
		UnixMS        int64 `json:"unix_ms"`
		OffsetSeconds int   `json:"offset_seconds"`
		Out           *string
	}](t, "client_time") {
		at := time.UnixMilli(tc.UnixMS).In(time.FixedZone("", tc.OffsetSeconds))
		if got := clientTime(at); got != deref(tc.Out) {
			t.Errorf("%v: got %q, want %q", tc, got, deref(tc.Out))
		}
	}
}

func TestVectorsOfRetries(t *testing.T) {
	t.Parallel()
	for _, tc := range vectors[[]struct {
		Method     string
		Done, Max  int
		Status     int
		Error      string
		RetryAfter *int   `json:"retry_after"`
		DelayMS    *int64 `json:"delay_ms"`
	}](t, "retry") {
		o := outcome{status: tc.Status, failure: failure(tc.Error)}
		if tc.RetryAfter != nil {
			o.retryAfter = time.Duration(*tc.RetryAfter) * time.Second
		}
		delay, again := o.retry(tc.Method, tc.Done, tc.Max)
		if again != (tc.DelayMS != nil) || again && delay.Milliseconds() != *tc.DelayMS {
			t.Errorf("%+v: got %v %v", tc, delay, again)
		}
	}
}

func TestVectorsOfRetryAfter(t *testing.T) {
	t.Parallel()
	for _, tc := range vectors[[]struct {
		Header  string
		NowUnix int64 `json:"now_unix"`
		Seconds *int64
	}](t, "retry_after") {
		d, ok := retryAfter(tc.Header, time.Unix(tc.NowUnix, 0))
		if ok != (tc.Seconds != nil) || ok && d != time.Duration(*tc.Seconds)*time.Second {
			t.Errorf("%q: got %v %v", tc.Header, d, ok)
		}
	}
}

func TestVectorsOfEventSending(t *testing.T) {
	t.Parallel()
	for _, tc := range vectors[[]struct {
		IntervalMS int64 `json:"interval_ms"`
		Failures   int
		DelayMS    int64 `json:"delay_ms"`
	}](t, "event_backoff") {
		if got := eventBackoff(time.Duration(tc.IntervalMS)*time.Millisecond, tc.Failures).Milliseconds(); got != tc.DelayMS {
			t.Errorf("%+v: got %d", tc, got)
		}
	}
	for _, tc := range vectors[[]struct {
		Status, Events int
		Action         action
	}](t, "event_outcome") {
		if got := eventOutcome(tc.Status, tc.Events); got != tc.Action {
			t.Errorf("%+v: got %s", tc, got)
		}
	}
}

func TestVectorsOfVersions(t *testing.T) {
	t.Parallel()
	v := vectors[struct {
		Valid, Invalid, Ascending []string
		Equal                     [][]string
		Derive                    []struct {
			In  string
			Out *string
		}
	}](t, "version")
	for _, tc := range v.Derive {
		if got, ok := deriveComparable(tc.In); ok != (tc.Out != nil) || ok && got != *tc.Out {
			t.Errorf("%q: got %s, %t", tc.In, got, ok)
		}
	}
	for _, text := range v.Valid {
		if !IsComparableVersion(text) {
			t.Errorf("%q is valid", text)
		}
	}
	for _, text := range v.Invalid {
		if IsComparableVersion(text) {
			t.Errorf("%q is not valid", text)
		}
		if _, err := CompareVersions(text, "1"); err == nil {
			t.Errorf("%q was compared", text)
		}
	}
	compare := func(a, b string, want int) {
		if got, err := CompareVersions(a, b); err != nil || got != want {
			t.Errorf("%s and %s: got %d, %v, want %d", a, b, got, err, want)
		}
	}
	for i, a := range v.Ascending {
		for j, b := range v.Ascending {
			compare(a, b, map[bool]int{true: -1, false: 1}[i < j]*map[bool]int{true: 0, false: 1}[i == j])
		}
	}
	for _, group := range v.Equal {
		for _, a := range group {
			for _, b := range group {
				compare(a, b, 0)
			}
		}
	}
}

func TestVectorsOfErrorMessages(t *testing.T) {
	t.Parallel()
	for _, tc := range vectors[[]struct {
		Status int
		Body   any
		Out    string
	}](t, "error_message") {
		if got := errorMessage(tc.Status, tc.Body); got != tc.Out {
			t.Errorf("%+v: got %q", tc, got)
		}
	}
}

func TestVectorsOfSystemVersions(t *testing.T) {
	t.Parallel()
	windows := func(text string) string {
		var n [3]uint32
		for i, part := range strings.SplitN(text, ".", 3) {
			v, err := strconv.ParseUint(part, 10, 32)
			if err != nil {
				return ""
			}
			n[i] = uint32(v)
		}
		return windowsVersion(n[0], n[1], n[2])
	}
	functions := map[string]func(string) string{"macos_product": macOSVersion, "windows_build": windows, "os_release": osReleaseVersion}
	for _, tc := range vectors[[]struct{ Kind, In, Out string }](t, "os_version") {
		f, ok := functions[tc.Kind]
		if !ok {
			continue // darwin_release: the Go library reads the product version instead
		}
		if got := f(tc.In); got != tc.Out {
			t.Errorf("%s %q: got %q, want %q", tc.Kind, tc.In, got, tc.Out)
		}
	}
	const plist = "<plist><dict>\n<key>ProductName</key><string>macOS</string>\n<key>ProductVersion</key>\n\t<string>15.3.1</string></dict></plist>"
	if got := plistString(plist, "ProductVersion"); got != "15.3.1" {
		t.Errorf("got %q", got)
	}
}

// TestEverySectionOfTheVectorsIsKnown checks that some test reads each section of the vectors.
func TestEverySectionOfTheVectorsIsKnown(t *testing.T) {
	t.Parallel()
	known := fmt.Sprintf(" %s ", strings.Join([]string{
		"format fnv1a32 origin namespace state_file client_time header_value retry event_backoff event_outcome",
		"event_name version error_message os_version scenarios endpoints base_url path_segment retry_after",
		"architecture update_link update_decision update_due own_link error_fingerprint",
		"event_backoff_retry_after update_memory update_key error_content error_limits queue_scenarios about defaults",
		"client_time_parse language_key language_match", // these are rules of the server
	}, " "))
	for section := range vectorSections(t) {
		if !strings.Contains(known, " "+section+" ") {
			t.Errorf("section %s is not known here", section)
		}
	}
}
