# Short names for what the README's commands do. Everything happens in .venv.
PYTHON ?= python3
BIN := .venv/bin
PACKAGE := pyproject.toml setup.py $(wildcard arena/game/*.pxd)

.PHONY: help setup build test lint types format bench tournament clean

help:
	@echo "make setup | build | test | lint | types | format | bench | tournament | clean"

setup: .venv/.installed

.venv/.installed: $(PACKAGE)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --editable '.[test,dev]'
	touch $@

# after a change to the compiled modules of arena/game
build: setup
	$(BIN)/pip install --editable .

test: setup
	$(BIN)/pytest

lint: setup
	$(BIN)/ruff check

types: setup
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format arena/cli arena/report tests/cli tests/report

bench: setup
	$(BIN)/pytest benchmarks --benchmark-only

tournament: setup
	$(BIN)/arena run quick

clean:
	rm -rf .venv build dist *.egg-info arena/game/*.so arena/game/*.c arena/game/*.html
