package codehost

import (
	"context"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	"svc/internal/codehost"
	"svc/internal/fault"
	"svc/store"
)

// template is what the issue of a feedback is made of, with its labels. It is always
// there: where the file of a repository cannot be had, that of the instance is used.
func (h *Handlers) template(ctx context.Context, log *slog.Logger, a *store.CodehostApp, i *store.CodehostIntegration) codehost.Template {
	t := codehost.BuiltinTemplate
	if a.CustomTemplate {
		t = codehost.Template{Title: a.TitleTemplate, Body: a.BodyTemplate}.Or(codehost.BuiltinTemplate)
	}
	switch i.TemplateSource {
	case store.TemplateCustom:
		t = codehost.Template{Title: i.TitleTemplate, Body: i.BodyTemplate}.Or(codehost.BuiltinTemplate)
	case store.TemplateRepo:
		file, err := h.fileTemplate(ctx, a, i)
		if err == nil {
			t = file.Template
			break
		}
		log.Warn("the template of the repository is not used", "repo", i.Repo, "path", i.TemplatePath, "ref", i.TemplateRef, "error", err)
	}
	if len(t.Labels) == 0 {
		t.Labels = i.Labels
	}
	return t
}

// fileTemplate is the template of the repository that is saved, from the code host or as
// it was there a moment ago. The error has a fault for people.
func (h *Handlers) fileTemplate(ctx context.Context, a *store.CodehostApp, i *store.CodehostIntegration) (keptTemplate, error) {
	switch {
	case i.Repo == "":
		return keptTemplate{}, fault.New(fault.Invalid, "no repository is set: repo_full_name is needed")
	case i.TemplatePath == "":
		return keptTemplate{}, fault.New(fault.Invalid, "no file is set: feedback_issue_template_repo_path is needed")
	}
	place := placeOf(i)
	if kept, ok := h.templates.get(place, h.Now()); ok {
		return kept, nil
	}
	app, err := h.app(a)
	if err != nil {
		return keptTemplate{}, err
	}
	text, err := h.Host.Repo(app, i.Repo).File(ctx, i.TemplatePath, i.TemplateRef)
	if err != nil {
		return keptTemplate{}, h.gatewayError(err, "the repository has no such text file there, or does not show it")
	}
	t, err := codehost.ParseTemplateFile(text)
	if err != nil {
		return keptTemplate{}, err
	}
	kept := keptTemplate{t, h.Now()}
	h.templates.put(place, kept)
	return kept, nil
}

// templatePlace names a file of a repository.
type templatePlace struct{ repo, path, ref string }

func placeOf(i *store.CodehostIntegration) templatePlace {
	return templatePlace{strings.ToLower(i.Repo), i.TemplatePath, i.TemplateRef}
}

// keptTemplate is a template as it was once.
type keptTemplate struct {
	codehost.Template
	fetched time.Time
}

const (
	templateLives   = 300 * time.Second
	maxKeptTemplate = 256
)

// templateCache keeps templates for a while. Its zero value is empty.
type templateCache struct {
	mu   sync.Mutex
	kept map[templatePlace]keptTemplate // guarded by mu
}

func (c *templateCache) get(place templatePlace, now time.Time) (keptTemplate, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok := c.kept[place]
	return kept, ok && kept.lives(now)
}

func (k keptTemplate) lives(now time.Time) bool {
	return now.Sub(k.fetched) < templateLives && !k.fetched.After(now)
}

// put keeps a template. Those that are too old go, or all where there are too many.
func (c *templateCache) put(place templatePlace, kept keptTemplate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.kept, func(_ templatePlace, k keptTemplate) bool { return !k.lives(kept.fetched) })
	if c.kept == nil || len(c.kept) >= maxKeptTemplate {
		c.kept = map[templatePlace]keptTemplate{}
	}
	c.kept[place] = kept
}

func (c *templateCache) drop(place templatePlace) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.kept, place)
}
