# `make test` needs only Python 3.11+ and make; everything else goes into .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: test lint types format bench clean

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
	$(BIN)/python -m benchmarks

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

.venv/bench-ready: .venv/ready
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
