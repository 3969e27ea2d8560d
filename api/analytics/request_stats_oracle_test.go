package analytics_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/internal/testutil"
)

// statsQuestion is a request for one of the request statistics.
type statsQuestion struct {
	start, end, offset int64
	granularity        string
	endpoint, groupBy  string
	limit              int
	path, text         string // text is the query string of the request
}

// among returns the requests in the hours that the range of the question touches.
func (q statsQuestion) among(all []apitest.SeenRequest) (in []apitest.SeenRequest) {
	for _, r := range all {
		if hour := r.At / 3600 * 3600; hour >= q.start/3600*3600 && hour <= q.end {
			in = append(in, r)
		}
	}
	return in
}

type entry struct {
	key string
	n   int
}

// tallyBy counts requests by the text that the given function returns, the most frequent text
// first. It does not count requests with an empty text.
func tallyBy(requests []apitest.SeenRequest, by func(apitest.SeenRequest) string) []entry {
	counts := map[string]int{}
	for _, r := range requests {
		if key := by(r); key != "" {
			counts[key]++
		}
	}
	var list []entry
	for key, n := range counts {
		list = append(list, entry{key, n})
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(b.n-a.n, strings.Compare(a.key, b.key)) })
	return list
}

func first[T any](n int, list []T) []T { return list[:min(n, len(list))] }

type object = map[string]any

// list returns the JSON forms of the entries.
func list(entries []entry, view func(entry) object) []any {
	views := []any{}
	for _, e := range entries {
		views = append(views, view(e))
	}
	return views
}

func floorDiv(a, b int64) int64 {
	if a%b < 0 {
		return a/b - 1
	}
	return a / b
}

// bucket returns the start of the bucket that contains the time t, computed from its definition.
func (q statsQuestion) bucket(t int64) int64 {
	if q.granularity == "hour" {
		return t / 3600 * 3600
	}
	shift := q.offset * 60
	return floorDiv(t+shift, 86400)*86400 - shift
}

// series counts requests by bucket. A request belongs to the bucket that contains the start of its
// hour.
func (q statsQuestion) series(requests []apitest.SeenRequest) []any {
	step := map[string]int64{"hour": 3600, "day": 86400}[q.granularity]
	counts := map[int64]int{}
	for _, r := range requests {
		counts[q.bucket(r.At/3600*3600)]++
	}
	views := []any{}
	for b := q.bucket(q.start); b <= q.bucket(q.end); b += step {
		views = append(views, object{"bucket": b, "count": counts[b]})
	}
	return views
}

func upper(r apitest.SeenRequest) string { return strings.ToUpper(r.Platform) }

func keep(requests []apitest.SeenRequest, which func(apitest.SeenRequest) bool) (kept []apitest.SeenRequest) {
	for _, r := range requests {
		if which(r) {
			kept = append(kept, r)
		}
	}
	return kept
}

// expected returns the response that is expected for a question.
func (q statsQuestion) expected(all []apitest.SeenRequest) object {
	in := q.among(all)
	answer := object{"start_time": q.start, "end_time": q.end}
	switch q.path {
	case "overview":
		answer["total"] = len(in)
		answer["by_endpoint"] = list(tallyBy(in, func(r apitest.SeenRequest) string { return r.Endpoint }), func(e entry) object { return object{"endpoint": e.key, "count": e.n} })
		answer["by_platform"] = list(tallyBy(in, upper), func(e entry) object { return object{"platform": e.key, "count": e.n} })
		answer["by_region"] = list(tallyBy(in, func(r apitest.SeenRequest) string { return r.Region }), func(e entry) object { return object{"region": e.key, "count": e.n} })
		names := map[string]string{"440000": "广东省", "110000": "北京市", "710000": "台湾省"}
		answer["by_province"] = list(tallyBy(in, func(r apitest.SeenRequest) string {
			code := cmp.Or(r.Province, r.City)
			if r.Region != "CN" || code == "" {
				return ""
			}
			return code[:2] + "0000"
		}), func(e entry) object { return object{"code": e.key, "name": cmp.Or(names[e.key], e.key), "count": e.n} })
	case "client-versions":
		clients := tallyBy(in, func(r apitest.SeenRequest) string { return r.Client })
		answer["total"] = len(keep(in, func(r apitest.SeenRequest) bool { return r.Client != "" }))
		answer["data"] = list(first(q.limit, clients), func(e entry) object { return object{"version": e.key, "count": e.n} })
	case "platform-versions":
		systems := tallyBy(in, func(r apitest.SeenRequest) string { return upper(r) + " " + r.System })
		answer["total"] = len(in)
		answer["data"] = list(first(q.limit, systems), func(e entry) object {
			on, version, _ := strings.Cut(e.key, " ")
			return object{"platform": on, "platform_version": version, "count": e.n}
		})
	case "version-adoption":
		answer["granularity"], answer["tz_offset_minutes"] = q.granularity, q.offset
		answer["series"] = list(first(q.limit, tallyBy(in, func(r apitest.SeenRequest) string { return r.Client })), func(e entry) object {
			return object{"version": e.key, "data": q.series(keep(in, func(r apitest.SeenRequest) bool { return r.Client == e.key }))}
		})
	case "timeseries":
		answer["granularity"], answer["tz_offset_minutes"] = q.granularity, q.offset
		answer["endpoint"], answer["group_by"], answer["series"] = nil, nil, nil
		if q.endpoint != "" {
			answer["endpoint"] = q.endpoint
			in = keep(in, func(r apitest.SeenRequest) bool { return r.Endpoint == q.endpoint })
		}
		answer["data"] = q.series(in)
		if by, ok := map[string]func(apitest.SeenRequest) string{"endpoint": func(r apitest.SeenRequest) string { return r.Endpoint }, "platform": upper}[q.groupBy]; ok {
			answer["group_by"] = q.groupBy
			answer["series"] = list(tallyBy(in, by), func(e entry) object {
				return object{"key": e.key, "data": q.series(keep(in, func(r apitest.SeenRequest) bool { return by(r) == e.key }))}
			})
		}
	case "heatmap":
		answer["tz_offset_minutes"] = q.offset
		answer["data"] = q.heatmap(in)
	}
	return answer
}

func (q statsQuestion) heatmap(requests []apitest.SeenRequest) []any {
	cells := map[string]int{}
	for _, r := range requests {
		offset := int(q.offset)
		if country, ok := countryOffsets[r.Region]; ok {
			offset = country
		}
		if r.Offset != nil {
			offset = *r.Offset
		}
		local := time.Unix(r.At/3600*3600+int64(offset)*60, 0).UTC()
		cells[fmt.Sprint(int(local.Weekday()), local.Hour())]++
	}
	views := []any{}
	for weekday := range 7 {
		for hour := range 24 {
			views = append(views, object{"weekday": weekday, "hour": hour, "count": cells[fmt.Sprint(weekday, hour)]})
		}
	}
	return views
}

var countryOffsets = func() map[string]int {
	offsets := map[string]int{}
	for offset, countries := range map[int]string{
		0: "GB IE", 60: "DE FR NL ES IT SE PL", 180: "RU TR", 240: "AE", 330: "IN", 420: "TH VN ID",
		480: "CN HK MO TW SG MY PH", 540: "JP KR", 600: "AU", 720: "NZ", -180: "BR", -300: "US CA", -360: "MX",
	} {
		for country := range strings.FieldsSeq(countries) {
			offsets[country] = offset
		}
	}
	return offsets
}()

func randomRequest(random *rand.Rand, from, to int64) apitest.SeenRequest {
	r := apitest.SeenRequest{
		At: from + random.Int64N(to-from),
		Endpoint: apitest.Pick(random, "PROJECT_DETAIL", "VERSION_LIST", "VERSION_LATEST", "VERSION_LATEST_PREVIEW", "VERSION_BY_VERSION", "VERSION_CHECK_UPDATE",
			"VERSION_CHECK_UPDATE", "ANNOUNCEMENT_LIST", "ANNOUNCEMENT_LATEST", "FEEDBACK_SUBMIT", "LOG_UPLOAD", "EVENT_INGEST"),
		Platform: apitest.Pick(random, "windows", "linux", "macos", "ios", "android", "web", "others"),
		Region:   apitest.Pick(random, "CN", "CN", "DE", "US", "IN", "CH", "GB", "BR", "LOCAL", "UNKNOWN"),
		System:   apitest.Pick(random, "", "10", "11", "ubuntu 24.04", "Ä"),
	}
	if r.Region == "CN" || r.Region == "DE" { // in this test, only these countries are on the map of provinces
		r.Province = apitest.Pick(random, "", "440000", "110000", "710000", "990000")
		r.City = apitest.Pick(random, "", "440300", "441900")
		if r.Province != "440000" && r.Province != "" {
			r.City = ""
		}
	}
	if random.IntN(2) == 0 {
		r.Offset = new(15 * (random.IntN(105) - 48))
	}
	if r.Endpoint == "VERSION_CHECK_UPDATE" {
		r.Client = apitest.Pick(random, "1.0", "1.0.0", "v1.1", "V1.1", "2.0-beta", "10", "9", "nightly \u2028 <b>", "1.2", "1.3", "1.4", "1.5")
	}
	return r
}

func randomQuery(random *rand.Rand, from, to int64) statsQuestion {
	q := statsQuestion{path: apitest.Pick(random, statsPaths...), offset: int64(apitest.Pick(random, 0, 0, 480, 330, -300, -840, 900, 7, -211, 60))}
	q.start = max(0, from-200_000+random.Int64N(to-from+300_000))
	q.end = q.start + apitest.Pick(random, 0, random.Int64N(3600), random.Int64N(5*86400), random.Int64N(to-from+300_000))
	values := []string{fmt.Sprintf("start_time=%d", q.start), fmt.Sprintf("end_time=%d", q.end)}
	if q.offset != 0 || random.IntN(2) == 0 {
		values = append(values, fmt.Sprintf("tz_offset_minutes=%d", q.offset))
	}
	set := func(name, value string) string {
		if value != "" {
			values = append(values, name+"="+value)
		}
		return value
	}
	limit := func(most, otherwise int) int {
		if random.IntN(2) == 0 {
			return otherwise
		}
		n := 1 + random.IntN(most)
		set("limit", fmt.Sprint(n))
		return n
	}
	switch q.path {
	case "timeseries":
		q.granularity = cmp.Or(set("granularity", apitest.Pick(random, "", "hour", "day")), "hour")
		q.endpoint = set("endpoint", apitest.Pick(random, "", "", "VERSION_CHECK_UPDATE", "LOG_UPLOAD"))
		q.groupBy = set("group_by", apitest.Pick(random, "", "endpoint", "platform"))
	case "version-adoption":
		q.granularity = cmp.Or(set("granularity", apitest.Pick(random, "", "hour", "day")), "day")
		q.limit = limit(20, 6)
	case "client-versions":
		q.limit = limit(100, 15)
	case "platform-versions":
		q.limit = limit(200, 30)
	}
	q.text = q.path + "?" + strings.Join(values, "&")
	return q
}

func TestStatisticsOfRequestsOracle(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	s := apitest.NewServer(t)
	credential := statsKey(t, s)
	s.Furnish(t, "a")
	s.Furnish(t, "b")
	const from = apitest.Monday - 3*86400
	to := from + 5*86400 + random.Int64N(40*86400)
	all := map[string][]apitest.SeenRequest{}
	for round := range 12 {
		for _, project := range []string{"a", "b"} {
			var some []apitest.SeenRequest
			for range random.IntN(120) {
				some = append(some, randomRequest(random, from, to))
			}
			all[project] = append(all[project], some...)
			s.Count(t, project, some...)
		}
		for range 40 {
			q := randomQuery(random, from, to)
			project := apitest.Pick(random, "a", "b")
			status, body, _ := s.Do(t, "GET", "/admin/projects/"+project+"/stats/requests/"+q.text, credential, "")
			if status != 200 {
				t.Fatalf("seed %d: %s: got %d %s", seed, q.text, status, body)
			}
			want, err := json.Marshal(q.expected(all[project]))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(anyJSON(t, []byte(body)), anyJSON(t, want)) {
				t.Fatalf("seed %d, round %d: %s\ngot  %.3000s\nwant %.3000s", seed, round, q.text, body, want)
			}
		}
	}
}

func anyJSON(t *testing.T, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	return v
}
