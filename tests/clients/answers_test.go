package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc/api/apitest"
)

// operations maps a request to its operation in openapi.yaml. The key is the method and the path
// below the API, with {} in place of each parameter.
type operations map[string]*apitest.Operation

var parameter = regexp.MustCompile(`\{[^}]*\}`)

func readOperations(t *testing.T) operations {
	t.Helper()
	all := operations{}
	contract := apitest.LoadContract(t)
	for i := range contract.Operations {
		o := &contract.Operations[i]
		all[place(o.Method, strings.TrimPrefix(o.Path, apiPath))] = o
	}
	return all
}

func place(method, path string) string { return method + " " + parameter.ReplaceAllString(path, "{}") }

// success returns a random successful answer that openapi.yaml allows.
func (all operations) success(s *sampler, method, path string) answer {
	o := all[place(method, path)]
	if o == nil {
		return answer{Status: http.StatusNotFound, Body: `{"statusCode":404,"message":"no such path","error":"Not Found"}`}
	}
	codes := slices.DeleteFunc(slices.Sorted(maps.Keys(o.Responses.Map())), func(code string) bool { return code[0] != '2' })
	code := pick(s.random, codes...)
	var status int
	_, _ = fmt.Sscan(code, &status) // a key of the file
	body := s.value(o.Responses.Map()[code].Value.Content["application/json"].Schema)
	if fields, ok := body.(map[string]any); ok {
		s.consistent(path, fields)
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return answer{Status: status, Body: string(text)}
}

// consistent changes related fields of an answer so that they do not contradict each other. It also
// adds fields that a newer server may send.
func (s *sampler) consistent(path string, fields map[string]any) {
	switch {
	case strings.HasSuffix(path, "/check-update"):
		if fields["target_version"] == nil {
			fields["should_update"], fields["required"] = false, false
		}
		if fields["should_update"] == false {
			fields["target_version"] = nil
			fields["milestone"].(map[string]any)["target_is_milestone"] = false
		}
	case path == "/auth/login": // the library sends this token as a header later
		fields["access_token"] = "header.payload." + s.matching("[0-9A-Za-z_-]{20}")
	case strings.HasSuffix(path, "/feedbacks") && fields["reply_token"] != nil: // sent as a header later, too
		fields["reply_token"] = s.matching("[0-9A-Za-z_-]{22}")
	case strings.HasSuffix(path, "/events") && fields["rejected"] != nil:
		fields["rejected"] = []any{map[string]any{"index": 0, "message": "properties must be an object"}}
	}
	if s.chance(15) {
		fields["added_later"] = map[string]any{"n": 1}
	}
}

func decoded(body string) (value any, isJSON bool) {
	isJSON = json.Unmarshal([]byte(body), &value) == nil
	return value, isJSON
}

// TestAnswersAreAsOpenAPISays checks that the recorder's answers are valid according to
// openapi.yaml.
func TestAnswersAreAsOpenAPISays(t *testing.T) {
	t.Parallel()
	all := readOperations(t)
	s := &sampler{random: rand.New(rand.NewPCG(1, 2))}
	for _, e := range readVectors(t).Endpoints {
		for range 20 {
			a := all.success(s, e[2], e[3])
			value, isJSON := decoded(a.Body)
			if !isJSON {
				t.Fatalf("%s %s: no JSON: %s", e[2], e[3], a.Body)
			}
			if fields, ok := value.(map[string]any); ok {
				delete(fields, "added_later")
			}
			schema := all[place(e[2], e[3])].Responses.Status(a.Status).Value.Content["application/json"].Schema.Value
			if err := schema.VisitJSON(value, openapi3.MultiErrors()); err != nil {
				t.Fatalf("%s %s: %v\n%s", e[2], e[3], err, a.Body)
			}
		}
	}
}
