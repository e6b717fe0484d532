# Where things are installed:
#   .venv, web/node_modules, web/engine    what running and developing need
#   build/node                             Node, if the system has none that is new enough
#   tests/peers                            clients and servers that the tests run
#   tests/clients/libraries                client libraries, only for the campaign
#   build/debian-13                        a Debian 13, only for the campaign
#   bench/peers/node_modules               peers to measure against, only for the bench
# scripts/packages.* list the system packages that each target needs.
SHELL := /bin/bash
BIN := .venv/bin
RUN_READY := .venv/.run-ready
DEV_READY := .venv/.dev-ready
PEERS_READY := tests/peers/node_modules/.package-lock.json
PYTHON_PEERS_READY := tests/peers/.venv/.ready
BENCH_PEERS_READY := bench/peers/node_modules/.package-lock.json
BENCH_SYSTEM_READY := .venv/.bench-ready
DEMO_READY := .venv/.demo-ready
DEBIAN_13_READY := build/debian-13/finished
CAMPAIGN_SYSTEM_READY := .venv/.campaign-ready
MUTANTS_READY := .venv/.mutants-ready
LIBRARIES := tests/clients/libraries
LIBRARIES_READY := $(LIBRARIES)/.venv/.ready $(LIBRARIES)/langchain/.venv/.ready $(LIBRARIES)/node_modules/.package-lock.json
CONSOLE_READY := src/handrail/faces/http/console/index.html
ENGINE_READY := src/handrail/engine/index.html
CONSOLE_SOURCES := $(shell find web/host web/protocol web/theme web/console/src web/console/pwa web/extension/src web/extension/_locales web/extension/icons -type f) \
	$(wildcard web/package*.json web/console/*.* web/extension/*.*)

# The last commit's time, for wheel and SBOM: the same source gives the same files.
COMMITTED := $(shell git log -1 --format=%ct 2>/dev/null)
ifneq ($(COMMITTED),)
export SOURCE_DATE_EPOCH := $(COMMITTED)
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help setup run demo team test mutants campaign check format bench docs docs-serve host sdk vscode lock wheel sbom release clean

help: ## what can be made; ARGS="…" is passed on by run, demo, test, mutants, campaign, bench, lock and release
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(DEV_READY) $(PEERS_READY) $(PYTHON_PEERS_READY) $(CONSOLE_READY) $(ENGINE_READY) ## install everything, test dependencies included

run: $(RUN_READY) $(CONSOLE_READY) $(ENGINE_READY) ## install what running needs and start `handrail up`
	@exec $(BIN)/handrail up $(ARGS)

demo: $(RUN_READY) $(DEMO_READY) $(CONSOLE_READY) $(ENGINE_READY) ## a tour with a scripted model; ANSWER=allow answers its questions
	@exec scripts/demo $(ARGS)

team: setup ## a team's servers and engines on this machine, until Ctrl-C, with a story to try
	@exec $(BIN)/python scripts/team.py

test: setup ## run every test
	scripts/test $(ARGS)

mutants: $(DEV_READY) $(MUTANTS_READY) ## change the kernel in one place at a time and list what no test notices; ARGS="grants tokens" picks groups
	$(BIN)/python -m scripts.mutants $(ARGS)

campaign: setup $(DEMO_READY) $(DEBIAN_13_READY) $(CAMPAIGN_SYSTEM_READY) $(LIBRARIES_READY) ## try at length what `make test` tries briefly; ARGS="--minutes 20 --seed 1" bounds and repeats it
	$(BIN)/python -m tests.campaign $(ARGS)

check: $(DEV_READY) $(CONSOLE_READY) ## lint, format, types, layers, docs, and a test for each rule of the contracts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python scripts/protocol.py --check
	$(BIN)/python scripts/theme.py --check
	$(BIN)/python scripts/words.py
	$(BIN)/pytest -q tests/test_docs.py tests/wire/test_manifest.py
	cd web && ../scripts/npm run --silent check

format: $(DEV_READY) ## rewrite the code in the project's format
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format

bench: setup $(BENCH_PEERS_READY) $(BENCH_SYSTEM_READY) ## measure handrail beside its peers
	$(BIN)/python -m bench $(ARGS)

host: $(CONSOLE_READY) ## build @handrail/host, to be installed by other projects, into dist/
	scripts/host

sdk: $(DEV_READY) ## build @handrail/aai, for apps in JavaScript, into dist/
	mkdir -p dist
	cd web/aai && ../../scripts/npm pack --silent --pack-destination ../../dist

vscode: $(CONSOLE_READY) ## build the VS Code extension for WebGAL scripts into dist/
	scripts/vscode

docs: $(DEV_READY) ## write the generated pages again and build the site into build/site, every link checked
	scripts/docs build

docs-serve: $(DEV_READY) ## show the site at http://localhost:8000 and follow changes
	scripts/docs serve

lock: $(DEV_READY) ## pin the dependencies again; ARGS=--upgrade takes newer ones
	scripts/lock $(ARGS)

wheel: $(DEV_READY) $(CONSOLE_READY) $(ENGINE_READY) ## build the wheel into dist/
	$(BIN)/python -m build --wheel --no-isolation

sbom: $(DEV_READY) ## list what ships, with licences, in build/handrail.cdx.json (CycloneDX)
	$(BIN)/python -m scripts.sbom

release: setup ## build, check and sign a release into dist/VERSION; ARGS=--dry-run does all but sign
	scripts/release $(ARGS)

clean: ## remove everything that was installed or built
	rm -rf .venv tests/peers/.venv tests/peers/node_modules $(LIBRARIES)/.venv $(LIBRARIES)/langchain $(LIBRARIES)/node_modules bench/peers/node_modules web/node_modules web/engine/node_modules src/handrail/faces/http/console src/handrail/extension src/handrail/engine dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests bench scripts -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUN_READY): pyproject.toml requirements/run.lock requirements/build.lock scripts/packages.run
	scripts/install run

$(DEV_READY): pyproject.toml requirements/dev.lock scripts/packages.run scripts/packages.test
	scripts/install dev

$(MUTANTS_READY): requirements/mutants.lock | $(DEV_READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement=$<
	touch $@

$(PEERS_READY): tests/peers/package.json tests/peers/package-lock.json | $(DEV_READY)
	cd tests/peers && ../../scripts/npm ci && ../../scripts/npm exec --offline -- node node_modules/@anthropic-ai/claude-code/install.cjs
	touch $@

$(PYTHON_PEERS_READY): requirements/peers.lock | $(DEV_READY)
	$(BIN)/python -m venv --clear tests/peers/.venv
	tests/peers/.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement=requirements/peers.lock
	touch $@

$(LIBRARIES)/.venv/.ready: requirements/clients.lock | $(DEV_READY)
$(LIBRARIES)/langchain/.venv/.ready: requirements/langchain.lock | $(DEV_READY)
$(LIBRARIES)/.venv/.ready $(LIBRARIES)/langchain/.venv/.ready:
	$(BIN)/python -m venv --clear $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement=$<
	touch $@

# `npm ci` would refuse this lock file: it lacks packages of other platforms, which npm leaves out if it can't fetch them.
$(LIBRARIES)/node_modules/.package-lock.json: $(LIBRARIES)/package.json $(LIBRARIES)/package-lock.json | $(DEV_READY)
	cd $(LIBRARIES) && ../../../scripts/npm install --no-save && ../../../scripts/npm exec --offline -- node node_modules/opencode-ai/postinstall.mjs
	touch $@

$(BENCH_PEERS_READY): bench/peers/package.json bench/peers/package-lock.json | $(DEV_READY)
	cd bench/peers && ../../scripts/npm ci --ignore-scripts && touch node_modules/.package-lock.json

$(BENCH_SYSTEM_READY): scripts/packages.bench | $(DEV_READY)
	scripts/system-packages scripts/packages.bench && touch $@

$(DEMO_READY): scripts/packages.demo | $(RUN_READY)
	scripts/system-packages scripts/packages.demo && touch $@

$(CAMPAIGN_SYSTEM_READY): scripts/packages.campaign | $(DEV_READY)
	scripts/system-packages scripts/packages.campaign && touch $@

$(DEBIAN_13_READY): scripts/debian13 | $(DEV_READY)
	scripts/debian13 build/debian-13

$(CONSOLE_READY): $(CONSOLE_SOURCES) | $(RUN_READY)
	scripts/console
	touch $@

$(ENGINE_READY): web/engine/package.json web/engine/package-lock.json | $(RUN_READY)
	scripts/engine
	touch $@
