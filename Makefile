# Needs only Python 3.11+ and make; everything else goes into .venv. Running needs less than testing.
PYTHON ?= python3
BIN := .venv/bin

# Where Python may not keep what it compiled, each of the processes that the tests start compiles all modules anew.
unexport PYTHONDONTWRITEBYTECODE

# Each worker begins with its own half, in order, so that what the tests of a file share is made in one worker only.
PYTEST := -m pytest --numprocesses auto --dist worksteal

.PHONY: audit table explore test test-oldest test-newest test-spark test-web test-ibis test-kill test-postgres test-adapters test-opacus test-tumult wheel lint types format fuzz mutants bench docs clean

audit: .venv/ready
	$(BIN)/leaktight audit examples/studies/hospital.toml --report hospital.html || test $$? -eq 1

table: .venv/ready
	rm -rf wages && cp -r examples/tables wages
	$(BIN)/leaktight release wages/wages.toml --plan
	$(BIN)/leaktight ledger wages/wages.ledger --new wages/wages.toml
	$(BIN)/leaktight release wages/wages.toml --picture wages/wages.svg
	$(BIN)/leaktight ledger wages/wages.ledger

explore: .venv/web-ready
	$(BIN)/leaktight explore examples/studies/salary.toml

test: lint types
	$(BIN)/python $(PYTEST)

test-spark: .venv/dev-ready .venv/spark-ready
	@command -v java > /dev/null || { echo "Spark needs Java: install a headless JRE, 17 or later"; exit 1; }
	LEAKTIGHT_ENGINE=spark $(BIN)/python -m pytest tests/tables/test_rows.py tests/tables/test_risk.py tests/tables/test_microdata.py tests/tables/on_spark.py

# Ibis wants a DuckDB before 2, and so an environment of its own.
test-ibis: .venv/ibis/ready
	LEAKTIGHT_ENGINE=ibis .venv/ibis/bin/python -m pytest tests/tables/test_rows.py tests/tables/test_per_row.py

# The adapters with the libraries that they are for, in environments of their own: OpenDP wants one polars,
# Tumult an older numpy, Opacus PyTorch (of the CPU, or it would be several gigabytes).
test-adapters: .venv/adapters/ready
	.venv/adapters/bin/python -m pytest tests/adapters/with_opendp.py tests/adapters/with_accounting.py

test-opacus: .venv/opacus/ready
	.venv/opacus/bin/python -m pytest -W ignore tests/adapters/with_opacus.py

test-tumult: .venv/tumult/ready
	PYTHONPATH=src:. .venv/tumult/bin/python -m pytest -W ignore tests/adapters/with_tumult.py

# The page in a real browser: Chromium, or whatever CHROMIUM names.
CHROMIUM ?= $(firstword $(shell command -v chromium chromium-browser google-chrome))
test-web: .venv/dev-ready .venv/web-test-ready
	@test -n "$(CHROMIUM)" || { echo "The page is tested in Chromium: apt-get install chromium, or make test-web CHROMIUM=/its/path"; exit 1; }
	LEAKTIGHT_BROWSER="$(CHROMIUM)" $(BIN)/python $(PYTEST) tests/web/in_browser.py tests/reports/in_browser.py $(ARGS)

# Do the oldest versions that pyproject.toml allows still do? In an environment of its own.
test-oldest: .venv/oldest/ready
	.venv/oldest/bin/python $(PYTEST) $(ARGS)

# And on the newest Python that is here; NEWEST names another.
NEWEST ?= $(lastword $(sort $(wildcard $(HOME)/.pyenv/versions/3.1[2-9].*/bin/python)) $(firstword $(shell command -v python3.14 python3.13 python3.12)))
test-newest:
	@if test -z "$(NEWEST)"; then \
		echo "There is no Python newer than 3.11 here, so nothing is tested on one: make test-newest NEWEST=/its/path"; \
	else \
		$(MAKE) .venv/newest/ready && .venv/newest/bin/python $(PYTEST) $(ARGS); \
	fi

test-kill: .venv/dev-ready
	LEAKTIGHT_KILLS=500 LEAKTIGHT_FLIPS=4000 $(BIN)/python -m pytest tests/tables/test_ledger.py tests/tables/test_damage.py
	LEAKTIGHT_KILLS=500 $(BIN)/python -m pytest tests/tables/test_per_row.py -k killed

# A team's ledger on a real server, which the tests start: PostgreSQL, or whatever POSTGRES names.
POSTGRES ?= $(lastword $(sort $(wildcard /usr/lib/postgresql/*/bin)) $(patsubst %/,%,$(dir $(shell command -v postgres))))
test-postgres: .venv/dev-ready
	@test -x "$(POSTGRES)/initdb" || { echo "PostgreSQL is missing: apt-get install postgresql, or make test-postgres POSTGRES=/its/bin"; exit 1; }
	LEAKTIGHT_POSTGRES="$(POSTGRES)" LEAKTIGHT_KILLS=$(or $(KILLS),40) $(BIN)/python -m pytest tests/tables/on_postgres.py $(ARGS)

lint: .venv/dev-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev-ready
	$(BIN)/mypy

format: .venv/dev-ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# A standing search for wrong guarantees: make fuzz SECONDS=600
SECONDS ?= 60
fuzz: .venv/dev-ready
	$(BIN)/python -m fuzz --seconds $(SECONDS) $(ARGS)

# Does a test notice every broken line? The answer is docs/mutants.md.
mutants: .venv/dev-ready
	$(BIN)/python -m fuzz.mutants

# What others install: the wheel, in an empty environment outside the repository, and the README's commands there.
wheel: .venv/ready
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(PYTHON) .ci/wheel.py dist/*.whl

# The peers want older versions of some libraries, and so an environment of their own.
bench: .venv/bench/ready
	.venv/bench/bin/python -m benchmarks $(ARGS)

docs: .venv/docs-ready
	$(BIN)/python -m leaktight_papers.errata docs/errata.md
	$(BIN)/python -m leaktight_papers.items docs/papers.md
	$(BIN)/sphinx-build -q -W docs site

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/%-ready: .venv/ready
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	touch $@

.venv/ibis/ready: pyproject.toml
	$(PYTHON) -m venv .venv/ibis
	.venv/ibis/bin/python -m pip install --quiet --editable '.[dev]' 'ibis-framework[duckdb]>=12' 'duckdb<2'
	touch $@

.venv/bench/ready: pyproject.toml
	$(PYTHON) -m venv .venv/bench
	.venv/bench/bin/python -m pip install --quiet --editable '.[bench]'
	touch $@

.venv/adapters/ready: pyproject.toml
	$(PYTHON) -m venv .venv/adapters
	.venv/adapters/bin/python -m pip install --quiet --editable '.[adapters-test]' 'pytest>=8.3' 'hypothesis>=6.130'
	touch $@

.venv/opacus/ready: pyproject.toml
	$(PYTHON) -m venv .venv/opacus
	.venv/opacus/bin/python -m pip install --quiet 'torch==2.13.0'
	.venv/opacus/bin/python -m pip install --quiet --editable . opacus pytest hypothesis
	touch $@

.venv/tumult/ready: pyproject.toml
	$(PYTHON) -m venv .venv/tumult
	.venv/tumult/bin/python -m pip install --quiet tmlt.analytics python-flint lazy-loader scipy threadpoolctl msgspec narwhals igraph highspy pytest hypothesis
	touch $@

.venv/newest/ready: pyproject.toml
	$(NEWEST) -m venv .venv/newest
	.venv/newest/bin/python -m pip install --quiet --editable '.[dev]'
	touch $@

.venv/oldest/ready: pyproject.toml .ci/oldest.py
	$(PYTHON) -m venv .venv/oldest
	$(PYTHON) .ci/oldest.py > .venv/oldest/constraints.txt
	.venv/oldest/bin/python -m pip install --quiet --constraint .venv/oldest/constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv site hospital.html wages .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
