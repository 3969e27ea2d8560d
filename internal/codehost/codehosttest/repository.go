package codehosttest

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Repository is a repository at the host. After the first request to the host, its fields
// must be changed only through Change.
type Repository struct {
	ID                    int64
	Name                  string // owner/name
	Private               bool
	Description, Homepage string
	CreatedAt             time.Time

	host       *Host
	releases   []*Release
	files      map[string]string // texts of the files by ref:path; "" is the ref of the default branch
	issues     []*Issue
	dispatches []Dispatch
	workflows  []string
}

// Release is a release of a repository. The host generates its download addresses.
type Release struct {
	Tag, Name, Body                 string
	Draft, Prerelease               bool
	CreatedAt, PublishedAt, Updated time.Time
	Assets                          []Asset

	// Raw, unless it is nil, is sent in place of the encoded release.
	Raw json.RawMessage

	id int64
}

// Asset is an attachment of a release.
type Asset struct{ Name, Content string }

// Issue is an issue at the host.
type Issue struct {
	Number      int64
	Title, Body string
	Labels      []string
	CreatedAt   time.Time
	Creator     string // caller that created the issue, in the form of Request.Caller
	Comments    []Comment

	id int64
}

// Comment is a comment on an issue.
type Comment struct {
	ID        int64
	Author    string
	Body      string
	Reactions []string
}

// Dispatch is a workflow run that was started through the API.
type Dispatch struct {
	Workflow, Ref string
	Inputs        map[string]string
}

// Repository creates a public repository with the given name, owner/name.
func (h *Host) Repository(name string) *Repository {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := &Repository{
		ID: h.id(), Name: name, Description: "A lamp that tells ships where the land is", Homepage: "https://beacon.example",
		CreatedAt: time.Date(2021, 3, 4, 5, 6, 7, 0, time.UTC), host: h, files: map[string]string{},
	}
	h.repos = append(h.repos, r)
	return r
}

// Change calls the function change while it holds the host's lock. The function may set fields of
// the repository.
func (r *Repository) Change(change func(*Repository)) {
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	change(r)
}

// Rename gives the repository a new name, owner/name. Requests for the former name are
// redirected.
func (r *Repository) Rename(name string) {
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	r.host.former[strings.ToLower(r.Name)] = r
	delete(r.host.former, strings.ToLower(name))
	r.Name = name
}

// Publish adds a release, or replaces the release with the same tag. Times that are
// missing are set to the host's current time.
func (r *Repository) Publish(release Release) {
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	now := r.host.now().Truncate(time.Second)
	release.id = r.host.id()
	release.CreatedAt = cmp.Or(release.CreatedAt, now)
	if !release.Draft {
		release.PublishedAt = cmp.Or(release.PublishedAt, now)
	}
	release.Updated = cmp.Or(release.Updated, now)
	r.releases = slices.DeleteFunc(r.releases, func(other *Release) bool { return other.Tag == release.Tag && release.Raw == nil })
	r.releases = append([]*Release{&release}, r.releases...)
}

// Write stores a file on the given branch or tag. If ref is "", it uses the default branch.
func (r *Repository) Write(ref, path, text string) {
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	r.files[ref+":"+path] = text
}

// AddWorkflow adds a workflow with the given file name.
func (r *Repository) AddWorkflow(name string) {
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	r.workflows = append(r.workflows, name)
}

// AddIssue adds an issue that was not created by an app.
func (r *Repository) AddIssue(title, body string) Issue {
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	return *r.addIssue(Issue{Title: title, Body: body, Creator: "mira-stone"})
}

func (r *Repository) addIssue(i Issue) *Issue {
	i.Number, i.id, i.CreatedAt = int64(len(r.issues)+1), r.host.id(), r.host.now().Truncate(time.Second)
	r.issues = append(r.issues, &i)
	return &i
}

// AddComment adds a comment on an issue.
func (r *Repository) AddComment(issue int64, author, body string) Comment {
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	c := Comment{ID: r.host.id(), Author: author, Body: body}
	r.issues[issue-1].Comments = append(r.issues[issue-1].Comments, c)
	return c
}

// Issues returns the issues in the order of their creation.
func (r *Repository) Issues() []Issue {
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	var list []Issue
	for _, i := range r.issues {
		c := *i
		c.Comments = slices.Clone(i.Comments)
		list = append(list, c)
	}
	return list
}

// Dispatches returns the workflow runs that were started through the API.
func (r *Repository) Dispatches() []Dispatch {
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	return slices.Clone(r.dispatches)
}

func (r *Repository) owner() string { owner, _, _ := strings.Cut(r.Name, "/"); return owner }
func (r *Repository) short() string { _, name, _ := strings.Cut(r.Name, "/"); return name }

// repositoryHandler handles a route below a repository. permission is the permission that
// the caller must have. It is "" for routes on which serve checks the caller itself.
type repositoryHandler struct {
	serve      func(http.ResponseWriter, *http.Request, *Repository)
	permission string
}

// repository finds the repository of a request and checks the caller's permission.
func (h *Host) repository(handler repositoryHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		repo, moved := h.find(r)
		if repo == nil {
			fail(w, http.StatusNotFound, "Not Found")
			return
		}
		who, _ := h.caller(r)
		if status, message := who.may(repo, handler.permission, r.Method); status != 0 {
			fail(w, status, message)
			return
		}
		if moved {
			parts := strings.SplitN(r.URL.EscapedPath(), "/", 5) // parts are "", repos, owner, name and the rest
			to := fmt.Sprintf("%s/repositories/%d", h.URL, repo.ID)
			if len(parts) == 5 {
				to += "/" + parts[4]
			}
			if r.URL.RawQuery != "" {
				to += "?" + r.URL.RawQuery
			}
			status := http.StatusTemporaryRedirect
			if r.Method == http.MethodGet {
				status = http.StatusMovedPermanently
			}
			w.Header().Set("Location", to)
			send(w, status, map[string]string{"message": http.StatusText(status), "url": to, "documentation_url": "https://docs.code.example/rest"})
			return
		}
		handler.serve(w, r, repo)
	}
}

// find returns the repository that a request names. moved reports whether the request uses a former
// name.
func (h *Host) find(r *http.Request) (repo *Repository, moved bool) {
	name := strings.ToLower(r.PathValue("owner") + "/" + r.PathValue("repo"))
	for _, one := range h.repos {
		if strings.ToLower(one.Name) == name || strconv.FormatInt(one.ID, 10) == r.PathValue("repository") {
			return one, false
		}
	}
	return h.former[name], true
}

// may returns the status 0 if the caller may send a request with the given method, which
// requires the permission. Otherwise it returns the status and the message of the response.
func (c caller) may(repo *Repository, permission, method string) (status int, message string) {
	level := "read"
	if method != http.MethodGet {
		level = "write"
	}
	switch {
	case permission == "": // reserved for apps, which the handler checks
		return 0, ""
	case c.app != nil:
		return http.StatusUnauthorized, "Bad credentials"
	case c.token != nil && slices.Contains(c.token.repos, repo) && allows(c.token.permissions, permission, level):
		return 0, ""
	case !repo.Private && level == "read":
		return 0, ""
	case c.token == nil && repo.Private, c.token != nil && !slices.Contains(c.token.repos, repo) && repo.Private:
		return http.StatusNotFound, "Not Found"
	case c.token == nil:
		return http.StatusUnauthorized, "Requires authentication"
	default:
		return http.StatusForbidden, "Resource not accessible by integration"
	}
}

func (h *Host) getRepository(w http.ResponseWriter, _ *http.Request, repo *Repository) {
	send(w, http.StatusOK, h.viewRepository(repo))
}

func (h *Host) getReleases(w http.ResponseWriter, r *http.Request, repo *Repository) {
	who, _ := h.caller(r)
	var list []any
	for _, release := range repo.releases {
		if !release.Draft || who.token != nil && allows(who.token.permissions, "contents", "write") {
			list = append(list, h.viewRelease(repo, release))
		}
	}
	h.page(w, r, repo, list)
}

func (h *Host) getLatestRelease(w http.ResponseWriter, _ *http.Request, repo *Repository) {
	for _, release := range repo.releases {
		if !release.Draft && !release.Prerelease && release.Raw == nil {
			send(w, http.StatusOK, h.viewRelease(repo, release))
			return
		}
	}
	fail(w, http.StatusNotFound, "Not Found")
}

func (h *Host) getRelease(w http.ResponseWriter, r *http.Request, repo *Repository) {
	for _, release := range repo.releases {
		if release.Tag == r.PathValue("tag") && !release.Draft {
			send(w, http.StatusOK, h.viewRelease(repo, release))
			return
		}
	}
	fail(w, http.StatusNotFound, "Not Found")
}

// maxFile is the maximum size, in bytes, of a file for which the API returns the content.
const maxFile = 1 << 20

func (h *Host) getContents(w http.ResponseWriter, r *http.Request, repo *Repository) {
	path, ref := r.PathValue("path"), r.URL.Query().Get("ref")
	text, ok := repo.files[ref+":"+path]
	if ok {
		encoding, content := "none", ""
		if len(text) <= maxFile {
			encoding = "base64"
			for line := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString([]byte(text))), 60) {
				content += string(line) + "\n"
			}
		}
		send(w, http.StatusOK, map[string]any{
			"name": path[strings.LastIndex(path, "/")+1:], "path": path, "sha": "3d21ec53a331a6f037a91c368710b99387d012c1", "size": len(text),
			"type": "file", "encoding": encoding, "content": content, "html_url": h.URL + "/" + repo.Name + "/blob/main/" + path,
		})
		return
	}
	var entries []any
	for name := range repo.files {
		if below, ok := strings.CutPrefix(name, ref+":"+path+"/"); ok {
			entries = append(entries, map[string]any{"name": below, "path": path + "/" + below, "type": "file"})
		}
	}
	if entries == nil {
		fail(w, http.StatusNotFound, "Not Found")
		return
	}
	send(w, http.StatusOK, entries)
}

func (h *Host) getIssues(w http.ResponseWriter, r *http.Request, repo *Repository) {
	since, _ := time.Parse(time.RFC3339, r.URL.Query().Get("since"))
	var list []any
	for _, i := range slices.Backward(repo.issues) {
		if !i.CreatedAt.Before(since) {
			list = append(list, h.viewIssue(repo, i))
		}
	}
	h.page(w, r, repo, list)
}

// page responds with the requested page of a list, and with links to the other pages.
func (h *Host) page(w http.ResponseWriter, r *http.Request, repo *Repository, list []any) {
	query := r.URL.Query()
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(query.Get(name)); err == nil && n > 0 {
			return n
		}
		return otherwise
	}
	size, page := min(number("per_page", 30), 100), number("page", 1)
	last := max((len(list)+size-1)/size, 1)
	var links []string
	link := func(rel string, to int) {
		query.Set("page", strconv.Itoa(to))
		_, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/repos/"), repo.short())
		if below, ok := strings.CutPrefix(r.URL.Path, fmt.Sprintf("/repositories/%d", repo.ID)); ok {
			rest = below
		}
		links = append(links, fmt.Sprintf(`<%s/repositories/%d%s?%s>; rel="%s"`, h.URL, repo.ID, rest, query.Encode(), rel))
	}
	if page > 1 {
		link("prev", page-1)
	}
	if page < last {
		link("next", page+1)
		link("last", last)
	}
	if page > 1 {
		link("first", 1)
	}
	if len(links) > 0 {
		w.Header().Set("Link", strings.Join(links, ", "))
	}
	from := min((page-1)*size, len(list))
	send(w, http.StatusOK, append([]any{}, list[from:min(from+size, len(list))]...))
}

func (h *Host) postIssue(w http.ResponseWriter, r *http.Request, repo *Repository) {
	var in struct {
		Title  string   `json:"title"`
		Body   string   `json:"body"`
		Labels []string `json:"labels"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || strings.TrimSpace(in.Title) == "" {
		fail(w, http.StatusUnprocessableEntity, "Validation Failed")
		return
	}
	who, _ := h.caller(r)
	i := repo.addIssue(Issue{Title: in.Title, Body: in.Body, Labels: in.Labels, Creator: who.name})
	send(w, http.StatusCreated, h.viewIssue(repo, i))
}

func (h *Host) postComment(w http.ResponseWriter, r *http.Request, repo *Repository) {
	number, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
	if err != nil || number < 1 || int(number) > len(repo.issues) {
		fail(w, http.StatusNotFound, "Not Found")
		return
	}
	var in struct {
		Body string `json:"body"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Body == "" {
		fail(w, http.StatusUnprocessableEntity, "Validation Failed")
		return
	}
	c := Comment{ID: h.id(), Author: "lantern-feedback[bot]", Body: in.Body}
	repo.issues[number-1].Comments = append(repo.issues[number-1].Comments, c)
	send(w, http.StatusCreated, map[string]any{"id": c.ID, "body": c.Body, "user": h.user(c.Author, "Bot"), "author_association": "NONE"})
}

func (h *Host) postReaction(w http.ResponseWriter, r *http.Request, repo *Repository) {
	var in struct {
		Content string `json:"content"`
	}
	known := []string{"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || !slices.Contains(known, in.Content) {
		fail(w, http.StatusUnprocessableEntity, "Validation Failed")
		return
	}
	for _, i := range repo.issues {
		for n := range i.Comments {
			if c := &i.Comments[n]; strconv.FormatInt(c.ID, 10) == r.PathValue("comment") {
				c.Reactions = append(c.Reactions, in.Content)
				send(w, http.StatusCreated, map[string]any{"id": h.id(), "content": in.Content, "user": h.user("lantern-feedback[bot]", "Bot")})
				return
			}
		}
	}
	fail(w, http.StatusNotFound, "Not Found")
}

func (h *Host) postDispatch(w http.ResponseWriter, r *http.Request, repo *Repository) {
	if !slices.Contains(repo.workflows, r.PathValue("workflow")) {
		fail(w, http.StatusNotFound, "Not Found")
		return
	}
	var in struct {
		Ref    string            `json:"ref"`
		Inputs map[string]string `json:"inputs"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Ref == "" {
		fail(w, http.StatusUnprocessableEntity, "Invalid request.\n\n\"ref\" wasn't supplied.")
		return
	}
	repo.dispatches = append(repo.dispatches, Dispatch{r.PathValue("workflow"), in.Ref, in.Inputs})
	w.WriteHeader(http.StatusNoContent)
}

func (h *Host) getAsset(w http.ResponseWriter, r *http.Request) {
	if repo, _ := h.find(r); repo != nil {
		for _, release := range repo.releases {
			for _, a := range release.Assets {
				if release.Tag == r.PathValue("tag") && a.Name == r.PathValue("asset") {
					w.Header().Set("Content-Type", "application/octet-stream")
					_, _ = w.Write([]byte(a.Content)) // w is a recorder, to which writing never fails
					return
				}
			}
		}
	}
	http.NotFound(w, r)
}

// user returns an account in the API's format.
func (h *Host) user(login, kind string) map[string]any {
	path := h.URL + "/users/" + url.PathEscape(login)
	return map[string]any{
		"login": login, "id": 583231 + len(login), "node_id": "MDQ6VXNlcjU4MzIzMQ==", "avatar_url": "https://avatars.code.example/u/583231?v=4",
		"gravatar_id": "",
		"url":         path, "html_url": h.URL + "/" + login, "followers_url": path + "/followers", "repos_url": path + "/repos",
		"events_url": path + "/events{/privacy}",
		"type":       kind, "user_view_type": "public", "site_admin": false,
	}
}

func (h *Host) viewRepository(r *Repository) map[string]any {
	api, page := h.URL+"/repos/"+r.Name, h.URL+"/"+r.Name
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return map[string]any{
		"id": r.ID, "node_id": "R_kgDOG9x7Rw", "name": r.short(), "full_name": r.Name, "private": r.Private,
		"owner":    h.user(r.owner(), "Organization"),
		"html_url": page, "description": text(r.Description), "fork": false, "url": api, "releases_url": api + "/releases{/id}",
		"issues_url": api + "/issues{/number}",
		"created_at": stamp(r.CreatedAt), "updated_at": stamp(r.CreatedAt), "pushed_at": stamp(r.CreatedAt), "clone_url": page + ".git",
		"homepage": text(r.Homepage),
		"size":     108, "stargazers_count": 80, "language": "Go", "has_issues": true, "archived": false, "disabled": false,
		"visibility": map[bool]string{true: "private", false: "public"}[r.Private],
		"license":    nil, "topics": []string{"light", "harbour"}, "default_branch": "main",
	}
}

func (h *Host) viewRelease(r *Repository, release *Release) any {
	if release.Raw != nil {
		return release.Raw
	}
	api, page := h.URL+"/repos/"+r.Name, h.URL+"/"+r.Name
	assets := []any{}
	for i, a := range release.Assets {
		assets = append(assets, map[string]any{
			"url": fmt.Sprintf("%s/releases/assets/%d", api, i+1), "id": i + 1, "node_id": "RA_kwDOG9x7R84AAAAB", "name": a.Name, "label": "",
			"state":    "uploaded",
			"uploader": h.user("mira-stone", "User"), "content_type": "application/octet-stream", "size": len(a.Content), "digest": nil,
			"download_count": 0,
			"created_at":     stamp(release.CreatedAt), "updated_at": stamp(release.CreatedAt),
			"browser_download_url": page + "/releases/download/" + url.PathEscape(release.Tag) + "/" + url.PathEscape(a.Name),
		})
	}
	return map[string]any{
		"url": fmt.Sprintf("%s/releases/%d", api, release.id), "assets_url": fmt.Sprintf("%s/releases/%d/assets", api, release.id),
		"upload_url": fmt.Sprintf("%s/releases/%d/assets{?name,label}", api, release.id),
		"html_url":   page + "/releases/tag/" + url.PathEscape(release.Tag),
		"id":         release.id, "author": h.user("mira-stone", "User"), "node_id": "RE_kwDOG9x7R84HYr5b", "tag_name": release.Tag,
		"target_commitish": "main",
		"name":             release.Name, "draft": release.Draft, "immutable": false, "prerelease": release.Prerelease,
		"created_at": stamp(release.CreatedAt), "updated_at": stamp(release.Updated), "published_at": stamp(release.PublishedAt),
		"assets":      assets,
		"tarball_url": api + "/tarball/" + url.PathEscape(release.Tag), "zipball_url": api + "/zipball/" + url.PathEscape(release.Tag),
		"body": release.Body,
	}
}

func (h *Host) viewIssue(r *Repository, i *Issue) map[string]any {
	api := h.URL + "/repos/" + r.Name
	labels := []any{}
	for _, name := range i.Labels {
		labels = append(labels, map[string]any{"name": name, "color": "ededed", "default": false, "description": nil})
	}
	return map[string]any{
		"url": fmt.Sprintf("%s/issues/%d", api, i.Number), "repository_url": api,
		"html_url": fmt.Sprintf("%s/%s/issues/%d", h.URL, r.Name, i.Number),
		"id":       i.id, "number": i.Number, "title": i.Title, "body": i.Body, "user": h.user("mira-stone", "User"), "labels": labels,
		"state":    "open",
		"locked":   false,
		"assignee": nil, "assignees": []any{}, "milestone": nil, "comments": len(i.Comments), "created_at": stamp(i.CreatedAt),
		"updated_at": stamp(i.CreatedAt),
		"closed_at":  nil, "author_association": "NONE", "active_lock_reason": nil, "state_reason": nil,
	}
}
