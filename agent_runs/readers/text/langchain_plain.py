"""Turns of LangChain's agents where the log has no colours: what can still be told apart.

The labels ``Observation:`` and ``Thought:``, which the older agents print, delimit all values.
The other agents print nothing between an input, its result and the next thought. There, an input
that is JSON shows its end, and a result ends where the model writes ``Thought:`` itself, a fence or
the next call. What does not show its end is left out, with a notice.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from agent_runs.readers.text.boxes import add_turn, in_its_dialect, read_turn
from agent_runs.readers.text.langchain_pieces import PrintedText
from agent_runs.readers.text.langchain_turns import (
    INVOKING,
    NESTED,
    NO_TOOL,
    PROMPT,
    REFUSAL,
    REFUSED,
    Chain,
    add_invocation,
    disown,
    read_invocation,
    refused,
)
from agent_runs.reading.building import RunBuilder

if TYPE_CHECKING:
    from agent_runs.reading.reader import Reading

_OBSERVATION: Final = re.compile(r"\n(?:Observation|Intermediate answer): ?")
_NEXT_TURN: Final = re.compile(r"\n(?:Thought:|Follow up:|So the final answer is:)")
_SAID_THOUGHT: Final = re.compile(r"Thought:")
_ACTION: Final = re.compile(
    r"(?m:^)Action(?: \d+)?:[ \t]*+(?P<tool>[^\n]*+)\n+Action Input(?: \d+)?:[ \t]*+"
)
_ANSWER: Final = re.compile(r"\nFinal Answer:")
_BLOB: Final = re.compile(
    r'(?P<label>Action:?\s*+)?```(?:json)?\s*+(?P<json>\{\s*+"action(?:_input)?")'
)
_REFUSED: Final = re.compile(REFUSED)
_REFUSAL: Final = re.compile(rf"{re.escape(REFUSAL)}.*?(?:{REFUSED})", re.DOTALL)
"""A turn that LangChain refused, with what it says of it."""
_FENCE: Final = re.compile(r"\s*+```")
_FENCED: Final = re.compile(
    r"\s*+```[\w+-]*+[ \t]*+\n(?P<input>.*?)\n[ \t]*+```[ \t]*+(?:\n|\Z)", re.DOTALL
)
"""An input in a fence."""


def run_by_labels(chain: Chain, reading: Reading) -> RunBuilder | None:
    """Return the run in *chain*; `None` if it is not the chain of an agent."""
    text = "".join(piece.text for piece in chain.pieces if piece.colour != NESTED)
    if chain.has_ended:
        text = text.removesuffix("\n").removesuffix("\n")
    if text.lstrip().startswith(PROMPT):
        return None
    reading = in_its_dialect([text], reading.at(chain.line))
    run = RunBuilder(reading)
    for piece in chain.pieces:
        if piece.colour == NESTED:
            disown(piece, run)
    if f"\n{INVOKING}" in f"\n{text}":
        _add_invocations(text, run)
    elif reading.dialect is None:
        if not chain.is_agent:
            return None
        if not chain.has_ended:
            disown(PrintedText(text, "", chain.line + 1), run)
        elif text.strip():
            run.answer(text.strip(), log=text)
    elif _is_labelled(text):
        _add_labelled(text, run, reading, has_ended=chain.has_ended)
    elif _BLOB.search(text):
        _add_blobs(text, run, reading)
    else:
        _add_unlabelled(text, run, reading)
    return run


def _is_labelled(text: str) -> bool:
    """Return whether each result stands between its labels."""
    _, *others = _OBSERVATION.split(text)
    actions = len(_ACTION.findall(text))
    return len(others) >= max(1, actions - 1) and all(
        _NEXT_TURN.search(f"\n{part}") for part in others[:-1]
    )


def _add_labelled(text: str, run: RunBuilder, reading: Reading, *, has_ended: bool) -> None:
    turn, *others = _OBSERVATION.split(text)
    for result in others:
        ends = list(_NEXT_TURN.finditer(result))
        if _REFUSED.fullmatch(result[: ends[0].start() if ends else None].strip()):
            run.think(turn)
            run.fail(refused(turn))
        else:
            add_turn(turn, run, reading, is_followed=True)
        turn = ""
        if not ends:
            # The label behind it is missing where the agent returns it as its answer.
            is_answer = has_ended and result.endswith("\n")
            run.observe_more(result.removesuffix("\n") if is_answer else result)
            if is_answer:
                run.answer(result.removesuffix("\n"))
        elif len(ends) > 1:
            _leave_out(
                "a result", f"{ends[0][0].strip()!r} appears several times in it", result, run
            )
        elif ends[0][0] != "\nThought:" and "\n" in result[: ends[0].start()]:
            _leave_out("a result", "the next turn may begin on any line", result, run)
        else:
            run.observe_more(result[: ends[0].start()])
        if ends:
            turn = result[ends[-1].start() :].removeprefix("\nThought:")
    if turn.strip():
        if has_ended and read_turn(turn, reading)[-1].error is not None:
            run.answer(turn.strip(), log=turn)  # the end of a chain is always an answer
        else:
            add_turn(turn, run, reading)


def _add_unlabelled(text: str, run: RunBuilder, reading: Reading) -> None:
    """Add the turns of a ReAct agent that prints no labels of its own."""
    refusals = [found.span() for found in _REFUSAL.finditer(text)]
    actions = [
        action
        for action in _ACTION.finditer(text)
        if not any(begin < action.start() < end for begin, end in refusals)
    ]
    if not actions:
        end = refusals[-1][1] if refusals else 0
        _add_thought(text[:end], run)
        add_turn(text[end:], run, reading)
        return
    _add_thought(text[: actions[0].start()], run)
    for at, action in enumerate(actions):
        is_last = at + 1 == len(actions)
        after = text[action.end() : len(text) if is_last else actions[at + 1].start()]
        answers = list(_ANSWER.finditer(after)) if is_last else []
        rest = after[: answers[0].start()] if answers else after
        tool = action["tool"].strip()
        tool_input, rest = _split_json(rest)
        own = list(re.finditer(re.escape(tool) + NO_TOOL, rest))
        if len(own) == 1:  # what LangChain returns shows both ends
            run.call(tool, (tool_input or "") + rest[: own[0].start()])
            run.observe_more(own[0][0])
            _add_thought(rest[own[0].end() :], run)
        elif tool_input is None:
            run.call(tool, None)
            why = "nothing separates it from the result"
            _leave_out("an input", why, rest, run)
        else:
            run.call(tool, tool_input)
            _add_result(rest, run, has_next=not is_last or bool(answers))
        if len(answers) == 1:
            answer = after[answers[0].end() :]
            run.answer(answer.strip(), log=answer)
        elif answers:
            why = "'Final Answer:' appears several times"
            _leave_out("the text before the answer", why, after[answers[0].start() :], run)


def _add_thought(text: str, run: RunBuilder) -> None:
    """Add a thought, before which there may be text that LangChain could not read."""
    while (own := _REFUSED.search(text)) is not None:
        run.think(text[: own.start()])
        run.fail(refused(text[: own.start()]))
        run.observe_more(own[0])
        text = text[own.end() :]
    run.think(text.strip().removeprefix("Thought:"))


def _add_blobs(text: str, run: RunBuilder, reading: Reading) -> None:
    """Add the turns of an agent that writes each call as JSON in a fence."""
    at = 0
    is_first = True
    while (blob := _BLOB.search(text, at)) is not None:
        value, rest = _split_json(text[blob.start("json") :])
        if value is None:
            break
        end = len(text) - len(rest)
        end = fence.end() if (fence := _FENCE.match(text, end)) else end
        before = text[at : blob.start()]
        if is_first:
            turn = before
        elif blob["label"]:
            turn = _add_result(before, run, has_next=True, puts_back=True)
        else:
            run.observe_more(before)  # a result alone
            turn = ""
        add_turn(turn + text[blob.start() : end], run, reading)
        at, is_first = end, False
    rest = text[at:]
    if run.is_answered:
        if rest.strip():
            run.notice("unowned_text", "found text after the answer", text=rest)
    elif not run.is_begun:
        add_turn(rest, run, reading)
    elif rest.strip():
        _leave_out("a result", "an answer without a label may follow it", rest, run)


def _add_invocations(text: str, run: RunBuilder) -> None:
    """Add the calls of a tools agent, and the results that another call follows."""
    before, *calls = f"\n{text}".split(f"\n{INVOKING}")
    if before.strip():
        run.notice("unowned_text", "found text before the first call", text=before)
    for at, shown in enumerate(calls):
        is_last = at + 1 == len(calls)
        # An empty line ends the call: the second of two, if the model said nothing beside it.
        head, _, rest = shown.partition("\n\n")
        call = read_invocation(INVOKING + head)
        if call is None or ("`" in call.tool_input and not call.tool_input.startswith("{")):
            run.call(head.partition("`")[0], None)
            _leave_out("an input", "it contains empty lines or backticks", shown, run)
            continue
        add_invocation(call, run, log=INVOKING + head)
        rest = rest if call.said else rest.removeprefix("\n")
        if is_last:
            if rest.strip():
                why = "nothing separates it from the answer"
                _leave_out("a result", why, rest, run)
        elif call.said and "\n\n" in rest:
            why = "it may begin with more of what the model said"
            _leave_out("a result", why, rest, run)
        else:
            run.observe_more(rest)


def _add_result(text: str, run: RunBuilder, *, has_next: bool, puts_back: bool = False) -> str:
    """Add a result and the thought that follows it, and return the thought.

    Args:
        text: Both, where nothing but the model's own ``Thought:`` can stand between them.
        run: The run.
        has_next: Whether a thought may follow.
        puts_back: Whether to return the thought with its label instead of adding it.
    """
    thoughts = list(_SAID_THOUGHT.finditer(text))
    if len(thoughts) == 1:
        run.observe_more(text[: thoughts[0].start()])
        if puts_back:
            return text[thoughts[0].start() :]
        run.think(text[thoughts[0].end() :])
    elif text.strip():
        what = "the result before the next thought" if has_next else "a result"
        why = "'Thought:' appears several times" if thoughts else "nothing marks its end"
        _leave_out(what, why, text, run)
    return ""


def _split_json(text: str) -> tuple[str | None, str]:
    """Return the input at the beginning of *text* that shows its end, and the rest.

    That is an object or a list of JSON, or what stands in a fence.
    """
    if fenced := _FENCED.match(text):
        return fenced["input"], text[fenced.end() :]
    if not text.startswith(("{", "[")):
        return None, text
    try:
        _, end = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return None, text
    return text[:end], text[end:]


def _leave_out(what: str, why: str, text: str, run: RunBuilder) -> None:
    run.notice("unclear_end", f"the log does not show where {what} ends: {why}", text=text)
