// Package setting is the one definition of every setting. Flags, variables,
// the configuration file, its example and its documentation all come from the
// table in table.go. It reads nothing itself: the caller of Load hands it
// the flags, the environment and a way to read files.
//
//	setting.go   Definition, Settings: values and where they came from
//	table.go     the settings
//	load.go      Load: flags before environment before file before default
//	file.go      the configuration file
//	parse.go     values from texts
//	https.go     values for certificates and HTTPS
//	misspelt.go  variables that resemble a setting
//	render.go    the example file and the documentation
package setting

import (
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"
)

// Definition is everything there is to know about one setting.
type Definition struct {
	// Key names the setting in the file and in messages, such as "log.level".
	Key string
	// Variable is its environment variable.
	Variable string
	// Kind says what a value looks like, in one word for help texts.
	Kind string
	// Default is the value when nothing is given, as it would be written.
	Default string
	// Unset says what happens without a value where Default is empty.
	Unset string
	// Help says what it does; Why says why the default is what it is.
	Help, Why string
	// Secret values are masked, never quoted in a message, and may also come
	// from a file named by the variable with _FILE behind it.
	Secret bool
	// NotInFile marks what decides which file is read.
	NotInFile bool
	// Offline marks what commands need too when they open the data directory
	// themselves because no server runs.
	Offline bool

	set setter
}

// setter checks a text that is not blank and puts it where it belongs.
type setter func(s *Settings, text string) error

// Flag is the name of the flag, without the dashes.
func (d Definition) Flag() string {
	return strings.NewReplacer(".", "-", "_", "-").Replace(d.Key)
}

// FileVariable is the variable that names a file with the value, for secrets.
func (d Definition) FileVariable() string { return d.Variable + "_FILE" }

// Origin says which kind of source gave a value.
type Origin string

// The origins. An earlier one wins over a later one.
const (
	FromFlag        Origin = "flag"
	FromEnvironment Origin = "environment"
	FromFile        Origin = "file"
	FromData        Origin = "data directory" // generated at the first start
	FromDefault     Origin = "default"
)

// Value is one setting as it stands.
type Value struct {
	Definition
	// Text is the value as it was given, a secret in the clear; "" is none.
	Text   string
	Origin Origin
	// Name is the flag, variable or file that gave it; "" for a default.
	Name string
}

// Shown is Text for people: a secret is masked.
func (v Value) Shown() string {
	if v.Secret && v.Text != "" {
		return "********"
	}
	return v.Text
}

// Settings are the effective values. Each field is named like its key; those
// without a value and without a default are zero.
type Settings struct {
	Data               string
	Config             string // the path of the file, which may be missing
	Listen             string // host:port, PORT and Domain already taken into account, or unix: and a path
	ListenMode         fs.FileMode
	TLSCert, TLSKey    string   // paths of files, both or none
	Domain             []string // host names in lower case; none = no automatic certificates
	RedirectListen     string   // host:port; "" = nowhere
	ACMEEmail          string
	ACMECA             string // URL; "" = Let's Encrypt
	JWTSecret          string
	JWTExpiresIn       string // as given; a text that is no lifetime falls back to the default
	APIKeySalt         string
	AdminPassword      string // trimmed; its length only matters at the first start
	BootstrapSecretDir string
	MaxConnections     int // 0 = as many as the open files leave room for
	PublicRateLimit    int
	PublicBodyBudget   int // MiB
	SubmissionDataMax  int // KiB
	AnswerBudget       int // MiB
	DedupWindowSeconds int // 0 or less = off
	TrustedProxyCount  int
	ClientIPHeader     []string // canonical header names
	GeoEnabled         bool
	GeoDatabase        string // path of a file
	EventIPStorage     string // anonymized, full or none
	EventClockSkew     int    // seconds
	EventBatchMax      int
	EventMaxNames      int
	EventMaxSizeMiB    int
	SiteURL            string // scheme, host and port; "" = not known
	DistBaseURL        string // scheme, host and port; "" = links on the address of the site
	DistCacheMaxSize   int64  // bytes
	UploadMaxMB        int    // MiB
	StorageDir         string
	CDNAliyunURL       string // scheme, host and port, as those that follow
	CDNCloudflareURL   string
	CodehostWebBaseURL string

	SubmissionMaxMiB      int // of feedback and logs of a project; 0 = no limit
	LogRetentionDays      int // 0 = for ever, as FeedbackRetentionDays
	FeedbackRetentionDays int

	CodehostAPIBaseURL       string // scheme, host, port and path, without a slash at the end
	CodehostForwardRateLimit int
	CodehostForwardRateTTL   int           // seconds
	AboutUpstreamURL         string        // scheme, host and port; "" = nobody is asked for updates
	AboutDocsURL             string        // "" = no link
	BackupEvery              time.Duration // 0 = never
	BackupKeep               int
	BackupDir                string
	BackupRecipient          []string // public keys of age, not parsed
	LogLevel                 slog.Level
	LogFormat                string // auto, text or json
	MetricsListen            string // host:port; "" = nowhere but on the control socket
	ShutdownDelay            time.Duration
	ShutdownTimeout          time.Duration

	// Warnings are sentences for people about values that were accepted.
	Warnings []string

	port   int
	values []Value
}

// Values are all settings in the order of the table.
func (s *Settings) Values() []Value { return s.values }

// Value is the setting with the key, which must exist.
func (s *Settings) Value(key string) Value { return *s.value(key) }

// Put replaces a value after loading: a secret that the data directory keeps,
// or a default in place of something that cannot be used.
func (s *Settings) Put(key, text string, origin Origin, name string) error {
	v := s.value(key)
	if err := v.set(s, text); err != nil {
		return problem(name, err)
	}
	v.Text, v.Origin, v.Name = text, origin, name
	return nil
}

// CheckAdminPassword is for the first start only, which alone uses the password:
// one that was given must have 6 to 128 characters.
func (s *Settings) CheckAdminPassword() error {
	if n := utf8.RuneCountInString(s.AdminPassword); n > 0 && n < 6 || n > 128 {
		return Errors{problem(s.value("admin_password").Name, errors.New("must have 6 to 128 characters"))}
	}
	return nil
}

func (s *Settings) value(key string) *Value {
	for i := range s.values {
		if s.values[i].Key == key {
			return &s.values[i]
		}
	}
	panic("no setting " + key)
}
