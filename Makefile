# `make test` needs only Python 3.11+ and make; everything else goes into .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: audit test lint types format bench docs clean

audit: .venv/ready
	$(BIN)/leaktight audit examples/studies/hospital.toml --report hospital.html || test $$? -eq 1

test: lint types
	$(BIN)/python -m pytest

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

format: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/bench-ready
	$(BIN)/python -m benchmarks $(ARGS)

docs: .venv/docs-ready
	$(BIN)/python -m leaktight.claims.errata > docs/errata.md
	$(BIN)/sphinx-build -q -W docs site

.venv/docs-ready: .venv/ready
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

.venv/bench-ready: .venv/ready
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	touch $@

clean:
	rm -rf .venv site hospital.html .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
