package store

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"svc/internal/rollout"
)

// TestFormatIsDocumented compares docs/format/svc-db.md with the names that are written
// to the file.
func TestFormatIsDocumented(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../docs/format/svc-db.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	names := []string{string(formatKey), string(storeIDKey), string(backupFolderKey), string(lastIDKey), string(adminKey)}
	for name := range instanceSettings {
		names = append(names, name)
	}
	for name := range projectSettings {
		names = append(names, name)
	}
	for _, bucket := range slices.Concat(rootBuckets, hookBuckets, contentBuckets) {
		names = append(names, string(bucket))
	}
	for _, record := range []any{Project{}, Alias{}, Language{}, ProjectText{}, Version{}, rollout.Rollout{}, rollout.Step{}, rollout.Cohort{}, rollout.Event{}, DownloadLink{}, VersionText{}, APIKey{}, FormerKey{}, Account{}, loginNetworks{}, LoginNetwork{}, Card{}, File{}, FileDeletion{}, CDNRefresh{}, StorageBackend{}, CDN{}, Translation{}, CodehostApp{}, CodehostIntegration{}, CodehostCommand{}, Webhook{}, Feedback{}, Log{}, Sender{}, Forward{}, Hook{}, HookState{}, HookDelivery{}} {
		for field := range reflect.TypeOf(record).Fields() {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "-" && !field.Anonymous {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		if name == "" || !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/format/svc-db.md does not mention %q", name)
		}
	}
	if !strings.Contains(page, fmt.Sprintf("describes format %d", Format)) || !strings.Contains(page, fmt.Sprintf("\n| %d | ", Format)) {
		t.Errorf("docs/format/svc-db.md does not describe format %d", Format)
	}
}
