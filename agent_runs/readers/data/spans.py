"""Spans of traces: what models were asked and said, and what tools returned.

A model's span has the whole conversation before it, so the spans of a trace are read as requests
that go on, with the tools that only spans show between them. Without spans of models the tools
alone make a run. Read are:

* OpenTelemetry's spans, as OTLP in JSON (``resourceSpans``) and as the SDK's console exporter
  prints them, with attributes of the conventions for generative AI (``gen_ai.input.messages``) or
  of OpenInference, as Phoenix has (``llm.input_messages.0.message.role``)
* a trace of Langfuse with its ``observations``, calls of Weave, spans of the OpenAI Agents SDK, and
  traces of MLflow, whose attributes are JSON (``mlflow.spanInputs``)

Source: opentelemetry.io/docs/specs/semconv/gen-ai; openinference-semantic-conventions 0.1;
api.reference.langfuse.com; weave 0.52; ``agents/tracing`` of openai-agents 0.24;
``mlflow/entities/span.py`` of mlflow-tracing 3.17.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from agent_runs.readers.data import langchain_messages, openai
from agent_runs.readers.data.span_messages import Words, inferred, messages_in
from agent_runs.readers.data.span_talks import (
    Callers,
    Request,
    SpanTalk,
    ToolSpan,
    place_tools,
    talks_of,
)
from agent_runs.readers.data.tables import OTEL
from agent_runs.reading.messages import MessageFormat, said_or_left_out
from agent_runs.reading.parts import call_of, result_of
from agent_runs.reading.reader import MALFORMED, DataReader, Reading, Runs, Value, Values
from agent_runs.reading.said import Said, SaidCall, SaidResult, runs_of_messages
from agent_runs.tables.part import Path, at, loaded

T = TypeVar("T")


class _Spans(NamedTuple):
    """Where spans of one kind have what; paths are those of `Messages`."""

    sign: Path
    """What only a span of this kind has, if it is that of a model."""
    before: Path = ""
    """The messages that the model was given."""
    said: Path = ""
    """Its message, or a list with it."""
    system: Path = ""
    form: MessageFormat = openai.FORM
    tool: Path = ""
    """What only a span of this kind has, if it is that of a tool: its name."""
    arguments: Path = ""
    result: Path = ""
    call_id: Path = ""


def _listed(prefix: str) -> Callable[[Any], list[Any] | None]:
    """Return what finds the messages spread over the attributes that begin with *prefix*."""

    def find(span: Any) -> list[Any] | None:
        attributes = span["attributes"]
        tree: dict[str, Any] = {}
        for key, value in attributes.items():
            if key.startswith(f"{prefix}."):
                *path, last = key.removeprefix(f"{prefix}.").split(".")
                node = tree
                for step in path:
                    node = node.setdefault(step, {})
                node[last] = value
        found = at(attributes, prefix) or _as_list(tree)
        return [_message(each.get("message", each)) for each in found] or None

    return find


def _as_list(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    if tree and all(key.isdecimal() for key in tree):
        return [_as_list(tree[key]) for key in sorted(tree, key=int)]
    return {key: _as_list(value) for key, value in tree.items()} if tree else []


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a *message* of OpenInference as one of OpenAI's API."""
    calls = [call.get("tool_call", call) for call in message.get("tool_calls") or ()]
    contents = [part.get("message_content", part) for part in message.get("contents") or ()]
    own = {key: value for key, value in message.items() if key not in ("tool_calls", "contents")}
    own |= {"tool_calls": calls} if calls else {}
    return {"content": contents or None, **own}


def _of_attribute(key: str) -> Callable[[Any], Any]:
    return lambda span: loaded(span["attributes"].get(key))


def _tool_of_openinference(span: Any) -> Any:
    attributes = span["attributes"]
    is_tool = attributes.get("openinference.span.kind", span.get("span_kind")) == "TOOL"
    return (attributes.get("tool.name") or span.get("name")) if is_tool else None


def _attributes(key: str, kind: str = "") -> Callable[[Any], Any]:
    def find(span: Any) -> Any:
        attributes = span["attributes"]
        operation = attributes.get("gen_ai.operation.name")
        return attributes.get(key) if not kind or operation == kind else None

    return find


def _chat(span: Any) -> Any:
    attributes = span["attributes"]
    is_chat = attributes.get("gen_ai.operation.name") not in ("invoke_agent", "execute_tool")
    return attributes.get("gen_ai.output.messages") if is_chat else None


def _logged(name: str, path: Path, *kinds: str) -> Callable[[Any], Any]:
    """Return what finds what MLflow logged of a span of these *kinds*, at a *path* in it."""

    def find(span: Any) -> Any:
        attributes = span["attributes"]
        kind = json.loads(attributes.get("mlflow.spanType") or "null")
        is_kind = kind in kinds
        return at(json.loads(attributes[f"mlflow.span{name}"]), path) if is_kind else None

    return find


_KINDS: Final = (
    _Spans(
        sign=_chat, before=_of_attribute("gen_ai.input.messages"),
        said=_of_attribute("gen_ai.output.messages"), form=OTEL.form,
        system=_of_attribute("gen_ai.system_instructions"),
        tool=_attributes("gen_ai.tool.name", "execute_tool"),
        arguments=_of_attribute("gen_ai.tool.call.arguments"),
        result=_attributes("gen_ai.tool.call.result"), call_id=_attributes("gen_ai.tool.call.id"),
    ),
    _Spans(
        sign=_listed("llm.output_messages"), before=_listed("llm.input_messages"),
        said=_listed("llm.output_messages"), tool=_tool_of_openinference,
        arguments=_of_attribute("input.value"), result=_attributes("output.value"),
    ),
    _Spans(
        sign=lambda span: span["output"] if span.get("type") == "GENERATION" else None,
        before="input", said="output",
        tool=lambda span: span["name"] if span.get("type") == "TOOL" else None,
        arguments="input", result="output",
    ),
    _Spans(
        sign=lambda span: at(span, "output.choices.0.message") if "op_name" in span else None,
        before="inputs.messages", said="output.choices.0.message",
    ),
    _Spans(
        sign=lambda span: at(span, "span_data.output")
        if at(span, "span_data.type") == "generation" else None,
        before="span_data.input", said="span_data.output",
        tool=lambda span: at(span, "span_data.name")
        if at(span, "span_data.type") == "function" else None,
        arguments="span_data.input", result="span_data.output",
    ),
    _Spans(
        sign=_logged("Outputs", "choices.0.message", "CHAT_MODEL", "LLM"),
        before=_logged("Inputs", "messages", "CHAT_MODEL", "LLM"),
        said=_logged("Outputs", "choices.0.message", "CHAT_MODEL", "LLM"),
        tool=lambda span: span["name"] if _logged("Type", "", "TOOL")(span) else None,
        arguments=_logged("Inputs", "", "TOOL"), result=_logged("Outputs", "", "TOOL"),
    ),
)  # fmt: skip
_BEGINS: Final = "startTimeUnixNano|start_time_unix_nano|start_time|startTime|started_at"
_TRACES: Final = "traceId|trace_id|context.trace_id"
_IDS: Final = "spanId|span_id|context.span_id|id"
_PARENTS: Final = "parentSpanId|parent_span_id|parent_id|parentObservationId"


def _spans_of(value: Any) -> list[dict[str, Any]]:
    """Return the spans in a *value* of a file, each with its attributes as an object."""
    resources = at(value, "resourceSpans|resource_spans")
    if isinstance(resources, list):
        scopes = [each for one in resources for each in at(one, "scopeSpans|scope_spans") or ()]
        spans = [span for scope in scopes for span in scope["spans"]]
    elif isinstance(found := at(value, "observations|data.spans"), list):
        spans = found
    else:
        spans = [value]
    return [{**span, "attributes": _plain(span.get("attributes") or {})} for span in spans]


def _plain(attributes: Any) -> dict[str, Any]:
    """Return *attributes* as an object; OTLP lists keys, with values by their types."""
    if isinstance(attributes, Mapping):
        return dict(attributes)
    return {each["key"]: _value(each["value"]) for each in attributes}


def _value(value: Mapping[str, Any]) -> Any:
    if not value:
        return None
    kind, found = next(iter(value.items()))
    if kind == "arrayValue":
        return [_value(each) for each in found.get("values") or ()]
    return found


def _kind_of(span: Any) -> tuple[_Spans, bool] | None:
    """Return the kind of a *span*, and whether it is that of a tool; `None` for any other."""
    for kind in _KINDS:
        for path, is_tool in ((kind.sign, False), (kind.tool, True)):
            try:
                if path and at(span, path):
                    return kind, is_tool
            except (AttributeError, KeyError, TypeError, ValueError):
                continue  # another kind of span
    return None


def _is_span(span: Any) -> bool:
    return isinstance(at(span, _TRACES), str) or at(span, "object") == "trace"


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    spans = [span for value in values for span in _spans_of(value)]
    if not spans or not all(map(_is_span, spans)) or not any(map(_kind_of, spans)):
        return ()
    return (f"{len(spans)} spans of models and tools in the first values",)


def _read(values: Values, reading: Reading) -> Runs:
    traces: dict[str, list[dict[str, Any]]] = {}
    for value in values:
        try:
            for span in _spans_of(value.data):
                if not _is_span(span):
                    raise ValueError("expected a span with a trace id")
                traces.setdefault(str(at(span, _TRACES)), []).append(span)
        except MALFORMED as error:
            reading.refuse_value(value, error)
    for name, spans in traces.items():
        spans.sort(key=lambda span: str(at(span, _BEGINS) or ""))
        yield from _runs_of(name, spans, reading)


def _runs_of(name: str, spans: Sequence[dict[str, Any]], reading: Reading) -> Runs:
    """Yield the runs in the *spans* of one trace, in the order in which they began."""
    known = [(span, *found) for span in spans if (found := _kind_of(span)) is not None]
    models = [(at, span, kind) for at, (span, kind, is_tool) in enumerate(known) if not is_tool]
    tools = [(at, span, kind) for at, (span, kind, is_tool) in enumerate(known) if is_tool]
    if not models:
        yield from _of_tools(name, spans, [(span, kind) for _, span, kind in tools], reading)
        return
    form = models[0][2].form
    if any(kind.form is not form for *_, kind in models):
        reading.refuse(
            "found model spans in several conventions in one trace; read only those in the first"
        )
    asked = [
        each
        for number, span, kind in models
        if kind.form is form
        for each in _tried(partial(_request, number), span, kind, reading)
    ]
    talks = talks_of(asked, form)
    callers = Callers(talks)
    if talks:
        returned = (
            _tried(partial(_returned, number), span, kind, reading) for number, span, kind in tools
        )
        place_tools(talks, [each for one in returned for each in one])
    ids = {_id(span, _IDS): span for span in spans}
    for talk in talks:
        said = [*said_or_left_out(map(Value, talk.messages), reading, talk.form)]
        if said and (notices := inferred(talk.messages)):
            said[0].notices = notices
        tool = _tool_above(talk, ids)
        called_by = callers.call_of(tool, talk) if tool is not None else ""
        yield from runs_of_messages(
            said, reading, name=name, is_conversation=True, called_by=called_by
        )


def _of_tools(
    name: str,
    spans: Sequence[dict[str, Any]],
    tools: Sequence[tuple[dict[str, Any], _Spans]],
    reading: Reading,
) -> Runs:
    """Yield the run of a trace without spans of models."""
    said = [each for span, kind in tools for each in _tried(_called, span, kind, reading)]
    asked, told = _around(spans)
    said = [
        *said_or_left_out(map(Value, asked), reading, OTEL.form),
        *said,
        *said_or_left_out(map(Value, told), reading, OTEL.form),
    ]
    yield from runs_of_messages(said, reading, name=name, is_one_run=True)


def _tool_above(talk: SpanTalk, spans: Mapping[str, dict[str, Any]]) -> Any:
    """Return the tool whose span is above the conversation *talk*; `None` if there is none."""
    above, seen = spans.get(talk.parent) if talk.parent else None, 0
    while above is not None and seen < len(spans):
        kind = _kind_of(above)
        if kind is not None and kind[1]:
            return at(above, kind[0].tool)
        parent, seen = _id(above, _PARENTS), seen + 1
        above = spans.get(parent) if parent else None
    return None


def _around(spans: Iterable[Mapping[str, Any]]) -> tuple[list[Any], list[Any]]:
    """Return the messages with which the agent of a trace without models was asked, and its own."""
    for span in spans:
        found = [
            loaded(span["attributes"].get(f"gen_ai.{which}.messages"))
            for which in ("input", "output")
        ]
        if all(isinstance(each, list) for each in found):
            return found[0], found[1]
    return [], []


def _tried(
    read: Callable[[dict[str, Any], _Spans], Iterable[T]],
    span: dict[str, Any],
    kind: _Spans,
    reading: Reading,
) -> list[T]:
    """Return what *read* yields of a *span*; nothing if that is malformed, which is refused."""
    try:
        return [*read(span, kind)]
    except MALFORMED as error:
        reading.refuse_value(Value(span), error)
        return []


def _request(number: int, span: dict[str, Any], kind: _Spans) -> Iterator[Request]:
    """Yield what a model's *span* shows: the messages before, and what it said."""
    given = [*messages_in(at(span, kind.before), "user")]
    said = [*messages_in(at(span, kind.said), "assistant")]
    told = [each for each in said if isinstance(each, Words) and each.role == "system"]
    if told:  # a response may say with which instructions it was made
        said = [each for each in said if each not in told]
        given = given if given[:1] == told[:1] else [*told, *given]
    if kind.system and (system := at(span, kind.system)):
        given = [{"role": "system", "parts": system}, *given]
    yield Request(number, _id(span, _IDS), _id(span, _PARENTS), given, said)


def _id(span: dict[str, Any], path: str) -> str:
    return str(at(span, path) or "")


def _called(span: dict[str, Any], kind: _Spans) -> Iterable[Said]:
    call = _call(span, kind)
    result = _result(span, kind)._replace(call_id=call.call_id)
    return Said("assistant", calls=(call,)), Said("tool", results=(result,))


def _call(span: dict[str, Any], kind: _Spans) -> SaidCall:
    name, given = at(span, kind.tool), loaded(at(span, kind.arguments))
    return call_of({"name": name, "arguments": given, "id": at(span, "id|span_id|spanId")})


def _returned(number: int, span: dict[str, Any], kind: _Spans) -> Iterator[ToolSpan]:
    call, result = _call(span, kind), _result(span, kind)
    call_id = str((at(span, kind.call_id) if kind.call_id else None) or result.call_id)
    call = call._replace(call_id=call_id or call.call_id)
    yield ToolSpan(number, _id(span, _PARENTS), call, result, bool(call_id))


def _result(span: dict[str, Any], kind: _Spans) -> SaidResult:
    call_id = at(span, kind.call_id) if kind.call_id else None
    found = at(span, kind.result)
    message = loaded(found)
    if isinstance(message, dict) and langchain_messages.is_message(message):
        said = langchain_messages.FORM.said(message)
        if said is not None and said.results:
            return said.results[0]
    return result_of(found, call_id, at(span, kind.tool))


READER: Final = DataReader(
    name="spans",
    summary="spans: OpenTelemetry (GenAI, OpenInference), Langfuse, Weave, MLflow, OpenAI Agents",
    evidence=_evidence,
    read=_read,
    before=("openai_chat", "json_lines"),
)
