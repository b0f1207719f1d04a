"""Answering one request: what is asked goes to the upstream, and what it writes is read."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import AgentAction, AgentFinish, OutputParserException, get_parser
from agent_parsers.constrain import GrammarError
from agent_parsers.core import REASONING, AutoParser, TurnParser, as_json
from agent_parsers.loop import Asking, atake_turn
from agent_serving.serve.exchange.events import ReplyCall, ReplyEnd, ReplyText
from agent_serving.serve.upstreams.chunks import THOUGHTS, ExchangeError
from agent_serving.serve.upstreams.upstream import UpstreamRequest, chat_messages
from agent_serving.serve.visible_content import ShownContent, StopSearch, begun_in
from output_parsers import ModelRefusalError
from outputs import ProviderError

if TYPE_CHECKING:
    from agent_parsers.loop import ToolsIn
    from agent_serving.serve.exchange.events import Asked
    from agent_serving.serve.upstreams.chunks import Chunk
    from agent_serving.serve.upstreams.upstream import Upstream
    from outputs import UsageMetadata

ReplyEvent = ReplyText | ReplyCall | ReplyEnd
_ASKED_AGAIN: Final = 2
"""How often a whole reply is asked again by default, and one whose calls no grammar forces."""
_MEDIA: Final = frozenset(
    ("image_url", "input_image", "image", "input_audio", "file", "input_file", "document")
)
_MOST_STOPS: Final = 4
"""How many stop sequences any server takes."""


@dataclass(frozen=True, slots=True)
class AnsweringOptions:
    """How requests are answered."""

    dialect: str
    """The dialect of the model, or ``"tools"`` if the upstream returns calls."""
    tools_in: ToolsIn = "prompt"
    """What tells the model about the tools."""
    prompt: str = ""
    """The end of the prompt that the model continues, such as ``<think>``; empty if not known."""
    retries: int | None = None
    """How often a reply that cannot be read is asked again; `None` for 0 for streams, 2 else."""
    model: str | None = None
    """The name of the model for the upstream; `None` for the one that the client says."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the upstream is asked beside, unless the client says it."""


class Answering:
    """Answers requests.

    Args:
        upstream: What is asked.
        options: How.

    Raises:
        ValueError: There is no such dialect, or it does not have such a prompt.
    """

    def __init__(self, upstream: Upstream, options: AnsweringOptions) -> None:
        self.upstream: Final = upstream
        self.options: Final = options
        start: Any = {"prompt": options.prompt} if options.prompt else {}
        # The upstream is only read up to its own limit, which the user sets.
        self.parser: Final[Any] = get_parser(options.dialect, max_chars=sys.maxsize, **start)
        """What reads the replies."""
        self.is_native: Final = not isinstance(self.parser, TurnParser | AutoParser)
        """Whether the upstream returns calls."""
        self.raw: Final[Mapping[str, Any]] = self._raw_fields()
        """Fields of requests by which what is read arrives as the model writes it."""
        end = options.prompt.rstrip()
        self.opens: Final = next((mark for mark, _ in REASONING if end.endswith(mark)), "")
        """The mark of a thought that the prompt opens; empty if it opens none."""
        if self.is_native and upstream.is_text:
            raise ValueError(
                "text completions contain calls as text, which 'tools' cannot read: name a dialect"
            )

    def _raw_fields(self) -> dict[str, Any]:
        kind = self.upstream.kind
        if not (kind.preserves and isinstance(self.parser, TurnParser)):
            return dict(kind.raw)
        return {**kind.raw, "preserved_tokens": marks_of(self.parser)}

    async def reply(self, asked: Asked, key: str | None = None) -> AsyncGenerator[ReplyEvent]:
        """Yield the texts and the calls of the reply, and its end.

        A call is yielded when the whole turn was read, so that none is from half a reply.

        Args:
            asked: What the client asks.
            key: The header ``Authorization`` for the upstream.

        Raises:
            ExchangeError: There is no reply, or not the rest of it.
        """
        try:
            turn = await asyncio.to_thread(_Turn, self, asked, key)
        except (OutputParserException, TypeError, ValueError, LookupError, RecursionError) as error:
            raise ExchangeError(400, f"the request: {error}") from error
        async with aclosing(turn.events()) as events:
            async for event in events:
                yield event

    async def count_tokens(self, asked: Asked, key: str | None = None) -> int:
        """Return how many tokens the prompt has, as the upstream counts them.

        Raises:
            ExchangeError: It does not count them.
            ValueError: The request is wrong.
        """
        kind = self.upstream.kind
        if not kind.counts:
            raise ExchangeError(501, f"{kind.title} does not count tokens")
        turn = await asyncio.to_thread(_Turn, self, asked, key)
        prompt = turn.prompt()
        body: dict[str, Any] = {"model": self.options.model or asked.model}
        if kind.name == "llama_cpp":
            text = prompt
            if not isinstance(text, str):
                text = "\n".join(str(each["content"] or "") for each in text)
            said = await self.upstream.json(kind.counts, {"content": text}, key)
            count = len(said.get("tokens", ())) if isinstance(said, Mapping) else None
        else:
            name = "prompt" if isinstance(prompt, str) else "messages"
            said = await self.upstream.json(kind.counts, {**body, name: prompt}, key)
            count = said.get("count") if isinstance(said, Mapping) else None
        if not isinstance(count, int):
            raise ExchangeError(502, "the upstream sent no count of tokens")
        return count


class _Turn:
    """One reply: what is asked, what is read, and what was said so far."""

    def __init__(self, answering: Answering, asked: Asked, key: str | None) -> None:
        self._answering = answering
        self._asked = asked
        self._key = key
        options, upstream = answering.options, answering.upstream
        history = list(asked.history)
        self._begun = begun_in(history)
        if self._begun and not (upstream.is_text or upstream.kind.continues is not None):
            raise ValueError(
                f"the last message is the assistant's, but {upstream.kind.title} does not reliably"
                " continue it: end with a user message or with tool results"
            )
        if upstream.is_text and _has_media(history):
            raise ValueError("text completions take no images or files: send only text")
        has_tools = bool(asked.tools)
        self._passes_schema = asked.schema is not None and not has_tools and not upstream.is_text
        typed = None if self._passes_schema else asked.schema
        retries = options.retries
        if retries is None:
            retries = 0 if asked.stream else _ASKED_AGAIN
        must_call = has_tools and asked.tool_choice not in ("auto", "none")
        is_one = has_tools and not asked.parallel
        self._is_constrained = must_call or is_one or typed is not None
        asking: Asking[Any] = self._asking_with(typed, retries)
        self._fields = self._constraints(asking, is_one=is_one)
        if self._is_constrained and not self._fields and retries < _ASKED_AGAIN:
            retries = _ASKED_AGAIN
            asking = self._asking_with(typed, retries)
        self._asking = asking
        self._is_held = retries > 0
        is_read = isinstance(asking.parser, TurnParser | AutoParser)
        self._is_plain = not (has_tools or is_read)
        wanted = asked.settings.get("logprobs") or asked.settings.get("top_logprobs")
        if wanted and not self._is_plain:
            raise ValueError(
                "`logprobs` cannot be used with `tools`: the reply is parsed, so its tokens are not"
                " those that the model wrote"
            )
        self._is_answered = False  # whether the upstream has sent anything
        self._is_filtered = False  # whether a filter ended the reply
        self._tries = 0  # how often it was asked
        self._told: set[int] = set()  # the tries whose usage it has told
        self._logprobs: list[Any] = []
        self._stop = StopSearch(asked.stop)
        self._shown = ShownContent(self._stop, self._begun)

    def _asking_with(self, typed: Any, retries: int) -> Asking[Any]:
        asked, answering = self._asked, self._answering
        history = list(asked.history)
        if self._begun:
            history.pop()
        is_native = answering.is_native
        return Asking(
            answering.parser,
            system=asked.system,
            history=history,
            tools=[*asked.tools],
            tool_choice=asked.tool_choice,
            parallel=asked.parallel,
            output_type=typed,
            has_provider=is_native,
            max_retries=retries,
            as_messages=not answering.upstream.is_text,
            tools_in="prompt" if is_native else answering.options.tools_in,
            plain=not is_native,
        )

    def _constraints(self, asking: Asking[Any], *, is_one: bool) -> dict[str, Any]:
        """Return the fields of the request that force a turn of the asked form by a grammar."""
        grammar, parser = self._answering.upstream.kind.grammar, asking.parser
        if not (self._is_constrained and grammar is not None and isinstance(parser, TurnParser)):
            return {}
        choice = self._asked.tool_choice
        is_named = choice not in ("auto", "none", "required")
        try:
            return parser.structured_outputs(
                grammar,
                turn="any" if choice in ("auto", "none") else "call",
                max_calls=1 if is_named or is_one else None,
            )
        except (GrammarError, ValueError):  # the turn is checked, and asked for again
            return {}

    def prompt(self) -> str | list[dict[str, Any]]:
        """Return the prompt, as a text or as messages of Chat Completions."""
        prompt = self._asking.request().prompt
        return prompt if isinstance(prompt, str) else chat_messages(prompt, is_native=False)

    # -- the events ------------------------------------------------------------------------------

    async def events(self) -> AsyncGenerator[ReplyEvent]:
        """Yield the texts and the calls of the reply, and its end."""
        asking, shown = self._asking, self._shown
        try:
            async with aclosing(atake_turn(self._model, asking, is_held=self._is_held)) as turn:
                async for kind, text in turn:
                    if kind == "thought":
                        yield ReplyText("thought", text)
                    elif said := shown.add(text):
                        yield ReplyText("content", said, self._taken_logprobs())
        except ModelRefusalError as error:
            if error.refusal:
                yield ReplyText("content", error.refusal)
            yield ReplyEnd("content_filter", self._usage)
            return
        except OutputParserException as error:
            raise _unreadable(error) from error
        except ProviderError as error:
            raise ExchangeError(502, f"the upstream failed: {error}") from error
        except (TypeError, ValueError, LookupError, RecursionError) as error:
            if not self._is_answered:
                raise ExchangeError(400, f"the request: {error}") from error
            told = f"the reply of the upstream cannot be read: {error}"
            raise ExchangeError(502, told) from error
        message = asking.message
        if not self._is_held and not shown.is_of(message.text):
            raise ExchangeError(
                422,
                "the content is not what was sent of it before the end was read; if the prompt"
                " opens a thought, say so: --prompt '<think>'",
                "content_changed",
            )
        if rest := shown.rest():
            yield ReplyText("content", rest, self._taken_logprobs())
        calls = message.tool_calls
        for call in calls:
            written = as_json(call["args"]).encode(errors="backslashreplace").decode()
            yield ReplyCall(call["id"] or "", call["name"], written)
        yield self._end(bool(calls))

    def _end(self, has_calls: bool) -> ReplyEnd:
        asking, found = self._asking, self._shown.found
        if found is not None and not has_calls:
            return ReplyEnd("stop", self._usage, found)
        if asking.ended == "length" or asking.is_cut:
            return ReplyEnd("content_filter" if self._is_filtered else "length", self._usage)
        return ReplyEnd("tool_calls" if has_calls else "stop", self._usage)

    @property
    def _usage(self) -> UsageMetadata | None:
        """The tokens of all tries; `None` if one was left before the upstream told its usage."""
        return self._asking.usage if len(self._told) == self._tries else None

    def _taken_logprobs(self) -> list[Any]:
        taken, self._logprobs = self._logprobs, []
        return taken

    # -- the upstream ----------------------------------------------------------------------------

    async def _model(
        self,
        prompt: Any,
        *,
        stop: Any = (),
        tools: Any = None,
        tool_choice: Any = "auto",
        response_format: Any = None,
    ) -> AsyncGenerator[Chunk]:
        """Yield what the upstream writes for a *prompt*, up to a stop sequence of the client."""
        answering, asked = self._answering, self._asked
        is_read = isinstance(self._asking.parser, TurnParser | AutoParser)
        raw = answering.raw if is_read or answering.opens else {}
        stops = [*dict.fromkeys((*stop, *asked.stop))] if self._is_plain else [*stop]
        fields = {**raw, **self._fields}
        if response_format is not None:
            fields["response_format"] = response_format
        request = UpstreamRequest(
            prompt=prompt,
            model=answering.options.model or asked.model,
            stop=stops if len(stops) <= _MOST_STOPS else [*stop],
            tools=None if tools is None else self._asking.tools,
            tool_choice=tool_choice,
            settings={**answering.options.settings, **asked.settings},
            schema=asked.schema if self._passes_schema else None,
            fields=fields,
            begun=self._begun,
            is_templated=is_read and answering.options.tools_in == "template",
            key=self._key,
        )
        self._stop.begin(self._begun)
        self._tries += 1
        self._is_filtered = False
        if answering.opens and not is_read:  # a reader of turns knows the prompt
            yield answering.opens
        if self._begun:
            yield self._begun
        async with aclosing(answering.upstream.chunks(request)) as chunks:
            async for chunk in chunks:
                self._is_answered = True
                checked = self._checked(chunk) if isinstance(chunk, dict) else chunk
                for piece in self._stop.pieces(checked):
                    yield piece
                    if self._stop.finds(self._asking):
                        return

    def _checked(self, chunk: dict[str, Any]) -> dict[str, Any]:
        """Return a *chunk* without its probabilities, which are kept."""
        if chunk.get("usage"):
            self._told.add(self._tries)
        for choice in chunk["choices"]:
            self._is_filtered |= choice.get("finish_reason") == "content_filter"
            found = choice.pop("logprobs", None)
            if self._is_plain and isinstance(found, Mapping):
                self._logprobs += found.get("content") or ()
            delta = choice["delta"]
            if self._answering.opens and any(delta.get(name) for name in THOUGHTS):
                raise ExchangeError(
                    502,
                    "the upstream itself separates the thought from the text: leave out"
                    " --prompt, or start the upstream without a reasoning parser",
                    "upstream_thoughts",
                )
            if delta.get("tool_calls") and isinstance(self._asking.parser, TurnParser):
                raise ExchangeError(
                    502,
                    "the upstream itself parsed a call that should be text here: start it"
                    " without a tool call parser, or use --dialect tools",
                    "upstream_calls",
                )
        return chunk


_MARKS: Final = re.compile(r"<[^<>\s]{1,60}>|\[/?[A-Z_]{3,40}\]")
"""Matches what may be a special token."""


def marks_of(parser: Any) -> list[str]:
    """Return the marks in the turns of a *parser*; some may be special tokens."""
    steps: Any = [AgentAction("tool", {"key": "value"}, ""), AgentFinish({"output": "answer"}, "")]
    texts = [*parser.stop]
    for step in steps:
        for thought in ("", "thought"):
            with suppress(ValueError):  # the dialect has no such turn
                texts.append(parser.render(step, thought=thought))
    return [*dict.fromkeys(mark for text in texts for mark in _MARKS.findall(text))]


def _has_media(history: list[Any]) -> bool:
    for message in history:
        content = message.get("content") if isinstance(message, Mapping) else None
        for part in content if isinstance(content, list) else ():
            if isinstance(part, Mapping) and part.get("type") in _MEDIA:
                return True
    return False


def _unreadable(error: OutputParserException) -> ExchangeError:
    notes = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
    message = f"the model's reply cannot be read: {error}{notes}"
    return ExchangeError(422, message, getattr(error, "problem", None) or "unreadable_reply")
