# Every target prepares the machine itself: see scripts/bootstrap.

BIN := .venv/bin
WORKERS ?= 2
PYTEST := $(BIN)/pytest -q -n $(WORKERS) --dist loadscope
ARGS ?=

# Without its cache Python compiles every module anew at every start: twice the time for each.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run setup setup-tests check test prove planted bench screenshots format

help: ## Say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: setup ## Start Belay: the window, or the terminal where there is no display
	@scripts/run

setup:
	@scripts/bootstrap window model voice

setup-tests:
	@scripts/bootstrap window model voice tests

check: setup ## Formatting, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The unit tests run with pytest-qt blocked: nothing under them may need Qt.
test: setup-tests check ## The whole gate: check, then every test (ARGS="-k stop" narrows it)
	$(PYTEST) -p no:pytest-qt tests/unit $(ARGS)
	$(PYTEST) tests/ui tests/bridge tests/e2e $(ARGS)

prove: setup-tests ## The long suites too: many more examples, many more crashes
	BELAY_PROVE=1 $(PYTEST) -o faulthandler_timeout=1800 -p no:pytest-qt tests/unit $(ARGS)
	BELAY_PROVE=1 $(PYTEST) -o faulthandler_timeout=1800 tests/ui tests/bridge tests/e2e $(ARGS)

planted: setup-tests ## Break each guard in a copy: a test must turn red every time
	$(BIN)/python scripts/planted_bugs.py $(ARGS)

bench: setup-tests ## Measure what the design promises; results go to bench/results
	$(BIN)/python -m bench $(ARGS)

screenshots: setup ## Picture the window in every state worth a look (into docs/screenshots)
	$(BIN)/python -m tests.ui.gallery docs/screenshots

format: setup ## Format the code and mend what ruff can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
