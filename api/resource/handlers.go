// Package resource handles requests about the records of the service: the account and API keys,
// projects and their languages, versions and the update check, announcements, feedback, logs, and
// the search across all of these. Each resource has a file in this package and one in package
// store.
//
//	handlers.go              Handlers, and the routes of all resources
//	records.go               create, read, change, delete: what resources share
//	contents.go              versions and announcements of a snapshot: read, search, encode
//	find.go                  search= in lists, by the index
//	translations.go          texts in other languages
//	translate.go             machine translation: settings, test, texts
//	markdown.go              Markdown as pages show it
//	public.go                projects and versions for apps, in their language
//	account.go               login, profile
//	bootstrap.go             the administrator at the first start, reset of the password
//	apikeys.go               API keys
//	projects.go              projects and aliases
//	projects_input.go        bodies of projects and their rules
//	languages.go             languages of a project
//	versions.go              versions: lists, statistics, public reads
//	versions_input.go        bodies of versions and their rules
//	versions_view.go         versions in responses
//	notes.go                 notes of the versions between two versions
//	yank.go                  withdrawing a version
//	distribution.go          channels, health rules and signature policy of a project
//	trust.go                 the public keys that sign downloads
//	rollouts.go              rollouts of versions
//	rollouts_input.go        bodies of rollouts and their rules
//	health.go                health of rollouts; hooks for its counts
//	update_check.go          the update check, and its simulation
//	announcements.go         announcements
//	announcements_input.go   bodies of announcements and their rules
//	announcements_public.go  lists of announcements for apps
//	submissions.go           what feedback and logs share: sender, fingerprint
//	feedback.go              feedback
//	logs.go                  logs
//	log_groups.go            groups of equal logs
//	log_groups_archive.go    groups of logs in archives
//	bulk.go                  changing several feedback or logs at once
//	series.go                logs and feedback over time
//	terms.go                 the terms documents
//	search.go                search through all records
//	archive.go               lines of an archive as records, and back
package resource

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"svc/api/web"
	"svc/internal/auth"
	"svc/internal/forward"
	"svc/internal/health"
	"svc/internal/limit"
	"svc/internal/seal"
	"svc/internal/translate"
	index "svc/search"
	"svc/store"
)

// Config holds everything that the handlers depend on.
type Config struct {
	DB     *store.Store
	Search *index.Index // nil = searches scan all records
	Log    *slog.Logger
	Now    func() time.Time

	SubmissionMax int64 // limit in bytes for the feedback and logs of a project; 0 = no limit
	DataMax       int64 // limit in bytes for all free-form objects of a public submission together

	Keys       *seal.Keys        // keys that encrypt the credentials of other services
	Translator *translate.Client // calls the translation service

	Tokens        *auth.Tokens
	KeySalt       []byte // salt of the hashes of API keys
	BootstrapFile string // holds a generated initial password until the first login

	// EventContents returns the number of a project's events and the number of its event
	// definitions.
	EventContents func(context.Context, store.ProjectID) (events int64, definitions int, err error)

	// Forward creates issues from feedback.
	Forward *forward.Engine

	Health *health.Engine // observes rollouts
}

// Handlers serves requests about resources. Its methods are safe for concurrent use.
type Handlers struct {
	Config
	hasher *auth.Hasher
	logins *limit.Windows
	slow   *limit.Slow

	// comparing is a semaphore for password comparisons. Its capacity is the number of hashes that
	// can be computed in parallel. While a request is waiting for it, the request does not count
	// against the login limit of its address.
	comparing chan struct{}
}

// New returns handlers with the given configuration.
func New(c Config) *Handlers {
	return &Handlers{
		Config: c, hasher: auth.NewHasher(), slow: limit.NewSlow(),
		logins: limit.NewWindows(20, 5*time.Minute, web.LimitedAddresses), comparing: make(chan struct{}, auth.ParallelHashes),
	}
}

// Routes returns the routes of all resources.
func (h *Handlers) Routes() []web.Route {
	return slices.Concat(
		h.accountRoutes(), h.keyRoutes(), h.projectRoutes(), h.languageRoutes(), h.versionRoutes(), h.distributionRoutes(),
		h.rolloutRoutes(), h.yankRoutes(), h.trustRoutes(), h.publicRoutes(),
		h.announcementRoutes(), h.publicAnnouncementRoutes(), h.feedbackRoutes(), h.logRoutes(), h.logGroupRoutes(), h.searchRoutes(),
		h.translateRoutes(), h.markdownRoutes(), h.termsRoutes(), h.healthRoutes(),
	)
}

// problems collects the validation errors of a request. It adds the checks that only resources need
// to web.Problems.
type problems struct{ web.Problems }
