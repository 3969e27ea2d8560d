package apitest

import (
	"net/http"
	"strings"
	"testing"
)

// TestContractRefuses checks that invalid responses fail the validation.
func TestContractRefuses(t *testing.T) {
	t.Parallel()
	const notFound = `{"statusCode":404,"message":"project not found","error":"Not Found"}`
	for _, tc := range []struct {
		name, method, path string
		status             int
		body, why          string // why is a part of the error; empty if the response is valid
	}{
		{"as documented", "GET", "/health", 200, `{"status":"ok","timestamp":1}`, ""},
		{"slash at the end", "GET", "/health/", 200, `{"status":"ok","timestamp":1}`, ""},
		{"missing field", "GET", "/health", 200, `{"status":"ok"}`, `"timestamp"`},
		{"extra field", "GET", "/health", 200, `{"status":"ok","timestamp":1,"x":1}`, `"x"`},
		{"null where none may be", "GET", "/health", 200, `{"status":"ok","timestamp":null}`, "not nullable"},
		{"fraction for an integer", "GET", "/health", 200, `{"status":"ok","timestamp":1.5}`, "integer"},
		{"integer with a fraction of zero", "GET", "/health", 200, `{"status":"ok","timestamp":1.0}`, "integer"},
		{"integer with an exponent", "GET", "/health", 200, `{"status":"ok","timestamp":1e9}`, "integer"},
		{"value outside the enumeration", "GET", "/health", 200, `{"status":"up","timestamp":1}`, "allowed values"},
		{"two values", "GET", "/health", 200, `{"status":"ok","timestamp":1}{}`, "more follows"},
		{"null as a documented answer", "GET", "/public/a/versions/latest-preview", 200, `null`, ""},
		{"null as another answer", "GET", "/public/a/versions/latest", 200, `null`, "not nullable"},
		{"undocumented status", "GET", "/health", 404, notFound, "getHealth does not answer 404"},
		{"unknown address", "GET", "/nothing", 404, notFound, ""},
		{"unknown method", "PUT", "/health", 404, notFound, ""},
		{"unknown address that answers", "GET", "/nothing", 200, `{}`, "status of an unknown address"},
		{"encoded slash stays in its segment", "GET", "/public/a%2Fb", 200, `{}`, `"project_key" is missing`},
		{"fixed segment before a parameter", "GET", "/admin/projects/statistics", 200, `{"count":0}`, ""},
		{"error that names another status", "GET", "/public/a", 404, `{"statusCode":400,"message":"x","error":"Not Found"}`, "statusCode is 400"},
		{"error with another phrase", "GET", "/public/a", 404, `{"statusCode":404,"message":"x","error":"Bad Request"}`, "error is Bad Request"},
		{"error with an empty list", "GET", "/public/a", 404, `{"statusCode":404,"message":[],"error":"Not Found"}`, "message"},
		{"limit without Retry-After", "POST", "/auth/login", 429, `{"statusCode":429,"message":"x","error":"Too Many Requests"}`, "Retry-After is missing"},
		{"server at fault", "GET", "/health", 500, `{"statusCode":500,"message":"x","error":"Internal Server Error"}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := LoadContract(t)
			header := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
			err := verify(c.Find(tc.method, "/api/v1"+tc.path), c.notFound, tc.method, tc.status, header, []byte(tc.body))
			if tc.why == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if tc.why != "" && (err == nil || !strings.Contains(err.Error(), tc.why)) {
				t.Errorf("got %v, want a reason with %q", err, tc.why)
			}
		})
	}
}
