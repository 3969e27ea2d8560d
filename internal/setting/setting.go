// Package setting defines every setting once. The flags, the environment variables, the
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
//	smtp.go      values for the mail server
//	misspelt.go  variables that resemble a setting
//	render.go    the example file and the documentation
package setting

import (
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// Definition describes one setting.
type Definition struct {
	// Key is the name of the setting in the configuration file and in messages, such as
	// "log.level".
	Key string
	// Variable is the environment variable for the setting.
	Variable string
	// Kind describes the form of a value in one word, for help texts.
	Kind string
	// Default is the default value in text form.
	Default string
	// Unset describes what happens if the setting has no value. It is empty if there is a
	// default.
	Unset string
	// Help describes the setting. Why is the reason for its default.
	Help, Why string
	// Secret marks a setting with a secret value. The value is masked when it is displayed
	// and never appears in a message. It can also be read from a file, if the variable with
	// the suffix _FILE contains the file's path.
	Secret bool
	// NotInFile marks a setting that the configuration file cannot contain, because it
	// determines which file is read.
	NotInFile bool
	// Offline marks a setting that commands need, too, because they open the data directory
	// themselves if no server is running.
	Offline bool

	set setter
}

// setter validates a text that is not blank and stores its value.
type setter func(s *Settings, text string) error

// Flag returns the name of the flag, without the dashes.
func (d Definition) Flag() string {
	return strings.NewReplacer(".", "-", "_", "-").Replace(d.Key)
}

// FileVariable returns the environment variable that contains the path of a file with the
// value. Only secrets have one.
func (d Definition) FileVariable() string { return d.Variable + "_FILE" }

// Origin is the kind of source from which a value comes.
type Origin string

// The origins of values, in order of precedence.
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
	// Text is the value in text form. A secret is not masked. "" means that there is no
	// value.
	Text   string
	Origin Origin
	// Name is the flag, environment variable or file from which the value comes. It is ""
	// for a default.
	Name string
}

// Shown returns Text for display, with a secret masked.
func (v Value) Shown() string {
	if v.Secret && v.Text != "" {
		return "********"
	}
	return v.Text
}

// Settings contains the values that are in effect. Each field has the name of its
// setting's key. A field is zero if its setting has neither a value nor a default.
type Settings struct {
	Data                string
	Config              string // path of the configuration file, which need not exist
	Listen              string // host:port, derived from PORT and Domain if necessary; or unix: and a path
	ListenMode          fs.FileMode
	TLSCert, TLSKey     string   // paths of files; either both are set or neither
	Domain              []string // host names in lower case; if empty, no certificates are obtained
	RedirectListen      string   // host:port; "" = there is no such listener
	ACMEEmail           string
	ACMECA              string // URL of the certificate authority; "" = Let's Encrypt
	JWTSecret           string
	JWTExpiresIn        string // not parsed; an invalid lifetime is replaced with the default
	APIKeySalt          string
	AdminPassword       string // trimmed; its length is checked only at the first start
	BootstrapSecretDir  string
	MaxConnections      int // 0 = as many as the limit of open files permits
	PublicRateLimit     int // requests per minute, from one address to one endpoint; 0 = no limit
	PublicBodyBudget    int // MiB
	SubmissionDataMax   int // KiB
	AnswerBudget        int // MiB
	DedupWindowSeconds  int // 0 or less = off
	TrustedProxyCount   int
	ClientIPHeader      []string // canonical header names
	GeoEnabled          bool
	GeoDatabase         string // path of a file
	EventIPStorage      string // anonymized, full or none
	EventClockSkew      int    // in seconds
	EventBatchMax       int
	HealthBucketSeconds int
	EventMaxNames       int
	EventMaxSizeMiB     int
	SiteURL             string // scheme, host and port; "" = not known
	PagesHome           string // "list", a URL, or the key of a project
	DistBaseURL         string // scheme, host and port; "" = direct links use the address of the site
	DistCacheMaxSize    int64  // bytes
	UploadMaxMB         int    // MiB
	StorageDir          string
	CDNAliyunURL        string // scheme, host and port, like the following ones
	CDNCloudflareURL    string
	CodehostWebBaseURL  string

	SubmissionMaxMiB      int // for the feedback and logs of a project; 0 = no limit
	LogRetentionDays      int // 0 = forever; FeedbackRetentionDays likewise
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
	ReplicateTo              string   // not parsed; "" = no replication
	ReplicateUser            string
	ReplicatePassword        string
	ReplicateMode            string // async or sync
	ReplicateEvery           time.Duration
	ReplicateSyncTimeout     time.Duration
	ReplicateSnapshotEvery   time.Duration
	ReplicateRetain          time.Duration
	ReplicateRecipient       []string      // public keys of age, not parsed
	ReplicateSpoolMax        int64         // bytes
	ReplicateLease           time.Duration // 0 = off
	ReplicateFiles           bool
	SMTPURL                  *url.URL // scheme smtp or smtps, host and port; nil = no e-mail
	SMTPFrom                 string   // an address; "" = no e-mail
	LogLevel                 slog.Level
	LogFormat                string // auto, text or json
	MetricsListen            string // host:port; "" = only on the control socket
	ShutdownDelay            time.Duration
	ShutdownTimeout          time.Duration

	// Warnings contains sentences for the administrator about values that are accepted but
	// questionable.
	Warnings []string

	port   int
	values []Value
}

// Values returns all settings in the order of Definitions.
func (s *Settings) Values() []Value { return s.values }

// Value returns the setting with the given key, which must exist.
func (s *Settings) Value(key string) Value { return *s.value(key) }

// Put replaces a value in settings that have already been loaded. The new value is either a secret
// from the data directory, or the default in place of a value that cannot be used.
func (s *Settings) Put(key, text string, origin Origin, name string) error {
	v := s.value(key)
	if err := v.set(s, text); err != nil {
		return problem(name, err)
	}
	v.Text, v.Origin, v.Name = text, origin, name
	return nil
}

// CheckAdminPassword checks that the password, if there is one, has 6 to 128 characters.
// Only the first start uses the password, so only the first start calls
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
