# A fresh clone needs `make demo` or `make test` and nothing before it. `make help` lists the rest.

# What the caller's shell has activated must not leak into our own environment.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME

BIN := .venv/bin
PYTEST := $(BIN)/pytest
QUICK := (floor or not slow)
WORKERS ?= $(shell expr $$(nproc) + 1)
DEMO ?= examples/log_report.py
EXTENSION := lsp_server/clients/vscode

.DEFAULT_GOAL := help
.PHONY: site soak-sandbox soak-cancels help setup setup-tests demo wheel release-check test test-slow test-nightly check lint types format verify-examples readme-demo rules-page man-page schemas sandbox-pictures bench-sandbox bench-selection bench-compare bench-judge bench-mutants bench-editor bench-packages bench-coverage bench-graders bench-training bench-eval-cores bench-latency bench-floors latency-pictures train-mini miniature-page eval-smoke eval-picture eval-full vscode test-vscode vscode-pictures ci-pictures soak soak-kills load-service lock clean clean-all

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name what; do \
		printf '  make %-16s %s\n' "$$name" "$$what"; done

setup: ## system packages, .venv, pinned dependencies (the other targets call it)
	@scripts/setup.sh

demo: setup ## optimise a real slow file and show the proof; nothing is written
	$(BIN)/afterburner-agent run $(DEMO) --model rules

setup-tests: ## what the tests need beyond that: compilers, Docker, PostgreSQL, torch
	@scripts/setup.sh tests

# What measures time runs alone, after the others: two busy workers are no place for a comparison. `worksteal` leaves
# neighbours in one worker, so that what they share is made once. One worker more than there are cores: many tests wait,
# for a time limit or a server.
test: setup-tests ## the quick tests, and a walk through each floor (a quarter of an hour on two cores)
	@status=0; \
	$(PYTEST) -n $(WORKERS) --maxprocesses 8 --dist worksteal -m "not timed and not nightly and $(QUICK)" || status=$$?; \
	$(PYTEST) -m "timed and not nightly and $(QUICK)" || status=$$?; \
	exit $$status

test-slow: setup-tests ## the slow tests that `make test` leaves out and CI runs (another quarter of an hour)
	@status=0; \
	$(PYTEST) -n $(WORKERS) --maxprocesses 8 --dist worksteal -m "not timed and not nightly and not $(QUICK)" || status=$$?; \
	$(PYTEST) -m "timed and not nightly and not $(QUICK)" || status=$$?; \
	exit $$status

test-nightly: setup-tests ## what takes longer: the scripts, every example and kind, every fault and attack (an hour or two)
	@status=0; \
	$(PYTEST) -n $(WORKERS) --maxprocesses 8 --dist worksteal -m "not timed and nightly" || status=$$?; \
	$(PYTEST) -m "timed and nightly" || status=$$?; \
	$(MAKE) soak-cancels || status=$$?; \
	exit $$status

site: setup ## build/site: the documentation as a site, strict about dead links
	$(BIN)/python -m scripts.site.pages
	$(BIN)/zensical build --strict --clean

wheel: setup ## dist/*.whl: one wheel for every machine, with the meter inside
	$(BIN)/python -m build --quiet --no-isolation --wheel --outdir dist .
	sha256sum dist/*.whl

release-check: setup ## all that can be checked of a release without a network: version, wheel, licences, every floor's answer
	$(BIN)/python -m scripts.release.check $(RELEASE)

check: lint types test ## what has to hold before a commit

lint: setup ## ruff: rules and layout
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: setup ## strict mypy
	$(BIN)/mypy
	$(BIN)/mypy scripts

format: setup ## let ruff lay out and fix what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

verify-examples: setup ## every example: optimise a copy, run its tests, time both files as whole processes
	$(BIN)/python scripts/verify_examples.py

readme-demo: setup ## write the output that the README shows anew
	$(BIN)/python scripts/readme_demo.py

schemas: setup ## write the JSON Schemas of what --json writes
	$(BIN)/python scripts/write_schemas.py

man-page: setup ## write docs/afterburner-agent.1 anew from the definitions of the command line
	$(BIN)/python -m scripts.man_page

rules-page: setup ## write docs/rules.md anew from the rules' docstrings
	$(BIN)/python scripts/rules_page.py

sandbox-pictures: setup ## draw the pictures of docs/sandbox.md anew
	$(BIN)/python scripts/sandbox_pictures.py

bench-sandbox: setup ## what the sandbox costs and how true its figures are, beside their references
	$(BIN)/python -m scripts.bench_sandbox $(BENCH)

bench-selection: setup ## identical code must not win, gains must be found: false accepts, power, cost (hours)
	$(BIN)/python -m scripts.bench_selection $(BENCH)

bench-compare: setup ## compare must not tell identical code apart, and find gains and losses (an hour)
	$(BIN)/python -m scripts.bench_compare $(BENCH)

bench-judge: setup ## how many wrong rewrites of real code the judge offers, how many right ones it refuses (an hour)
	$(BIN)/python -m scripts.bench_judge $(BENCH)

bench-mutants: setup ## how many wrong versions of MBPP+'s functions made inputs find, beside Hypothesis and CrossHair (an hour)
	$(BIN)/python -m scripts.bench_mutants $(BENCH)

bench-editor: setup ## what a user of the language server feels: its start, code actions, typing during a run (two minutes)
	PYTHONPATH=tests/lsp_server $(BIN)/python -m scripts.bench_editor $(BENCH)

bench-coverage: setup ## how often the intervals of simulated evaluations contain the truth, ours and the paper's (ten minutes)
	$(BIN)/python -m scripts.bench_coverage $(BENCH)

vscode: setup ## package the VS Code extension: dist/afterburner.vsix
	@command -v npm >/dev/null || { echo "make vscode needs Node.js 20 or newer and npm: apt-get install nodejs npm" >&2; exit 1; }
	$(BIN)/python scripts/vscode_settings.py
	cp LICENSE $(EXTENSION)/
	mkdir -p dist
	cd $(EXTENSION) && npm ci && npm run package -- --out $(CURDIR)/dist/afterburner.vsix

# code-server is VS Code in a browser; it needs Node.js 20, and a compiler for two packages.
test-vscode: vscode ## VS Code itself does the whole walk in Chromium (a minute or two, and two for the first installation)
	@tests/lsp_server/vscode/install.sh
	cd tests/lsp_server/vscode && node --test --test-reporter=spec .

vscode-pictures: ## the same, and take the pictures of docs/editors.md anew
	AFTERBURNER_TEST_PICTURES=1 $(MAKE) test-vscode

# GitHub's styles and Mermaid come from npm; the pictures themselves are taken without a network.
ci-pictures: setup ## measure a small pull request, and take the pictures of docs/ci.md anew (two minutes)
	@command -v npm >/dev/null || { echo "make ci-pictures needs npm: apt-get install npm" >&2; exit 1; }
	cd scripts/github_look && npm ci --loglevel=error
	PYTHONPATH=tests/ci_action $(BIN)/python -m scripts.ci_pictures $(PICTURES)

bench-latency: setup ## measure how long a user waits: seconds to the first candidate, the offer, the end (half an hour)
	$(BIN)/python -m scripts.bench_latency $(BENCH)

bench-floors: setup ## measure the editor's click, a pull request, evaluation and rewards, each beside bare processes (ten minutes)
	PYTHONPATH=tests/lsp_server:tests/ci_action $(BIN)/python -m scripts.bench_floors $(BENCH)

latency-pictures: setup ## draw where the demo's time goes: docs/images/waterfall.svg (two minutes)
	$(BIN)/python -m scripts.latency_pictures $(BENCH)

# transformers serves the models to the loop.
train-mini: setup-tests ## train small models from scratch by all four methods, and draw Figure 5 of them (an hour and a half; MINI=--smoke: 2 to 20 minutes)
	$(BIN)/afterburner-agent train mini --out $(or $(OUT),build/miniature) $(MINI)

miniature-page: setup ## write its results into docs/miniature.md
	$(BIN)/python -m scripts.miniature_page $(or $(OUT),build/miniature)/report

bench-packages: setup ## what rules gain in pinned packages of the registry, their own tests as judge (ten minutes)
	$(BIN)/python -m scripts.bench_packages $(BENCH)

bench-graders: setup ## our graders and timings beside official ones, on the real records of ../shared/data (half an hour)
	$(BIN)/python -m scripts.bench_graders --page docs/graders.md $(BENCH)

bench-training: setup-tests ## memory and speed of training steps on this machine's GPU, beside what `train plan` says (ten minutes)
	$(BIN)/python -m scripts.bench_training $(BENCH)

bench-eval-cores: setup ## how well evaluation uses the cores, and whether that disturbs what is timed (two minutes)
	$(BIN)/python -m scripts.bench_eval_cores $(BENCH)

EVAL_OUT ?= build/eval
eval-smoke: setup ## build a benchmark of six real problems, run rules and a replayed model on it, and report (ten minutes)
	$(BIN)/python -m scripts.eval_chain --out $(EVAL_OUT)-smoke $(BENCH)

eval-picture: setup ## take the picture of docs/evaluation.md anew, from the report of eval-smoke
	$(BIN)/python -m scripts.eval_picture $(EVAL_OUT)-smoke/report

eval-full: setup ## the same on all 43 problems with all 3,516 human solutions; run it again to go on (hours)
	$(BIN)/python -m scripts.eval_chain --all --out $(EVAL_OUT)-full $(BENCH)

soak: setup ## 10,000 submissions to a pool behind nginx, 50 kills of its services: nothing lost or left (an hour or more)
	$(BIN)/python -m scripts.soak --services 3 $(SOAK)

soak-sandbox: setup ## 10,000 programs in one process's sandbox, 50 kills of other processes: nothing left (an hour or more)
	$(BIN)/python -m scripts.soak $(SOAK)

soak-kills: setup ## 30 kills of runs at moments drawn by chance: the same end, nothing asked or paid twice (ten minutes)
	AFTERBURNER_TEST_KILLS=30 $(PYTEST) tests/agent/store/test_killed.py

soak-cancels: setup ## 20 cancels at each stage of a run, at moments drawn by chance: how fast all has stopped, and that nothing is left
	AFTERBURNER_TEST_CANCELS=20 $(PYTEST) -s tests/agent/test_session.py -k cancelled_run

load-service: setup ## 64 clients for a minute against the sandbox service, on this machine
	$(BIN)/python scripts/load_service.py

lock: setup ## resolve the dependencies anew into requirements/dev.lock
	scripts/lock.sh

clean: ## caches and build output
	rm -rf build dist *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -path ./.venv -prune -o -type d -name __pycache__ -exec rm -rf {} +

clean-all: clean ## also .venv
	rm -rf .venv
