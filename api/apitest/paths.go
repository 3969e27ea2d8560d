package apitest

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
)

// AnnouncementsOf returns the path below /api/v1 at which administrators manage the announcements
// of a project.
func AnnouncementsOf(key string) string { return "/admin/projects/" + key + "/announcements" }

// Announce creates an announcement and returns its ID.
func (s *Server) Announce(t testing.TB, key, body string) string {
	t.Helper()
	return Field[string](t, s.Must(t, http.StatusCreated, "POST", AnnouncementsOf(key), body), "id")
}

// Titled returns the request body for an announcement with a title and additional fields.
func Titled(title, more string) string {
	return fmt.Sprintf(`{"title":%q,"content":"c"%s}`, title, more)
}

// LogsOf returns the path below /api/v1 at which administrators manage the logs of a project.
func LogsOf(key string) string { return "/admin/projects/" + key + "/logs" }

// Upload uploads a file to a project and returns its record.
func (s *Server) Upload(t testing.TB, key, name, content string) string {
	t.Helper()
	return s.Must(t, http.StatusCreated, "PUT", "/admin/projects/"+key+"/files?filename="+url.QueryEscape(name), content)
}
