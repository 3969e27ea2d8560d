package api_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc/api"
	"svc/api/apitest"
)

func TestContractFile(t *testing.T) {
	t.Parallel()
	c := apitest.LoadContract(t)
	if err := c.Doc.Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, o := range c.Operations {
		at := o.Method + " " + o.Path
		if other := ids[o.OperationID]; o.OperationID == "" || other != "" {
			t.Errorf("%s: operationId is %q, which must be there and not be that of %q", at, o.OperationID, other)
		}
		ids[o.OperationID] = at
		if o.Summary == "" || len(o.Tags) != 1 || c.Doc.Tags.Get(o.Tags[0]) == nil {
			t.Errorf("%s: summary is %q and tags are %v, want a sentence and one tag of the list", at, o.Summary, o.Tags)
		}
		if o.Responses.Default() == nil {
			t.Errorf("%s: no default answer", at)
		}
		if reads := o.RequestBody != nil; reads != (o.Responses.Status(http.StatusRequestEntityTooLarge) != nil) {
			t.Errorf("%s: reads a body is %v, so 413 must be documented exactly then", at, reads)
		}
		closed := o.Security == nil || len(*o.Security) > 0
		if closed && o.Responses.Status(http.StatusUnauthorized) == nil {
			t.Errorf("%s: needs a credential and does not answer 401", at)
		}
	}
}

// TestContractDescribesEachProperty checks that every schema and property has a description,
// because generated clients contain no other documentation.
func TestContractDescribesEachProperty(t *testing.T) {
	t.Parallel()
	for name, schema := range apitest.LoadContract(t).Doc.Components.Schemas {
		if schema.Value.Description == "" {
			t.Errorf("%s has no description", name)
		}
		for _, part := range slices.Concat(schema.Value.AllOf, openapi3.SchemaRefs{schema}) {
			for property, p := range part.Value.Properties {
				if p.Ref == "" && p.Value.Description == "" {
					t.Errorf("%s.%s has no description", name, property)
				}
			}
		}
		answer := schema.Value.AdditionalProperties.Has != nil
		for _, required := range schema.Value.Required {
			if answer && schema.Value.Properties[required] == nil {
				t.Errorf("%s requires %s, which is not a property", name, required)
			}
		}
	}
}

// TestRoutesAreTheContract checks that openapi.yaml describes exactly the routes of the server,
// with their access.
func TestRoutesAreTheContract(t *testing.T) {
	t.Parallel()
	var served, documented []string
	for _, r := range api.Routes() {
		segments := strings.Split(r.Path, "/")
		for i, s := range segments {
			if name, ok := strings.CutPrefix(s, ":"); ok {
				segments[i] = "{" + name + "}"
			}
		}
		served = append(served, strings.Join([]string{r.Method, strings.Join(segments, "/"), r.Access, r.Scope}, " "))
	}
	c := apitest.LoadContract(t)
	for _, o := range c.Operations {
		scope, _ := o.Extensions["x-scope"].(string)
		documented = append(documented, strings.Join([]string{o.Method, o.Path, access(c.Doc, o), scope}, " "))
	}
	for _, s := range served {
		if !slices.Contains(documented, s) {
			t.Errorf("served but not in openapi.yaml: %s", s)
		}
	}
	for _, s := range documented {
		if !slices.Contains(served, s) {
			t.Errorf("in openapi.yaml but not served: %s", s)
		}
	}
}

// access returns the kind of callers that the security of an operation admits.
func access(doc *openapi3.T, o apitest.Operation) string {
	security := doc.Security
	if o.Security != nil {
		security = *o.Security
	}
	switch {
	case len(security) == 0:
		return "public"
	case len(security) == 1 && security[0]["session"] != nil:
		return "administrator"
	case len(security) == 1 && security[0]["signature"] != nil:
		return "signed"
	}
	return "scoped"
}
