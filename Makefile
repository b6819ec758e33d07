# Each target makes .venv and installs what it needs the first time; afterwards it is quick. `make` lists the targets.
# Arguments pass through: make verify ARGS="--mutants"

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
ARGS ?=
LABCONFIG := .venv/etc/jupyter/labconfig/page_config.json

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help verify coq check test types federate-simulated federate-real federate-hosts hunt campaigns lab bench bench-since book book-serve browser reproduce reproduce-transport clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

verify: .venv/.core  ## check the paper's statements, write report/ (installs 1 minute once; runs under a minute on 2 cores)
	$(BIN)/fedmm verify $(ARGS)

coq: .venv/.core  ## let Coq, which you install yourself, check the certificates (runs 10 to 15 minutes; ARGS="--sample 100": half)
	$(BIN)/fedmm certificate check $(ARGS)

# Tests of one file stay in one process, for they share what is expensive to make; tests/conftest.py orders the files.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

check: .venv/.test  ## lint, types of what you changed, a test of each promise (installs 2 minutes once; runs a minute)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@changed=$$({ git diff --name-only --diff-filter=d HEAD; git ls-files --others --exclude-standard; } 2> /dev/null \
	  | grep -E '^(fedmm_edu|proofs_checks|tests)/.*\.pyi?$$' | grep -v '^tests/browser/'); \
	[ -z "$$changed" ] || $(BIN)/pyright --pythonpath $(BIN)/python $$changed
	$(PYTEST) @tests/quick.txt $(ARGS)

test: .venv/.test  ## lint, format, all tests (installs 2 minutes once; runs under 10 minutes on 2 cores)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(PYTEST) $(ARGS)

types: .venv/.test  ## types of all files (runs 2 minutes)
	$(BIN)/pyright --pythonpath $(BIN)/python $(ARGS)

hunt: .venv/.test  ## try the checker on random surrogates of known truth (runs some minutes, longer where SymPy works long on one; ARGS="--models 10000 --seed 1")
	$(BIN)/python -m tests.hunts.surrogates $(ARGS)

campaigns: .venv/.test  ## bad command lines, inputs, files, messages and schedules by the thousand (runs 15 minutes; ARGS="messages --seed 1"; --record renews the page)
	$(BIN)/python -m tests.campaigns $(ARGS)

federate-simulated: .venv/.distributed  ## federate 4 simulated nodes on Flower (installs 500 MB once; runs half a minute)
	$(PIP) install 'flwr[simulation]==1.41.0'
	$(BIN)/fedmm federate --engine simulation --anew $(ARGS)

federate-real: .venv/.distributed .venv/.quick  ## federate 4 real processes on Flower, kill one on the way; 3 with secure sums; fit estimators on such (installs 300 MB once; runs 4 to 10 minutes)
	$(BIN)/fedmm federate --engine processes --rounds 8 --kill 1:4 --attempts 6 --exact --anew $(ARGS)
	$(BIN)/fedmm federate fedmm_edu.studies.attack.jobs:secure --engine processes --nodes 3 --rounds 2 --attempts 6 --tolerance 1 --exact --anew
	$(BIN)/python -m tests.distributed.fitted

federate-hosts: .venv/.distributed  ## run the book's commands for several hosts here, with TLS and keys, and turn strangers away (runs 3 to 6 minutes)
	$(BIN)/python -m tests.distributed.hosts

# A reader writes answers into the notebooks: where a lesson has changed since, the one with the answers is kept beside it.
lab: .venv/.lab $(LABCONFIG)  ## open JupyterLab on the lessons (needs a browser)
	@changed=$$(for md in notebooks/*.md; do [ $${md%.md}.ipynb -nt $$md ] || echo $${md%.md}; done); \
	for name in $$changed; do [ ! -e $$name.ipynb ] || mv $$name.ipynb $${name}_until_$$(date +%F).ipynb; done; \
	[ -z "$$changed" ] || $(BIN)/jupytext --quiet --to ipynb $$(printf '%s.md ' $$changed)
	$(BIN)/jupyter lab --notebook-dir=notebooks --ContentsManager.hide_globs='*.md' \
	  --LabApp.default_url=/lab/workspaces/lessons/tree/00_what_to_send.ipynb $(ARGS)

# No question about news, and no question to the network about updates.
$(LABCONFIG): | .venv/.lab
	$(BIN)/jupyter labextension disable --level=sys_prefix @jupyterlab/apputils-extension:announcements 2> /dev/null

bench: .venv/.bench  ## time the kernels beside their peers (6 minutes; installs 1.5 GB once; close other programs first)
	$(BIN)/python -m benchmarks $(ARGS)

bench-since: .venv/.core  ## what got slower since another commit, measured in turns (1 to 3 minutes; make bench-since REF=main~10)
	$(BIN)/python -m benchmarks.compare $(or $(REF),HEAD) $(ARGS)

book: .venv/.$(if $(LITE),lite,book)  ## build the course site into book/_build/html (installs 3 minutes once, 1 GB; runs under 6 minutes; LITE=1: with live lessons; PDF=1: with the course as one PDF)
	$(BIN)/python -m book $(if $(LITE),--lite) $(if $(PDF),--pdf) $(ARGS)

book-serve: .venv/.book  ## build the site and show it on this machine, http://127.0.0.1:8000
	$(BIN)/python -m book --serve $(ARGS)

browser: .venv/.browser  ## walk the built site, the lessons in JupyterLab, and a class of 30 phones, with a browser (needs Chromium; after make book)
	$(BIN)/python -m pytest $(wildcard tests/browser/site_*.py tests/browser/lab_*.py tests/browser/class_*.py) $(ARGS)

# MovieLens is read where FEDMM_DATA names its folder; else the page of the book stays as it is. Finished runs are kept
# in results/, and a second call goes on.
reproduce: .venv/.core  ## draw the figures of the README, of Section 6 and of the relatives (under 90 minutes; QUICK=1: under 4)
	$(BIN)/fedmm run quadratic --out book/figures/quadratic
	$(BIN)/fedmm reproduce relatives $(if $(QUICK),--quick --out results/quick/relatives,--cache results/relatives/runs \
	  $(if $(FEDMM_DATA),--out book/figures/relatives --page book/relatives_results.md \
	  --record book/figures/relatives/record.jsonl)) $(ARGS)
	$(BIN)/fedmm run tables $(if $(QUICK),--splits 1 --out results/quick/tables,--out book/figures/tables --page book/tables_results.md)
	$(BIN)/fedmm reproduce $(if $(QUICK),--quick --out results/quick,fig1 fig2 ablation effects central ratings metric \
	  --cache results/dictionary/runs $(if $(FEDMM_DATA),--out book/figures/dictionary --page book/dictionary_results.md \
	  --record proofs_checks/s6_experiments/runs.jsonl)) $(ARGS)

# The W2 benchmark is read where FEDMM_DATA names its folder.
reproduce-transport: .venv/.transport  ## measure FedMM-OT, Section 7 (installs torch, 1 GB; 17 hours, resumes; QUICK=1: 3 minutes)
	$(BIN)/fedmm reproduce fig3 $(if $(QUICK),--quick --out results/quick,fig3-ablation fig3-long --cache results/transport/runs \
	  $(if $(FEDMM_DATA),--out book/figures/transport --page book/transport_results.md \
	  --record proofs_checks/s7_transport/runs.jsonl)) $(ARGS)
	$(BIN)/fedmm reproduce fig3-schedules $(if $(QUICK),--quick --out results/quick/schedules,fig3-hour --cache results/schedules/runs \
	  $(if $(FEDMM_DATA),--out book/figures/schedules --page book/transport_schedules.md \
	  --record book/figures/schedules/runs.jsonl)) $(ARGS)

clean:  ## remove .venv, reports, results and caches; notebooks with answers stay
	rm -rf .venv report results build dist book/_build *.egg-info
	rm -rf .hypothesis .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.made:
	@test -n "$(PYTHON)" || { echo "no python3 found: install Python 3.11 or newer, or say make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "$(PYTHON) is older than Python 3.11: say make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/.core: .venv/.made pyproject.toml
	$(PIP) install --editable '.[fast,check,estimators,studies]'
	@touch $@

# One stamp per extra: .venv/.test, .venv/.lab, .venv/.book, ...
.venv/.%: .venv/.core
	$(PIP) install --editable '.[$*]'
	@touch $@
