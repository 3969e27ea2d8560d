// Package setting is the single definition of every setting. Flags, variables, the
// configuration file, its example and its documentation are all derived from the table in
// table.go. The package has no I/O of its own: the caller of Load provides the flags, the
// environment and a function to read files.
//
//	setting.go   Definition, Settings: values and their sources
//	table.go     the settings
//	group.go     the settings by purpose, for help texts
//	load.go      Load: flags before environment before file before default
//	file.go      the configuration file
//	parse.go     parsing values
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

// Definition describes one setting.
type Definition struct {
	// Key names the setting in the file and in messages, such as "log.level".
	Key string
	// Variable is its environment variable.
	Variable string
	// Kind describes the form of a value in one word, for help texts.
	Kind string
	// Default is the default value in text form.
	Default string
	// Unset describes what happens when the setting has no value. It is used if Default is
	// empty.
	Unset string
	// Help describes the setting. Why explains the reason for its default.
	Help, Why string
	// Secret marks settings with a secret value. The value is masked when it is displayed,
	// and never quoted in a message. It can also come from a file named by the variable
	// with the suffix _FILE.
	Secret bool
	// NotInFile marks settings that determine which file is read.
	NotInFile bool
	// Offline marks settings that commands need, too. If no server is running, a command
	// opens the data directory itself.
	Offline bool

	set setter
}

// setter validates a text that is not blank and stores its value.
type setter func(s *Settings, text string) error

// Flag returns the name of the flag, without the dashes.
func (d Definition) Flag() string {
	return strings.NewReplacer(".", "-", "_", "-").Replace(d.Key)
}

// FileVariable returns the environment variable that names a file with the value. It
// exists for secrets only.
func (d Definition) FileVariable() string { return d.Variable + "_FILE" }

// Origin is the kind of source that a value came from.
type Origin string

// The origins, in order of precedence.
const (
	FromFlag        Origin = "flag"
	FromEnvironment Origin = "environment"
	FromFile        Origin = "file"
	FromData        Origin = "data directory" // generated at the first start
	FromDefault     Origin = "default"
)

// Value is a setting with its current value.
type Value struct {
	Definition
	// Text is the value in text form. A secret is in the clear. "" means that there is no
	// value.
	Text   string
	Origin Origin
	// Name is the flag, variable or file that provided the value. It is "" for a default.
	Name string
}

// Shown returns Text for display, with a secret masked.
func (v Value) Shown() string {
	if v.Secret && v.Text != "" {
		return "********"
	}
	return v.Text
}

// Settings holds the effective values. Each field is named like the key of its setting. A
// field is zero if its setting has neither a value nor a default.
type Settings struct {
	Data               string
	Config             string // the path of the file, which may be missing
	Listen             string // host:port, after applying PORT and Domain, or unix: and a path
	ListenMode         fs.FileMode
	TLSCert, TLSKey    string   // paths of files, both or none
	Domain             []string // host names in lower case; none = no automatic certificates
	RedirectListen     string   // host:port; "" = no listener
	ACMEEmail          string
	ACMECA             string // URL; "" = Let's Encrypt
	JWTSecret          string
	JWTExpiresIn       string // unparsed; an invalid lifetime falls back to the default
	APIKeySalt         string
	AdminPassword      string // trimmed; its length only matters at the first start
	BootstrapSecretDir string
	MaxConnections     int // 0 = limited by the number of open files
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
	PagesHome          string // list, a URL or the key of a project
	DistBaseURL        string // scheme, host and port; "" = links on the address of the site
	DistCacheMaxSize   int64  // bytes
	UploadMaxMB        int    // MiB
	StorageDir         string
	CDNAliyunURL       string // scheme, host and port, like the following ones
	CDNCloudflareURL   string
	CodehostWebBaseURL string

	SubmissionMaxMiB      int // of feedback and logs of a project; 0 = no limit
	LogRetentionDays      int // 0 = forever, like FeedbackRetentionDays
	FeedbackRetentionDays int

	CodehostAPIBaseURL       string // scheme, host, port and path, without a slash at the end
	CodehostForwardRateLimit int
	CodehostForwardRateTTL   int           // seconds
	AboutUpstreamURL         string        // scheme, host and port; "" = no update checks
	AboutDocsURL             string        // "" = no link
	BackupEvery              time.Duration // 0 = never
	BackupKeep               int
	BackupDir                string
	BackupRecipient          []string // public keys of age, not parsed
	LogLevel                 slog.Level
	LogFormat                string // auto, text or json
	MetricsListen            string // host:port; "" = only on the control socket
	ShutdownDelay            time.Duration
	ShutdownTimeout          time.Duration

	// Warnings holds sentences for the administrator about values that were accepted but
	// are questionable.
	Warnings []string

	port   int
	values []Value
}

// Values returns all settings in the order of the table.
func (s *Settings) Values() []Value { return s.values }

// Value returns the setting with the given key, which must exist.
func (s *Settings) Value(key string) Value { return *s.value(key) }

// Put replaces a value after loading. The new value is either a secret stored in the data
// directory or the default, which replaces an unusable value.
func (s *Settings) Put(key, text string, origin Origin, name string) error {
	v := s.value(key)
	if err := v.set(s, text); err != nil {
		return problem(name, err)
	}
	v.Text, v.Origin, v.Name = text, origin, name
	return nil
}

// CheckAdminPassword checks that the password, if given, has 6 to 128 characters. The
// password is only used at the first start, so only the first start calls
// CheckAdminPassword.
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
