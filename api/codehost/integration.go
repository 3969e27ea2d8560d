package codehost

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"svc/api/web"
	"svc/store"
)

func (h *Handlers) integrationRoutes() []web.Route {
	const one = web.V1 + "/admin/projects/:k/codehost-integration"
	read, write := web.ByScope("projects:read"), web.ByScope("projects:write")
	return []web.Route{
		{Method: "GET", Path: one, Access: read, Handler: web.OK(h.getIntegration)},
		{Method: "PUT", Path: one, Access: write, Handler: web.OK(web.Decoded(h.updateIntegration))},
		{Method: "GET", Path: one + "/repo-template", Access: read, Handler: web.OK(h.getRepoTemplate)},
	}
}

// integrationView is the JSON form of a project's integration with its repository.
type integrationView struct {
	ProjectKey string  `json:"project_key"`
	Repo       *string `json:"repo_full_name"`

	FeedbackIssue  bool     `json:"feedback_issue_enabled"`
	FeedbackActive bool     `json:"feedback_issue_active"`
	TemplateSource string   `json:"feedback_issue_template_source"`
	TemplatePath   *string  `json:"feedback_issue_template_repo_path"`
	TemplateRef    *string  `json:"feedback_issue_template_repo_ref"`
	TitleTemplate  *string  `json:"feedback_issue_title_template"`
	BodyTemplate   *string  `json:"feedback_issue_body_template"`
	Labels         []string `json:"feedback_issue_labels"`

	CommentCommands     bool          `json:"comment_commands_enabled"`
	CommandsActive      bool          `json:"comment_commands_active"`
	AllowedAssociations []string      `json:"command_allowed_associations"`
	AllowedUsers        []string      `json:"command_allowed_users"`
	Commands            []commandView `json:"commands"`

	UpdatedAt *int64 `json:"updated_at"`
}

type commandView struct {
	Name     string `json:"name"`
	Workflow string `json:"workflow"`
	Ref      string `json:"ref"`
	Input    string `json:"input,omitempty"`
}

func viewIntegration(p *store.Project, i *store.CodehostIntegration, a *store.CodehostApp) integrationView {
	return integrationView{
		ProjectKey: p.Key, Repo: web.OrNull(i.Repo),
		FeedbackIssue: i.FeedbackIssue, FeedbackActive: i.FeedbackIssueActive(a), TemplateSource: i.TemplateSource,
		TemplatePath: web.OrNull(i.TemplatePath), TemplateRef: web.OrNull(i.TemplateRef),
		TitleTemplate: web.OrNull(i.TitleTemplate), BodyTemplate: web.OrNull(i.BodyTemplate), Labels: append([]string{}, i.Labels...),
		CommentCommands: i.CommentCommands, CommandsActive: i.CommentCommandsActive(a),
		AllowedAssociations: append([]string{}, i.AllowedAssociations...), AllowedUsers: append([]string{}, i.AllowedUsers...),
		Commands:  web.Views(i.Commands, func(c store.CodehostCommand) commandView { return commandView(c) }),
		UpdatedAt: web.OrNull(i.UpdatedAt),
	}
}

// showIntegration starts a transaction with the function run and calls the function change in it.
// It returns the resulting settings of the project in the path.
func (h *Handlers) showIntegration(
	r *web.Request, run func(func(*store.Tx) error) error,
	change func(*store.Tx, *store.Project, *store.CodehostIntegration, *store.CodehostApp) error,
) (view integrationView, err error) {
	err = run(func(tx *store.Tx) error {
		p, i, a, err := integrationOf(tx, r)
		if err != nil {
			return err
		}
		if err := r.Match(i); err != nil {
			return err
		}
		if err := change(tx, p, i, a); err != nil {
			return err
		}
		view = viewIntegration(p, i, a)
		return r.Tag(i)
	})
	return view, err
}

// integrationOf returns the project in the path, its integration settings and the settings of the
// app.
func integrationOf(tx *store.Tx, r *web.Request) (*store.Project, *store.CodehostIntegration, *store.CodehostApp, error) {
	p, err := r.Project(tx)
	if err != nil {
		return nil, nil, nil, err
	}
	i, err := store.IntegrationSettings(p.ID).Get(tx)
	if err != nil {
		return nil, nil, nil, err
	}
	a, err := store.CodehostAppSettings.Get(tx)
	return p, i, a, err
}

func (h *Handlers) getIntegration(r *web.Request) (integrationView, error) {
	return h.showIntegration(r, h.DB.View,
		func(*store.Tx, *store.Project, *store.CodehostIntegration, *store.CodehostApp) error { return nil })
}

func (h *Handlers) updateIntegration(r *web.Request, in integrationInput) (integrationView, error) {
	lists, err := in.check()
	if err != nil {
		return integrationView{}, err
	}
	return h.showIntegration(r, h.DB.Update, func(tx *store.Tx, p *store.Project, i *store.CodehostIntegration, a *store.CodehostApp) error {
		if err := in.apply(lists, i, a); err != nil {
			return err
		}
		return store.IntegrationSettings(p.ID).Put(tx, i)
	})
}

type integrationInput struct {
	Repo web.Optional[string] `json:"repo_full_name"`

	FeedbackIssue  web.Optional[bool]              `json:"feedback_issue_enabled"`
	TemplateSource web.Optional[string]            `json:"feedback_issue_template_source"`
	TemplatePath   web.Optional[string]            `json:"feedback_issue_template_repo_path"`
	TemplateRef    web.Optional[string]            `json:"feedback_issue_template_repo_ref"`
	TitleTemplate  web.Optional[string]            `json:"feedback_issue_title_template"`
	BodyTemplate   web.Optional[string]            `json:"feedback_issue_body_template"`
	Labels         web.Optional[[]json.RawMessage] `json:"feedback_issue_labels"`

	CommentCommands     web.Optional[bool]              `json:"comment_commands_enabled"`
	AllowedAssociations web.Optional[[]json.RawMessage] `json:"command_allowed_associations"`
	AllowedUsers        web.Optional[[]json.RawMessage] `json:"command_allowed_users"`
	Commands            web.Optional[[]json.RawMessage] `json:"commands"`
}

type commandInput struct {
	Name     web.Optional[string] `json:"name"`
	Workflow web.Optional[string] `json:"workflow"`
	Ref      web.Optional[string] `json:"ref"`
	Input    web.Optional[string] `json:"input"`
}

// integrationLists holds the validated lists of an integrationInput.
type integrationLists struct {
	labels, associations, users []string
	commands                    []store.CodehostCommand
}

var (
	templateSources = []string{store.TemplateInherit, store.TemplateCustom, store.TemplateRepo}
	associations    = []string{"OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR", "FIRST_TIME_CONTRIBUTOR", "FIRST_TIMER", "MANNEQUIN", "NONE"}

	repoName         = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
	repoPath         = regexp.MustCompile(`^[A-Za-z0-9_.-][A-Za-z0-9_./-]*$`)
	commandName      = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)
	commandInputName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
)

// check validates the input. It returns the lists in it, or an error that names every violated
// rule.
func (in integrationInput) check() (lists integrationLists, err error) {
	p := web.Problems{Update: true}
	p.Text("repo_full_name", in.Repo, web.TextRule{Max: 140, Trim: true})
	if repo := strings.TrimSpace(in.Repo.Or("")); repo != "" && !isRepo(repo) {
		p.Add("repo_full_name must be owner/name, of letters, digits and _ . -")
	}
	p.Flag("feedback_issue_enabled", in.FeedbackIssue)
	if in.TemplateSource.Sent && !slices.Contains(templateSources, in.TemplateSource.Or("")) {
		p.Add("feedback_issue_template_source must be one of %s", strings.Join(templateSources, ", "))
	}
	p.Text("feedback_issue_template_repo_path", in.TemplatePath, web.TextRule{Max: 256, Trim: true})
	if path := strings.TrimSpace(in.TemplatePath.Or("")); path != "" && (!repoPath.MatchString(path) || strings.Contains(path, "..")) {
		p.Add("feedback_issue_template_repo_path must be of letters, digits and _ . / -, without .. and without a slash at the beginning")
	}
	p.Text("feedback_issue_template_repo_ref", in.TemplateRef, web.TextRule{Max: 128, Trim: true})
	p.Text("feedback_issue_title_template", in.TitleTemplate, web.TextRule{Max: maxTitleTemplate, Trim: true})
	p.Text("feedback_issue_body_template", in.BodyTemplate, web.TextRule{Max: maxBodyTemplate, Trim: true})
	lists.labels = filled(p.Texts("feedback_issue_labels", in.Labels, 8, 64))
	p.Flag("comment_commands_enabled", in.CommentCommands)
	lists.associations = filled(p.Texts("command_allowed_associations", in.AllowedAssociations, 32, 64))
	if slices.ContainsFunc(lists.associations, func(a string) bool { return !slices.Contains(associations, a) }) {
		p.Add("command_allowed_associations must be of %s", strings.Join(associations, ", "))
	}
	lists.users = filled(p.Texts("command_allowed_users", in.AllowedUsers, 32, 64))
	lists.commands = in.commands(&p)
	return lists, p.Err()
}

// isRepo reports whether a text has the form owner/name. It rejects names that consist of dots:
// they do not name repositories, and would change the path of an API call.
func isRepo(text string) bool {
	if !repoName.MatchString(text) {
		return false
	}
	owner, name, _ := strings.Cut(text, "/")
	return strings.Trim(owner, ".") != "" && strings.Trim(name, ".") != ""
}

// filled returns a copy of list without blank or duplicate entries. The result is never nil.
func filled(list []string) []string {
	all := []string{}
	for _, entry := range list {
		if entry != "" && !slices.Contains(all, entry) {
			all = append(all, entry)
		}
	}
	return all
}

func (in integrationInput) commands(p *web.Problems) (all []store.CodehostCommand) {
	const field = "commands"
	entry := web.Problems{}
	for i, in := range web.Entries[commandInput](p, field, in.Commands, 16) {
		var c store.CodehostCommand
		for _, each := range []struct {
			name string
			in   web.Optional[string]
			to   *string
			rule web.TextRule
		}{
			{"name", in.Name, &c.Name, web.TextRule{Max: 32, Required: true, Trim: true, Filled: true}},
			{"workflow", in.Workflow, &c.Workflow, web.TextRule{Max: 128, Required: true, Trim: true, Filled: true}},
			{"ref", in.Ref, &c.Ref, web.TextRule{Max: 128, Required: true, Trim: true, Filled: true}},
			{"input", in.Input, &c.Input, web.TextRule{Max: 64, Trim: true}},
		} {
			entry.Text(web.EntryField(field, i, each.name), each.in, each.rule)
			web.SetText(each.to, each.in)
		}
		if c.Name != "" && !commandName.MatchString(c.Name) {
			entry.Add("%s must be of lower-case letters, digits and -, and not begin with -", web.EntryField(field, i, "name"))
		}
		if c.Input != "" && !commandInputName.MatchString(c.Input) {
			entry.Add("%s must be of letters, digits, _ and -, and begin with a letter or _", web.EntryField(field, i, "input"))
		}
		if c.Name != "" && slices.ContainsFunc(all, func(other store.CodehostCommand) bool { return other.Name == c.Name }) {
			entry.Add("%s must be unique", web.EntryField(field, i, "name"))
		}
		all = append(all, c)
	}
	p.List = append(p.List, entry.List...)
	return all
}

// apply sets the fields of i that are present in the request. It returns an error if the resulting
// settings contradict each other or the settings of the app.
func (in integrationInput) apply(lists integrationLists, i *store.CodehostIntegration, a *store.CodehostApp) error {
	before := *i
	web.SetText(&i.Repo, in.Repo)
	if in.Repo.Sent && i.Repo == "" {
		i.FeedbackIssue, i.CommentCommands = false, false
		if i.TemplateSource == store.TemplateRepo {
			i.TemplateSource = store.TemplateInherit
		}
	}
	web.Set(&i.FeedbackIssue, in.FeedbackIssue)
	web.Set(&i.TemplateSource, in.TemplateSource)
	web.SetText(&i.TemplatePath, in.TemplatePath)
	web.SetText(&i.TemplateRef, in.TemplateRef)
	web.SetText(&i.TitleTemplate, in.TitleTemplate)
	web.SetText(&i.BodyTemplate, in.BodyTemplate)
	web.SetIfSent(&i.Labels, in.Labels, lists.labels)
	web.Set(&i.CommentCommands, in.CommentCommands)
	web.SetIfSent(&i.AllowedAssociations, in.AllowedAssociations, lists.associations)
	web.SetIfSent(&i.AllowedUsers, in.AllowedUsers, lists.users)
	web.SetIfSent(&i.Commands, in.Commands, lists.commands)
	return canBe(&before, i, a)
}

// canBe checks that the new settings are consistent with each other and with the settings of the
// app. A feature that was switched on before may stay on even if the app no longer supports it. The
// feature is then inactive.
func canBe(before, i *store.CodehostIntegration, a *store.CodehostApp) error {
	var p web.Problems
	for _, feature := range []struct {
		name, field string
		before, on  bool
	}{
		{store.FeatureFeedbackIssue, "feedback_issue_enabled", before.FeedbackIssue, i.FeedbackIssue},
		{store.FeatureCommentCommands, "comment_commands_enabled", before.CommentCommands, i.CommentCommands},
	} {
		switch {
		case !feature.on:
		case i.Repo == "":
			p.Add("%s needs a repository: set repo_full_name", feature.field)
		case feature.before:
		case !a.Configured():
			p.Add("%s needs the code host app, which is not configured", feature.field)
		case !a.Offers(feature.name):
			p.Add("%s needs the feature %s of the code host app, which is switched off", feature.field, feature.name)
		}
	}
	if i.TemplateSource == store.TemplateRepo && (i.Repo == "" || i.TemplatePath == "") {
		p.Add("feedback_issue_template_source repo needs repo_full_name and feedback_issue_template_repo_path")
	}
	return p.Err()
}

// repoTemplateView is the JSON form of the issue template in a project's repository.
type repoTemplateView struct {
	Path      string   `json:"path"`
	Ref       *string  `json:"ref"`
	FetchedAt *int64   `json:"fetched_at"`
	Title     *string  `json:"title_template"`
	Body      *string  `json:"body_template"`
	Labels    []string `json:"labels"`
	Error     *string  `json:"error"`
}

func (h *Handlers) getRepoTemplate(r *web.Request) (view repoTemplateView, err error) {
	refresh := slices.Contains([]string{"true", "1"}, r.Query("refresh"))
	var i *store.CodehostIntegration
	var a *store.CodehostApp
	err = h.DB.View(func(tx *store.Tx) (err error) {
		_, i, a, err = integrationOf(tx, r)
		return err
	})
	if err != nil {
		return view, err
	}
	if refresh {
		h.Forward.ForgetFileTemplate(i)
	}
	view = repoTemplateView{Path: i.TemplatePath, Ref: web.OrNull(i.TemplateRef), Labels: []string{}}
	ctx, done := forRequest(r)
	defer done()
	file, err := h.Forward.FileTemplate(ctx, a, i)
	if err != nil {
		view.Error = new(h.explain(h.Log.With("id", r.ID), err))
		return view, nil
	}
	view.FetchedAt, view.Title, view.Body = new(file.Fetched.Unix()), &file.Title, &file.Body
	view.Labels = append(view.Labels, file.Labels...)
	return view, nil
}
