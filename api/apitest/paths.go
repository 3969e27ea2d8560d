package apitest

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
)

// AnnouncementsOf is the path of the announcements of a project for
// administrators.
func AnnouncementsOf(key string) string { return "/admin/projects/" + key + "/announcements" }

// Announce makes an announcement and returns its id.
func (s *Server) Announce(t testing.TB, key, body string) string {
	t.Helper()
	return Field[string](t, s.Must(t, http.StatusCreated, "POST", AnnouncementsOf(key), body), "id")
}

// Titled is the body of an announcement with more of its fields.
func Titled(title, more string) string {
	return fmt.Sprintf(`{"title":%q,"content":"c"%s}`, title, more)
}

// LogsOf is the path of the logs of a project for administrators.
func LogsOf(key string) string { return "/admin/projects/" + key + "/logs" }

// Upload uploads a file to a project and returns its record.
func (s *Server) Upload(t testing.TB, key, name, content string) string {
	t.Helper()
	return s.Must(t, http.StatusCreated, "PUT", "/admin/projects/"+key+"/files?filename="+url.QueryEscape(name), content)
}
