"""Derives a dialect from a chat template."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agent_parsers.dialects.pythonic import PythonPayload
from agent_parsers.engine.calls.code.python_values import write_single_quoted
from agent_parsers.engine.grammar.dialect import Result
from agent_parsers.families.call_blocks import CallFormat
from agent_parsers.families.results_writer import numbered_id
from agent_parsers.families.tagged import TaggedPayload
from agent_parsers.forms.form import write_python_value
from agent_parsers.parsers.dialect_parser import dialect_parser
from agent_parsers.templates.chat.config import chat_template
from agent_parsers.templates.chat.payloads import derive_calls
from agent_parsers.templates.chat.probes import (
    ANSWER,
    CONTENT,
    EOS,
    RESULTS,
    TOOLS,
    TURNS,
    VALUES,
)
from agent_parsers.templates.chat.rendering import TIMEOUT_S
from agent_parsers.templates.chat.results import derive_results
from agent_parsers.templates.chat.turns import show
from agent_parsers.templates.problems import TemplateError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.families.call_blocks import Payload
    from agent_parsers.forms.form import Marks
    from agent_parsers.templates.chat.calls import Calls
    from agent_parsers.templates.chat.turns import Shown

__all__ = ["calls_of", "derive_format", "dialect_from_template", "what_differs"]


def dialect_from_template(
    template: str | Mapping[str, Any],
    *,
    name: str,
    special_tokens: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Dialect:
    """Return a dialect that reads and writes turns as a chat template writes them.

    The template renders conversations in which known words stand for names, arguments, thoughts
    and results; what stands between them is its own. The dialect is returned only if it reads, in
    strict mode, all that the template wrote, and writes the same text::

        dialect = dialect_from_template(open("chat_template.jinja").read(), name="my_model")
        register(dialect)

    Calls may be JSON, with the name inside or before it, keys and values in tags, or Python calls.
    What only replies of the model show, such as its common mistakes, is not in a template: a
    dialect of this library for the same format knows more, see `dialect_for_template`.

    Args:
        template: A chat template of Hugging Face, in Jinja, or a whole ``tokenizer_config.json``.
        name: Name of the new dialect.
        special_tokens: The texts of ``eos_token`` and others, if the template uses them; by
            default those of ``tokenizer_config.json``.
        timeout_s: Limit for the renderings, in seconds. The template runs in a process that is
            ended then.

    Raises:
        ImportError: Jinja2 is not installed; the extra ``templates`` installs it.
        TemplateError: The template cannot be rendered, writes no calls, or writes them in a form
            that cannot be derived; the message says what was found.
    """
    return derive_format(
        template, name=name, special_tokens=special_tokens, timeout_s=timeout_s
    ).dialect()


def derive_format(
    template: str | Mapping[str, Any],
    *,
    name: str,
    special_tokens: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> CallFormat:
    """Return the format that `dialect_from_template` makes a dialect of; raises as it does."""
    given = chat_template(template, special_tokens)
    shown = show(given.text, given.special_tokens, timeout_s=timeout_s)
    form = _format(name, shown, derive_calls(shown.turns))
    try:
        differs = what_differs(form.dialect(), shown)
    except ValueError as error:  # as of a region that nothing closes
        differs = f"the marks that were found make no dialect: {error}"
    if differs:
        raise TemplateError(differs)
    return form


def _format(name: str, shown: Shown, calls: Calls) -> CallFormat:
    results, frame = derive_results(shown)
    ends = shown.ends
    if any(EOS in text for text in (*ends, *frame)):
        raise TemplateError(
            "the template writes eos_token, whose text is in tokenizer_config.json: pass that file,"
            " or special_tokens={'eos_token': …}"
        )
    content, is_last = _content(shown, calls)
    form = CallFormat(
        name=name,
        summary="derived from a chat template",
        payload=_payload(calls.payload, shown.turns),
        call=calls.call,
        between=calls.between,
        region=calls.region,
        is_single="two calls" not in shown.turns,
        thought=shown.thought,
        answer=_around(shown.turns.get("answer"), ANSWER) or ("", ""),
        content=content,
        is_content_last=is_last,
        call_id=numbered_id if calls.has_ids else None,
        ids="{nine}" if calls.has_ids else "",
        ends=ends,
        results=replace(results, call_id=numbered_id) if calls.has_ids else results,
        turn_frame=frame,
    )
    return form if form.form.calls == calls.calls else replace(form, calls=calls.calls)


def _content(shown: Shown, calls: Calls) -> tuple[Marks | None, bool]:
    """Return what stands around content beside calls, and whether it follows them."""
    text = shown.turns.get("content")
    if text is None:
        return None, False
    before, _, behind = text.partition(CONTENT)
    opens, _, closes = calls.calls
    if behind.strip():
        at = behind.find(opens)
        return (before, behind[: max(at, 0)]), False
    at = before.rfind(closes)
    return (before[at + len(closes) :] if closes else "", behind), True


def _around(text: str | None, word: str) -> Marks | None:
    before, found, behind = (text or "").partition(word)
    return (before, behind) if found else None


def _payload(payload: Payload, turns: Mapping[str, str]) -> Payload:
    """Return *payload* with what writes values as *turns* show them."""
    if isinstance(payload, TaggedPayload) and "True" in turns.get("types", ""):
        return replace(payload, write_value=write_python_value)
    if isinstance(payload, PythonPayload) and f"'{VALUES[0]}'" in turns["one"]:
        return replace(payload, write_value=write_single_quoted)
    return payload


# -- checking ------------------------------------------------------------------------------------


def what_differs(dialect: Dialect, shown: Shown) -> str:
    """Return how *dialect* reads or writes a turn otherwise than it is *shown*; empty if not.

    Each turn is read in strict mode, in one piece and in single characters.
    """
    parser = dialect_parser(dialect, tools=TOOLS, lenient=False)
    for name, text in shown.turns.items():
        turn = TURNS[name]
        found = f"the turn of the probe {name!r} is {text!r}"
        try:
            read = parser.read(text)
            stream = parser.stream_parser()
            for char in text:
                stream.feed(char)
            stream.close()
            written = dialect.write(turn)
        except ValueError as error:  # of the parser, or of the writer
            return f"{found}; what was derived from it cannot read or write it: {error}"
        calls = tuple((call.tool, call.tool_input) for call in turn.calls)
        want = (calls, turn.thought, turn.said)
        got = (calls_of(read.result), read.thought.strip(), read.content.strip())
        if got != want or calls_of(stream.result) != calls:
            return f"{found}; its calls, thought and content are read back as {got!r}"
        if written != text:
            return f"{found}; it would be written as {written!r}"
    return _differing_results(dialect, shown)


def calls_of(result: Any) -> tuple[tuple[str, Any], ...]:
    """Return the names and inputs of the calls in the result of a turn."""
    actions = result if isinstance(result, list) else [result]
    return tuple(
        (action.tool, action.tool_input) for action in actions if hasattr(action, "tool_input")
    )


def _differing_results(dialect: Dialect, shown: Shown) -> str:
    for name in ("one", "two calls"):
        if name not in shown.turns:
            continue
        turn = TURNS[name]
        results = [
            Result(call.tool, text, call.id)
            for call, text in zip(turn.calls, RESULTS, strict=False)
        ]
        before, behind = dialect.turn_frame
        written = f"{before}{dialect.results_text(results)}{behind}"
        if not shown.texts[name].removesuffix(shown.opened).endswith(written):
            return f"the results in {shown.texts[name]!r} would be written as {written!r}"
    return ""
