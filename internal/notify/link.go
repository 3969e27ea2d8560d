package notify

import "net/url"

// Site is the public address of the server, to which the links of events lead. It is "" if the
// address is unknown; there are then no links.
type Site string

// Version returns the link to the public page of a version.
func (s Site) Version(project, version string) *string {
	return s.link("/projects/" + url.PathEscape(project) + "?version=" + url.QueryEscape(version))
}

// Console returns the link to a record of a project in the console. page is the path of the page that
// shows such records, such as "feedbacks".
func (s Site) Console(page, project, id string) *string {
	return s.link("/admin/" + page + "?project=" + url.QueryEscape(project) + "&open=" + url.QueryEscape(id))
}

func (s Site) link(path string) *string {
	if s == "" {
		return nil
	}
	return new(string(s) + path)
}
