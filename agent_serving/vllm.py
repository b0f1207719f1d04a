"""The parser for vLLM: ``--tool-call-parser ap_hermes --reasoning-parser ap_hermes``.

vLLM finds it by the entry point ``vllm.general_plugins``, or by ``--tool-parser-plugin`` with the
name of this module. It knows parsers of calls and of reasoning by name and composes the two of a
server. Ours are only names for one `VllmParser`, which reads thoughts and calls together.

Source: ``vllm/parser/abstract_parser.py``, ``vllm/parser/parser_manager.py`` and
``vllm/parser/response_template.py`` of vLLM 0.33.0.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, ClassVar, Final, NamedTuple

from typing_extensions import override
from vllm.entrypoints.generate.base.protocol import (
    DeltaFunctionCall,
    DeltaMessage,
    DeltaToolCall,
    FunctionCall,
)
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.exceptions import VLLMValidationError
from vllm.parser.abstract_parser import Parser
from vllm.parser.harmony import HarmonyParser
from vllm.parser.parser_manager import ParserManager
from vllm.reasoning.abs_reasoning_parsers import ReasoningParser, ReasoningParserManager
from vllm.renderers.chat_utils import make_tool_call_id
from vllm.sampling_params import StructuredOutputsParams
from vllm.tool_parsers.abstract_tool_parser import ToolParser, ToolParserManager
from vllm.tool_parsers.tool_strict_level import ToolStrictLevel

from agent_parsers import StreamParser, get_dialect
from agent_parsers.core import machine
from agent_parsers.events import Event, MarkerSeen, Span, ThoughtDelta
from agent_serving.requests import ends_in_mark, served_names, tools_of, turn_tag
from agent_serving.turns import ServedCall, ServedTurn, read_turn
from output_parsers import OutputParserException

_LONGEST_MARK: Final = 32
"""Tokens at the end of a prompt or an output that hold any mark of a thought."""


class VllmReasoning(ReasoningParser):
    """Stands for a `VllmParser`, and tells vLLM's engine where a thought ends."""

    dialect: ClassVar[str]

    @property
    @override
    def reasoning_start_str(self) -> str | None:
        return self._mark(0, "opens")

    @property
    @override
    def reasoning_end_str(self) -> str | None:
        return self._mark(1, "closes")

    @override
    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        """Return whether *input_ids* ends with a mark that closes the thought."""
        return ends_in_mark(self.dialect, _end_of(self.model_tokenizer, input_ids)) == "closes"

    @override
    def is_reasoning_end_streaming(
        self, input_ids: Sequence[int], delta_ids: Iterable[int]
    ) -> bool:
        """Return whether one of *delta_ids*, the last of the output, closes the thought."""
        count = len(list(delta_ids))
        ends = range(len(input_ids) - count + 1, len(input_ids) + 1)
        return any(self.is_reasoning_end(input_ids[:end][-_LONGEST_MARK:]) for end in ends)

    def _mark(self, side: int, kind: str) -> str | None:
        form = get_dialect(self.dialect).form
        mark = form.thought[side].strip() if form and form.thought else ""
        return mark if mark and ends_in_mark(self.dialect, mark) == kind else None


class VllmCalls(ToolParser):
    """Stands for a `VllmParser`, so that vLLM knows the name."""

    dialect: ClassVar[str]
    supports_required_and_named = False  # the model writes its own format, not a list in JSON


class VllmParser(Parser):
    """Reads the thoughts, content and calls of one reply, and constrains the output."""

    dialect: ClassVar[str]
    always_adjust_request = True

    def __init__(self, tokenizer: Any, tools: list[Any] | None = None, **kwargs: Any) -> None:
        super().__init__(tokenizer, tools, **kwargs)
        self._splits: Final = self._reasoning_parser is not None
        self._declared: Final = [] if self._tool_parser is None else self._tool_parser.tools
        self._tools: Final = tools_of(self._declared)
        self._prompt = ""
        self._turn: ServedTurn | None = None

    @override
    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        """Take the prompt, whose end may have opened a thought."""
        self._prompt = _end_of(self.model_tokenizer, prompt_token_ids)

    @override
    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        """Return whether the prompt *input_ids* ends with a mark that closes the thought."""
        reasoning = self._reasoning_parser
        return reasoning is None or bool(reasoning.is_reasoning_end(input_ids))

    @override
    def count_reasoning_tokens(self, token_ids: Sequence[int]) -> int:
        """Return how many tokens of an output are part of a thought."""
        if not self._splits:
            return 0
        tokens = [_text(self.model_tokenizer, [token]) for token in token_ids]
        return _count_thought_tokens(self.dialect, tokens, self._prompt)

    @override
    def adjust_request(self, request: Any) -> Any:
        """Keep special tokens in the text, and constrain the output if the request asks for it.

        Raises:
            VLLMValidationError: The dialect has no grammar for what is asked.
        """
        reads_calls = self._reads_calls(request)
        if self._splits or reads_calls:
            request.skip_special_tokens = False
        if not reads_calls:
            return request
        choice = _choice_in(request)
        tools = [tool for tool in self._declared if choice.takes(_function(tool).name)]
        level = self.tool_strict_level or ToolStrictLevel.AUTO
        is_strict = level > ToolStrictLevel.AUTO or any(_function(t).strict for t in tools)
        is_single = choice.is_named or request.parallel_tool_calls is False
        must_call = choice.kind == "required"
        if not (must_call or is_strict or is_single):
            return request
        if not must_call and request.extract_structured_outputs() is not None:
            return request  # what the client asks for, no call can be
        is_chat = isinstance(request, ChatCompletionRequest)
        try:
            tag = turn_tag(
                self.dialect, tools, must_call=must_call, max_calls=1 if is_single else None,
                prompt=self._prompt, thoughts=is_chat or not self._splits,
            )  # fmt: skip
        except (TypeError, ValueError) as error:
            if not (must_call or is_strict):
                return request  # of several calls, vLLM returns the first
            raise VLLMValidationError(f"calls cannot be constrained: {error}") from error
        outputs = StructuredOutputsParams(structural_tag=json.dumps(tag))
        if is_chat:
            request.structured_outputs, request.response_format = outputs, None
            request._grammar_from_parser = True  # the tag includes the thought
        else:
            request._parser_structured_outputs = outputs
        return request

    @override
    def parse(
        self,
        model_output: str,
        request: Any,
        enable_auto_tools: bool = False,
        model_output_token_ids: Sequence[int] = (),
    ) -> tuple[str | None, str | None, list[Any] | None]:
        """Return the reasoning, the content and the calls of a whole reply."""
        part = read_turn(
            self.dialect, model_output, self._tools, prompt=self._prompt, splits=self._splits,
            has_calls=self._reads_calls(request),
        )  # fmt: skip
        calls = [
            FunctionCall(id=self._id_of(call, request), name=call.name, arguments=call.arguments)
            for call in part.calls
        ]
        return part.reasoning or None, part.content or None, calls or None

    @override
    def parse_delta(
        self,
        delta_text: str,
        delta_token_ids: list[int],
        request: Any,
        prompt_token_ids: list[int] | None = None,
        *,
        finished: bool,
    ) -> Any:
        """Return what *delta_text* adds to the reply; `None` if it adds nothing yet."""
        if self._turn is None:
            if prompt_token_ids is not None:
                self.set_prompt_token_ids(prompt_token_ids)
            self._turn = ServedTurn(
                self.dialect, self._tools, prompt=self._prompt, splits=self._splits,
                has_calls=self._reads_calls(request), grows=True,
            )  # fmt: skip
        part = self._turn.feed(delta_text)
        if finished:
            part.add(self._turn.close())
        reasoning = part.reasoning if request.include_reasoning else ""
        if not (reasoning or part.content or part.calls):
            return None
        calls = [self._delta_of(call, request) for call in part.calls]
        return DeltaMessage(
            reasoning=reasoning or None, content=part.content or None, tool_calls=calls
        )

    def _reads_calls(self, request: Any) -> bool:
        return bool(self._declared) and _choice_in(request).kind != "none"

    def _delta_of(self, call: ServedCall, request: Any) -> Any:
        if not call.name:
            function = DeltaFunctionCall(arguments=call.arguments)
            return DeltaToolCall(index=call.index, function=function)
        function = DeltaFunctionCall(name=call.name, arguments=call.arguments)
        call_id = self._id_of(call, request)
        return DeltaToolCall(id=call_id, type="function", index=call.index, function=function)

    def _id_of(self, call: ServedCall, request: Any) -> str:
        """Return the id that the model wrote, or one as vLLM makes them for it."""
        self._initialize_history_tool_call_cnt(request)
        state = self._stream_state
        number, state.history_tool_call_cnt = (
            state.history_tool_call_cnt, state.history_tool_call_cnt + 1,
        )  # fmt: skip
        return call.id or str(
            make_tool_call_id(id_type=state.tool_call_id_type, func_name=call.name, idx=number)
        )


class _Choice(NamedTuple):
    """What a request says about calls."""

    kind: str
    """``"none"``, ``"auto"`` or ``"required"``."""
    names: frozenset[str] | None = None
    """The tools that may be called; `None` for all."""
    is_named: bool = False
    """Whether it names the one tool to be called."""

    def takes(self, name: str) -> bool:
        return self.names is None or name in self.names


def _choice_in(request: Any) -> _Choice:
    choice = request.tool_choice
    if choice is None or isinstance(choice, str):
        return _Choice(choice or "auto")
    if choice.type == "allowed_tools":
        return _Choice(choice.mode, frozenset(tool.get("name", "") for tool in choice.tools))
    name = getattr(choice, "name", None) or getattr(_function(choice), "name", None)
    return _Choice("required", frozenset([name]), is_named=True) if name else _Choice("auto")


def _function(tool: Any) -> Any:
    """Return what describes a *tool*, which the two APIs of OpenAI nest differently."""
    return getattr(tool, "function", tool)


def _text(tokenizer: Any, ids: Sequence[int]) -> str:
    return str(tokenizer.decode(list(ids), skip_special_tokens=False))


def _end_of(tokenizer: Any, ids: Sequence[int]) -> str:
    return _text(tokenizer, ids[-_LONGEST_MARK:])


def register() -> None:
    """Register the parsers of all dialects, as ``ap_NAME``; vLLM may call this more than once."""
    for name, dialect in served_names().items():
        members = {"dialect": dialect, "__module__": __name__}
        calls: type[Any] = type(f"{name}_tools", (VllmCalls,), members)
        ToolParserManager.register_module(name, module=calls)
        reasoning: type[Any] = type(f"{name}_reasoning", (VllmReasoning,), members)
        ReasoningParserManager.register_module(name, module=reasoning)
    if ParserManager.get_parser.__module__ != __name__:  # vLLM has no names of whole parsers
        ParserManager.get_parser = _with_ours(ParserManager.get_parser)


def _with_ours(get_parser: Callable[..., Any]) -> Callable[..., Any]:
    """Return *get_parser*, with our parser in place of two of its names."""

    def get(*args: Any, **kwargs: Any) -> Any:
        composed = get_parser(*args, **kwargs)
        if composed is None or issubclass(composed, HarmonyParser):
            return composed
        kinds = composed.reasoning_parser_cls, composed.tool_parser_cls
        dialects = {getattr(kind, "dialect", "") for kind in kinds if kind is not None}
        if dialects <= {""}:
            return composed
        if len(dialects) > 1:
            raise TypeError(
                "an ap_ parser reads both thoughts and calls: pass the same one as"
                " --tool-call-parser and --reasoning-parser"
            )
        copied = ("reasoning_parser_cls", "tool_parser_cls", "tool_strict_level")
        members = {name: getattr(composed, name) for name in copied}
        members |= {"dialect": dialects.pop(), "__module__": __name__}
        return type("VllmParser", (VllmParser,), members)

    return get


register()


def _count_thought_tokens(dialect: str, tokens: Sequence[str], prompt: str = "") -> int:
    """Return how many *tokens* are part of a thought, not counting the marks around it.

    Args:
        dialect: Name of the dialect.
        tokens: The texts of the tokens, in order.
        prompt: The end of the prompt, which may have opened the thought.
    """
    ends = [0, *accumulate(map(len, tokens))]
    spans = list(_thoughts(dialect, "".join(tokens), prompt))
    count = at = 0
    for start, stop in pairwise(ends):
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        count += at < len(spans) and spans[at][0] < stop and start < stop
    return count


def _thoughts(dialect: str, text: str, prompt: str) -> Iterator[Span]:
    """Yield where thoughts are: between marks, or up to the end of the text."""
    compiled: Final = machine(get_dialect(dialect), "lenient")
    is_open = compiled.thought_mark(prompt) == "opens"
    parser = StreamParser(
        compiled.dialect, max_chars=None, start="thought" if is_open else "",
        prompt="" if is_open else prompt,
    )  # fmt: skip
    events: list[Event] = []
    try:
        events += parser.feed(text)
        parser.close()
    except OutputParserException:  # it was cut, or cannot be read
        pass
    begun = last = 0
    for event in (*events, *parser.last_events):
        if isinstance(event, ThoughtDelta):
            last = event.span[1]
            if not is_open:
                yield event.span
        elif isinstance(event, MarkerSeen) and (
            mark := compiled.thought_mark(text[slice(*event.span)])
        ):
            if is_open and mark == "closes":
                yield begun, event.span[0]
            begun, is_open = event.span[1], mark == "opens"
    if is_open:  # up to a call that ends it
        yield begun, last if isinstance(parser.result, list) else len(text)
