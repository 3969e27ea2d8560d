package transfer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"svc/api/apitest"
)

// TestSignaturesOfRetiredKeysMove checks that a signature that was valid when its key was retired is
// still valid after an export and an import, and that a later one is not.
func TestSignaturesOfRetiredKeysMove(t *testing.T) {
	t.Parallel()
	var v struct {
		Line         string              `json:"line"`
		Lines        int                 `json:"lines"`
		MinisignKeys []map[string]string `json:"minisign_keys"`
		SparkleKeys  []map[string]string `json:"sparkle_keys"`
		Signatures   map[string]string   `json:"signatures"`
	}
	text, err := os.ReadFile("../../internal/signature/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const project = "/admin/projects/app"
	var keys []string
	for scheme, key := range map[string]string{"minisign": v.MinisignKeys[0]["line"], "sparkle": v.SparkleKeys[0]["line"]} {
		made := s.Must(t, 201, "POST", project+"/trust-keys", fmt.Sprintf(`{"scheme":%q,"public_key":%q}`, scheme, key))
		keys = append(keys, project+"/trust-keys/"+apitest.Field[string](t, made, "id"))
	}
	publish := func(version string) string {
		file := apitest.Field[string](t, s.Upload(t, "app", "Demo.AppImage", strings.Repeat(v.Line, v.Lines)), "path")
		made := s.Must(t, 201, "POST", project+"/versions", fmt.Sprintf(
			`{"version":%q,"comparable_version":%[1]q,"download_links":[{"url":"https://dl.example%s"}]}`, version, file))
		return project + "/versions/" + apitest.Field[string](t, made, "id") + "/assets"
	}
	sign := func(assets, scheme, name string) {
		s.Must(t, 200, "PUT", assets+"/Demo.AppImage/signatures/"+scheme, v.Signatures[name])
	}
	statuses := func(at *apitest.Server, assets string) string {
		t.Helper()
		asset := apitest.Field[[]map[string]any](t, at.Must(t, 200, "GET", assets, ""), "data")[0]
		signatures, _ := asset["signatures"].(map[string]any)
		var all []string
		for _, scheme := range []string{"minisign", "sparkle"} {
			one, _ := signatures[scheme].(map[string]any)
			all = append(all, fmt.Sprint(one["status"]))
		}
		return strings.Join(all, " ")
	}
	hashed, legacy := publish("1.0"), publish("2.0")
	for assets, name := range map[string]string{hashed: "hashed", legacy: "legacy"} {
		sign(assets, "minisign", name)
		sign(assets, "sparkle", "sparkle")
	}
	for _, key := range keys {
		s.Must(t, 200, "PATCH", key, `{"state":"retired"}`)
	}
	late := publish("3.0")
	sign(late, "minisign", "hashed")
	sign(late, "sparkle", "sparkle")
	archive, _ := export(t, s, "app")
	other := apitest.NewServer(t)
	mustBringIn(t, other, archive, "")
	mustBringIn(t, s, archive, "key=copy&new_ids=1")
	copied := "/admin/projects/copy/versions/"
	for version, assets := range map[string]string{"1.0": hashed, "2.0": legacy, "3.0": late} {
		want := "valid valid"
		if version == "3.0" {
			want = "untrusted untrusted"
		}
		for where, got := range map[string]string{
			"in the original": statuses(s, assets), "in another server": statuses(other, assets),
			"under new ids": statuses(s, copied+s.VersionID(t, "copy", version)+"/assets"),
		} {
			if got != want {
				t.Errorf("signatures of %s %s: %s, want %s", version, where, got, want)
			}
		}
	}
	wrong := withContents(t, fileLine(t, "content", map[string]any{"kept_signatures": []any{1, strings.Repeat("x", 23)}}), [2]string{"files/00000000000a", "content"})
	problems := fmt.Sprint(bringIn(t, apitest.NewServer(t), wrong, "").Problems)
	for _, problem := range []string{"kept_signatures[0] must be a string", "kept_signatures[1] must have at most 22 characters"} {
		if !strings.Contains(problems, problem) {
			t.Errorf("problems are %s, want %q", problems, problem)
		}
	}
}
