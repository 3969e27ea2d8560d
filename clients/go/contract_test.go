package svcsdk

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// described lists the types that openapi.yaml describes, with the schemas of their fields.
var described = []struct {
	value   any
	schemas string
}{
	{Health{}, "Health"},
	{Project{}, "Project PublicProject"},
	{ProjectTranslation{}, "ProjectTranslation"},
	{ProjectCreate{}, "ProjectCreate"},
	{ProjectFields{}, "ProjectFields"},
	{ProjectTranslationInput{}, "ProjectTranslationInput"},
	{ProjectStatistics{}, "ProjectStatistics"},
	{ProjectAlias{}, "Alias"},
	{ProjectLocale{}, "Language"},
	{LocaleCreate{}, "LanguageCreate"},
	{LocaleFields{}, "LanguageFields"},
	{VersionInfo{}, "Version PublicVersion"},
	{VersionTranslation{}, "VersionTranslation"},
	{DownloadLink{}, "DownloadLink"},
	{VersionCreate{}, "VersionCreate"},
	{VersionFields{}, "VersionFields"},
	{VersionTranslationInput{}, "VersionTranslationInput"},
	{DownloadLinkInput{}, "DownloadLinkInput"},
	{VersionStatistics{}, "VersionStatistics"},
	{MirrorResult{}, "MirrorResult"},
	{UpdateCheckInput{}, "UpdateCheckInput"},
	{UpdateCheck{}, "UpdateCheck"},
	{MilestoneState{}, "MilestoneState"},
	{Announcement{}, "Announcement PublicAnnouncement"},
	{AnnouncementTranslation{}, "AnnouncementTranslation"},
	{AnnouncementCreate{}, "AnnouncementCreate"},
	{AnnouncementFields{}, "AnnouncementFields"},
	{AnnouncementTranslationInput{}, "AnnouncementTranslationInput"},
	{AnnouncementStatistics{}, "AnnouncementStatistics"},
	{Feedback{}, "Feedback"},
	{FeedbackOptions{}, "FeedbackOptions"},
	{FeedbackInput{}, "FeedbackInput"},
	{FeedbackCreate{}, "FeedbackCreate"},
	{FeedbackFields{}, "FeedbackFields"},
	{FeedbackStatistics{}, "FeedbackStatistics"},
	{FeedbackRatings{}, "FeedbackRatings"},
	{RatingCount{}, "RatingCount"},
	{Log{}, "Log"},
	{LogInput{}, "LogInput"},
	{LogCreate{}, "LogCreate"},
	{LogChange{}, "LogChange"},
	{FeedbackBulk{}, "FeedbackBulk"},
	{LogBulk{}, "LogBulk"},
	{LogPrune{}, "LogPrune"},
	{PrunedLogs{}, "PrunedLogs"},
	{LogStatistics{}, "LogStatistics"},
	{LogLevels{}, "LogLevels"},
	{LevelCount{}, "LevelCount"},
	{EventBatch{}, "EventBatch"},
	{EventInput{}, "EventInput"},
	{EventsAccepted{}, "EventsAccepted"},
	{RejectedEvent{}, "RejectedEvent"},
	{SubjectExport{}, "SubjectExport"},
	{StoredEvent{}, "StoredEvent"},
	{EventsErased{}, "EventsErased"},
	{EventDefinition{}, "EventDefinition"},
	{EventDefinitionChange{}, "EventDefinitionChange"},
	{EventOverview{}, "EventOverview"},
	{EventSeries{}, "EventSeries"},
	{SeriesBucket{}, "Bucket"},
	{ValueSeries{}, "ValueSeries"},
	{EventBreakdown{}, "EventBreakdown"},
	{ValueCount{}, "ValueCount"},
	{Heatmap{}, "Heatmap"},
	{HeatmapCell{}, "HeatmapCell"},
	{EventFilter{}, "EventFilter"},
	{FunnelInput{}, "FunnelInput"},
	{FunnelStepInput{}, "FunnelStepInput"},
	{Funnel{}, "Funnel"},
	{FunnelStep{}, "FunnelStep"},
	{RetentionInput{}, "RetentionInput"},
	{Retention{}, "Retention"},
	{Cohort{}, "Cohort"},
	{CohortCell{}, "CohortCell"},
	{PathsInput{}, "PathsInput"},
	{Paths{}, "Paths"},
	{PathEdge{}, "PathEdge"},
	{EventQuery{}, "MetricInput"},
	{MetricEvent{}, "MetricEvent"},
	{MetricGroupBy{}, "MetricGroupBy"},
	{EventQueryResult{}, "MetricValue MetricTimeseries MetricBreakdown"},
	{MetricSeries{}, "MetricSeries"},
	{MetricPoint{}, "MetricPoint"},
	{MetricGroup{}, "MetricGroup"},
	{DashboardCard{}, "Card"},
	{DashboardCardCreate{}, "CardCreate"},
	{DashboardCardFields{}, "CardFields"},
	{RequestOverview{}, "RequestOverview"},
	{EndpointCount{}, "EndpointCount"},
	{PlatformCount{}, "PlatformCount"},
	{RegionCount{}, "RegionCount"},
	{ProvinceCount{}, "ProvinceCount"},
	{RequestSeries{}, "RequestSeries"},
	{VersionAdoption{}, "VersionAdoption"},
	{VersionSeries{}, "VersionSeries"},
	{ClientVersions{}, "ClientVersions"},
	{ClientVersionCount{}, "ClientVersionCount"},
	{PlatformVersions{}, "PlatformVersions"},
	{PlatformVersionCount{}, "PlatformVersionCount"},
	{CodehostRepoPreview{}, "CodehostRepoPreview"},
	{CodehostReleasePreview{}, "CodehostReleasePreview"},
	{CodehostImport{}, "CodehostImport"},
	{Webhook{}, "Webhook"},
	{WebhookDelivery{}, "WebhookDelivery"},
	{WebhookRevealed{}, "WebhookRevealed"},
	{WebhookSecretFields{}, "WebhookSecretFields"},
	{WebhookGraceFields{}, "WebhookGraceFields"},
	{CodehostApp{}, "CodehostApp"},
	{CodehostAppFields{}, "CodehostAppFields"},
	{CodehostAppTest{}, "CodehostAppTest"},
	{CodehostIntegration{}, "CodehostIntegration"},
	{CodehostIntegrationFields{}, "CodehostIntegrationFields"},
	{CodehostCommand{}, "CodehostCommand"},
	{CodehostCommandFields{}, "CodehostCommandFields"},
	{CodehostRepoTemplate{}, "CodehostRepoTemplate"},
	{TermsSummary{}, "TermsSummary"},
	{Terms{}, "Terms"},
	{TermsDocument{}, "TermsDocument"},
	{TermsPlaceholder{}, "TermsPlaceholder"},
	{TermsDocumentFields{}, "TermsDocumentFields"},
	{AuthUser{}, "AuthUser"},
	{Login{}, "Login"},
	{LoginInput{}, "LoginInput"},
	{ProfileInput{}, "ProfileInput"},
	{PasswordInput{}, "PasswordInput"},
	{AccountInput{}, "AccountInput"},
	{ScopeList{}, "ScopeList"},
	{APIKey{}, "ApiKey"},
	{APIKeyCreate{}, "ApiKeyCreate"},
	{APIKeyFields{}, "ApiKeyFields"},
	{APIKeyRotateInput{}, "ApiKeyRotateInput"},
	{APIKeyCreated{}, "ApiKeyCreated"},
	{APIKeyUpdated{}, "ApiKeyUpdated"},
	{APIKeyRotated{}, "ApiKeyRotated"},
	{TranslationConfig{}, "TranslationConfig"},
	{TranslationConfigFields{}, "TranslationConfigFields"},
	{TranslationTest{}, "TranslationTest"},
	{TranslateInput{}, "TranslateFields"},
	{TranslatedTexts{}, "TranslatedTexts"},
	{File{}, "File"},
	{FileDeleted{}, "FileDeleted"},
	{CDNRefresh{}, "CdnRefresh"},
	{UploadCreate{}, "UploadCreate"},
	{UploadSession{}, "UploadSession"},
	{OpenUpload{}, "OpenUpload"},
	{ChunkReceipt{}, "ChunkReceipt"},
	{StorageOverview{}, "StorageOverview"},
	{StorageBackend{}, "StorageBackend"},
	{StorageBackendCreate{}, "StorageBackendCreate"},
	{StorageBackendFields{}, "StorageBackendFields"},
	{StorageProbe{}, "StorageProbe"},
	{CDNOrigin{}, "CdnOrigin"},
	{CDNConfig{}, "CdnConfig"},
	{CDNConfigFields{}, "CdnConfigFields"},
	{CDNTest{}, "CdnTest"},
	{SearchHit{}, "SearchHit"},
	{ProjectContents{}, "ProjectContents"},
	{UpdateCheckSimulationInput{}, "UpdateCheckSimulationInput"},
	{UpdateCheckSimulation{}, "UpdateCheckSimulation"},
	{UpdateCheckReason{}, "UpdateCheckReason"},
	{InstanceStatus{}, "InstanceStatus"},
	{InstanceBackup{}, "InstanceBackup"},
	{InstanceCheck{}, "InstanceCheck"},
	{InstanceFinding{}, "InstanceFinding"},
	{About{}, "About"},
	{AboutRelease{}, "AboutRelease"},
	{AboutUpdate{}, "AboutUpdate"},
	{MarkdownInput{}, "MarkdownInput"},
	{MarkdownPreview{}, "MarkdownPreview"},
}

// TestTypesAreThoseOfOpenAPI checks that types have the fields in openapi.yaml, with the same
// nullability.
func TestTypesAreThoseOfOpenAPI(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	schemas := parseSchemas(string(text))
	for _, d := range described {
		name := reflect.TypeOf(d.value).Name()
		fields := map[string]schemaField{}
		var of []map[string]schemaField
		for schema := range strings.FieldsSeq(d.schemas) {
			if schemas[schema] == nil {
				t.Errorf("openapi.yaml has no schema %s", schema)
				continue
			}
			of = append(of, schemas[schema].all(schemas))
			maps.Copy(fields, of[len(of)-1])
		}
		var names []string
		for field := range reflect.TypeOf(d.value).Fields() {
			tag, _, optional := strings.Cut(field.Tag.Get("json"), ",")
			if tag == "-" {
				continue
			}
			names = append(names, tag)
			f, ok := fields[tag]
			if !ok {
				t.Errorf("%s.%s: openapi.yaml has no field %s", name, field.Name, tag)
				continue
			}
			required := !slices.ContainsFunc(of, func(fields map[string]schemaField) bool { return !fields[tag].required })
			if takesNull := canBeNull(field.Type); f.nullable && !takesNull && (!required || tag != "comparable_version") {
				t.Errorf("%s.%s cannot be null", name, field.Name)
			}
			if required == optional && !f.nullable {
				t.Errorf("%s.%s: required is %t", name, field.Name, required)
			}
		}
		for field := range fields {
			if !slices.Contains(names, field) {
				t.Errorf("%s lacks %s", name, field)
			}
		}
	}
}

func canBeNull(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	}
	return strings.HasPrefix(t.Name(), "Opt[")
}

// schema holds the parts of an OpenAPI schema that the test reads.
type schema struct {
	fields map[string]schemaField
	of     []string // schemas that it extends
}

type schemaField struct{ nullable, required bool }

// all returns the fields of a schema, including those from allOf.
func (s *schema) all(schemas map[string]*schema) map[string]schemaField {
	out := map[string]schemaField{}
	for _, name := range s.of {
		maps.Copy(out, schemas[name].all(schemas))
	}
	for name, f := range s.fields {
		if before, ok := out[name]; ok && f.required {
			before.required = true
			f = before
		}
		out[name] = f
	}
	return out
}

// parseSchemas reads components.schemas from openapi.yaml. It supports only the style of YAML in
// that file, because this module has no dependencies.
func parseSchemas(text string) map[string]*schema {
	_, text, _ = strings.Cut(text, "\n  schemas:\n")
	schemas := map[string]*schema{}
	var s *schema
	var property string
	for line := range strings.Lines(text) {
		content := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		key, value, _ := strings.Cut(content, ":")
		value = strings.TrimSpace(value)
		switch {
		case content == "" || strings.HasPrefix(content, "#"):
		case indent < 4:
			return schemas
		case indent == 4:
			s, property = &schema{fields: map[string]schemaField{}}, ""
			schemas[key] = s
		case indent == 6 && key == "required", strings.HasPrefix(content, "- { type: object, required:") && indent == 8,
			indent == 10 && key == "required" && property == "":
			for name := range strings.FieldsFuncSeq(content[strings.Index(content, "[")+1:], func(r rune) bool { return strings.ContainsRune(", ]}", r) }) {
				f := s.fields[name]
				f.required = true
				s.fields[name] = f
			}
		case (key == "allOf" || indent == 8 && strings.HasPrefix(content, "- ")) && property == "" && strings.Contains(content, "$ref: \"#/components/schemas/"):
			_, name, _ := strings.Cut(content, "#/components/schemas/")
			name, _, _ = strings.Cut(name, `"`)
			s.of = append(s.of, name)
		case indent == 8 && !strings.HasPrefix(content, "-"):
			property = key
			f := s.fields[key]
			f.nullable = strings.Contains(value, "nullable: true") || schemaIsNullable(text, value)
			s.fields[key] = f
		case indent == 10 && property != "" && key == "nullable":
			f := s.fields[property]
			f.nullable = value == "true"
			s.fields[property] = f
		}
	}
	return schemas
}

// schemaIsNullable reports whether a field's value refers to a schema that may be null.
func schemaIsNullable(text, value string) bool {
	_, name, found := strings.Cut(value, "$ref: \"#/components/schemas/")
	if !found {
		return false
	}
	name, _, _ = strings.Cut(name, `"`)
	_, body, _ := strings.Cut(text, "\n    "+name+":")
	first, rest, _ := strings.Cut(body, "\n")
	if strings.Contains(first, "nullable: true") {
		return true
	}
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "      ") {
			return false
		}
		if strings.HasPrefix(line, "      nullable: true") {
			return true
		}
	}
	return false
}

// TestNothingIsImportedButTheStandardLibrary checks that the library imports only the standard
// library, and nothing from the server.
func TestNothingIsImportedButTheStandardLibrary(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "-test", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		if !strings.HasPrefix(strings.TrimPrefix(name, "["), "svc/clients/go") {
			t.Errorf("%s is imported", name)
		}
	}
}

// TestTheModuleWorksInAnEmptyProject checks that an app can import the module.
func TestTheModuleWorksInAnEmptyProject(t *testing.T) {
	t.Parallel()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/app\n\ngo 1.26.0\n\nrequire svc/clients/go v" + Version + "\n\nreplace svc/clients/go => " + here + "\n",
		"main.go": `package main

import svcsdk "svc/clients/go"

func main() {
	if _, err := svcsdk.New("https://svc.example.com/api/v1"); err != nil {
		panic(err)
	}
	print(svcsdk.Version)
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command("go", "run", ".")
	run.Dir = dir
	run.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := run.CombinedOutput(); err != nil || string(out) != Version {
		t.Errorf("got %q, %v", out, err)
	}
}
