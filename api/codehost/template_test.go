package codehost_test

import (
	"slices"
	"strings"
	"testing"

	"svc/internal/codehost/codehosttest"
)

// TestWhichTemplate checks which of the configured templates is used for an issue.
func TestWhichTemplate(t *testing.T) {
	t.Parallel()
	const (
		ofInstance = `{"feedback_issue_custom_template":true,"feedback_issue_title_template":"instance","feedback_issue_body_template":"of the instance"}`
		ofProject  = `"feedback_issue_title_template":"project","feedback_issue_body_template":"of the project"`
		fromRepo   = `"feedback_issue_template_source":"repo","feedback_issue_template_repo_path":"t.md"`
		builtin    = "[User feedback] It crashed"
		ofBuiltin  = "It crashed\n\n| Field | Value |"
	)
	for _, tc := range []struct {
		name, app, project, file string // settings; "" = unchanged
		title, body              string // title of the issue, and the beginning of its text
		labels                   []string
	}{
		{"built in", "", "", "", builtin, ofBuiltin, []string{"feedback"}},
		{"of the instance", ofInstance, "", "", "instance", "of the instance", []string{"feedback"}},
		{"of the instance, switched off", strings.Replace(ofInstance, "true", "false", 1), "", "", builtin, ofBuiltin, []string{"feedback"}},
		{"of the instance, without a title", `{"feedback_issue_custom_template":true,"feedback_issue_body_template":"of the instance"}`, "", "", builtin, "of the instance", []string{"feedback"}},
		{"of the instance, without a body", `{"feedback_issue_custom_template":true,"feedback_issue_title_template":"instance"}`, "", "", "instance", ofBuiltin, []string{"feedback"}},
		{"the project inherits, whatever it has", ofInstance, `{"feedback_issue_template_source":"inherit",` + ofProject + `}`, "", "instance", "of the instance", []string{"feedback"}},
		{"of the project", ofInstance, `{"feedback_issue_template_source":"custom",` + ofProject + `}`, "", "project", "of the project", []string{"feedback"}},
		{"of the project, without a title: the built-in one", ofInstance, `{"feedback_issue_template_source":"custom","feedback_issue_body_template":"of the project"}`, "", builtin, "of the project", []string{"feedback"}},
		{"of the project, without a body: the built-in one", ofInstance, `{"feedback_issue_template_source":"custom","feedback_issue_title_template":"project"}`, "", "project", ofBuiltin, []string{"feedback"}},
		{"of the repository", ofInstance, `{` + fromRepo + `,` + ofProject + `}`, "---\ntitle: T {{rating}}\nlabels: x, y\n---\nfile", "T not rated", "file", []string{"x", "y"}},
		{"of the repository, without labels", ofInstance, `{` + fromRepo + `}`, "file", builtin, "file", []string{"feedback"}},
		{"of the repository, without a file: that of the instance", ofInstance, `{` + fromRepo + `,` + ofProject + `}`, "", "instance", "of the instance", []string{"feedback"}},
		{"of the repository, no text: that of the instance", ofInstance, `{` + fromRepo + `}`, "a\x00b", "instance", "of the instance", []string{"feedback"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.connect(t, map[string]string{"issues": "write", "contents": "read"}).Install(w.repo)
			w.Must(t, 200, "PUT", integration, `{"repo_full_name":"lumen-works/beacon","feedback_issue_enabled":true,"feedback_issue_labels":["feedback"]}`)
			if tc.app != "" {
				w.Must(t, 200, "PUT", "/admin/codehost-app", tc.app)
			}
			if tc.project != "" {
				w.Must(t, 200, "PUT", integration, tc.project)
			}
			if tc.file != "" {
				w.repo.Write("", "t.md", tc.file)
			}
			w.Must(t, 201, "POST", "/public/beacon/feedbacks", `{"content":"It crashed","contact":"ann","forward_to_codehost":true}`)
			issues := w.repo.Issues()
			if len(issues) != 1 || issues[0].Title != tc.title || !strings.HasPrefix(issues[0].Body, tc.body) || !slices.Equal(issues[0].Labels, tc.labels) {
				t.Errorf("got %+v, want title %q, body %q, labels %q", issues, tc.title, tc.body, tc.labels)
			}
		})
	}
}

// TestTemplateOfAHostThatFails checks that feedback is still forwarded if the template cannot be
// read but issues can be created.
func TestTemplateOfAHostThatFails(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]codehosttest.Fault{
		"fails": codehosttest.Status(500), "answers nonsense": codehosttest.Answer(200, "<html>"), "breaks off": codehosttest.Cut(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.connect(t, map[string]string{"issues": "write", "contents": "read"}).Install(w.repo)
			w.Must(t, 200, "PUT", integration, `{"repo_full_name":"lumen-works/beacon","feedback_issue_enabled":true,"feedback_issue_template_source":"repo","feedback_issue_template_repo_path":"t.md"}`)
			w.host.Break("GET", "/contents/", fault)
			w.Must(t, 201, "POST", "/public/beacon/feedbacks", `{"content":"<!-- svc -->\n@all","contact":"ann","forward_to_codehost":true}`)
			issues := w.repo.Issues()
			if len(issues) != 1 || !strings.HasPrefix(issues[0].Body, "&lt;!-- svc --&gt;<br>@\u200Ball\n\n|") {
				t.Errorf("got %+v", issues)
			}
		})
	}
}
