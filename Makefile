# What CI runs is "make test"; "make help" lists the rest. Needs Go, a C compiler
# for the race detector, bash and curl for the examples in the documentation.

GO ?= go
VERSION ?= dev
FUZZTIME ?= 10s
BENCHFLAGS ?=

# Everything that decides about a change, in the order of what fails fastest.
STEPS = format vet lint race platforms vulnerabilities

# Tools are pinned here and fetched by the go command itself.
LINT = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
VULNERABILITIES = $(GO) run golang.org/x/vuln/cmd/govulncheck@v1.8.0

PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# The first C compiler there is: the one Go is set to, or a usual one.
COMPILER = $(firstword $(foreach c,$(shell $(GO) env CC 2>/dev/null) gcc clang cc,$(shell command -v $(c) 2>/dev/null)))
# Programs under the detector wait a second before they end, unless told not to;
# the tests run many of them.
RACE = GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 CC=$(COMPILER) $(GO) test -race

SHELL = /bin/sh
.PHONY: help test needs $(STEPS) build release release-check bench fuzz long cover clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# A step prints one line with its time. Its output is shown when it fails; lines
# that begin with "skipped" always.
test: needs ## everything that CI runs
	@log=$$(mktemp) && trap 'rm -f "$$log"' EXIT && trap 'exit 130' INT TERM && \
	for step in $(STEPS); do \
		begin=$$(date +%s); \
		$(MAKE) --no-print-directory -s $$step >"$$log" 2>&1; status=$$?; \
		seconds=$$(($$(date +%s) - begin)); \
		if [ $$status -ne 0 ]; then \
			printf '%-16s FAILED after %d s\n\n' $$step $$seconds; cat "$$log"; exit 1; \
		fi; \
		printf '%-16s ok  %4d s\n' $$step $$seconds; \
		grep '^skipped' "$$log" || :; \
	done

needs:
	@command -v $(GO) >/dev/null || { echo 'make test needs Go, the version in go.mod or newer: see https://go.dev/dl'; exit 1; }
	@[ -n "$(COMPILER)" ] || { echo 'make test needs a C compiler for the race detector: install gcc or clang'; exit 1; }
	@for tool in bash curl; do command -v $$tool >/dev/null || { echo "make test needs $$tool for the examples in the documentation: install $$tool"; exit 1; }; done

format: ## gofmt
	@files=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .) && { [ -z "$$files" ] || { echo "not formatted, run gofmt -w on:"; echo "$$files"; exit 1; }; }

vet: ## go vet
	@$(GO) vet ./...

lint: ## golangci-lint, see .golangci.yml
	@$(LINT) run ./...

race: ## every test with the race detector
	@$(RACE) -timeout=30m ./...

platforms: ## compile program and tests for every platform
	@for p in $(PLATFORMS); do \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) vet ./... || { echo "does not compile for $$p"; exit 1; }; \
	done

# Without the database, as on a machine without internet, the step is skipped.
vulnerabilities: ## govulncheck, when its database can be reached
	@database=$$($(GO) env GOVULNDB); database=$${database:-https://vuln.go.dev}; \
	if reason=$$(curl -fsS -m 5 -o /dev/null "$$database/index/db.json" 2>&1); then \
		$(VULNERABILITIES) ./...; \
	else \
		echo "skipped: no vulnerability database at $$database: $$reason"; \
	fi

build: ## the program, static and stripped, as ./svc
	@CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=auto -ldflags '-s -w -buildid= -X svc/cmd.version=$(VERSION)' -o svc .

release: ## archives of VERSION for every platform, with their sums, in dist
	@CGO_ENABLED=0 $(GO) run -trimpath ./internal/dist -version $(VERSION)

# The second build has a cache of its own, so that nothing of the first is used.
release-check: ## build two archives twice, in two folders, and compare
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && trap 'exit 130' INT TERM && \
	git clone -q . "$$dir/one" && git clone -q . "$$dir/another folder" && \
	dist="run -trimpath ./internal/dist -version 0.0.0 -platforms 'linux/amd64 windows/arm64' -out" && \
	(cd "$$dir/one" && eval CGO_ENABLED=0 $(GO) $$dist ../dist1) && \
	(cd "$$dir/another folder" && eval GOCACHE="$$dir/cache" CGO_ENABLED=0 $(GO) $$dist ../dist2) && \
	cmp "$$dir/dist1/SHA256SUMS" "$$dir/dist2/SHA256SUMS" && echo 'the same bytes twice'

bench: ## ratios against a named reference in the same run
	@$(GO) run ./bench/updatecheck $(BENCHFLAGS)
	@$(GO) run ./bench/submissions
	@$(GO) run ./bench/lists
	@$(GO) run ./bench/backup
	@$(GO) run . bench events

fuzz: ## every fuzz target for FUZZTIME, 10s unless given
	@set -e; for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' || :); do \
			printf '%-40s %s\n' "$$package $$target" $(FUZZTIME); \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package; \
		done; \
	done

long: needs ## longer stories, tests ten times in random order, two minutes a fuzz target
	@SVC_LONG=1 $(GO) test -timeout=2h ./internal/boltfile ./internal/crash ./internal/event ./store
	@SVC_LONG=1 $(GO) test -timeout=2h -run=TestKilledRestore ./cmd
	@$(RACE) -count=10 -shuffle=on -timeout=2h ./...
	@$(MAKE) --no-print-directory fuzz FUZZTIME=2m

cover: ## how much of each package the tests reach, all in coverage.out
	@$(GO) test -coverpkg=./... -coverprofile=coverage.out ./... >/dev/null
	@$(GO) tool cover -func=coverage.out | tail -n 1

clean: ## remove what make has made
	@rm -rf svc coverage.out dist
