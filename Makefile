# Everything installs into .venv, web/node_modules, web/engine, tests/peers (.venv, node_modules) and, for `make bench` alone,
# bench/peers/node_modules; a Node to build with into build/node, if the system has none. scripts/packages.* name the
# system packages that each needs.
SHELL := /bin/bash
BIN := .venv/bin
RUN_READY := .venv/.run-ready
DEV_READY := .venv/.dev-ready
PEERS_READY := tests/peers/node_modules/.package-lock.json
PYTHON_PEERS_READY := tests/peers/.venv/.ready
BENCH_PEERS_READY := bench/peers/node_modules/.package-lock.json
BENCH_SYSTEM_READY := .venv/.bench-ready
DEMO_READY := .venv/.demo-ready
CONSOLE_READY := src/handrail/faces/http/console/index.html
ENGINE_READY := src/handrail/engine/index.html
CONSOLE_SOURCES := $(shell find web/host web/protocol web/theme web/console/src web/extension/src web/extension/_locales web/extension/icons -type f) \
	$(wildcard web/package*.json web/console/*.* web/extension/*.*)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help setup run demo test campaign check format bench docs docs-serve lock wheel clean

help: ## what can be made; ARGS="…" is passed on by run, demo, test, campaign, bench and lock
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(DEV_READY) $(PEERS_READY) $(PYTHON_PEERS_READY) $(CONSOLE_READY) $(ENGINE_READY) ## install everything, test dependencies included

run: $(RUN_READY) $(CONSOLE_READY) $(ENGINE_READY) ## install what running needs and start `handrail up`
	@exec $(BIN)/handrail up $(ARGS)

demo: $(RUN_READY) $(DEMO_READY) $(CONSOLE_READY) $(ENGINE_READY) ## a tour with a scripted model; ANSWER=allow answers its questions
	@exec scripts/demo $(ARGS)

test: setup ## run every test
	scripts/test $(ARGS)

campaign: setup $(DEMO_READY) ## try at length what `make test` tries briefly; ARGS="--minutes 20 --seed 1" bounds and repeats it
	$(BIN)/python -m tests.campaign $(ARGS)

check: $(DEV_READY) $(CONSOLE_READY) ## lint, format, types, layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python scripts/protocol.py --check
	$(BIN)/python scripts/theme.py --check
	$(BIN)/python scripts/words.py
	cd web && ../scripts/npm run --silent check

format: $(DEV_READY) ## rewrite the code in the project's format
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format

bench: setup $(BENCH_PEERS_READY) $(BENCH_SYSTEM_READY) ## measure handrail beside its peers
	$(BIN)/python -m bench $(ARGS)

docs: $(DEV_READY) ## write the generated pages again and build the site into build/site, every link checked
	scripts/docs build

docs-serve: $(DEV_READY) ## the site at http://localhost:8000, built again when a page changes
	scripts/docs serve

lock: $(DEV_READY) ## pin the dependencies again; ARGS=--upgrade takes newer ones
	scripts/lock $(ARGS)

wheel: $(DEV_READY) $(CONSOLE_READY) $(ENGINE_READY) ## build the wheel into dist/
	$(BIN)/python -m build --wheel --no-isolation

clean: ## remove everything that was installed or built
	rm -rf .venv tests/peers/.venv tests/peers/node_modules bench/peers/node_modules web/node_modules web/engine/node_modules src/handrail/faces/http/console src/handrail/extension src/handrail/engine dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests bench scripts -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUN_READY): pyproject.toml requirements/run.lock requirements/build.lock scripts/packages.run
	scripts/install run

$(DEV_READY): pyproject.toml requirements/dev.lock scripts/packages.run scripts/packages.test
	scripts/install dev

$(PEERS_READY): tests/peers/package.json tests/peers/package-lock.json | $(DEV_READY)
	cd tests/peers && ../../scripts/npm ci && ../../scripts/npm exec --offline -- node node_modules/@anthropic-ai/claude-code/install.cjs
	touch $@

$(PYTHON_PEERS_READY): requirements/peers.lock | $(DEV_READY)
	$(BIN)/python -m venv --clear tests/peers/.venv
	tests/peers/.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement=requirements/peers.lock
	touch $@

$(BENCH_PEERS_READY): bench/peers/package.json bench/peers/package-lock.json | $(DEV_READY)
	cd bench/peers && ../../scripts/npm ci --ignore-scripts && touch node_modules/.package-lock.json

$(BENCH_SYSTEM_READY): scripts/packages.bench | $(DEV_READY)
	scripts/system-packages scripts/packages.bench && touch $@

$(DEMO_READY): scripts/packages.demo | $(RUN_READY)
	scripts/system-packages scripts/packages.demo && touch $@

$(CONSOLE_READY): $(CONSOLE_SOURCES) | $(RUN_READY)
	scripts/console
	touch $@

$(ENGINE_READY): web/engine/package.json web/engine/package-lock.json | $(RUN_READY)
	scripts/engine
	touch $@
