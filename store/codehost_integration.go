package store

import (
	"slices"
	"strings"
)

// Where the template of issues comes from.
const (
	TemplateInherit = "inherit" // from the instance
	TemplateCustom  = "custom"  // from the project
	TemplateRepo    = "repo"    // from a file of the repository
)

// DefaultAssociations are what somebody must be to a repository to give commands,
// unless the project says otherwise.
var DefaultAssociations = []string{"OWNER", "MEMBER", "COLLABORATOR"}

// CodehostIntegration is what a project does with its repository. An empty text is a
// field without a value.
type CodehostIntegration struct {
	Repo string `json:"repo,omitempty"` // owner/name

	FeedbackIssue  bool     `json:"feedback_issue,omitempty"`
	TemplateSource string   `json:"template_source"`
	TemplatePath   string   `json:"template_path,omitempty"` // in the repository
	TemplateRef    string   `json:"template_ref,omitempty"`  // "" = the default branch
	TitleTemplate  string   `json:"title_template,omitempty"`
	BodyTemplate   string   `json:"body_template,omitempty"`
	Labels         []string `json:"labels,omitempty"`

	CommentCommands     bool              `json:"comment_commands,omitempty"`
	AllowedAssociations []string          `json:"allowed_associations"` // none is not the default
	AllowedUsers        []string          `json:"allowed_users,omitempty"`
	Commands            []CodehostCommand `json:"commands,omitempty"`

	UpdatedAt int64 `json:"updated_at"` // Unix seconds; 0 before the first save
}

// CodehostCommand is what a comment can start.
type CodehostCommand struct {
	Name     string `json:"name"`     // without the prefix /svc-
	Workflow string `json:"workflow"` // its file name or id
	Ref      string `json:"ref"`      // branch or tag
	Input    string `json:"input,omitempty"`
}

// InputName is the name of the input that gets what follows the command.
func (c *CodehostCommand) InputName() string {
	if c.Input == "" {
		return "args"
	}
	return c.Input
}

// FeedbackIssueActive reports whether feedback can become an issue now.
func (i *CodehostIntegration) FeedbackIssueActive(a *CodehostApp) bool {
	return i.FeedbackIssue && i.Repo != "" && a.Offers(FeatureFeedbackIssue)
}

// CommentCommandsActive reports whether comments can start workflows now.
func (i *CodehostIntegration) CommentCommandsActive(a *CodehostApp) bool {
	return i.CommentCommands && i.Repo != "" && a.Offers(FeatureCommentCommands)
}

// Command finds a command by its name, nil when there is none.
func (i *CodehostIntegration) Command(name string) *CodehostCommand {
	at := slices.IndexFunc(i.Commands, func(c CodehostCommand) bool { return c.Name == name })
	if at < 0 {
		return nil
	}
	return &i.Commands[at]
}

// reset sets the values before the first save.
func (i *CodehostIntegration) reset() {
	i.TemplateSource, i.AllowedAssociations = TemplateInherit, slices.Clone(DefaultAssociations)
}

// IntegratedProject is a project with its settings for a repository.
type IntegratedProject struct {
	Project     *Project
	Integration *CodehostIntegration
}

// IntegrationsOf lists the projects with a repository, whatever the case of its name,
// the oldest project first.
func (tx *Tx) IntegrationsOf(repo string) (all []IntegratedProject, err error) {
	err = tx.eachProject(func(id ProjectID) error {
		i, err := IntegrationSettings(id).Get(tx)
		if err != nil || !strings.EqualFold(i.Repo, repo) {
			return err
		}
		p, err := tx.projectByID(id)
		all = append(all, IntegratedProject{p, i})
		return err
	})
	return all, err
}
