package svcsdk_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	svcsdk "svc/clients/go"
	"svc/clients/go/internal/live"
)

// TestRealServer uses the library with a real server, as apps and CI do.
func TestRealServer(t *testing.T) {
	t.Parallel()
	base := live.Start(t)
	ctx := t.Context()
	c, err := svcsdk.New(base, svcsdk.WithProject("my-app"), svcsdk.WithAppVersion("1.0.0"), svcsdk.WithPlatform(svcsdk.Platform(runtime.GOOS)),
		svcsdk.WithAnalytics(svcsdk.AnalyticsOptions{Persistence: svcsdk.PersistSession}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	health, err := c.Health(ctx)
	must("health", err)
	if health.Status != "ok" {
		t.Errorf("health is %+v", health)
	}
	_, err = c.Login(ctx, svcsdk.LoginInput{Username: "admin", Password: "wrong password"})
	if e, ok := errors.AsType[*svcsdk.APIError](err); !ok || e.Status != 401 {
		t.Errorf("a wrong password: %v", err)
	}
	_, err = c.Login(ctx, svcsdk.LoginInput{Username: "admin", Password: live.Password})
	must("login", err)
	_, err = c.Admin.CreateProject(ctx, svcsdk.ProjectCreate{Name: "My app"})
	must("project", err)

	content := bytes.Repeat([]byte("all of it "), 10_000)
	path := filepath.Join(t.TempDir(), "my-app-"+runtime.GOOS+"-"+runtime.GOARCH+".bin")
	must("file", os.WriteFile(path, content, 0o600))
	file, err := c.Admin.UploadFile(ctx, path, nil)
	must("upload", err)
	if file.Status != svcsdk.FileReady {
		t.Fatalf("the file is %+v", file)
	}
	for range 2 { // run twice, because CI may repeat a run
		_, err = c.Admin.UpsertVersion(ctx, "1.1.0", svcsdk.VersionFields{
			Title: svcsdk.Set("Better"), DownloadLinks: svcsdk.Set([]svcsdk.DownloadLinkInput{{URL: strings.TrimSuffix(base, "/api/v1") + file.Path}}),
		})
		must("version", err)
	}
	_, err = c.Admin.CreateVersion(ctx, svcsdk.VersionCreate{Version: "1.0.0", ComparableVersion: "1.0.0", IsLatest: new(false)})
	must("version", err)
	latest, err := c.Public.GetLatestVersion(ctx, nil)
	must("latest", err)
	if latest.Version != "1.1.0" || *latest.Title != "Better" {
		t.Errorf("the latest is %+v", latest)
	}
	if preview, err := c.Public.GetLatestPreviewVersion(ctx, nil); preview != nil || err != nil {
		t.Errorf("the preview is %+v, %v", preview, err)
	}
	n := 0
	for _, err := range c.Public.IterVersions(ctx, nil) {
		must("iter", err)
		n++
	}
	if n != 2 {
		t.Errorf("there are %d versions", n)
	}

	update, err := c.Updates.Check(ctx, nil)
	must("update check", err)
	if update.Decision != svcsdk.OptionalUpdate || update.Target.Version != "1.1.0" || update.Link == nil {
		t.Fatalf("the update is %+v", update)
	}
	to := filepath.Join(t.TempDir(), "update")
	got, err := update.Download(ctx, to, nil)
	must("download", err)
	if text, err := os.ReadFile(to); err != nil || !bytes.Equal(text, content) || !got.Verified || got.SHA256 != *file.SHA256 {
		t.Errorf("downloaded %+v, %v", got, err)
	}

	_, err = c.Admin.CreateAnnouncement(ctx, svcsdk.AnnouncementCreate{Title: "Hello", Content: "World"})
	must("announcement", err)
	announcement, err := c.Public.GetLatestAnnouncement(ctx, nil)
	must("announcement", err)
	if announcement.Title != "Hello" {
		t.Errorf("the announcement is %+v", announcement)
	}
	feedback, err := c.Public.CreateFeedback(ctx, svcsdk.FeedbackInput{Content: "Nice", Rating: svcsdk.Set(int64(5))})
	must("feedback", err)
	_, err = c.Admin.UpdateFeedback(ctx, feedback.ID, svcsdk.FeedbackFields{
		Status: new(svcsdk.FeedbackResolved), Rating: svcsdk.Null[int64](), Reply: svcsdk.Set("thanks"),
	})
	must("feedback", err)
	feedback, err = c.Admin.GetFeedback(ctx, feedback.ID)
	must("feedback", err)
	if feedback.Status != svcsdk.FeedbackResolved || feedback.Rating != nil || feedback.Platform == nil {
		t.Errorf("the feedback is %+v", feedback)
	}
	replies, err := c.Public.FeedbackReplies(ctx)
	must("replies", err)
	if len(replies) != 1 || *replies[0].Reply != "thanks" || replies[0].Status != svcsdk.FeedbackResolved || replies[0].RepliedAt == nil {
		t.Errorf("the replies are %+v", replies)
	}
	c.Logs.Capture(errors.New("boom"), nil)
	if left := c.Logs.Flush(ctx); left != 0 {
		t.Errorf("%d reports are left", left)
	}
	logs, err := c.Admin.ListLogs(ctx, nil)
	must("logs", err)
	if len(logs.Data) != 1 || logs.Data[0].Level != svcsdk.LogError || logs.Data[0].DeviceInfo["app_version"] != "1.0.0" {
		t.Errorf("the logs are %+v", logs)
	}

	_, err = c.Admin.UpdateProject(ctx, svcsdk.ProjectFields{LogRetentionDays: svcsdk.Set(int64(30)), FeedbackRetentionDays: svcsdk.Null[int64]()})
	must("retention", err)
	project, err := c.Admin.GetProject(ctx)
	must("retention", err)
	if days := project.LogRetentionDays; days == nil || *days != 30 || project.FeedbackRetentionDays != nil {
		t.Errorf("the project is %+v", project)
	}
	session, err := c.Admin.CreateUpload(ctx, svcsdk.UploadCreate{Filename: "half.bin", Size: 10})
	must("upload", err)
	uploads, err := c.Admin.ListUploads(ctx)
	must("open uploads", err)
	if len(uploads.Data) != 1 || uploads.Data[0].UploadID != session.UploadID || uploads.Data[0].Credential != "administrator" {
		t.Errorf("the open uploads are %+v", uploads)
	}
	for _, dry := range []bool{true, false} {
		pruned, err := c.Admin.PruneLogs(ctx, svcsdk.LogPrune{Level: svcsdk.Set(svcsdk.LogError), DryRun: &dry})
		must("prune", err)
		if deleted := pruned.Deleted == 1; pruned.Matched != 1 || deleted == dry {
			t.Errorf("pruned %+v, dry %t", pruned, dry)
		}
	}

	c.Public.Track("app_opened", map[string]any{"n": 1})
	if r := c.Public.Flush(ctx); r.Sent != 1 {
		t.Errorf("flushed %+v", r)
	}
	mine, err := c.Public.ExportMyData(ctx, "")
	must("export", err)
	if mine.Total != 1 || mine.Data[0].EventName != "app_opened" || mine.DistinctID != c.Public.DistinctID() {
		t.Errorf("exported %+v", mine)
	}
	erased, err := c.Public.DeleteMyData(ctx, "")
	must("delete", err)
	if erased.Deleted != 1 {
		t.Errorf("deleted %+v", erased)
	}
}
