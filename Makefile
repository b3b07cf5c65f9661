# rdma-dv: thin wrapper around the rdma-dv command; `make help` lists the targets.
#   make                                             set up, ERNIC smoke suite on Verilator, report
#   make SIM=icarus DUT=ernic TEST=send_only SEED=7 WAVES=1      one test
#   make test                                        ruff, mypy and all tests of the project

SIM   ?= verilator
DUT   ?= ernic
SUITE ?= smoke
TEST  ?=
SEED  ?=
WAVES ?= 0
JOBS  ?= 2
# Arguments passed through to rdma-dv run, regress, qualify or bench, or to pytest.
ARGS  ?=

PYTHON ?= $(firstword $(foreach v,python3.11 python3.12 python3.13 python3.14 python3.10 python3,$(shell command -v $(v) 2>/dev/null)))
VENV  := .venv
BIN   := $(VENV)/bin
STAMP := $(VENV)/.rdma-dv-installed
DV    := $(BIN)/rdma-dv

.DEFAULT_GOAL := all
.PHONY: all setup smoke run regress qualify report doctor list bench lint test clean distclean help

all: $(if $(TEST),run,smoke)

setup: $(STAMP)

# The stamp follows pyproject.toml: a changed dependency is installed, an unchanged one costs nothing.
$(STAMP): pyproject.toml
	@test -n "$(PYTHON)" || { echo "rdma-dv: needs Python 3.10 or later on PATH (or make PYTHON=...)"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) \
	  || { echo "rdma-dv: $(PYTHON) -m venv failed; on Debian: apt-get install python3-venv"; exit 2; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

# The report is written whatever the tests said; the exit code is theirs.
smoke: $(STAMP)
	@code=0; $(DV) regress --dut $(DUT) --suite $(SUITE) --sim $(SIM) --jobs $(JOBS) $(if $(SEED),--seed $(SEED)) $(ARGS) || code=$$?; \
	$(DV) report || exit $$?; exit $$code

run: $(STAMP)
	@test -n "$(TEST)" || { echo "rdma-dv: make run needs TEST=<name> (make list shows them)"; exit 2; }
	@$(DV) run --dut $(DUT) --test $(TEST) --sim $(SIM) $(if $(SEED),--seed $(SEED)) $(if $(filter-out 0 no off,$(WAVES)),--waves) $(ARGS)

regress: SUITE := $(if $(filter command,$(origin SUITE)),$(SUITE),full)
regress: smoke

qualify: $(STAMP)
	@$(DV) qualify --dut $(DUT) --sim $(SIM) --jobs $(JOBS) $(ARGS)

report doctor list: $(STAMP)
	@$(DV) $@ $(if $(filter list,$@),--dut $(DUT)) $(ARGS)

bench: $(STAMP)
	@$(DV) bench --json build/bench.json $(ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy

# Parallel by file: tests of one file share their builds. Ends with pytest's summary line.
test: lint
	$(BIN)/pytest -n $(JOBS) --dist loadfile --junitxml=build/pytest.xml $(ARGS)

clean:
	rm -rf build

distclean: clean
	rm -rf $(VENV) *.egg-info

help:
	@echo "make             set up $(VENV), run the smoke suite of DUT=$(DUT) on SIM=$(SIM), write the report"
	@echo "make TEST=name   run one test [SIM=icarus|verilator] [SEED=n] [WAVES=1] [DUT=name|path.toml]"
	@echo "make regress     all tests [SUITE=full] [JOBS=n] [ARGS='--seeds 3 --variants']"
	@echo "make qualify     run the mutants: does each die by the rule it breaks?"
	@echo "make report      build/report/index.html and signoff.json from the latest results"
	@echo "make list        tests of the DUT"
	@echo "make doctor      which tools are there, which are missing, what that costs"
	@echo "make bench       benchmarks, written to build/bench.json"
	@echo "make test        ruff, mypy, and all tests of the project itself [ARGS='-k expr']"
	@echo "make lint        ruff and mypy only"
	@echo "make clean       remove build/ (distclean: and $(VENV))"
