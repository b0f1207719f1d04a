"""MiniCPM3 and MiniCPM4-MCP: a line of Python for each call, in a fence between marks.

    <|thought_start|>
    I have to look it up.
    <|thought_end|>
    <|tool_call_start|>
    ```python
    search(query="Lake Thun",limit=3)
    ping()
    ```
    <|tool_call_end|>
    I am looking.

Text may precede or follow the calls. The chat template writes the values of past calls as JSON, and
the model's parser reads Python, as it is written here; the two differ in ``true``, ``false`` and
``null``, which lenient mode reads as well. In lenient mode the fence may be missing.

Source: demo/minicpm3/function_call and demo/minicpm4/MCP in OpenBMB/MiniCPM.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from typing_extensions import override

from agent_parsers.authoring import Ahead, CallFormat, Literal, Table, chatml
from agent_parsers.dialects.pythonic import SAMPLE, PythonPayload
from agent_parsers.engine.markers.kinds import SPACE, Atom

MARKS = ("<|tool_call_start|>", "<|tool_call_end|>")
FENCE = "```python"
OPENER, CLOSER = f"{MARKS[0]}\n{FENCE}", f"```\n{MARKS[1]}"

BEGUN = "".join(f"(?:{char}" for char in FENCE) + ")?" * len(FENCE)
NO_FENCE = Ahead(rf"(?!{SPACE}{FENCE})", pending=f"{SPACE}{BEGUN}", sample="\n")


@dataclass(frozen=True, slots=True)
class Fenced(Literal):
    """A mark and a fence on two lines, with any white space between them."""

    @override
    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield the atoms of each spelling."""
        first, *rest = (next(Literal(line).spellings()) for line in self.canonical.split("\n"))
        yield (*first, *(atom for line in rest for atom in (SPACE, *line)))
        for bare in map(Literal, self.variants):
            begins = self.canonical.startswith(bare.canonical)
            yield from bare.followed_by(NO_FENCE) if begins else bare.spellings()

    @override
    def is_canonical(self, seen: str) -> bool:
        """Return whether *seen* has the mark and the fence."""
        return seen.split() == self.canonical.split()


def with_fences(table: Table) -> Table:
    """Return *table* with the marks of a block and their fences as one mark each."""
    marks = {"call": (OPENER, MARKS[:1]), "end of call": (CLOSER, MARKS[1:])}
    fenced = {
        name: Fenced(text, bare if table.lenient else ()) for name, (text, bare) in marks.items()
    }
    return replace(table, markers={**table.markers, **fenced})


DIALECT = CallFormat(
    name="minicpm3",
    summary="lines of Python calls in <|tool_call_start|> and a fence (MiniCPM3)",
    payload=PythonPayload(row=("", "\n", ""), comma=","),
    call=(f"{OPENER}\n", f"\n{CLOSER}\n"),
    thought=("<|thought_start|>\n", "\n<|thought_end|>\n"),
    is_content_last=True,
    adapt=with_fences,
    turn_frame=chatml("tool"),
    sample=replace(SAMPLE, content="I am looking."),
).dialect()
