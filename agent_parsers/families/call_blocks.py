"""The tables of tool-call dialects of open models: thoughts, content, and blocks of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.grammar.dialect import Dialect, Written
from agent_parsers.engine.grammar.table import Go, Part, Table
from agent_parsers.engine.grammar.words import PromptWords
from agent_parsers.engine.markers.kinds import Literal
from agent_parsers.families.turn_writer import write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from agent_parsers.engine.calls.reader import CallReader
    from agent_parsers.engine.grammar.dialect import Result
    from agent_parsers.engine.markers.kinds import Marker
    from agent_parsers.toolset import ToolSet

__all__ = [
    "CALLS_PROMPT", "ONE_CALL_PROMPT", "calls_dialect", "calls_table", "list_tools",
    "list_tools_in_tags",
]  # fmt: skip

_PROMPT: Final = """\
Answer the question as well as you can. You can use these tools:

{{tools}}

To use a tool, write a call in this form:

{{action}}

{several} Then stop: what the tools return is given to you.
When you need no tool, write just the answer:

{{answer}}"""
CALLS_PROMPT: Final = _PROMPT.format(several="A turn may have several calls.")
"""Format instructions for dialects whose turns may have several calls."""
ONE_CALL_PROMPT: Final = _PROMPT.format(several="A turn has one call.")
"""Format instructions for dialects whose chat template allows one call in a turn."""
_ODD: Final = "read a mark that the dialect does not write"
_CALL: Final = "call in a thought"
_BEHIND: Final = "thought behind a call"
_WORDS: Final = PromptWords(tool="name_of_the_tool", tool_input={"parameter": "its value"})
_EXAMPLE: Final = Written(tool="search", tool_input={"query": "what to look for"})


def list_tools(tools: ToolSet) -> str:
    """Return each of the *tools* as a line of JSON."""
    return "\n".join(map(write_json, tools.openai_tools()))


def list_tools_in_tags(tools: ToolSet) -> str:
    """Return each of the *tools* as a line of JSON, all of them in a ``<tools>`` tag."""
    return f"<tools>\n{list_tools(tools)}\n</tools>"


def calls_dialect(
    name: str,
    sample: str,
    *,
    summary: str,
    strict: Table,
    lenient: Table,
    stop: tuple[str, ...],
    write: Callable[[Written], str],
    render_results: Callable[[Sequence[Result], int], str],
    turn_frame: tuple[str, str],
    **own: Any,
) -> Dialect:
    """Return a dialect whose turns may have several calls.

    Args:
        name: Name of the dialect.
        sample: A turn as the model writes it.
        summary: One line about the models that use it.
        strict: Reads exactly what the chat template writes.
        lenient: Reads what models really write.
        stop: Stop sequences.
        write: Returns a turn as text.
        render_results: Returns the results of a turn as text.
        turn_frame: The text before and after results in a plain-text prompt. It does not include
            the marker that opens a thought, even if the chat template begins the model's turn with
            it: `write` adds it to each turn.
        own: Other fields of `Dialect`.
    """
    common: dict[str, Any] = {
        "example": _EXAMPLE,
        "prompt_words": _WORDS,
        "list_tools": list_tools,
        "prompt": CALLS_PROMPT,
    }
    return Dialect(
        name=name,
        sample=sample,
        summary=summary,
        strict=strict,
        lenient=lenient,
        stop=stop,
        write=write,
        render_results=render_results,
        turn_frame=turn_frame,
        **{**common, **own},
    )


def calls_table(
    new_call: Callable[[], CallReader],
    *,
    call: tuple[str, str] | None,
    region: tuple[str, str] | None = None,
    thought: tuple[str, str] | None = ("<think>", "</think>"),
    ends: tuple[str, ...] = (),
    drafts: bool | Collection[str] = True,
    lenient: bool = False,
    bare: Callable[[], CallReader] | None = None,
    also: Mapping[str, tuple[str, ...]] | None = None,
    odd: Collection[str] = (),
) -> Table:
    """Return a table for turns of thoughts, content and blocks of calls.

    Args:
        new_call: Makes the call reader of a block.
        call: What opens and closes a block. If the closer is ``""``, the call reader decides where
            the call ends and content follows. `None` if only `bare` finds calls.
        region: What opens and closes the group of all blocks, if the dialect has one. A block
            outside of it is an error, which lenient mode repairs.
        thought: What opens and closes a thought; `None` if the dialect has no thoughts.
        ends: Markers that end the turn.
        drafts: Whether a block in a thought is always a draft, or the names (``"call"``,
            ``"region"``) of the markers that begin drafts. Lenient mode reads other blocks in a
            thought that is still open if the text ends after them.
        lenient: Whether to read what models really write.
        bare: Makes the reader of content, if content may contain calls without a marker.
        also: Other spellings of ``"call"``, ``"end of call"``, ``"region"``, ``"end of region"``,
            ``"thought"`` and ``"end of thought"``.
        odd: The names of markers that only lenient mode reads, which is reported as a repair.
    """
    pairs = {"call": call, "region": region, "thought": thought}
    spelt = {name: pair[0] for name, pair in pairs.items() if pair}
    spelt |= {f"end of {name}": pair[1] for name, pair in pairs.items() if pair and pair[1]}
    markers: dict[str, Marker] = {
        **{name: Literal(text, (also or {}).get(name, ())) for name, text in spelt.items()},
        **{f"end {end}": Literal(end) for end in ends},
    }
    begins = {"call": Go("call")} if call else {}
    transitions: dict[tuple[str, str], Go] = {}
    if call is not None:
        transitions["call", "call"] = Go("call")  # the first call lacks its closer
    inside, holding = "content", ["content"]  # the state between blocks; the states with content
    if region is not None:
        begins = {"call": _bare_call(lenient=lenient), "region": Go("region")}
        inside, holding = "region", ["content", "region"]
        transitions |= {(state, "end of region"): Go("content", closes=True) for state in holding}
        transitions |= {("region", name): Go(name) for name in begins}
        transitions["call", "end of region"] = Go("content", closes=True)
    if call and call[1]:
        transitions |= {(state, "end of call"): Go(state, closes=True) for state in holding}
        transitions["call", "end of call"] = Go(inside, closes=True)
    elif call:
        holding.append("call")
    transitions |= {("content", name): go for name, go in begins.items()}
    acting: list[str] = []  # markers of blocks that may be read in an open thought
    if thought is not None:
        if lenient and drafts is not True:
            acting = [name for name in begins if name not in (drafts or ())]
        if lenient and call and call[1]:
            holding.append("call")
        transitions |= {(state, "thought"): Go("thought") for state in (*holding, "thought")}
        # The prompt may have opened the thought that ends here.
        late = "" if lenient else "late_thought"  # the thought may have quoted the call
        ended = Go("content", closes=True, restarts=lenient, late=late, unopened=True)
        transitions |= {(state, "end of thought"): ended for state in holding}
        transitions["thought", "end of thought"] = Go("content", closes=True)
    parts = {"content": Part.CONTENT if bare is None else Part.CALL}
    parts |= {"call": Part.CALL} if call else {}
    parts |= {"region": Part.CONTENT} if region else {}
    parts |= {"thought": Part.THOUGHT} if thought else {}
    if acting:
        parts |= {_CALL: Part.CALL, _BEHIND: Part.THOUGHT}
        transitions |= _rows_in_thoughts(transitions, acting)
    for end in ends:
        transitions |= {(state, f"end {end}"): Go("over") for state in parts}
    transitions = {
        key: transition._replace(odd=_ODD) if key[1] in odd else transition
        for key, transition in transitions.items()
    }
    return Table(
        new_call=new_call,
        readers={"content": bare} if bare else {},
        markers=markers,
        parts=parts | ({"over": Part.SKIPPED} if ends else {}),
        transitions=transitions,
        ends={name: "open_reasoning" for name, part in parts.items() if part is Part.THOUGHT},
        drafts=(_CALL, _BEHIND) if acting else (),
        several=True,
        starts={name: name for name in ("content", "thought") if name in parts},
        prompt_ends={thought[0]: "thought", thought[1]: "content"} if thought else {},
        lenient=lenient,
        one_line_tools=True,
    )


def _rows_in_thoughts(
    transitions: Mapping[tuple[str, str], Go], acting: Collection[str]
) -> dict[tuple[str, str], Go]:
    """Return the transitions of blocks that may count in a thought; *acting* markers open them."""
    to = {"call": _CALL, "region": _BEHIND}
    rows = {("thought", name): Go(to[name]) for name in acting}
    behind = dict.fromkeys((*acting, "call"))  # in a region, "call" alone opens a block
    rows |= {(state, name): Go(to[name]) for state in (_CALL, _BEHIND) for name in behind}
    ends = ("end of call", "end of region")
    closers = dict.fromkeys(name for _, name in transitions if name in ends)
    rows |= {(s, name): Go(_BEHIND, closes=True) for s in (_CALL, _BEHIND) for name in closers}
    for state in (_CALL, _BEHIND):
        rows[state, "thought"] = Go("thought")
        rows[state, "end of thought"] = Go("content", closes=True)
    return rows


def _bare_call(*, lenient: bool) -> Go:
    """Return the transition to a block that lacks the region around it."""
    if lenient:
        return Go("call", odd="read a call without what encloses all calls")
    return Go("call", clash="bare_call")
