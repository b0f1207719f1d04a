"""Reads turns of calls in JSON that are not quite as their dialect writes them, without a stream.

There may be commas before closing brackets, a fence around the whole turn or around the JSON of a
call, and arguments may be written as a string that holds their JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from agent_parsers.actions.agent import AgentAction, AgentFinish
from agent_parsers.engine.markers.kinds import spelt_texts
from agent_parsers.engine.reading.canonical.plain_text import MOST_DEEP
from agent_parsers.forms.templates import BLANK, pattern, templates_of
from outputs.growing_json.lenient.json_text import without_trailing_commas
from outputs.growing_json.whole import scan_object

if TYPE_CHECKING:
    from agent_parsers.engine.reading.canonical.turn_reader import CanonicalReader
    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.forms.form import Form
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended

_FENCED: Final = re.compile(rf"```(?:json|xml)?\n([^`]*+)(?<=\n)```{BLANK}").fullmatch


class OddCalls:
    """Reads such turns with the results of a stream of one chunk.

    Args:
        turns: Reads the turns that are spelt as the dialect writes them.
        form: How they are spelt.
        opener: The mark before the first call.
    """

    def __init__(self, turns: CanonicalReader, form: Form, opener: str) -> None:
        self._turns, self._opener = turns, opener
        self._fenced = self._encoded = None
        templates = templates_of(form)
        if templates is None or opener != form.calls[0].strip() or form.around != ("", ""):
            return
        if closer := form.calls[2].strip():
            self._fenced = re.compile(
                rf"({re.escape(opener)}{BLANK})```(?:json)?\n([^`]*+)(?<=\n)```"
                rf"(?={BLANK}{re.escape(closer)})"
            ).sub
        if templates.head.endswith('"arguments": '):
            head = pattern(f"{form.calls[0]}{templates.head}", templates.ids)
            self._encoded = re.compile(
                rf'(?P<head>{head})(?P<value>"\{{(?>(?:[^"\\]++|\\.)*)")'
            ).sub

    def result(
        self, text: str, tools: ToolSet | Collection[str] | None, ended: Ended
    ) -> list[AgentAction] | None:
        """Return the calls of a turn; `None` if only a stream knows them.

        Args:
            text: The whole turn.
            tools: The available tools, or only their names.
            ended: How the text ended, if known.
        """
        at = -1 if ended == "length" else text.find(self._opener)
        if at < 0:
            return None
        respelt = self._respelt(text, at)
        turn = None if respelt == text else self._turns.read(respelt, tools)
        if turn is None or not turn.calls:
            return None
        result = self._turns.result_of(turn, text)
        return None if isinstance(result, AgentFinish) else result

    def read(self, _text: str, _tools: ToolSet | Collection[str] | None) -> None:
        """Return `None`: only a stream knows what was repaired."""

    def _respelt(self, text: str, at: int) -> str:
        """Return a turn, whose first call begins at *at*, as the dialect writes it."""
        before, calls = text[:at], text[at:]
        if "```" in text and self._fenced is not None:
            whole = _FENCED(text)
            if whole is None:
                calls = self._fenced(r"\1\2", calls)
            elif whole.start(1) == at:
                before, calls = "", whole[1]
        if self._encoded is not None:
            calls = self._encoded(_decoded, calls)
        return before + without_trailing_commas(calls)[0]


def _decoded(found: re.Match[str]) -> str:
    """Return the beginning of a call with its arguments, which are in a string, as an object."""
    try:
        arguments = json.loads(found["value"])
        arguments.encode()  # half a character is an error
    except ValueError:
        return found[0]
    _, end = scan_object(arguments, 0, MOST_DEEP)
    return found["head"] + arguments if end == len(arguments) else found[0]


def odd_calls(machine: Machine, turns: CanonicalReader) -> OddCalls | None:
    """Return the reader of a machine's odd calls; `None` if nothing shows where its JSON begins.

    The arguments are those of `OddSteps`.
    """
    form = machine.dialect.form
    if form is None or not machine.lenient or form.call.parameters is not None:
        return None
    opener = form.around[0].strip() or form.calls[0].strip()
    marks = {text for marker in machine.table.markers.values() for text in spelt_texts(marker)}
    spelt = "".join((*form.calls, *form.around, form.call.text))
    # No mark may look like the beginning of a string, or like the end of an object or array.
    is_odd = any(text[-1:] in ']}"' and text in spelt for text in marks)
    return None if is_odd or opener not in marks else OddCalls(turns, form, opener)
