"""Help for tests of what is built on these parsers: snapshots that a person can read."""

from agent_parsers.testing._readable import readable
from agent_parsers.testing._snapshots import ReadableSnapshots, readable_snapshots

__all__ = ["ReadableSnapshots", "readable", "readable_snapshots"]
