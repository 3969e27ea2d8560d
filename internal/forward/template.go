package forward

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

// template returns the template for a project's issues, including their labels. If the project uses
// a template file in its repository, and that file cannot be read, template returns the template of
// the instance.
func (e *Engine) template(ctx context.Context, log *slog.Logger, a *store.CodehostApp, i *store.CodehostIntegration) codehost.Template {
	t := codehost.BuiltinTemplate
	if a.CustomTemplate {
		t = codehost.Template{Title: a.TitleTemplate, Body: a.BodyTemplate}.Or(codehost.BuiltinTemplate)
	}
	switch i.TemplateSource {
	case store.TemplateCustom:
		t = codehost.Template{Title: i.TitleTemplate, Body: i.BodyTemplate}.Or(codehost.BuiltinTemplate)
	case store.TemplateRepo:
		file, err := e.FileTemplate(ctx, a, i)
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

// FileTemplate returns the template in the file that the integration configures, from the
// cache or else from the repository. The error wraps a fault with a text that can be
// shown to users.
func (e *Engine) FileTemplate(ctx context.Context, a *store.CodehostApp, i *store.CodehostIntegration) (FetchedTemplate, error) {
	switch {
	case i.Repo == "":
		return FetchedTemplate{}, fault.New(fault.Invalid, "no repository is set: repo_full_name is needed")
	case i.TemplatePath == "":
		return FetchedTemplate{}, fault.New(fault.Invalid, "no file is set: feedback_issue_template_repo_path is needed")
	}
	place := placeOf(i)
	if kept, ok := e.templates.get(place, e.Now()); ok {
		return kept, nil
	}
	app, err := OpenApp(e.Keys, a)
	if err != nil {
		return FetchedTemplate{}, err
	}
	text, err := e.Host.Repo(app, i.Repo).File(ctx, i.TemplatePath, i.TemplateRef)
	if err != nil {
		return FetchedTemplate{}, codehost.Explain(err, "the repository has no such text file there, or does not show it", e.Now())
	}
	t, err := codehost.ParseTemplateFile(text)
	if err != nil {
		return FetchedTemplate{}, err
	}
	kept := FetchedTemplate{t, e.Now()}
	e.templates.put(place, kept)
	return kept, nil
}

// ForgetFileTemplate removes the template of an integration from the cache, so that the next use
// reads the file again.
func (e *Engine) ForgetFileTemplate(i *store.CodehostIntegration) { e.templates.drop(placeOf(i)) }

// templatePlace identifies a template file by its repository, path and ref.
type templatePlace struct{ repo, path, ref string }

func placeOf(i *store.CodehostIntegration) templatePlace {
	return templatePlace{strings.ToLower(i.Repo), i.TemplatePath, i.TemplateRef}
}

// FetchedTemplate is a template file that was read, with the time at which it was read.
type FetchedTemplate struct {
	codehost.Template
	Fetched time.Time
}

const (
	templateLives = 300 * time.Second
	maxKept       = 256
)

// templateCache caches templates. Its zero value is empty.
type templateCache struct {
	mu   sync.Mutex
	kept map[templatePlace]FetchedTemplate // the cached templates; guarded by mu
}

func (c *templateCache) get(place templatePlace, now time.Time) (FetchedTemplate, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok := c.kept[place]
	return kept, ok && kept.lives(now)
}

func (k FetchedTemplate) lives(now time.Time) bool {
	return now.Sub(k.Fetched) < templateLives && !k.Fetched.After(now)
}

// put adds a template to the cache. It first removes the templates that have expired. If there are
// still too many, it removes all of them.
func (c *templateCache) put(place templatePlace, kept FetchedTemplate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.kept, func(_ templatePlace, k FetchedTemplate) bool { return !k.lives(kept.Fetched) })
	if c.kept == nil || len(c.kept) >= maxKept {
		c.kept = map[templatePlace]FetchedTemplate{}
	}
	c.kept[place] = kept
}

func (c *templateCache) drop(place templatePlace) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.kept, place)
}
