# CI runs "make test", which needs Go alone, and the toolchains of the client libraries to
# check those. "make help" lists the rest.

GO ?= go
VERSION ?= dev
FUZZTIME ?= 10s
SOAK ?= 1h
BENCHFLAGS ?=
DUCKDBFLAGS ?= -events 3000000

# The steps of tools/gate.
STEPS = format vet lint tests shadows standbys platforms vulnerabilities clients

# The tests run many programs, which would wait a second before they end.
RACE = GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 $(GO) test -race

SHELL = /bin/sh
.PHONY: help test test-all $(STEPS) test-clients clients-generate test-console console screenshots build release release-check bench bench-clients bench-console fuzz long soak cover clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: ## everything that CI runs, except checks whose inputs have not changed since they passed here
	@$(GO) run ./tools/gate

test-all: ## everything, whatever has passed before
	@$(GO) run ./tools/gate -all

format: ## gofmt
vet: ## go vet
lint: ## golangci-lint, see .golangci.yml
tests: ## every Go test, with the race detector in packages that start goroutines
shadows: ## what the tests of the data files record, compared with the files, if the code that writes them has changed
standbys: ## the responses of standbys in the tests of the API, if the code on which they depend has changed
platforms: ## type-check program and tests for every platform
vulnerabilities: ## govulncheck, when its database can be reached
clients: ## the client libraries that have changed, where their toolchains are, against the program built from here
$(STEPS):
	@$(GO) run ./tools/gate $@

test-clients: clients ## the same as clients

clients-generate: ## write what the client libraries have from openapi.yaml
	@$(GO) run ./clients/generate
	@if command -v npm >/dev/null; then \
		for library in typescript browser; do \
			(cd clients/$$library && { [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --ignore-scripts --silent --no-progress; }) || exit; \
		done && node clients/typescript/scripts/generate.mjs && node clients/browser/build.mjs >/dev/null; \
	else \
		echo 'skipped: clients/typescript and clients/browser, which need Node.js'; \
	fi

test-console: ## the console if it has changed, where Node.js and Chromium are, against the program built from here
	@$(GO) run ./tools/gate console

console: ## build assets/console/dist from assets/console/src; svc embeds it
	@cd assets/console && { [ node_modules/.package-lock.json -nt package-lock.json ] || PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --silent --no-progress; } && node scripts/build.mjs

screenshots: ## pictures of every page in assets/console/shots; SCENES and LOOKS are patterns that choose some
	@cd assets/console && { [ node_modules/.package-lock.json -nt package-lock.json ] || PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --silent --no-progress; } && npx playwright test --config screenshots.config.ts

build: ## the program, static and stripped, as ./svc
	@CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=auto -ldflags '-s -w -buildid= -X svc/cmd.version=$(VERSION)' -o svc .

release: ## archives and packages of VERSION, with their sums, in dist
	@$(GO) run ./tools/version -is $(VERSION)
	@CGO_ENABLED=0 $(GO) run -trimpath ./tools/dist -version $(VERSION) -security-contact "$(SECURITY_CONTACT)" -signing-key "$(SIGNING_KEY)"

# The second build has a cache of its own, so that nothing of the first is used.
release-check: ## build two archives and two packages twice, in two folders, and compare
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && trap 'exit 130' INT TERM && \
	git clone -q . "$$dir/one" && git clone -q . "$$dir/another folder" && \
	dist="run -trimpath ./tools/dist -version 0.0.0 -platforms 'linux/amd64 windows/arm64' -out" && \
	(cd "$$dir/one" && eval CGO_ENABLED=0 $(GO) $$dist ../dist1) && \
	(cd "$$dir/another folder" && eval GOCACHE="$$dir/cache" CGO_ENABLED=0 $(GO) $$dist ../dist2) && \
	cmp "$$dir/dist1/SHA256SUMS" "$$dir/dist2/SHA256SUMS" && echo 'the same bytes twice'

bench: ## svc as users run it, beside references in the same run: docs/benchmarks.md
	@$(GO) run ./bench $(BENCHFLAGS)
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
		dir=$$(mktemp -d /var/tmp/svc-duckdb-XXXXXX) && trap 'rm -rf "$$dir"' EXIT && trap 'exit 130' INT TERM && \
		$(GO) run ./bench/duckdb -dir "$$dir" $(DUCKDBFLAGS); \
	else \
		echo 'skipped: analyses beside DuckDB, which need Node.js'; \
	fi

bench-clients: ## what the client libraries cost in an app: docs/benchmarks.md
	@$(GO) run ./bench/clients $(BENCHFLAGS)

bench-console: ## the console in Chromium, beside the dashboard of PocketBase with the same rows
	@$(GO) run ./bench/console $(BENCHFLAGS)

# Coverage that differs from run to run would otherwise make the search spend its time on shortening
# inputs, a minute for each.
fuzz: ## every fuzz target for FUZZTIME, 10s unless given
	@set -e; for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' || :); do \
			printf '%-40s %s\n' "$$package $$target" $(FUZZTIME); \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$package; \
		done; \
	done

long: ## (needs a C compiler) longer stories, tests ten times in random order, two minutes a fuzz target
	@SVC_LONG=1 $(GO) test -timeout=2h ./internal/boltfile ./tests/crash ./tests/stories ./internal/event/... ./internal/rollout ./store
	@SVC_LONG=1 $(GO) test -timeout=2h -run=TestKilledRestore ./cmd
	@SVC_LONG=1 $(GO) test -v -timeout=2h -run=TestManyRollouts ./api/resource
	@$(RACE) -count=10 -shuffle=on -timeout=2h ./...
	@$(MAKE) --no-print-directory fuzz FUZZTIME=2m

soak: ## a server under mixed load for SOAK, 1h unless given, must not need more and more
	@SVC_SOAK=$(SOAK) $(GO) test -v -count=1 -timeout=0 -run=TestSoak ./bench/soak

cover: ## how much of each package the tests reach, all in coverage.out
	@$(GO) test -coverpkg=./... -coverprofile=coverage.out ./... >/dev/null
	@$(GO) tool cover -func=coverage.out | tail -n 1

clean: ## remove what make has made
	@rm -rf svc coverage.out dist
