"""A parser of the turns that a response template describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field, PrivateAttr
from typing_extensions import override

from agent_parsers import AgentAction, MultiActionAgentOutputParser
from agent_parsers.core import EventParser, turn_of
from agent_serving.templates.response.stream import ResponseStream
from agent_serving.templates.response.template import Template, load_template
from output_parsers.model_output import check_text

if TYPE_CHECKING:
    from agent_parsers import AgentFinish, Turn
    from agent_parsers.authoring import EmitCalls
    from outputs import Ended


class ResponseTemplateParser(EventParser, MultiActionAgentOutputParser):
    """Reads the turns that a response template describes, whole or as they stream in.

    It reads what transformers' `parse_response` reads, and is stricter where a guess would act: a
    call in tags whose closer is missing, the beginning of another call at the end, a parameter that
    was cut, a key that is there twice, and a call without a name are errors. The closer of an input
    that is text may be a stop sequence, so it may be missing unless ``ended="length"``.
    Thoughts and content are emitted while they arrive, a call when its field closes. It repairs
    nothing: `lenient` only concerns the inputs of `tools`.
    """

    _package: ClassVar[str] = "agent_serving"

    template: dict[str, Any] = Field(frozen=True)
    """The template, as in a ``tokenizer_config.json``."""
    prompt: str = ""
    """The prompt that the turn continues; what it has after the last start of a turn is part of the
    turn, such as ``<think>``. Empty if the turn is whole."""
    timeout_s: float = Field(default=1.0, gt=0)
    """Seconds that the patterns of the template may take for one turn."""
    _loaded: Template | None = PrivateAttr(default=None)

    @override
    def model_post_init(self, context: Any, /) -> None:
        if self.tools is not None and self.tools.output_type is not None:
            raise ValueError("a response template reads answers as text: leave out output_type")
        self._loaded = load_template(self.template)

    @property
    def stop(self) -> list[str]:
        """Stop sequences to pass to the model: none, since a template has none."""
        return []

    def get_format_instructions(self) -> str:
        """Return an empty string: the chat template tells the model how to write calls."""
        return ""

    @override
    def parse(self, text: str, *, ended: Ended = "unknown") -> list[AgentAction] | AgentFinish:
        """Read one turn.

        Args:
            text: What the model wrote.
            ended: How the text ended: ``"stop"`` if the model stopped by itself, so that a call in
                JSON may lack its closer; ``"length"`` if it was cut.

        Returns:
            A `ToolAgentAction` for each call, in order, or the content as the answer.

        Raises:
            OutputParserException: A call cannot be read or is cut off, there is neither a call nor
                content, or the text or its reading takes too long. `UnknownToolError` and
                `ToolInputError` are subclasses.
        """
        result = self._read_turn(text, self._known_end(text, ended)).result
        assert not isinstance(result, AgentAction), "a template may have several calls in a turn"
        return result

    def read(self, text: str, *, ended: Ended = "unknown") -> Turn:
        """Read one turn and return its result, thought, content and events; see `parse`.

        Raises:
            NotImplementedError: A subclass overrides `parse`, and not this method.
        """
        self._check_only_whole("read")
        return self._read_turn(text, ended)

    def _read_turn(self, text: str, ended: Ended) -> Turn:
        check_text(text)
        stream = self._new_stream()
        events = [*stream.feed(text), *stream.close(ended=ended)]
        assert stream.result is not None, "a turn without an error has a result"
        return turn_of(stream.result, events, stream.thought, stream.content)

    @override
    def stream_parser(self, *, calls: EmitCalls = "all") -> ResponseStream:
        """Return a stream parser for one turn; see its `feed` and `close`.

        Args:
            calls: ``"all"``: the calls of a turn are complete at its end.

        Raises:
            ValueError: *calls* is ``"each"``, which a template does not support.
        """
        if calls != "all":
            raise ValueError(f"calls={calls!r} is only for dialects: a template needs calls='all'")
        self._check_only_whole("stream_parser")
        return self._new_stream()

    def _new_stream(self) -> ResponseStream:
        assert self._loaded is not None, "set when the parser is made"
        return ResponseStream(
            self._loaded, self.tools, self.prompt, self.max_chars, self.timeout_s,
            lenient=self.lenient,
        )  # fmt: skip

    @property
    @override
    def _type(self) -> str:
        return self.name or "response_template"


def from_response_template(
    template: dict[str, Any], *, name: str = "response_template", **options: Any
) -> ResponseTemplateParser:
    """Return a parser of the turns that a response template describes.

    Args:
        template: The ``response_template`` of a ``tokenizer_config.json``, version 1. Its fields
            are ``thinking`` or ``reasoning_content``, ``content`` and ``tool_calls``.
        name: Name of the format.
        options: Other fields of `ResponseTemplateParser`, such as ``tools`` and ``prompt``.

    Raises:
        TemplateError: The template is not right; the message names everything that is
            wrong. It is a `ValueError`.
    """
    load_template(template)  # pydantic would wrap its error in another
    return ResponseTemplateParser(template=template, name=name, **options)
