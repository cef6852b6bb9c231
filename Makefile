# Each target alone does all set-up first: it needs Python 3.11 to 3.13 and make, nothing else.
# PYTHON=/path/to/python chooses the interpreter that .venv is made with; ARGS="..." is handed on to the command.

.DEFAULT_GOAL := help
SHELL := /bin/sh
VENV := .venv/bin
# Scripts of the environment are run by its python: their first line holds a path that may be too long or have a blank in it.
PY := $(VENV)/python
unexport PYTHONPATH PYTHONHOME
# What Python has compiled is kept: else each command that the tests start compiles the whole package once more.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup spark demo pictures test test-all chromium systems lint bench mutants soon ci clean lock

help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

setup: ## Make .venv from the lock file and fetch the Toxiproxy server (all others do this first)
	@PYTHON='$(PYTHON)' sh .dev/setup.sh

spark: setup ## Add Spark to .venv, for campaigns and stores of runs: about 800 MB (test-all, lint and bench do so too)
	@sh .dev/spark.sh

demo: setup ## Four real nodes: a silent link, a killed master; then two links cut, and who has to go
	@$(PY) $(VENV)/shaketable run chaos/demo.py --world real --report out/demo $(ARGS)

pictures: chromium ## Draw all pictures of the docs anew, and the manual's tables of keys and symbols
	@$(PY) $(VENV)/pytest -q tests/tui/screens tests/harness/reports/test_page_in_a_browser.py tests/harness/detectors \
		-k "manual or docs" --rewrite

# Two cores: three workers have real processes and mostly wait; one simulates, and so do the others when they are done.
# Each worker first collects all tests, which takes five seconds of a core. In which order they begin is for tests/conftest.py.
PYTEST := $(PY) $(VENV)/pytest -n 4 --dist loadgroup --no-loadscope-reorder

test: setup ## Run the tests that show within minutes whether all is well
	@$(PYTEST) -m 'not long' $(ARGS)

test-all: spark ## Run all tests: more seeds and cases of each kind, and those that need Spark
	@$(PYTEST) $(ARGS)

chromium: setup ## Fetch a Chromium for the test of --serve in a browser (from npm, 65 MB; else that test is skipped)
	@sh .dev/chromium.sh

systems: setup ## Fetch and build what the systems need that others wrote, Hazelcast and JGroups: Java 17 and Maven
	@$(PY) $(VENV)/shaketable systems install

lint: spark ## Check style (ruff), types (mypy --strict) and who imports whom (import-linter)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) $(VENV)/mypy
	$(PY) $(VENV)/mypy tests
	$(PY) $(VENV)/lint-imports --no-logo

bench: spark ## Measure the speed of both worlds, and print it with this machine's name
	@$(PY) -m tests.bench $(ARGS)

mutants: spark ## Put small bugs into the core, one at a time: does the harness notice them? (a sample; ARGS=--all takes a night)
	@$(PY) -m tests.mutants $(ARGS)

soon: spark ## How many random runs until a known bug is noticed: plain seeds, steered, schedules (ARGS=--all takes hours)
	@$(PY) -m tests.soon $(ARGS)

ci: ## What a build server runs: set-up, lint and tests, each timed
	@.ci/run

lock: setup ## Write the lock files anew from pyproject.toml (UPGRADE=1 takes the newest versions)
	@UPGRADE='$(UPGRADE)' sh .dev/lock.sh

clean: ## Remove .venv and all that the tools and runs have left here
	rm -rf .venv dist build explored out runs .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
