package resource

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/seal"
	"svc/internal/translate"
	"svc/store"
)

func (h *Handlers) translateRoutes() []web.Route {
	const one = web.V1 + "/admin/translation"
	login := web.LoginOnly()
	return []web.Route{
		{Method: "GET", Path: one, Access: login, Handler: web.OK(h.getTranslation)},
		{Method: "PUT", Path: one, Access: login, Handler: web.OK(web.Decoded(h.updateTranslation))},
		{Method: "DELETE", Path: one, Access: login, Handler: web.OK(h.clearTranslation)},
		{Method: "POST", Path: one + "/test", Access: login, Handler: web.OK(h.testTranslation)},
		{Method: "POST", Path: web.V1 + "/admin/projects/:k/translate", Access: login, Handler: web.OK(web.Decoded(h.translate))},
	}
}

// translationSettingsView is the JSON form of the machine translation settings, without the API
// key.
type translationSettingsView struct {
	Configured        bool     `json:"configured"`
	Enabled           bool     `json:"enabled"`
	Provider          string   `json:"provider"`
	BaseURL           *string  `json:"base_url"`
	Model             *string  `json:"model"`
	HasAPIKey         bool     `json:"has_api_key"`
	APIKeyFingerprint *string  `json:"api_key_fingerprint"`
	APIKeyUpdatedAt   *int64   `json:"api_key_updated_at"`
	CustomPrompt      bool     `json:"custom_prompt"`
	SystemPrompt      *string  `json:"system_prompt"`
	BuiltinPrompt     string   `json:"builtin_system_prompt"`
	PromptVariables   []string `json:"prompt_variables"`
	RequestURL        *string  `json:"request_url"`
	UpdatedAt         *int64   `json:"updated_at"`
}

// viewTranslationSettings returns the view of the settings. If the given error is not nil, it
// returns that error instead.
func viewTranslationSettings(t *store.Translation, err error) (translationSettingsView, error) {
	if err != nil {
		return translationSettingsView{}, err
	}
	return translationSettingsView{
		Configured: t.Configured(), Enabled: t.Enabled, Provider: t.Provider, BaseURL: web.OrNull(t.BaseURL), Model: web.OrNull(t.Model),
		HasAPIKey: t.APIKey != "", APIKeyFingerprint: web.OrNull(t.APIKeyFingerprint), APIKeyUpdatedAt: web.OrNull(t.APIKeyUpdatedAt),
		CustomPrompt: t.CustomPrompt, SystemPrompt: web.OrNull(t.SystemPrompt), BuiltinPrompt: translate.Prompt,
		PromptVariables: translate.Variables,
		RequestURL:      web.OrNull(serviceOf(t).RequestURL()), UpdatedAt: web.OrNull(t.UpdatedAt),
	}, nil
}

func (h *Handlers) getTranslation(r *web.Request) (translationSettingsView, error) {
	return viewTranslationSettings(web.GetSettings(r, h.DB, store.TranslationSettings))
}

type translationSettingsInput struct {
	Enabled      web.Optional[bool]   `json:"enabled"`
	Provider     web.Optional[string] `json:"provider"`
	BaseURL      web.Optional[string] `json:"base_url"`
	APIKey       web.Optional[string] `json:"api_key"`
	Model        web.Optional[string] `json:"model"`
	CustomPrompt web.Optional[bool]   `json:"custom_prompt"`
	SystemPrompt web.Optional[string] `json:"system_prompt"`
}

func (in translationSettingsInput) check() error {
	p := web.Problems{Update: true}
	p.Flag("enabled", in.Enabled)
	if in.Provider.Sent && !slices.Contains([]string{translate.OpenAI, translate.Anthropic}, in.Provider.Or("")) {
		p.Add("provider must be openai or anthropic")
	}
	p.BaseURL("base_url", in.BaseURL, web.TextRule{Max: 512, Trim: true})
	p.Text("api_key", in.APIKey, web.TextRule{Max: 512, Trim: true})
	if strings.ContainsFunc(strings.TrimSpace(in.APIKey.Or("")), unicode.IsControl) {
		p.Add("api_key must not contain control characters") // an HTTP header cannot contain them
	}
	p.Text("model", in.Model, web.TextRule{Max: 128, Trim: true})
	p.Flag("custom_prompt", in.CustomPrompt)
	p.Text("system_prompt", in.SystemPrompt, web.TextRule{Max: 8192, Trim: true})
	return p.Err()
}

func (h *Handlers) updateTranslation(r *web.Request, in translationSettingsInput) (view translationSettingsView, err error) {
	if err := in.check(); err != nil {
		return view, err
	}
	return viewTranslationSettings(web.PutSettings(r, h.DB, store.TranslationSettings, func(tx *store.Tx, t *store.Translation) {
		web.Set(&t.Enabled, in.Enabled)
		web.Set(&t.Provider, in.Provider)
		web.SetText(&t.BaseURL, in.BaseURL)
		web.SetText(&t.Model, in.Model)
		web.Set(&t.CustomPrompt, in.CustomPrompt)
		web.SetText(&t.SystemPrompt, in.SystemPrompt)
		if in.APIKey.Sent {
			h.setTranslationKey(tx, t, strings.TrimSpace(in.APIKey.Or("")))
		}
	}))
}

func (h *Handlers) setTranslationKey(tx *store.Tx, t *store.Translation, key string) {
	t.APIKey, t.APIKeyFingerprint, t.APIKeyUpdatedAt = h.Keys.Seal(seal.TranslationAPIKey, key), seal.Fingerprint(key), 0
	if key != "" {
		t.APIKeyUpdatedAt = tx.Now().Unix()
	}
}

func (h *Handlers) clearTranslation(r *web.Request) (translationSettingsView, error) {
	return viewTranslationSettings(web.DeleteSettings(r, h.DB, store.TranslationSettings))
}

// serviceOf returns the configured translation service, without the API key.
func serviceOf(t *store.Translation) translate.Service {
	return translate.Service{Provider: t.Provider, BaseURL: t.BaseURL, Model: t.Model}
}

// translator returns the configured translation service and the prompt for the model. It returns an
// error if translation is disabled or not configured.
func (h *Handlers) translator(t *store.Translation) (s translate.Service, prompt string, err error) {
	s, prompt = serviceOf(t), translate.Prompt
	if t.CustomPrompt && t.SystemPrompt != "" {
		prompt = t.SystemPrompt
	}
	switch {
	case !t.Enabled:
		return s, prompt, fault.New(fault.Invalid, "machine translation is switched off: set enabled in the translation settings")
	case !t.Configured():
		return s, prompt, fault.New(fault.Invalid,
			"machine translation is not configured: base_url and model are needed in the translation settings")
	}
	s.APIKey, err = h.Keys.Open(seal.TranslationAPIKey, t.APIKey)
	return s, prompt, err
}

type translationTestView struct {
	OK         bool    `json:"ok"`
	Provider   string  `json:"provider"`
	Model      *string `json:"model"`
	RequestURL *string `json:"request_url"`
	Sample     *string `json:"sample"`
	LatencyMS  int64   `json:"latency_ms"`
	Error      *string `json:"error"`
}

// sample is the text that is translated to test the settings. The translation must contain its
// placeholder unchanged.
var sample = translate.Texts{
	Kind: translate.Announcement, Source: "en", Target: "zh-CN", Label: "Simplified Chinese",
	Fields: map[string]string{"content": "Version {{version}} is ready. Restart the app to install it."},
}

func (h *Handlers) testTranslation(r *web.Request) (view translationTestView, err error) {
	t, err := store.Read(h.DB, store.TranslationSettings.Get)
	if err != nil {
		return view, err
	}
	defer web.NoWriteDeadline(r.Writer)()
	s, prompt, refused := h.translator(t)
	view = translationTestView{Provider: s.Provider, Model: web.OrNull(s.Model), RequestURL: web.OrNull(s.RequestURL())}
	if refused != nil {
		view.Error = web.OrNull(refused.Error())
		return view, nil
	}
	begin := time.Now()
	texts, failed := h.Translator.Translate(r.Context(), s, prompt, sample)
	view.LatencyMS = time.Since(begin).Milliseconds()
	if failed != nil {
		view.Error = web.OrNull(failed.Error())
		return view, nil
	}
	view.OK, view.Sample = true, web.OrNull(texts["content"])
	return view, nil
}

// maxTranslated is the maximum number of characters in a request for a translation.
const maxTranslated = 32000

// translatable lists the fields of each kind that can be translated.
var translatable = map[translate.Kind][]string{
	translate.Announcement: {"title", "content"},
	translate.Version:      {"title", "content"},
	translate.Project:      {"name", "description"},
}

type translateInput struct {
	Kind   web.Optional[string]     `json:"kind"`
	Target web.Optional[string]     `json:"target_locale"`
	Source web.Optional[string]     `json:"source_locale"`
	Fields web.Optional[web.Object] `json:"fields"`
}

// check checks the request and returns its texts. It omits blank texts.
func (in translateInput) check() (translate.Texts, error) {
	var p problems
	t := translate.Texts{
		Kind: translate.Kind(in.Kind.Or("")), Target: strings.TrimSpace(in.Target.Or("")), Source: strings.TrimSpace(in.Source.Or("")),
	}
	names, known := translatable[t.Kind]
	if !known {
		p.Add("kind must be announcement, version or project")
	}
	p.Text("target_locale", in.Target, web.TextRule{Max: 35, Required: true, Trim: true, Filled: true})
	p.Text("source_locale", in.Source, web.TextRule{Max: 35, Trim: true})
	switch {
	case in.Fields.Value == nil:
		p.Add("fields must be an object of strings")
	case known:
		t.Fields = p.textsOf(*in.Fields.Value, names)
	}
	return t, p.Err()
}

// textsOf returns the texts in an object. The object must not have fields other than those in
// names.
func (p *problems) textsOf(object web.Object, names []string) map[string]string {
	texts, length, before := map[string]string{}, 0, len(p.List)
	web.EachField(json.RawMessage(object), func(name string, raw json.RawMessage) {
		var text *string
		switch {
		case !slices.Contains(names, name):
			p.Add("fields.%s is unknown: allowed are %s", web.Shorten(name, 64), strings.Join(names, " and "))
		case json.Unmarshal(raw, &text) != nil || text == nil:
			p.Add("fields.%s must be a string", name)
		case strings.TrimSpace(*text) != "":
			texts[name] = *text
			length += utf8.RuneCountInString(*text)
		}
	})
	switch {
	case len(p.List) > before:
	case len(texts) == 0:
		p.Add("fields must have a text that is not blank")
	case length > maxTranslated:
		p.Add("fields must have at most %d characters in all", maxTranslated)
	}
	return texts
}

type translatedView struct {
	Locale   string            `json:"locale"`
	Provider string            `json:"provider"`
	Model    string            `json:"model"`
	Fields   map[string]string `json:"fields"`
}

func (h *Handlers) translate(r *web.Request, in translateInput) (view translatedView, err error) {
	texts, err := in.check()
	if err != nil {
		return view, err
	}
	project, err := h.DB.FindProject(r.Param("k"))
	if err != nil {
		return view, err
	}
	at := project.Locales().Find(texts.Target)
	if at < 0 {
		return view, fault.Validation("target_locale " + web.Quote(texts.Target) + " is not a language of this project")
	}
	language := project.Languages[at]
	texts.Target, texts.Label = language.Tag, web.OrEmpty(language.Label)
	settings, err := store.Read(h.DB, store.TranslationSettings.Get)
	if err != nil {
		return view, err
	}
	s, prompt, err := h.translator(settings)
	if err != nil {
		return view, err
	}
	defer web.NoWriteDeadline(r.Writer)()
	fields, err := h.Translator.Translate(r.Context(), s, prompt, texts)
	return translatedView{language.Tag, s.Provider, s.Model, fields}, err
}
