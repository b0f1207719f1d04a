.DEFAULT_GOAL := ci
PYTHON ?= python

.PHONY: help
help:  ## list what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: ci
ci: lint types test  ## what CI runs on each Python, in the environment at hand (default)

TEXTS = README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md changelog.d docs agent_* output_parsers outputs

.PHONY: lint
lint:  ## check style and format
	ruff check .
	ruff format --check .
	codespell $(TEXTS)

.PHONY: format
format:  ## fix what can be fixed
	ruff check --fix .
	ruff format .

.PHONY: types
types:  ## check types, those of the examples and of the samples too
	mypy --strict
	mypy --strict $(wildcard tools/docs/*.py)
	$(PYTHON) -m tests.check_types

.PHONY: test
test:  ## run the tests
	pytest

.PHONY: coverage
coverage:  ## run the tests and report branch coverage, which must not fall; a quarter of an hour
	pytest --cov --cov-report=
	@for each in $(COVERED); do \
	    echo "== $${each%=*}, at least $${each#*=} %"; \
	    coverage report --include="$${each%=*}/*" --fail-under="$${each#*=}" || exit; \
	done
# Percent of the lines and branches of each package; raise them when coverage rises.
COVERED := outputs=98.5 output_parsers=99 agent_parsers=97.2 agent_runs=96.4 agent_serving=92.5 \
    agent_laws=91

.PHONY: thorough
thorough:  ## run the tests on nearly everything there is, some seventy minutes on two cores
	HYPOTHESIS_PROFILE=ci pytest

.PHONY: fuzz
fuzz:  ## fuzz all dialects and parsers for ten minutes, or MINUTES=120
	$(PYTHON) -m tools.fuzz --minutes $(or $(MINUTES),10)

.PHONY: mutants
mutants:  ## change 200 places of the code, or COUNT=20 with SEED=7, and see whether a test fails
	$(PYTHON) -m tools.mutation --count $(or $(COUNT),200) --seed $(or $(SEED),1)

.PHONY: deep
deep:  ## run the property tests a hundred times longer, for hours
	HYPOTHESIS_PROFILE=deep pytest -o faulthandler_timeout=7200

.PHONY: snapshots
snapshots:  ## write the snapshots anew, those of the example too; look at the diff
	pytest --snapshot-update
	cd examples/snapshot_agent && pytest --snapshot-update

.PHONY: reference
reference:  ## write docs/reference, docs/moved.md and docs/claims.md anew from the code
	$(PYTHON) tools/docs/make_reference.py
	$(PYTHON) tools/docs/make_places.py
	$(PYTHON) tools/docs/make_claims.py

.PHONY: forms
forms:  ## write the table of docs/conversations.md anew; tries all dialects, which takes a minute
	$(PYTHON) tools/docs/make_forms.py

.PHONY: schema
schema:  ## write docs/agent-parsers.schema.json anew from the fields of the JSON form
	$(PYTHON) tools/docs/make_schema.py

.PHONY: site
site:  ## build the site with the playground into build/site; takes `pip install -e ".[docs]"` and npm
	$(PYTHON) tools/docs/make_site.py

.PHONY: architecture
architecture:  ## draw the house in docs/architecture.md anew from the imports
	$(PYTHON) tools/docs/make_architecture.py

.PHONY: pictures
pictures:  ## draw the pictures of the documentation anew; needs Chromium
	$(PYTHON) tools/docs/make_pictures.py

.PHONY: names
names:  ## write anew what is known of dialects and readers of logs before they are loaded
	$(PYTHON) tools/docs/make_names.py

.PHONY: conformance
conformance:  ## write tools/conformance/*.jsonl anew from the cases and the dialects
	$(PYTHON) -m tools.conformance.make

.PHONY: changelog
changelog:  ## move the files of changelog.d into CHANGELOG.md, for a release
	towncrier build --version $(or $(VERSION),$(error say VERSION=0.1.0))

.PHONY: bench
bench:  ## measure speed beside other libraries, in nine minutes, or WORDS="react tables"
	$(PYTHON) -m tools.benchmarks.bench $(WORDS)

.PHONY: growth
growth:  ## measure how time grows with hostile texts, in at most 25 minutes on two cores, or WORDS="hermes logs"
	$(PYTHON) -m tools.benchmarks.growth --jobs 2 $(WORDS)

.PHONY: growth-page
growth-page:  ## the same, and write docs/growth.md
	$(PYTHON) -m tools.benchmarks.growth --jobs 2 --page docs

.PHONY: bench-page
bench-page:  ## the same, and write docs/benchmarks.md, its plot and the table in README.md
	$(PYTHON) -m tools.benchmarks.bench --page docs

.PHONY: bench-runs
bench-runs:  ## measure speed and memory on long logs
	$(PYTHON) tools/benchmarks/runs.py

.PHONY: corpus
corpus:  ## read the runs of the corpus and count
	$(PYTHON) tools/benchmarks/corpus.py

.PHONY: vectors
vectors:  ## score us on what other projects' tests expect of a text
	$(PYTHON) tools/benchmarks/vectors.py

.PHONY: wild
wild:  ## score what is read of outputs that frameworks stumble over
	$(PYTHON) tools/benchmarks/wild.py

.PHONY: scores
scores:  ## score our parser and those of servers that are there, and write tools/conformance/README.md
	for name in ours vllm-plugin sglang-plugin verl-plugin vllm sglang transformers; do \
		$(PYTHON) -m tools.conformance --adapter $$name --readme >/dev/null || true; done

.PHONY: detection
detection:  ## show which dialects are found in texts of known dialects, and which are confused
	$(PYTHON) tools/benchmarks/detection.py --show

.PHONY: attack
attack:  ## attack all dialects: half calls, quoted and disowned ones; twenty minutes, or STEP=1
	$(PYTHON) tools/benchmarks/attack.py --show --step $(or $(STEP),3)

.PHONY: event-attacks
event-attacks:  ## cut the streams of clients behind each event, and put arguments where they do not belong
	$(PYTHON) -m tools.benchmarks.event_attacks --show

.PHONY: live
live:  ## let a small live model write, and read it; says which two packages it needs; an hour
	$(PYTHON) -m tools.benchmarks.live

.PHONY: loop
loop:  ## run the loop of the cookbook with every dialect and client, and print a table of what came of it
	$(PYTHON) -m tests.test_loop

.PHONY: foreign
foreign:  ## read the calls of each dialect in each other one, and count what comes of them
	$(PYTHON) tools/benchmarks/foreign.py

.PHONY: differ
differ:  ## read many texts with an old commit, BASE=main, and with this tree, and count what differs
	$(PYTHON) tools/benchmarks/differ.py --base $(BASE) --show
