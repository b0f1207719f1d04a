# pip install "agent-parsers[ray]" && python examples/ray_batches.py
"""A million replies, made on the spot and parsed by Ray Data on all cores of a cluster.

Pass another number of replies, and an address to use a cluster that runs already:
``python examples/ray_batches.py 50_000 auto``. Its nodes need ``agent-parsers[arrow]``.
"""

from __future__ import annotations

import logging
import sys
from collections import Counter
from typing import Any

import pyarrow as pa
import ray

from agent_runs.bulk import TableParser

REPLIES = (
    "I need the area of lake {n}.\nAction: area\nAction Input: lake {n}",
    'The same with options.\nAction: area\nAction Input: {{"lake": "{n}", "unit": "km²"}}',
    "I now know it.\nFinal Answer: {n} km²",
    "**Action:** area\nAction Input: lake {n}\nObservation: 12 km²",
    "It is about {n} km².",
)


def area(lake: str, unit: str = "km²") -> str:
    """Looks up how large a lake is."""  # noqa: D401 - it tells the model
    return f"{lake} {unit}"


def made(rows: Any) -> Any:
    """Return a batch of replies."""
    texts = [REPLIES[n % len(REPLIES)].format(n=n) for n in rows["id"]]
    return pa.table({"id": rows["id"], "text": texts})


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    address = sys.argv[2] if len(sys.argv) > 2 else None
    ray.init(address, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    parse = TableParser("react", tools=[area])
    turns = ray.data.range(count).map_batches(made).map_batches(parse, batch_format="pyarrow")
    kinds: Counter[str] = Counter()
    batch: Any
    for batch in turns.iter_batches(batch_size=None, batch_format="pyarrow"):
        kinds.update(batch["kind"].to_pylist())
        kinds["repaired"] += sum(map(bool, batch["repairs"].to_pylist()))
    for kind, number in sorted(kinds.items()):
        print(f"{kind}: {number:,}")

# $ python examples/ray_batches.py 1_000
# > action: 600
# > answer: 200
# > error: 200
# > repaired: 200
