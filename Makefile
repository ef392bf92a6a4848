# The two commands a newcomer needs are `make demo` and `make test`; both do all the set-up themselves.
.DEFAULT_GOAL := help
SHELL := /bin/bash
CARGO ?= cargo
TOOLS := third_party/tools/bin
export PATH := $(CURDIR)/$(TOOLS):$(PATH)

DASHBOARD_SOURCES := $(shell find dashboard -type f -not -path '*/node_modules/*' -not -path '*/dist/*' 2>/dev/null) spec/openapi.json

.PHONY: help
help: ## Lists the targets.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: deps
deps: ## Fetches the prebuilt DuckDB library (checked against scripts/duckdb.sha256).
	@scripts/fetch-duckdb

.PHONY: tools
tools: ## Fetches the developer tools that lint, test and fuzz use.
	@scripts/fetch-tools

dashboard/node_modules/.stamp: dashboard/package-lock.json
	cd dashboard && npm ci --no-audit --no-fund
	@touch $@

dashboard/dist/index.html: dashboard/node_modules/.stamp $(DASHBOARD_SOURCES)
	cd dashboard && npm run --silent build
	@touch $@

.PHONY: dashboard
dashboard: dashboard/dist/index.html ## Builds the dashboard that the binary embeds.

.PHONY: build
build: deps dashboard ## Builds target/release/mcpulse with the dashboard inside.
	$(CARGO) build --release --locked -p mcpulse-cli -p orders

.PHONY: demo
demo: build ## Builds, starts a server with real traffic, and prints the dashboard's address.
	target/release/mcpulse demo

.PHONY: test
test: ## Runs everything: Rust, dashboard, producers and browser tests.
	@scripts/test

.PHONY: lint
lint: deps tools dashboard/node_modules/.stamp ## Formatting, clippy, documentation, dependency policy, names, type checks.
	@scripts/lint

.PHONY: gen
gen: deps ## Writes every generated file again: OpenAPI, the dashboard's client, reference docs.
	@scripts/gen

.PHONY: bench
bench: deps ## Prints ratios against named peers, each measured in the same run.
	$(CARGO) run --release --locked -p mcpulse-benches

.PHONY: dist
dist: build ## Packs binary, library and licence notices into one archive under dist/.
	@scripts/dist

.PHONY: fuzz
fuzz: tools ## Fuzzes each target for FUZZ_SECONDS (default 60).
	@scripts/fuzz

.PHONY: clean
clean: ## Removes what was built (not what was fetched).
	$(CARGO) clean
	rm -rf dashboard/dist/* artifacts
