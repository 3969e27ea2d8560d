package codehost

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"svc/api/web"
	"svc/internal/codehost"
	"svc/internal/fault"
	"svc/internal/forward"
	"svc/internal/seal"
	"svc/store"
)

// dispatchTime is how long a delivery stays marked as in progress if the server stops before
// recording the result. It exceeds the total time limit of all calls for a delivery.
const dispatchTime = 3 * codehost.RequestTime

const statusDispatched = "dispatched"

// Reactions that show the commenter the result of a command.
const (
	reactionStarted = "rocket"
	reactionFailed  = "confused"
)

func (h *Handlers) commandRoutes() []web.Route {
	return []web.Route{
		{Method: "POST", Path: appWebhookPath, Access: web.BySignature(), BodyLimit: deliveryLimit, Handler: web.OK(h.receiveComment)},
	}
}

// commandOutcome is the JSON response to a delivery to the app. It states what was done about the
// comment.
type commandOutcome struct {
	outcome
	Command    *string `json:"command,omitempty"`
	ProjectKey *string `json:"project_key,omitempty"`
	Workflow   *string `json:"workflow,omitempty"`
}

func (h *Handlers) receiveComment(r *web.Request) (done commandOutcome, err error) {
	a, err := store.Read(h.DB, store.CodehostAppSettings.Get)
	if err != nil {
		return done, err
	}
	if a.WebhookSecret == "" {
		return done, fault.New(fault.Forbidden, "the app of the code host has no webhook secret, so it accepts nothing: set one")
	}
	secrets, err := h.opened(seal.AppWebhookSecret, []string{a.WebhookSecret})
	if err != nil {
		return done, err
	}
	d, err := delivery(r, secrets)
	if err != nil {
		return done, err
	}
	done.outcome = begin(d)
	if d.Event == eventPing {
		return done, nil
	}
	taken, err := h.delivered(store.InstanceDeliveries, d.ID)
	if err != nil {
		return done, err
	}
	if taken {
		done.ignore("duplicate_delivery")
		return done, nil
	}
	c, reason, err := h.readCommand(a, d, &done)
	if err != nil {
		return done, err
	}
	if reason != "" {
		done.ignore(reason)
		return done, nil
	}
	return done, h.dispatch(r, a, c, d, &done)
}

// command is a command given by a comment.
type command struct {
	event    codehost.CommentEvent
	argument string
	project  *store.Project
	repo     string
	start    *store.CodehostCommand
}

// readCommand returns the command in a comment, or the reason for ignoring the comment. It stores
// the command's name in the parameter done.
func (h *Handlers) readCommand(a *store.CodehostApp, d *codehost.Delivery, done *commandOutcome) (c command, reason string, err error) {
	c.event = d.CommentEvent()
	name, argument, isCommand := codehost.ParseCommand(c.event.Body)
	switch {
	case d.Event != "issue_comment":
		return c, "unsupported_event", nil
	case !a.Offers(store.FeatureCommentCommands):
		return c, "feature_disabled", nil
	case c.event.Action != "created":
		return c, "unsupported_action", nil
	case strings.TrimSpace(c.event.Repository) == "":
		return c, "missing_repository", nil
	case !isCommand:
		return c, "no_command", nil
	}
	c.argument = argument
	projects, err := store.Read(h.DB, func(tx *store.Tx) ([]store.IntegratedProject, error) {
		return tx.IntegrationsOf(strings.TrimSpace(c.event.Repository))
	})
	if err != nil {
		return c, "", err
	}
	return c, c.find(projects, name, done), nil
}

// find looks for the first project that has the command and allows the comment's author to give the
// command. It stores the project and the command in c. If there is no such project, find returns
// the reason.
func (c *command) find(projects []store.IntegratedProject, name string, done *commandOutcome) (reason string) {
	reason = "repo_not_configured"
	for _, p := range projects {
		i := p.Integration
		if !i.CommentCommands {
			continue
		}
		done.Command = new(web.Shorten(name, maxEcho))
		if !mayCommand(i, c.event) {
			if reason == "repo_not_configured" {
				reason = "author_not_allowed"
			}
			continue
		}
		if c.start = i.Command(name); c.start != nil {
			c.project, c.repo = p.Project, i.Repo
			return ""
		}
		reason = "unknown_command"
	}
	return reason
}

// mayCommand reports whether the author of a comment may give commands. The integration allows
// authors by their association with the repository or by their login.
func mayCommand(i *store.CodehostIntegration, e codehost.CommentEvent) bool {
	return slices.Contains(i.AllowedAssociations, e.Association) ||
		e.Login != "" && slices.ContainsFunc(i.AllowedUsers, func(name string) bool { return strings.EqualFold(name, e.Login) })
}

// dispatch starts the workflow of a command and notifies the comment's author. It continues if the
// code host closes the connection, so that the result is always recorded. If the workflow cannot be
// started, the code host may send the delivery again.
func (h *Handlers) dispatch(r *web.Request, a *store.CodehostApp, c command, d *codehost.Delivery, done *commandOutcome) error {
	defer web.NoWriteDeadline(r.Writer)()
	marks := c.marks(d)
	taken, err := h.claim(marks)
	if err != nil {
		return err
	}
	if taken {
		done.ignore("duplicate_delivery")
		done.Command = nil
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), codehost.RequestTime)
	defer cancel()
	app, err := forward.OpenApp(h.Keys, a)
	if err == nil {
		repo := h.Host.Repo(app, c.repo)
		err = repo.Dispatch(ctx, c.start.Workflow, c.start.Ref, map[string]string{c.start.InputName(): c.argument})
		h.tell(ctx, r, repo, c, err == nil)
	}
	if err != nil {
		if forgotten := h.eachMark(marks,
			func(tx *store.Tx, mark string) error { return tx.ForgetDelivery(store.InstanceDeliveries, mark) }); forgotten != nil {
			h.Log.Warn("failed command not forgotten; it cannot be delivered again for a minute", "error", forgotten, "id", r.ID)
		}
		failed := fault.New(fault.Unavailable, "the workflow could not be started; the log has the details")
		return fmt.Errorf("%w: %w", failed, err)
	}
	remember := func(tx *store.Tx, mark string) error {
		return tx.RememberDelivery(store.InstanceDeliveries, mark, deliveryKept)
	}
	if err := h.eachMark(marks, remember); err != nil {
		h.Log.Warn("started command not stored; it can be started again after a minute", "error", err, "id", r.ID)
	}
	done.Status, done.ProjectKey, done.Workflow = statusDispatched, &c.project.Key, &c.start.Workflow
	return nil
}

// marks returns the keys under which a processed command is recorded, so that it is not processed
// again. One is the delivery's id, which is not signed. The other identifies the comment, which is
// signed.
func (c *command) marks(d *codehost.Delivery) (all []string) {
	if d.ID != "" {
		all = append(all, d.ID)
	}
	if c.event.Comment != 0 {
		all = append(all, fmt.Sprintf("comment %d of %s", c.event.Comment, strings.ToLower(c.event.Repository)))
	}
	return all
}

// claim records, under each key in the parameter marks, that a delivery is being dispatched. If one
// of these keys has been recorded before, claim records nothing and taken is true.
func (h *Handlers) claim(marks []string) (taken bool, err error) {
	err = h.DB.Update(func(tx *store.Tx) error {
		for _, mark := range marks {
			if taken = tx.Delivered(store.InstanceDeliveries, mark); taken {
				return nil
			}
		}
		for _, mark := range marks {
			if err := tx.RememberDelivery(store.InstanceDeliveries, mark, dispatchTime); err != nil {
				return err
			}
		}
		return nil
	})
	return taken, err
}

// eachMark calls the function do for each of the keys in marks, all in one transaction.
func (h *Handlers) eachMark(marks []string, do func(*store.Tx, string) error) error {
	return h.DB.Update(func(tx *store.Tx) error {
		for _, mark := range marks {
			if err := do(tx, mark); err != nil {
				return err
			}
		}
		return nil
	})
}

// tell adds a reaction to the comment, to show whether the workflow was started. This requires the
// app's permission to react.
func (h *Handlers) tell(ctx context.Context, r *web.Request, repo *codehost.Repo, c command, started bool) {
	reaction := reactionStarted
	if !started {
		reaction = reactionFailed
	}
	if c.event.Comment == 0 {
		return
	}
	if err := repo.React(ctx, c.event.Comment, reaction); err != nil {
		h.Log.Info("reaction to a command failed", "error", err, "started", started, "id", r.ID)
	}
}
