package store_test

import (
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"svc/internal/fault"
	"svc/store"
)

// integration reads the settings of a project's code host integration.
func integration(t testing.TB, db *store.Store, p store.ProjectID) *store.CodehostIntegration {
	t.Helper()
	i, err := store.Read(db, func(tx *store.Tx) (*store.CodehostIntegration, error) { return store.IntegrationSettings(p).Get(tx) })
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestCodehostSettingsAreKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	clock := newClock()
	db := openStore(t, path, store.Options{Now: clock.now})
	p := addProject(t, db, "app")
	first := integration(t, db, p.ID)
	if first.TemplateSource != store.TemplateInherit || !slices.Equal(first.AllowedAssociations, store.DefaultAssociations) || first.UpdatedAt != 0 {
		t.Errorf("before the first save: got %+v", first)
	}
	app := &store.CodehostApp{
		AppID: "1", PrivateKey: "v1:k", PrivateKeyFingerprint: "ab", PrivateKeyUpdatedAt: 1, WebhookSecret: "v1:s", WebhookSecretHint: "secret",
		WebhookSecretLength: 20, WebhookSecretUpdatedAt: 2, Features: store.CodehostFeatures, CustomTemplate: true, TitleTemplate: "T", BodyTemplate: "B",
	}
	want := &store.CodehostIntegration{
		Repo: "a/b", FeedbackIssue: true, TemplateSource: store.TemplateRepo, TemplatePath: "p", TemplateRef: "r", TitleTemplate: "T", BodyTemplate: "B",
		Labels: []string{"l"}, CommentCommands: true, AllowedAssociations: []string{}, AllowedUsers: []string{"u"},
		Commands: []store.CodehostCommand{{Name: "n", Workflow: "w", Ref: "r", Input: "i"}},
	}
	update(t, db, func(tx *store.Tx) error { return store.CodehostAppSettings.Put(tx, app) })
	update(t, db, func(tx *store.Tx) error { return store.IntegrationSettings(p.ID).Put(tx, want) })
	if now := clock.now().Unix(); app.UpdatedAt != now || want.UpdatedAt != now {
		t.Errorf("saved at %d and %d, want %d", app.UpdatedAt, want.UpdatedAt, now)
	}
	update(t, db, func(tx *store.Tx) error { return tx.RenameProject(p, "renamed") })
	closeStore(t, db)

	db = openStore(t, path, store.Options{Now: clock.now})
	if got := integration(t, db, p.ID); !reflect.DeepEqual(got, want) {
		t.Errorf("after a rename and a start: got %+v, want %+v", got, want)
	}
	got, err := store.Read(db, store.CodehostAppSettings.Get)
	if err != nil || !reflect.DeepEqual(got, app) {
		t.Errorf("after a start: got %+v, %v, want %+v", got, err, app)
	}
	update(t, db, store.CodehostAppSettings.Delete)
	if got, err := store.Read(db, store.CodehostAppSettings.Get); err != nil || !reflect.DeepEqual(got, &store.CodehostApp{}) {
		t.Errorf("after the reset: got %+v, %v", got, err)
	}
}

// TestIntegrationActive checks rule I1 with each of its conditions missing.
func TestIntegrationActive(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		edit     func(*store.CodehostIntegration, *store.CodehostApp)
		feedback bool
		commands bool
	}{
		{"all is there", func(*store.CodehostIntegration, *store.CodehostApp) {}, true, true},
		{"feedback is off in the project", func(i *store.CodehostIntegration, _ *store.CodehostApp) { i.FeedbackIssue = false }, false, true},
		{"commands are off in the project", func(i *store.CodehostIntegration, _ *store.CodehostApp) { i.CommentCommands = false }, true, false},
		{"no repository", func(i *store.CodehostIntegration, _ *store.CodehostApp) { i.Repo = "" }, false, false},
		{"no app id", func(_ *store.CodehostIntegration, a *store.CodehostApp) { a.AppID = "" }, false, false},
		{"no private key", func(_ *store.CodehostIntegration, a *store.CodehostApp) { a.PrivateKey = "" }, false, false},
		{"feedback is off in the instance", func(_ *store.CodehostIntegration, a *store.CodehostApp) {
			a.Features = []string{store.FeatureCommentCommands}
		}, false, true},
		{"commands are off in the instance", func(_ *store.CodehostIntegration, a *store.CodehostApp) {
			a.Features = []string{store.FeatureFeedbackIssue}
		}, true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			i := &store.CodehostIntegration{Repo: "a/b", FeedbackIssue: true, CommentCommands: true}
			a := &store.CodehostApp{AppID: "1", PrivateKey: "v1:k", Features: store.CodehostFeatures}
			tc.edit(i, a)
			if i.FeedbackIssueActive(a) != tc.feedback || i.CommentCommandsActive(a) != tc.commands {
				t.Errorf("got %t and %t, want %t and %t", i.FeedbackIssueActive(a), i.CommentCommandsActive(a), tc.feedback, tc.commands)
			}
		})
	}
}

func TestIntegrationsOf(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	of := func(repo string) (keys []string) {
		t.Helper()
		list, err := store.Read(db, func(tx *store.Tx) ([]store.IntegratedProject, error) { return tx.IntegrationsOf(repo) })
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range list {
			keys = append(keys, each.Project.Key+" "+each.Integration.Repo)
		}
		return keys
	}
	var deleted *store.Project
	for _, project := range []struct{ key, repo string }{{"first", "Own/App"}, {"other", "own/other"}, {"gone", "own/app"}, {"second", "own/APP"}, {"none", ""}} {
		deleted = addProject(t, db, project.key)
		update(t, db, func(tx *store.Tx) error {
			return store.IntegrationSettings(deleted.ID).Put(tx, &store.CodehostIntegration{Repo: project.repo})
		})
		if project.key == "gone" {
			update(t, db, func(tx *store.Tx) error { return tx.DeleteProject(deleted) })
		}
	}
	addProject(t, db, "never")
	if got, want := of("own/app"), []string{"first Own/App", "second own/APP"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := of("own/nothing"); got != nil {
		t.Errorf("got %q for another repository", got)
	}
}

func isIntegration(path string) bool { return strings.Contains(path, "codehost_integration") }

// TestIntegrationGoesWithItsProject checks that nothing of the integration remains after
// its project is deleted.
func TestIntegrationGoesWithItsProject(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	put := func(tx *store.Tx) error {
		return store.IntegrationSettings(p.ID).Put(tx, &store.CodehostIntegration{Repo: "a/b", TitleTemplate: "left behind"})
	}
	update(t, db, put)
	if !slices.ContainsFunc(slices.Collect(maps.Keys(db.Dump())), isIntegration) {
		t.Fatal("it is not in the file, so this test would not see it")
	}
	update(t, db, func(tx *store.Tx) error { return tx.DeleteProject(p) })
	if got := integration(t, db, p.ID); got.Repo != "" {
		t.Errorf("before the purge: got %+v", got)
	}
	if err := db.Update(put); !fault.Is(err, fault.NotFound) {
		t.Errorf("settings of a project that is gone: got %v", err)
	}
	if err := db.Purge(); err != nil {
		t.Fatal(err)
	}
	for path := range db.Dump() {
		if isIntegration(path) {
			t.Errorf("left behind: %s", path)
		}
	}
}
