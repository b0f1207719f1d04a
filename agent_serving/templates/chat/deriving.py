"""Derives a dialect from a chat template."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agent_parsers import OutputParserException, get_parser
from agent_parsers.authoring import (
    AnswerBlock,
    CallFormat,
    NumberedIds,
    Result,
    TaggedPayload,
    numbered_id,
    write_json,
    write_python_value,
    write_single_quoted,
)
from agent_parsers.dialects import seed_oss
from agent_parsers.dialects.pythonic import PythonPayload
from agent_serving.templates.chat.model_turns import Shown, is_mark, pieces, show
from agent_serving.templates.chat.payloads import derive_calls, json_spans
from agent_serving.templates.chat.probes import (
    ANSWER,
    CONTENT,
    EOS,
    FIND,
    RESULTS,
    THOUGHT,
    TOOLS,
    TURNS,
    UNCERTAIN,
    VALUES,
    VALUES_OF_TYPES,
    WITH_CONTENT,
)
from agent_serving.templates.chat.rendering import TIMEOUT_S, chat_template
from agent_serving.templates.chat.tags import CallsOfTemplate, derive_results
from agent_serving.templates.template_error import TemplateError

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Marks, Payload


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
    """Return the format of the dialect of `dialect_from_template`; raises the same errors."""
    given = chat_template(template, special_tokens)
    problem: TemplateError | None = None
    for shown in show(given.text, given.special_tokens, timeout_s=timeout_s):
        try:
            return format_of_turns(name, shown)
        except TemplateError as error:
            problem = problem or error
    assert problem is not None, "the template shows something"
    raise problem


def format_of_turns(name: str, shown: Shown) -> CallFormat:
    """Return the format of the turns in *shown*, after checking that it reads and writes them.

    Raises:
        TemplateError: It does not.
    """
    calls = derive_calls(shown.turns)
    turns, unread = {**shown.turns}, set[str]()
    said_as_thought = turns.get("thought", "").replace(THOUGHT, CONTENT)
    if turns.get("content") == said_as_thought or (calls.call is None and _is_bare(calls)):
        unread |= turns.keys() & WITH_CONTENT
    form = _format(name, replace(shown, turns=_without(turns, unread)), calls)
    try:
        dialect = form.dialect()
    except ValueError as error:  # as of a region that nothing closes
        raise TemplateError(
            f"the marks found in the template do not make a valid dialect: {error}"
        ) from error
    if isinstance(form.payload, PythonPayload) and f"={VALUES[0]}" in turns["one"]:
        unread |= {each for each, turn in TURNS.items() if any(call[1] for call in turn.calls)}
        odd = {"strings": "one"}  # without quotes
    else:
        names = {what: each for each, what in UNCERTAIN.items() if each in turns}
        odd = {what: each for what, each in names.items() if not _is_read(dialect, turns[each])}
    left = replace(shown, turns=_without(turns, unread.union(odd.values())))
    if differs := what_differs(dialect, left):
        raise TemplateError(differs)
    if not odd:
        return form
    said = f"which writes {' and '.join(odd)} in a way that cannot be read back"
    return replace(form, summary=f"{form.summary}, {said}")


def _without(turns: Mapping[str, str], names: set[str]) -> dict[str, str]:
    return {name: text for name, text in turns.items() if name not in names}


def _is_bare(calls: CallsOfTemplate) -> bool:
    """Return whether *calls* have no mark, so that they begin the turn."""
    payload = calls.payload
    return getattr(payload, "is_bare", False) or getattr(payload, "bare", "no") != "no"


def _is_read(dialect: Dialect, text: str) -> bool:
    try:
        get_parser(dialect, tools=TOOLS, lenient=False).read(text)
    except OutputParserException:
        return False
    return True


def _format(name: str, shown: Shown, calls: CallsOfTemplate) -> CallFormat:
    results, frame = derive_results(shown)
    before = f"{calls.calls[0]}{calls.payload.form.text}".lstrip()
    # A mark before calls, as of a message of their own, does not end the turn.
    ends = tuple(end for end in shown.ends if not before.startswith(end))
    if any(EOS in text for text in (*ends, *frame)):
        raise TemplateError(
            "the template uses eos_token, whose text is in tokenizer_config.json: pass that file,"
            " or special_tokens={'eos_token': …}"
        )
    ids = {"{9}": numbered_id, "": None}
    call_id = ids[calls.ids] if calls.ids in ids else NumberedIds(calls.ids)
    answer = _around(shown.turns.get("answer"), ANSWER) or ("", "")
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
        answer=answer,
        content=content,
        is_content_last=is_last,
        call_id=call_id,
        ids=calls.ids,
        ends=ends,
        results=replace(results, call_id=call_id),
        turn_frame=frame,
        is_word=calls.call is not None and pieces(calls.call[0].strip())[-1:] == [":"],
        adapt=_answer_block(answer, {*ends, shown.opened.strip()}),
    )
    return form if form.form.calls == calls.calls else replace(form, calls=calls.calls)


def _content(shown: Shown, calls: CallsOfTemplate) -> tuple[Marks | None, bool]:
    """Return what stands around content beside calls, and whether it follows them."""
    text = shown.turns.get("content")
    if text is None:
        return None, False
    before, _, behind = text.partition(CONTENT)
    opens, _, closes = calls.calls
    if behind.strip():
        opens += calls.payload.form.segments[0] or FIND
        at = behind.find(opens)
        return (before, behind[: max(at, 0)]), False
    at = before.rfind(closes)
    return (before[at + len(closes) :] if closes else "", behind), True


def _answer_block(answer: Marks, others: set[str]) -> AnswerBlock | None:
    """Return what adds the marks of an *answer* to a table, unless they are *others*."""
    opener, closer = map(str.strip, answer)
    is_own = is_mark(opener) and opener not in others
    return AnswerBlock(opener, "" if closer in others else closer) if is_own else None


def _around(text: str | None, word: str) -> Marks | None:
    before, found, behind = (text or "").partition(word)
    return (before, behind) if found else None


def _payload(payload: Payload, turns: Mapping[str, str]) -> Payload:
    """Return *payload* with what writes values as *turns* show them."""
    if isinstance(payload, TaggedPayload):
        types = turns.get("types", "")
        if str(VALUES_OF_TYPES["zlist"]) in types:  # everything as Python writes it
            return replace(payload, write_value=str, other_values=seed_oss.other_values)
        return replace(payload, write_value=write_python_value) if "True" in types else payload
    if isinstance(payload, PythonPayload) and f"'{VALUES[0]}'" in turns["one"]:
        return replace(payload, write_value=write_single_quoted)
    return payload


# -- checking ------------------------------------------------------------------------------------


def what_differs(dialect: Dialect, shown: Shown) -> str:
    """Return how *dialect* reads or writes a turn differently from *shown*; empty if it does not.

    Each turn is read in strict mode, in one piece and in single characters.
    """
    parser = get_parser(dialect, tools=TOOLS, lenient=False)
    for name, text in shown.turns.items():
        turn = TURNS[name]
        found = f"the template writes the test turn {name!r} as {text!r}"
        try:
            read = parser.read(text)
            stream = parser.stream_parser()
            for char in text:
                stream.feed(char)
            stream.close()
            written = dialect.write(turn)
        except ValueError as error:  # of the parser, or of the writer
            return f"{found}; the derived dialect cannot read or write it: {error}"
        calls = tuple((call.tool, call.tool_input) for call in turn.calls)
        want = (calls, turn.thought, turn.said)
        got = (calls_of(read.result), read.thought.strip(), read.content.strip())
        if got != want or calls_of(stream.result) != calls:
            return f"{found}; the derived dialect reads its calls, thought and content as {got!r}"
        if name not in UNCERTAIN and _compact(written) != _compact(text):
            return f"{found}; the derived dialect would write it as {written!r}"
    return _differing_results(dialect, shown)


def _compact(text: str) -> str:
    """Return *text* with its JSON written in one way, since white space in it means nothing."""
    for start, end in reversed(json_spans(text)):
        text = text[:start] + write_json(json.loads(text[start:end])) + text[end:]
    return text


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
        text = shown.texts[name].removesuffix(shown.opened)
        results: list[Result] = []
        for number, (call, result) in enumerate(zip(turn.calls, RESULTS, strict=False), 1):
            known = call.id
            if dialect.form is not None and dialect.form.call_id is not None:
                known = dialect.form.call_id(call.tool, call.id, number)
                text = text.replace(call.id or "", known)
            results.append(Result(call.tool, result, known))
        before, behind = dialect.turn_frame
        written = f"{before}{dialect.results_text(results)}{behind}"
        if not text.endswith(written):
            return f"the derived dialect would write the results in {text!r} as {written!r}"
    return ""
