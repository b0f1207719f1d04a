"""The parser of ReAct text whose action is a JSON blob."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, Self

from pydantic import Field, model_validator
from typing_extensions import override

from agent_parsers.actions.agent import AgentAction, make_action, make_finish
from agent_parsers.dialects import react_json
from agent_parsers.engine.reading.rules.known_tools import output_type_of
from agent_parsers.engine.tables.dialect import Dialect
from agent_parsers.parsers.dialect_parser import NamedParser
from agent_parsers.react_single_input import FINAL_ANSWER_ACTION
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from outputs.messages.ended import Ended

__all__ = ["FINAL_ANSWER_ACTION", "ReActJsonSingleInputOutputParser"]

_PATTERN: Final = re.compile(r"^.*?`{3}(?:json)?\n?(.*?)`{3}.*?$", re.DOTALL)
_TIMEOUT_S: Final = 1.0


class ReActJsonSingleInputOutputParser(NamedParser):
    """Reads ReAct text whose action is a JSON blob, as `langchain_classic` does.

    ::

        Thought: I need to know how old the bridge is.
        Action:
        ```json
        {"action": "search", "action_input": "oldest bridge in Bern"}
        ```

    Returns `AgentAction("search", "oldest bridge in Bern", log=text)`, or `AgentFinish` with the
    text after ``Final Answer:``. Its error messages are LangChain's.

    Raises:
        ValueError: At construction: there is a `pattern` of your own that has no group, or that
            cannot be used together with ``lenient=True``.
    """

    _type_name = "react-json-single-input"
    _is_langchain = True
    dialect: Dialect = Field(default=react_json.DIALECT, exclude=True)
    pattern: re.Pattern[str] = _PATTERN
    """Finds the blob, in its first group. With a pattern of your own the blob is what
    ``pattern.search`` finds, read by `json.loads`, as in LangChain; only `parse`, `invoke` and the
    methods based on them use it, and the others raise `NotImplementedError`. A search that takes
    longer than a second is an error."""

    @property
    def _is_own(self) -> bool:
        return self.pattern != _PATTERN

    @model_validator(mode="after")
    def _check_pattern(self) -> Self:
        if self._is_own and not self.pattern.groups:
            raise ValueError(
                f"the pattern {self.pattern.pattern!r} needs a group that captures the JSON"
            )
        if self._is_own and output_type_of(self.tools) is not None:
            raise ValueError(
                "with a custom pattern, answers are read as text: leave out pattern or output_type"
            )
        if self._is_own and self.lenient:
            raise ValueError(
                "lenient mode finds the JSON without a pattern: leave out pattern or lenient"
            )
        return self

    @override
    def _read_whole(self, text: str, ended: Ended) -> Any:
        if not self._is_own or len(text) > self.max_chars:
            return super()._read_whole(text, ended)
        action = self._action_in(text)
        _, label, answer = text.partition(FINAL_ANSWER_ACTION)
        if action is None and not label:
            raise OutputParserException(
                f"Could not parse LLM output: {text}",
                observation="Invalid Format: Write the action as one JSON object in the form that "
                f'you were given, or write "{FINAL_ANSWER_ACTION}" and the answer.',
                llm_output=text,
            )
        if action is None:
            return make_finish(answer.strip(), text)
        if label:
            raise OutputParserException(
                f"Parsing LLM output produced a final answer and a parse-able action: {text}",
                observation="Write either an action or a final answer, not both.",
                llm_output=text,
            )
        return action

    def _action_in(self, text: str) -> AgentAction | None:
        """Return the action in the blob that the pattern finds, or `None` if there is none."""
        from output_parsers.text.timed_regex import TimeLeft, compiled

        pattern = compiled(self.pattern.pattern, re.RegexFlag(self.pattern.flags))
        found = TimeLeft(_TIMEOUT_S).search(pattern, text)
        try:
            blob = json.loads((found[1] or "").strip()) if found else None
        except (ValueError, RecursionError):
            return None
        tool = blob.get("action") if isinstance(blob, dict) else None
        given = blob.get("action_input", {}) if isinstance(blob, dict) else None
        if not isinstance(tool, str) or not tool or not isinstance(given, str | dict):
            return None
        if self.tools is None:
            return make_action(tool, given, text)
        try:
            checked = self.tools.read(tool, given)
        except OutputParserException as error:
            error.llm_output, error.span = text, (found.start(1), found.end(1))
            raise
        return make_action(checked.tool, checked.value, text)

    @override
    def _check_only_whole(self, method: str, called: str = "") -> None:
        if self._is_own:
            raise NotImplementedError(
                "a parser with a custom pattern reads only whole turns: use parse or invoke, "
                "or leave out the pattern"
            )
        super()._check_only_whole(method, called)
