.DEFAULT_GOAL := ci
PYTHON ?= python

.PHONY: help
help:  ## list what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: ci
ci: lint types test  ## what CI runs, in the environment at hand (default)

.PHONY: lint
lint:  ## check style and format
	ruff check .
	ruff format --check .

.PHONY: format
format:  ## fix what can be fixed
	ruff check --fix .
	ruff format .

.PHONY: types
types:  ## check types
	mypy --strict

.PHONY: test
test:  ## run the tests
	pytest

.PHONY: fuzz
fuzz:  ## run the property tests a hundred times longer
	HYPOTHESIS_PROFILE=deep pytest

.PHONY: snapshots
snapshots:  ## write the snapshots anew, those of the example too; look at the diff
	pytest --snapshot-update
	cd examples/pinned_agent && pytest --snapshot-update

.PHONY: bench
bench:  ## measure speed, next to LangChain
	$(PYTHON) benchmarks/run.py
	$(PYTHON) benchmarks/json_bench.py
	$(PYTHON) benchmarks/dialects.py

.PHONY: corpus
corpus:  ## read the runs of the corpus and count
	$(PYTHON) benchmarks/corpus.py

.PHONY: wild
wild:  ## score what is read of outputs that frameworks stumble over
	$(PYTHON) benchmarks/wild.py
