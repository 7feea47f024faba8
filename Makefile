# Short names for what the README's commands do. Everything happens in .venv.
PYTHON ?= python3
BIN := .venv/bin
PACKAGE := pyproject.toml setup.py $(wildcard arena/game/*.pxd arena/policy/*.pxd arena/adapters/*.pxd)

.PHONY: help setup build test test-all lint types format bench docs tournament clean

help:
	@echo "make setup | build | test | test-all | lint | types | format | bench | docs | tournament | clean"

setup: .venv/.installed

.venv/.installed: $(PACKAGE)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --editable '.[test-all,dev]'
	touch $@

# after a change to a compiled module (arena/compiled.py names them)
build: setup
	$(BIN)/pip install --editable .

test: setup
	$(BIN)/pytest

# those marked slow and soak, too
test-all: setup
	$(BIN)/pytest -m ""

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports

types: setup
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format

bench: setup
	$(BIN)/python -m benchmarks.speed

# the site, in site/
docs: setup
	$(BIN)/pip install --quiet --editable ".[docs]"
	$(BIN)/python docs/build.py

tournament: setup
	$(BIN)/arena run quick

clean:
	rm -rf .venv build dist site *.egg-info arena/_built.json $(foreach f,game policy adapters,arena/$f/*.so arena/$f/*.c arena/$f/*.html)
