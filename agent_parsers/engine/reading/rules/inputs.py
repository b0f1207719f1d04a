"""The rules by which the texts of a turn become names of tools and inputs.

Both readers, `WholeReader` and `TurnStream`, use them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import AgentAction, AgentFinish, make_action, make_finish
from agent_parsers.engine.markers.kinds import open_mark
from agent_parsers.engine.reading.quoting.marks import unopened_end
from agent_parsers.engine.reading.rules.known_tools import output_type_of
from agent_parsers.engine.repairs.dressing import has_begun, is_plain_object
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead, may_lack
from agent_parsers.engine.tables.modes import STRICT
from agent_parsers.engine.tables.rewritings import table_for
from agent_parsers.events import Repair, ToolNamed
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.engine.reading.quoting.watch import QuoteWatch
    from agent_parsers.engine.repairs.payloads import AnswerReader, InputReader, Lack, ToolReader
    from agent_parsers.engine.tables.dialect import Dialect, PromptWords
    from agent_parsers.engine.tables.modes import Mode, OnConflict
    from agent_parsers.engine.tables.table import Table
    from agent_parsers.events import Span
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended


class InputRules:
    """The rules for the texts of one turn, in one dialect and mode.

    If a lenient turn has several actions or answers, *on_conflict* says which part counts.
    """

    def __init__(self, dialect: Dialect, mode: Mode, on_conflict: OnConflict = "error") -> None:
        self.dialect: Dialect = dialect
        self.on_conflict: OnConflict = on_conflict
        table = table_for(dialect, mode, on_conflict)
        self.table: Table = table
        self._is_strict = mode in STRICT
        self.lenient: bool = table.lenient
        self._one_line_tools = table.one_line_tools
        self.read_input: InputReader = table.read_input
        self.read_tool: ToolReader | None = table.read_tool
        self.read_answer: AnswerReader = table.read_answer
        self._new_call = table.new_call
        labels = [s.strip()[:-1] for s in dialect.stop if s[0] == "\n" and s[-1] in ":："]
        answer = getattr(table.markers.get("answer"), "words", "")
        labels += [answer] * (" " in answer or not answer.isascii())
        self.not_inputs: list[str] = labels + [label.upper() for label in labels]
        """Labels that end an input: those of results, and of the answer unless it is one word."""
        words = dialect.prompt_words
        begun = [words.tool_input] if isinstance(words.tool_input, str) else []
        self._placeholders = ("<", words.value.partition("{name}")[0], *begun)

    def read_head(
        self, written: str, span: Span, tools: ToolSet | None, repairs: list[Repair]
    ) -> ToolHead:
        """Return the name of the tool in *written*, the text at *span*; a call also has its input.

        Raises:
            BadPayload: The text does not name a tool.
        """
        if self.read_tool is None or not written:
            return ToolHead(written)
        try:
            return self.read_tool(written, None if tools is None else tools.names, repairs)
        except BadPayload as bad:
            raise bad.moved(span[0]) from None

    def bare_input(
        self,
        head: ToolHead,
        span: Span,
        tools: ToolSet | None,
        repairs: list[Repair],
        *,
        is_whole: bool,
        ended: Ended = "unknown",
    ) -> str | dict[Any, Any]:
        """Return the input of the tool that *head*, at *span*, names, if no input follows its name.

        The name *is_whole* if the next marker of the dialect follows; *ended* says how the text
        ended, if it ended after the name.

        Raises:
            BadPayload: The text may be cut, the name is not a tool's, or the tool needs an input.
        """
        if not head.is_answer:
            self._check_tool(head.tool, span, tools, head.tool_input or "")
        if head.tool_input is not None:
            return self.fit(head, head.tool_input, span, tools, repairs)
        if head.needs_input or not (is_whole or (tools is not None and self.lenient)):
            raise BadPayload("no_input", span)
        value = self._nothing_written(head, span, tools)
        value = self.fit(head, value, span, tools, repairs, is_given=False)
        is_closed = head.is_called and ended != "length"  # an input may still follow the brackets
        self._check_end(head, span, is_seen=is_whole or is_closed or ended == "stop")
        return value

    @staticmethod
    def check_one_input(head: ToolHead, value: object, span: Span) -> None:
        """Raise `BadPayload` if the name and the text after it, *value*, both have an input."""
        if head.tool_input or (head.is_called and value and value != "{}"):
            raise BadPayload("two_inputs", span)

    @staticmethod
    def _check_end(head: ToolHead, span: Span, *, is_seen: bool) -> None:
        """Raise `BadPayload` if a call without an input may be cut: its end must be seen.

        No schema shows that an input is missing, since a tool may need none.
        """
        if not (is_seen or head.is_answer):
            raise BadPayload("missing_input", span)

    def _nothing_written(
        self, head: ToolHead, span: Span, tools: ToolSet | None
    ) -> str | dict[Any, Any]:
        """Return the value of an input that was not written: empty text, if the dialect allows it.

        Raises:
            BadPayload: Inputs of the dialect are data, and the tool may need some.
        """
        if head.is_answer or (tools is not None and tools.checks(head.tool)):
            return ""
        try:
            return self.read_input("", [])
        except BadPayload:
            raise BadPayload("no_input", span) from None

    def thought_end(self, written: str) -> Span | None:
        """Return the span of the end of a thought in an input that is not closed, if any.

        The prompt opened the thought, and the call is part of it. In strict mode, in transcripts
        and in the strings of an object such a mark is plain text.
        """
        if not self.lenient or self.table.is_run or (end := unopened_end(written)) is None:
            return None
        return None if is_plain_object(written.strip()) else end

    def read_written(self, written: str, repairs: list[Repair]) -> str | dict[str, Any]:
        """Return the value of an input, given the text *written* after its label.

        Raises:
            BadPayload: The input has no value, or contains the end of a thought.
        """
        if (end := self.thought_end(written)) is not None:
            raise BadPayload("call_in_thought", end)
        return self.read_input(written, repairs)

    def input_value(
        self,
        head: ToolHead,
        span: Span,
        written: str,
        at: int,
        tools: ToolSet | None,
        repairs: list[Repair],
        ended: Ended = "unknown",
    ) -> str | dict[Any, Any]:
        """Return the value of an input, given the text *written* at offset *at*.

        *span* is that of the name. If a marker followed the input, *ended* is ``"stop"``.

        Raises:
            BadPayload: The name is not a tool's, or the input has no value that the tool takes.
        """
        if not head.is_answer:
            self._check_tool(head.tool, span, tools, written)
        if head.tool_input:
            raise BadPayload("two_inputs", span)
        if tools is not None and not head.is_answer:
            self._check_line(written, at)
        made: list[Repair] = []
        value = "" if written else self._nothing_written(head, span, tools)
        try:
            if written:
                value = self.read_written(written, made)
        except BadPayload as bad:
            if bad.problem == "repeated_key" and tools is not None and tools.checks(head.tool):
                return self.fit(head, written, (at, at + len(written)), tools, repairs)
            cut = bad.unclosed
            if cut is None or not self._may_lack(cut.lacks, head.tool, cut.arguments, ended, tools):
                raise bad.moved(at) from None
            value, made = cut.value, cut.repairs
        if ended == "length" and isinstance(value, str) and not head.is_answer:
            raise BadPayload("cut_input", (at, at + len(written)))
        if made:
            repairs += (repair.moved(at) for repair in made)
        is_seen = bool(value) or has_begun(written) or ended == "stop"
        value = self.fit(head, value, (at, at + len(written)), tools, repairs)
        self.check_one_input(head, value, span)
        self._check_end(head, span, is_seen=is_seen)
        return value

    def _check_line(self, written: str, at: int) -> None:
        """Check that an input *written* on one line has no label of a result or answer in it.

        Raises:
            BadPayload: It has one, and may end there.
        """
        if "\n" in written or not any(label in written for label in self.not_inputs):
            return
        labels = "|".join(map(re.escape, self.not_inputs))
        found = re.search(rf"(?<=[\s(.，。；、（])[*_]*(?:{labels})[*_]*\s?[:：]", written)
        is_quoted = found is not None and any(written.count(q, 0, found.start()) % 2 for q in '"`')
        if found is None or is_quoted or is_plain_object(written.strip()):
            return
        raise BadPayload("label_in_input", found.span(), mark=found[0]).moved(at)

    def fit(
        self,
        head: ToolHead,
        value: str | dict[Any, Any],
        span: Span,
        tools: ToolSet | None,
        repairs: list[Repair],
        *,
        is_given: bool = True,
    ) -> str | dict[Any, Any]:
        """Return the *value* of an input, converted to the types that the tool takes.

        Converting text to the types of a schema is not a repair, since text has no types. If the
        model wrote no input, so that none *is_given*, it counts as empty arguments, not as empty
        text.

        Raises:
            BadPayload: The tool does not take the value.
        """
        if head.is_answer or tools is None or not tools.checks(head.tool):
            return value
        return self.taken(head.tool, value if is_given else {}, span, tools, repairs)

    def taken(
        self,
        tool: str,
        value: str | dict[Any, Any],
        span: Span,
        tools: ToolSet,
        repairs: list[Repair],
    ) -> str | dict[Any, Any]:
        """Return the *value* of an input, converted to the types in a tool's schema; see `fit`."""
        if isinstance(value, str) and value[:1] == "{" and value.rfind("{") > 0:
            # imported lazily: few inputs are several objects, or have one inside
            from agent_parsers.engine.reading.rules.more_input import has_several_objects

            if has_several_objects(value, tool, tools):
                raise BadPayload("json_goes_on", span)
        plain = tools.read_plain(tool, value)  # in all that is read right, and half the time
        try:
            taken, notes = plain or tools.read(tool, value, lenient=self.lenient)[1:]
        except OutputParserException as error:
            raise BadPayload("wrong_input", span, error) from None
        self.check_filled(tool, taken, span, tools)
        if notes:
            repairs += (Repair(note.kind, span, note.message) for note in notes if note.kind)
        return taken

    def check_filled(
        self, tool: str, value: str | dict[Any, Any], span: Span, tools: ToolSet
    ) -> None:
        """Raise `BadPayload` if an argument is a placeholder that the instructions have.

        Strict mode accepts placeholders as they are written.
        """
        if not self.lenient or not isinstance(value, dict):
            return
        words = self.dialect.prompt_words
        for name, given in value.items():
            if isinstance(given, str):
                if not given.lstrip().startswith(self._placeholders):
                    continue  # before all else, since it takes the least time
            elif type(given) in _SCALARS:
                continue
            if (
                given == words.placeholder(name)
                or any(_begins_with(given, each) for each in words.inputs)
                or _is_placeholder_of_any(given, words, tools)
            ):
                # imported lazily: only errors need it
                from agent_parsers.toolset.problems.errors import placeholder_error

                raise BadPayload("wrong_input", span, placeholder_error(tool, value, name))

    def check_answer(self, answer: Any, span: Span, tools: ToolSet | None) -> None:
        """Raise `BadPayload` if *answer* is the placeholder for an answer in the instructions."""
        if self.is_placeholder(answer, tools):
            raise BadPayload("placeholder", span)

    def is_placeholder(self, answer: Any, tools: object) -> bool:
        """Return whether *answer* is, or begins with, the instructions' placeholder for an answer.

        It counts only if there are *tools*: then the model probably saw these instructions.
        """
        if not self.lenient or tools is None:
            return False
        return _begins_with(answer, self.dialect.prompt_words.answer)

    def keeps_answer(self, answer: Any, tools: object) -> bool:
        """Return whether *answer* is used as written: it is text, and not a placeholder."""
        return output_type_of(tools) is None and not self.is_placeholder(answer, tools)

    def finish(
        self,
        answer: Any,
        log: str,
        span: Span,
        tools: ToolSet | None,
        repairs: list[Repair],
        *,
        is_cut: bool = False,
    ) -> AgentFinish:
        """Return the *answer* at *span* as the result of a turn, in the requested type.

        If the answer *is_cut*, its own text has to show where it ends, unless the type is any text.

        Raises:
            BadPayload: The answer is not of this type.
        """
        if (output_type := output_type_of(tools)) is None:
            return make_finish(answer, log)
        try:
            value, notes = output_type.read(answer, lenient=self.lenient, is_cut=is_cut)
        except OutputParserException as error:
            raise BadPayload("wrong_answer", span, error) from None
        repairs += (Repair(note.kind, span, note.message) for note in notes if note.kind)
        return make_finish(value, log)

    def check_quotes(self, watch: QuoteWatch | None, written: str, at: int) -> None:
        """Check that an input that contains a quoted marker is one quotation as a whole, or JSON.

        Raises:
            BadPayload: A quotation is not closed, or it is neither, so its end is uncertain.
        """
        if watch is None:
            return
        if watch.has_marker and watch.mark == "```":
            raise BadPayload("open_fence", (at, at + len(written)))
        if not (watch.has_marker or watch.hides_marker):
            return
        # imported lazily: few inputs quote a label
        from agent_parsers.engine.repairs.inputs import is_quoted_whole

        if watch.has_marker or not is_quoted_whole(written):
            raise BadPayload("open_quote", (at, at + len(written)))

    def result(
        self,
        head: ToolHead,
        value: str | dict[Any, Any],
        log: str,
        span: Span,
        tools: ToolSet | None,
        repairs: list[Repair],
    ) -> AgentAction | AgentFinish:
        """Return the result of a turn with this *head* and the input at *span*; see `finish`."""
        if head.is_answer:
            return self.finish(value, log, span, tools, repairs)
        return make_action(head.tool, value, log)

    def _check_tool(self, tool: str, span: Span, tools: ToolSet | None, given: Any) -> None:
        if problem := self.tool_problem(tool):
            raise BadPayload(problem, span)
        if tools is not None and tool not in tools:
            raise BadPayload("unknown_tool", span, tools.unknown(tool, given))

    def tool_problem(self, tool: str) -> str:
        """Return the problem with *tool* as the name of a tool; ``""`` if there is none."""
        if not tool:
            return "no_tool_name"
        return "long_tool_name" if self._one_line_tools and len(tool.splitlines()) > 1 else ""

    def named(self, event: ToolNamed, tools: ToolSet | None) -> ToolNamed:
        """Return *event* with the repaired name of the tool."""
        try:
            return ToolNamed(self.read_head(event.tool, event.span, tools, []).tool, event.span)
        except BadPayload:
            return event

    def is_name(self, head: ToolHead) -> bool:
        """Return whether *head* names a tool, known or not."""
        return not head.is_answer and not self.tool_problem(head.tool)

    def _may_lack(
        self, lacks: Lack, tool: str, arguments: Any, ended: Ended, tools: ToolSet | None
    ) -> bool:
        """Return whether a call of *tool* counts although the text ended before its closer."""
        is_plain = lacks in ("closer", "input", "parameters")  # the dialect itself may leave it out
        return (self.lenient or is_plain) and may_lack(
            lacks, ended, lambda: tools is not None and tools.fills(tool, arguments)
        )


def _is_placeholder_of_any(value: Any, words: PromptWords, tools: ToolSet) -> bool:
    """Return whether *value* stands, in brackets, for an argument of any tool."""
    if not isinstance(value, str) or value[:1] != "<" or not value[1:-1].isidentifier():
        return False
    return any(
        value == words.placeholder(key) for name in tools.names for key in tools.example(name) or ()
    )


_SCALARS: Final = (int, float, bool, type(None))


def _begins_with(value: Any, placeholder: str) -> bool:
    """Return whether *value* is a *placeholder*, or one that a model took for the first line.

    It is one also as data, whose texts are all placeholders.
    """
    if isinstance(value, str):
        said = value.lstrip()
        rest = said[len(placeholder) :] if said.startswith(placeholder) else "x"
        return not rest.partition("\n")[0].strip()
    if isinstance(value, dict | list) and value:
        parts = value.values() if isinstance(value, dict) else value
        return all(_begins_with(part, placeholder) for part in parts)
    return False


def unmarked(written: str, label: str) -> str:
    """Return the text *written* without the end of the emphasis that its *label* opens."""
    return written.removesuffix(open_mark(label)).rstrip()
