"""The rules by which calls become actions, answers and errors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agent_parsers.actions.agent import AgentAction, AgentFinish, make_action
from agent_parsers.engine.reading.rules.inputs import InputRules
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead, read_json_input, repeats_key

if TYPE_CHECKING:
    from agent_parsers.engine.calls.reader import Call, CallReader
    from agent_parsers.events import Repair, Span
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended


class CallRules(InputRules):
    """The rules for the calls of one turn; see `InputRules`."""

    def new_call(self) -> CallReader:
        """Return a reader for the next call."""
        assert self._new_call is not None, "a table with call states has a call reader"
        return self._new_call()

    def resolved(self, call: Call, tools: ToolSet | None) -> Call:
        """Return *call*, resolved by the schema of its tool where its text is ambiguous."""
        for names, problem in ((call.openers, "open_tag"), (call.odd_names, "no_key")):
            if names and not call.problem:
                is_meant = tools is not None and tools.declares(call.tool, names)
                call = call if is_meant else replace(call, problem=problem)
        if call.lists and not call.problem:
            is_meant = tools is not None and tools.has_lists(call.tool, call.lists)
            call = call if is_meant else replace(call, problem="repeated_key")
        lacking = (word for word in call.held_words if word not in call.tool_input)
        if tools is not None and any(tools.declares(call.tool, [word]) for word in lacking):
            call = replace(call, problem=call.problem or "ambiguous_end")
        is_open = call.unnamed or (call.others and not call.problem)
        if not is_open or tools is None:
            return call
        if call.unnamed and call.tool not in tools:  # report the unknown tool first
            return replace(call, problem="")
        if not tools.checks(call.tool):
            return call
        value = tools.resolve(call.tool, call.tool_input, call.others, call.unnamed, call.texts)
        if value is None:
            return call
        return replace(call, tool_input=value, problem="" if call.unnamed else call.problem)

    def call_result(
        self,
        call: Call,
        log: str,
        tools: ToolSet | None,
        repairs: list[Repair],
        *,
        is_cut: bool = False,
    ) -> AgentAction | AgentFinish:
        """Return the result of a turn with this *call*, or with text that *is_cut*.

        Raises:
            BadPayload: The tool is unknown, or it does not take this input.
        """
        if call.is_text:
            before = log[: call.span[0]]
            hides = self.lenient and any(closes in before for _, closes in self.dialect.reasoning)
            answer = call.tool_input if hides else log
            return self.finish(answer, log, call.span, tools, repairs, is_cut=is_cut)
        if call.is_answer:
            self.check_answer(call.tool_input, call.span, tools)
            return self.finish(call.tool_input, log, call.span, tools, repairs)
        named = call.tool_span
        # If the text has no name, the model did not choose the tool, so the name is not checked.
        known = tools if named[0] < named[1] else None
        if self.read_tool is None and (tools is None or not tools.checks(call.tool)):
            self._check_tool(call.tool, named, known, call.tool_input)
            return make_action(call.tool, call.tool_input, log)
        head = ToolHead(call.tool)
        if self.read_tool is not None:
            made: list[Repair] = []
            head = self.read_head(call.tool, named, tools, made)
            if made:
                repairs += (repair.moved(named[0]) for repair in made)
        if head.is_answer:
            self.check_answer(call.tool_input, call.span, tools)
        else:
            self._check_tool(head.tool, named, known, call.tool_input)
        value = call.tool_input
        self.check_one_input(head, value, named)
        if tools is not None and tools.checks(head.tool):
            is_given = bool(value) or call.input_span is not None
            span = call.input_span or (call.span if is_given else named)
            if call.is_raw and value:
                value = self._object_in(call.tool_input, span, repairs)
            value = self.fit(head, value, span, tools, repairs, is_given=is_given)
            self._check_beside(call, head.tool, value, tools)
        return self.result(head, value, log, call.input_span or call.span, tools, repairs)

    def _object_in(self, text: Any, span: Span, repairs: list[Repair]) -> dict[Any, Any]:
        """Return the object in *text* at *span*; raise `BadPayload` if it is anything else."""
        # imported lazily: few calls have such a text
        from agent_parsers.engine.repairs.inputs import repair_json_input

        made: list[Repair] = []
        read = repair_json_input if self.lenient else read_json_input
        try:
            value = read(text, made)
        except BadPayload as bad:
            raise bad.moved(span[0]) from None
        if not isinstance(value, dict):
            raise BadPayload("bad_input", span)
        repairs += (repair.moved(span[0]) for repair in made)
        return value

    def _check_beside(self, call: Call, tool: str, value: Any, tools: ToolSet) -> None:
        """Raise `BadPayload` if what is beside the input of a *call* may belong to its *value*.

        That is a member with the name of a parameter of the *tool*, or one that may be the input.
        """
        if not call.beside:
            return
        given = call.tool_input if isinstance(call.tool_input, dict) else value
        is_absent = call.input_span is None
        # imported lazily: few calls have members beside their inputs
        from agent_parsers.engine.calls.json.members import is_remark, names_space

        for key, span in call.beside:
            if isinstance(given, dict) and key in given:
                continue
            is_lost = is_absent or not (key or given)  # text without a key stands between them
            is_parameter = tools.declares_any(tool, [key])
            if is_parameter or names_space(key) or (is_lost and not is_remark(key)):
                raise BadPayload("beside_call", span)

    def call_problem(self, call: Call, ended: Ended, tools: ToolSet | None) -> str:
        """Return the problem of a call, given how the text *ended*; ``""`` if there is none."""
        if call.problem:
            return call.problem
        if call.lacks and not self._may_lack(call.lacks, call.tool, call.tool_input, ended, tools):
            return "missing_input" if call.lacks == "input" else "open_call"
        if call.is_short and ended == "length":
            return "open_call"
        value = call.tool_input if call.lacks == "closer" else ""
        if isinstance(value, str) and self.thought_end(value) is not None:
            return "call_in_thought"
        if self.lenient and self._repeats_key(call, tools):
            return "repeated_key"
        return "" if self.lenient or call.after is None else "after_call"

    def _repeats_key(self, call: Call, tools: ToolSet | None) -> bool:
        """Return whether an object that is passed on as text repeats a key.

        A tool with a schema reads the text itself.
        """
        if call.is_text or call.is_answer or not isinstance(call.tool_input, str):
            return False
        return not (tools and tools.checks(call.tool)) and repeats_key(call.tool_input)
