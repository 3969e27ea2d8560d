package notify

import "net/url"

// Site is the public address of the server, with which the links in events begin. If the address is
// unknown, Site is "" and events have no links.
type Site string

// Version returns the link to the public page of a version, or nil if the site is "".
func (s Site) Version(project, version string) *string {
	return s.link("/projects/" + url.PathEscape(project) + "?version=" + url.QueryEscape(version))
}

// Console returns the link to a record of a project in the console, or nil if the site is "". page
// is the path of the page that shows such records, such as "feedbacks".
func (s Site) Console(page, project, id string) *string {
	return s.link("/admin/" + page + "?project=" + url.QueryEscape(project) + "&open=" + url.QueryEscape(id))
}

func (s Site) link(path string) *string {
	if s == "" {
		return nil
	}
	return new(string(s) + path)
}
