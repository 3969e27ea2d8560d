package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"svc/api"
	apicodehost "svc/api/codehost"
	apicontrol "svc/api/control"
	"svc/api/web"
	"svc/internal/auth"
	"svc/internal/backup"
	"svc/internal/certificate"
	"svc/internal/codehost"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/doctor"
	"svc/internal/durable"
	"svc/internal/forward"
	"svc/internal/geo"
	"svc/internal/health"
	"svc/internal/httpserver"
	"svc/internal/instance"
	"svc/internal/jobs"
	"svc/internal/machine"
	"svc/internal/notify/delivery"
	"svc/internal/notify/smtp"
	"svc/internal/outbound"
	"svc/internal/proxy"
	"svc/internal/replica"
	"svc/internal/requests"
	"svc/internal/setting"
	"svc/internal/translate"
	"svc/internal/upstream"
)

func (p *program) serveCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: `Run the server until it is interrupted. The first start creates the data directory,
the secrets and the administrator, and prints how to log in.

Every setting can also be an environment variable, and most can be a line in
config.toml; see "svc config". The first interrupt lets requests in progress finish,
a second one stops the server immediately.

A first start refuses a folder that holds other files. With --force it makes the data
directory beside them.`,
		Example: "  svc serve --data ./data\n  svc serve --data /var/lib/svc --listen :4000",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := p.load(c)
			if err != nil {
				return err
			}
			if !force {
				if err := instance.CheckForeign(s.Data); err != nil {
					return err
				}
			}
			defer p.refuseOldPrimary(c.Context(), s)()
			return p.serve(c.Context(), s, func() (*setting.Settings, error) { return p.load(c) }, p.announce)
		},
	}
	addSettings(c)
	c.Flags().BoolVar(&force, "force", false, "make a data directory in a folder that holds other files, which stay")
	return c
}

// serve starts the server, runs it until ctx ends, and stops its parts in the reverse order of
// their start. On a reload, it calls the function load to read the settings again. It calls the
// function tell once the server is ready.
func (p *program) serve(ctx context.Context, s *setting.Settings,
	load func() (*setting.Settings, error), tell func(startReport)) error {
	return p.run(ctx, s, load, tell, nil)
}

// run is like serve. If copied is not nil, the server is a standby. It then also stops when it can no longer follow its
// primary, and when it has become the primary itself.
func (p *program) run(ctx context.Context, s *setting.Settings,
	load func() (*setting.Settings, error), tell func(startReport), copied *standbyRun) (err error) {
	ctx, end := copied.begin(ctx)
	defer end()
	level := &slog.LevelVar{}
	level.Set(s.LogLevel)
	log, flush := newLog(p.stderr, s, level)
	defer flush()
	asked, flushAsked := newLog(p.stderr, s, slog.LevelInfo)
	defer flushAsked()
	reload := newReloader(s, load, asked)
	slog.SetDefault(log) // the search index writes to the standard logger
	for _, warning := range s.Warnings {
		log.Warn("setting", "warning", warning)
	}
	if !instance.Has(s.Data, datadir.Database) { // a start that must fail should not create any files first
		if err := s.CheckAdminPassword(); err != nil {
			return err
		}
	}
	named, err := openNamed(s, log)
	if err != nil {
		return err
	}
	geo, files := named.geo, named.files
	defer func() { err = errors.Join(err, geo.Close()) }()
	privateFiles()
	limitMemory()
	tuneCollector()
	defer limitShutdown(ctx, s.ShutdownDelay+s.ShutdownTimeout+closeTime, p.stderr)()
	start := startReport{settings: s, self: self}
	if self == "svc" { // with "go run", this process is already inside of the container
		start.inside = container(os.DirFS("/"))
	}
	if start.newFolder, err = instance.MakeFolder(s.Data); err != nil {
		return err
	}
	if instance.OpenToOthers(s.Data) {
		log.Warn("other users can read the data directory", "data", absolute(s.Data), "repair", "chmod go= "+quoted(absolute(s.Data)))
	}
	i, err := lockAndOpen(ctx, s, geo, p.openapi, copied, log)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, i.Close()); err == nil {
			log.Info("stopped")
		}
	}()
	i.handler.LogFailuresOnly(failuresOnly(p.stderr, s))
	if err := instance.DropUpgradeCopies(s.Data, time.Now(), log); err != nil {
		log.Warn("cannot delete an old copy from before an upgrade", "error", err)
	}
	defer followGeo(ctx, geo, log)()

	public, err := httpserver.Open(ctx, s,
		httpserver.Config{Certificate: files, CertsDir: filepath.Join(s.Data, datadir.Certificates), UserAgent: "svc/" + version, Log: log})
	if err != nil {
		return err
	}
	defer public.Close()
	if copied == nil {
		if err := i.ensureAdmin(ctx, s, &start); err != nil {
			return err
		}
	}
	owner, err := control.Listen(s.Data)
	if err != nil {
		return err
	}
	defer func() { _ = owner.Close() }()

	defer i.Index.Start(ctx)()
	stop, err := i.startRole(ctx, s, copied, public.Open[0].Addr().String(), log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	addresses := slices.Clone(public.URLs)
	if s.MetricsListen != "" {
		url, stop, err := serveMetrics(ctx, s.MetricsListen, i.handler.Control.Metrics(), log)
		if err != nil {
			return err
		}
		defer stop()
		addresses = append(addresses, url)
	}
	reload.parts = p.reloadableParts(i, level)
	if files != nil { // the names of the files stay the same, only their contents may change
		reload.parts = append(reload.parts, reloadable{nil, func(*setting.Settings) error { return files.Reload() }})
	}
	if err := public.Start(ctx); err != nil {
		return err
	}
	start.public = public
	manager := newManager(log, public)
	// Listen for signals before notifying the service manager, which may request a reload
	// immediately.
	defer p.listenToSignals(i, reload, manager, asked)()
	defer manager.follow(ctx)()
	tell(start)
	i.handler.Control.Started(addresses...)
	ctx, release := drain(ctx, s.ShutdownDelay, i.handler.Control.Stopping, log)
	defer release()
	return i.newServer(public, s, log).Serve(ctx, s.ShutdownTimeout, owner, public.Open...)
}

// startRole starts what depends on the role: the jobs and the replication of a primary, or following the primary and the
// scheduled backups of a standby.
func (i *service) startRole(ctx context.Context, s *setting.Settings, copied *standbyRun, address string,
	log *slog.Logger) (stop func() error, err error) {
	if copied != nil {
		copied.address = address
		end, endBackups := copied.follow(ctx, i), i.jobs.StartBackups()
		return func() error { endBackups(); end(); return nil }, nil
	}
	end, err := i.startPrimary(s, log)
	if err != nil {
		return nil, err
	}
	i.jobs.Start()
	return func() error {
		err := i.jobs.Stop()
		if i.primary != nil { // its last changes are shipped, too
			err = errors.Join(err, i.Events.Finish())
		}
		end()
		return err
	}, nil
}

// reloadableParts lists the settings that can change while the server runs.
func (p *program) reloadableParts(i *service, level *slog.LevelVar) []reloadable {
	return []reloadable{
		{[]string{"log.level"}, func(s *setting.Settings) error {
			level.Set(s.LogLevel)
			i.handler.LogFailuresOnly(failuresOnly(p.stderr, s))
			return nil
		}},
		{[]string{"public_rate_limit"}, func(s *setting.Settings) error { i.handler.SetPublicRateLimit(s.PublicRateLimit); return nil }},
		{[]string{"backup.every", "backup.keep", "backup.dir", "backup.recipient"}, func(s *setting.Settings) error {
			backups, err := schedule(s)
			if err == nil {
				i.jobs.SetSchedule(backups)
			}
			return err
		}},
		{[]string{"replicate.every", "replicate.snapshot_every", "replicate.retain", "replicate.recipient"}, i.reloadReplication},
		{nil, func(s *setting.Settings) error { i.settings.Store(s); return nil }},
	}
}

// newServer returns the HTTP server for the public listeners and the control socket.
func (i *service) newServer(public *httpserver.Listeners, s *setting.Settings, log *slog.Logger) *httpserver.Server {
	limits := httpserver.Limits{Connections: s.MaxConnections, Exempt: i.proxies.Trusted}
	server := httpserver.NewServer(public.Guard(i.handler), limits, log)
	i.handler.Control.WatchConnections(func() apicontrol.Connections { return apicontrol.Connections(server.Connections()) })
	return server
}

// named holds the open files that the settings name.
type named struct {
	geo   *geo.Locator
	files *certificate.Files // nil if tls.cert is not set
}

// openNamed opens the files that the settings name. It also checks settings that can only be
// checked by using them. The error is a setting.Errors that contains all problems. Both a start and
// "svc config --check" call openNamed, so that they reject the same settings.
func openNamed(s *setting.Settings, log *slog.Logger) (n named, err error) {
	var problems setting.Errors
	note := func(err error) {
		if some, ok := errors.AsType[setting.Errors](err); ok {
			problems = append(problems, some...)
		}
	}
	_, err = schedule(s)
	note(err)
	note(checkReplication(s))
	n.geo, err = openGeo(s)
	note(err)
	n.files, err = openCertificate(s, log)
	note(err)
	if len(problems) > 0 {
		return named{}, errors.Join(problems, n.geo.Close())
	}
	return n, nil
}

// lockAndOpen locks and opens the data directory, as a standby if copied is not nil. If another process holds
// the lock, it returns the error of the lock.
func lockAndOpen(
	ctx context.Context, s *setting.Settings, geo *geo.Locator, openapi []byte, copied *standbyRun, log *slog.Logger,
) (*service, error) {
	lock, server, err := connectOrLock(ctx, s.Data)
	if err != nil {
		return nil, err
	}
	if server != nil {
		return nil, fmt.Errorf("%w\na server is running; commands such as \"%s apikey list\" work beside it", server.held, self)
	}
	if copied != nil {
		return copied.open(ctx, lock, s, geo, openapi, log)
	}
	if err := refuseStandby(s.Data); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	finished, kept, err := backup.FinishSwap(s.Data)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	if finished {
		log.Warn("interrupted restore completed", "content_from_before", kept)
	}
	return openService(lock, s, geo, openapi, replicated(s), log)
}

// ensureAdmin creates the administrator on the first start.
func (i *service) ensureAdmin(ctx context.Context, s *setting.Settings, start *startReport) error {
	if i.Store.Account() == nil {
		if err := s.CheckAdminPassword(); err != nil {
			return err
		}
		if err := durable.MkdirAll(s.BootstrapSecretDir, 0o700); err != nil {
			return fmt.Errorf("create directory of the initial password: %w", err)
		}
	}
	var err error
	start.password, start.newAdmin, err = i.handler.EnsureAdmin(ctx, s.AdminPassword)
	return err
}

// service is an open data directory, with the handler and the background jobs that use it.
type service struct {
	*instance.Instance
	jobs    *jobs.Jobs
	archive *jobs.Archiver
	handler *api.Server
	primary *replica.Primary // nil if the server does not replicate
	// replication is nil if the server neither replicates nor is a standby.
	replication *web.Replication
	proxies     proxy.Proxies                    // the proxies that forwarding headers are accepted from
	settings    atomic.Pointer[setting.Settings] // the settings as last read
}

// examine runs those checks of "svc doctor" that a server can run on itself.
func (i *service) examine(facts doctor.Facts) []doctor.Result {
	return doctor.ExamineWhileServing(&doctor.Installation{
		Settings: i.settings.Load(), Machine: os.DirFS("/"), Environ: os.Environ(), Now: time.Now(), Version: version,
		Server: &doctor.Server{PID: os.Getpid(), Version: version}, Facts: &facts,
	})
}

// openService opens the data directory that lock belongs to and builds the parts that use it. It
// takes ownership of the lock. If geo is nil, the locations of IP addresses are not looked up. If
// openapi is nil, there is no API reference. If replication is nil, the data is neither replicated nor a copy.
func openService(
	lock *control.Lock, s *setting.Settings, geo *geo.Locator, openapi []byte, replication *web.Replication, log *slog.Logger,
) (*service, error) {
	data, err := instance.Open(lock, s, version, log)
	if err != nil {
		return nil, err
	}
	i := &service{Instance: data, replication: replication}
	i.settings.Store(s)
	i.proxies = proxy.Proxies{Count: s.TrustedProxyCount, Headers: s.ClientIPHeader}
	if err := i.build(s, geo, openapi, log); err != nil {
		return nil, errors.Join(err, i.Close())
	}
	return i, nil
}

// build creates the parts that use the data.
func (i *service) build(s *setting.Settings, geo *geo.Locator, openapi []byte, log *slog.Logger) error {
	elsewhere := instance.SecretsElsewhere(s)
	i.archive = &jobs.Archiver{DB: i.Store, Events: i.Events, Data: s.Data, Files: i.Files, Version: version, Elsewhere: elsewhere}
	life, ok := auth.ParseLife(strings.TrimSpace(s.JWTExpiresIn))
	if !ok {
		return fmt.Errorf("lifetime %q is invalid", s.JWTExpiresIn)
	}
	backups, err := schedule(s)
	if err != nil {
		return err
	}
	counts := requests.NewCounter(i.Store, log)
	observer := health.New(health.Config{DB: i.Store, Log: log, Now: time.Now, BucketSeconds: s.HealthBucketSeconds})
	hooks := delivery.New(delivery.Config{
		DB: i.Store, Keys: i.Files.Keys, Log: log, Now: time.Now, Mail: mailServer(s),
		Client: outbound.New(outbound.Config{Profile: outbound.Operator, Version: version, Ports: instance.OwnPorts(s)}),
	})
	build := readBuild()
	host := codehost.New(codehost.Config{
		HTTP: outbound.New(outbound.Config{Profile: outbound.Fixed, Version: version}),
		API:  s.CodehostAPIBaseURL, Web: s.CodehostWebBaseURL, Now: time.Now,
	})
	forwards := forward.New(forward.Config{
		DB: i.Store, Log: log, Now: time.Now, Keys: i.Files.Keys, Host: host,
		Limit: s.CodehostForwardRateLimit, Period: time.Duration(s.CodehostForwardRateTTL) * time.Second,
	})
	i.jobs = jobs.New(jobs.Config{
		DB: i.Store, Events: i.Events, Search: i.Index, Log: log, Archive: i.archive, Schedule: backups,
		Files:            i.Files,
		Flush:            counts.Flush,
		Forward:          forwards,
		Health:           observer,
		Hooks:            hooks,
		VerifyReplica:    verifyReplicaOf(s, i.replication, i.Staging, log),
		LogRetentionDays: s.LogRetentionDays, FeedbackRetentionDays: s.FeedbackRetentionDays,
	})
	i.handler, err = api.New(api.Config{
		DB:              i.Store,
		Search:          i.Index,
		Events:          i.Events,
		Requests:        counts,
		Health:          observer,
		Log:             log,
		JWTSecret:       []byte(s.JWTSecret),
		JWTLife:         life,
		KeySalt:         []byte(s.APIKeySalt),
		PublicRateLimit: s.PublicRateLimit,
		SubmissionMax:   int64(s.SubmissionMaxMiB) << 20,
		BodyBudget:      int64(s.PublicBodyBudget) << 20,
		AnswerBudget:    int64(s.AnswerBudget) << 20,
		SubmissionData:  int64(s.SubmissionDataMax) << 10,
		Proxies:         i.proxies,
		Geo:             geo,
		EventBatchMax:   s.EventBatchMax,
		EventClockSkew:  time.Duration(s.EventClockSkew) * time.Second,
		EventIPStorage:  s.EventIPStorage,
		BootstrapFile:   bootstrapFile(s),
		Files:           i.Files,
		Hooks:           hooks,
		SiteURL:         s.SiteURL,
		Home:            s.PagesHome,
		OpenAPI:         openapi,
		Translator:      translate.New(outbound.New(outbound.Config{Profile: outbound.Operator, Version: version, Ports: instance.OwnPorts(s)})),
		Codehost:        apicodehost.Config{Host: host, Forward: forwards},
		Staging:         i.Staging,
		Version:         version,
		Build:           apicontrol.Build{Commit: build.Commit, Modified: build.Modified, Go: build.Go, Platform: build.Platform},
		DocsURL:         s.AboutDocsURL,
		Upstream:        upstreamClient(s, log),
		Examine:         i.examine,
		Data:            s.Data,
		Jobs:            i.jobs,
		Backup:          i.archive.Write,
		Replication:     i.replication,
		Gateway:         machine.ContainerGateway(os.DirFS("/")),
	})
	return err
}

// upstreamClient returns the client that asks for updates of this program. It returns nil if the
// settings name no server to ask.
func upstreamClient(s *setting.Settings, log *slog.Logger) *upstream.Client {
	if s.AboutUpstreamURL == "" {
		return nil
	}
	way := outbound.New(outbound.Config{Profile: outbound.Fixed, Version: version, Ports: instance.OwnPorts(s)})
	return upstream.New(upstream.Config{HTTP: way, Origin: s.AboutUpstreamURL, Version: version, Now: time.Now, Log: log})
}

func bootstrapFile(s *setting.Settings) string {
	return filepath.Join(s.BootstrapSecretDir, datadir.Bootstrap)
}

// openCertificate reads the certificate files that the settings name. It returns nil if the
// settings name none. If the files cannot be used, the error is a setting.Errors.
func openCertificate(s *setting.Settings, log *slog.Logger) (*certificate.Files, error) {
	if s.TLSCert == "" {
		return nil, nil
	}
	files, err := certificate.OpenFiles(s.TLSCert, s.TLSKey, log, nil)
	if err != nil {
		return nil, setting.Errors{fmt.Errorf("%s and %s cannot be used: %w", s.Value("tls.cert").Name, s.Value("tls.key").Name, err)}
	}
	return files, nil
}

// metricsConnections is the maximum number of connections to the metrics address.
const metricsConnections = 64

// serveMetrics serves only the metrics, on a separate address, until stop is called.
func serveMetrics(ctx context.Context, address string, metrics http.Handler, log *slog.Logger) (url string, stop func(), err error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return "", nil, fmt.Errorf("metrics: %w\nuse another address with --metrics-listen or SVC_METRICS_LISTEN", err)
	}
	paths := http.NewServeMux()
	paths.Handle("GET /metrics", metrics)
	server := httpserver.NewServer(paths, httpserver.Limits{Connections: metricsConnections}, log)
	stop = background(ctx, func(ctx context.Context) {
		if err := server.Serve(ctx, 0, nil, listener); err != nil {
			log.Error("metrics listener failed", "error", err)
		}
	})
	return httpserver.Reachable("http", listener.Addr())[0] + "/metrics", stop, nil
}

// mailServer returns the mail server for notifications, or nil if the settings name none.
func mailServer(s *setting.Settings) *smtp.Server {
	if s.SMTPURL == nil || s.SMTPFrom == "" {
		return nil
	}
	dial := outbound.Dialer(outbound.Config{Profile: outbound.Operator, Ports: instance.OwnPorts(s)})
	return smtp.New(smtp.Config{URL: s.SMTPURL, From: s.SMTPFrom, Dial: dial})
}
