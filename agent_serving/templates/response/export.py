"""Response templates of dialects, from what the dialects write: their fields, and the whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import get_dialect, list_dialects
from agent_parsers.core import SLOTS, Slot, known_tools
from agent_serving.templates.response.spellings import Spellings, begins_without, literal, spelt
from agent_serving.templates.template_error import TemplateError

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.core import Parameters
    from agent_parsers.toolset import ToolSet
    from agent_serving.templates.response.spellings import CallSpelling

_NAMED: Final = re.compile(
    rf'\{{\s*"(?P<tool>\w+)":\s*"{Slot.TOOL}",\s*"(?P<input>\w+)":\s*{Slot.INPUT}(?:,[^}}]*)?\s*\}}'
)
"""An object in JSON with the name of a tool and its input."""
_TOLD_APART: Final = 12
"""How many characters tell a label from a thought without one."""
_LINE: Final = r"(?:\A|\n)[ \t]*"


def _call(name: str, arguments: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


def _any(*patterns: str) -> str:
    """Return a pattern for any of *patterns*."""
    found = [each for each in dict.fromkeys(patterns) if each]
    return found[0] if len(found) == 1 else f"(?:{'|'.join(found)})"


def _begins(text: str) -> str:
    """Return a pattern for the first words of *text*."""
    return spelt(_first_words(text))


def _first_words(text: str) -> str:
    """Return the beginning of *text*, up to its first slot or the end of its line."""
    return SLOTS.split(text.strip().partition("\n")[0])[0].strip()


def _opens(text: str) -> str:
    """Return a pattern for *text* that opens a field, at the beginning of a line if it has one."""
    is_line = text.startswith("\n") and not text.lstrip().startswith("<")
    return (_LINE if is_line else "") + spelt(text) + r"\s*"


def _stops(spellings: Spellings) -> str:
    """Return a pattern for a stop sequence and what a model may invent after it.

    The end of the text is no part of it: engines would take it for a match while text arrives.
    """
    stops = [literal(stop.strip()) for stop in spellings.dialect.stop]
    lines = [rf"\n[ \t]*{stop}" for stop in stops] if not spellings.stops_are_tokens else stops
    return _any(*(rf"{stop}[\s\S]*" for stop in lines))


def thought_field(spellings: Spellings) -> dict[str, Any] | None:
    """Return the field of the thought; `None` if the dialect writes no thoughts."""
    opens, closes = spellings.thought_opens.strip(), spellings.thought_closes
    if not opens:
        return None
    if closes:
        return {"open": opens, "close_pattern": rf"{spelt(closes)}\s*", "content": "text"}
    label, ends = spelt(opens), _labels(spellings)
    # A thought may lack its label.
    words = [_first_words(text)[:_TOLD_APART] for text in (opens, *spellings.follows_thought)]
    bare = rf"\A\s*+(?={begins_without(words)})"
    return {
        "open_pattern": rf"{_LINE}{label}[ \t]*|{bare}",
        "close_pattern": rf"(?={ends})",
        "content": "text",
    }


def _labels(spellings: Spellings) -> str:
    """Return a pattern for the beginning of an answer or a call where labels begin them."""
    found = spellings.follows_thought
    return _any(*((r"\n[ \t]*" if t.startswith("\n") else "") + _begins(t) for t in found))


def answer_field(spellings: Spellings) -> dict[str, Any]:
    """Return the field of the content.

    Raises:
        TemplateError: Content beside calls is not spelt like an answer.
    """
    (opens, closes), beside = spellings.answer, spellings.content
    if spellings.shapes.quotes_answer:
        return _quoted_answer(spellings)
    if not opens.strip() and not closes.strip():
        return {"close_pattern": _stops(spellings), "content": "text"}
    if spellings.dialect.several and not (beside[0].strip() and opens.strip()):
        raise TemplateError(
            "content next to calls is written differently from an answer, but a template has one "
            "field for both"
        )
    if SLOTS.search("".join(beside)):
        raise TemplateError(
            "it writes content and calls inside the same marks, which a template cannot read"
        )
    call = spellings.call
    opens_call = call.between.strip() if call.head.startswith(Slot.TOOL) else ""
    ends = [
        rf"(?={spelt(text)})" if text.strip() == opens_call else rf"{spelt(text)}\s*"
        for text in (closes, beside[1])
        if text.strip()
    ]
    if closes.strip() and "<" not in closes:
        ends = [_end_or_stop(spellings, closes)]
    starts = dict.fromkeys(_opens(text) for text in (opens, beside[0]) if text.strip())
    return {
        "open_pattern": "|".join(starts),
        "close_pattern": "|".join(ends) or _stops(spellings),
        "content": "text",
    }


def _quoted_answer(spellings: Spellings) -> dict[str, Any]:
    """Return the field of an answer that is a string in JSON with the keys of a call."""
    opens, closes = spellings.answer
    before, _, members = opens.partition("{")
    key, name = re.findall(r'"(\w+)":\s*"([^"]+)"', members)[0]
    (said,) = re.findall(r'"(\w+)":\s*"\Z', members)
    return {
        "open_pattern": rf'{_opens(before)}(?=\{{\s*"{key}":\s*"{literal(name)}")',
        "close_pattern": spelt(closes.partition("}")[2]) + r"\s*",
        "content": "json",
        "transform": f"{{content.{said}}}",
    }


def calls_field(spellings: Spellings, argument: str | None) -> dict[str, Any]:
    """Return the field of the calls.

    Args:
        spellings: How the dialect spells its turns.
        argument: The name of the argument that an input is which is text; empty for an input in
            JSON, `None` for text as it is.

    Raises:
        TemplateError: A template cannot say how the calls are spelt.
    """
    call = spellings.call
    if call.parameters is not None:
        return _with_parameters(spellings, call, call.parameters)
    if call.is_text:
        name = spellings.own_tool or "{name}"
        arguments = {argument: "{content}"} if argument else "{content}"
        content = "json" if argument == "" else "text"
        return _headed(spellings, call) | {"content": content, "transform": _call(name, arguments)}
    if (named := _NAMED.search(call.head + Slot.INPUT + call.end)) is not None:
        return _named(spellings, call, named)
    if call.head.endswith(f'{{"{Slot.TOOL}": '):
        raise TemplateError("the names of its tools are keys in JSON, which a template cannot read")
    return _headed(spellings, call) | {"content": "json", "transform": _call("{name}", "{content}")}


def _headed(spellings: Spellings, call: CallSpelling) -> dict[str, Any]:
    """Return where a call begins whose name stands before its input, and where it ends."""
    head = call.head
    if head.startswith(Slot.TOOL):
        if not call.between.strip():
            raise TemplateError("only white space comes before the name of a tool")
        start = rf"(?:\A|{spelt(call.between)})\s*{spelt(head)}\s*(?=\{{)"
    else:
        start = _optional(call.opens) + _opens(head)
    return {"open_pattern": start, "close_pattern": _closes(spellings, call), "repeats": True}


def _optional(text: str) -> str:
    return rf"(?:{spelt(text)}\s*)?" if text.strip() else ""


def _end(spellings: Spellings, call: CallSpelling) -> str:
    """Return a pattern for the end of a call that has a mark, and of all calls after the last.

    What may follow is always looked for, since while text arrives an optional end would be missed.
    """
    end = rf"{spelt(call.end)}\s*"
    if not call.closes.strip():
        return end
    is_stop = call.closes.strip() in spellings.dialect.stop  # which servers leave out
    rest = _any(rf"{spelt(call.closes)}\s*", rf"(?={_begins(call.head)})", r"\Z" * is_stop)
    return end + rest


def _end_or_stop(spellings: Spellings, end: str) -> str:
    """Return a pattern for an *end* that texts may have too, so that the turn must end there."""
    return rf"{spelt(end)}\s*(?:{_stops(spellings)}|\Z)"


def _closes(spellings: Spellings, call: CallSpelling) -> str:
    """Return a pattern for the end of a call."""
    if "<" in call.end or "```" in call.end:
        return _end(spellings, call)
    if call.end.strip():  # too common to end an input that is text
        return _end_or_stop(spellings, call.end)
    if call.is_text and not spellings.thought_closes:
        return _any(rf"(?={_labels(spellings)})", _stops(spellings))
    again = _begins(call.between) or _begins(call.head)
    return _any(rf"(?={again})" if call.several and again else "", _stops(spellings))


def _named(spellings: Spellings, call: CallSpelling, named: re.Match[str]) -> dict[str, Any]:
    """Return the field of calls that are objects in JSON with a name and an input."""
    written = call.head + Slot.INPUT + call.end
    before, after = written[: named.start()], written[named.end() :]
    tool, arguments = named["tool"], named["input"]
    key = rf'"{tool}":\s*"'
    if call.opens.rstrip().endswith("["):
        opens = call.opens.rstrip().removesuffix("[")
        closes = call.closes.strip().removeprefix("]")
        ahead = r"(?=\[)" if opens.strip() else rf"(?=\[\s*\{{\s*{key})"
        found: dict[str, Any] = {
            "open_pattern": (_opens(opens) if opens.strip() else r"\A\s*") + ahead,
            "close_pattern": rf"{spelt(closes)}\s*" if closes.strip() else _stops(spellings),
            "transform": _call(f"{{{tool}}}", f"{{{arguments}}}"),
            "transform_each": True,
        }
    else:
        not_answer = ""
        if spellings.shapes.quotes_answer:
            (name,) = re.findall(rf'"{tool}":\s*"([^"]+)"', spellings.answer[0])
            not_answer = f'(?!{literal(name)}")'
        if call.opens.strip() and not before.strip():
            raise TemplateError("its calls are in one block, one after another, but not as a list")
        start = _opens(before) if before.strip() else r"\A\s*"
        start = rf"{start}(?=\{{\s*{key}{not_answer})"
        again = rf"(?={start})" if call.several and before.strip() else ""
        found = {
            "open_pattern": start,
            "close_pattern": rf"{spelt(after)}\s*"
            if after.strip()
            else _any(again, _stops(spellings)),
            "repeats": True,
            "transform": _call(f"{{content.{tool}}}", f"{{content.{arguments}}}"),
        }
    return found | {"content": "json"}


def _with_parameters(
    spellings: Spellings, call: CallSpelling, parameters: Parameters
) -> dict[str, Any]:
    """Return the field of calls whose parameters have marks of their own."""
    (equals, end), (other, other_end) = parameters.text, parameters.other
    if call.head.endswith("{") and (other, other_end, parameters.between) == (":", "", ","):
        return {
            "open_pattern": _optional(call.opens) + spelt(call.head[:-1]) + r"(?=\{)",
            "close_pattern": rf"(?<=\}}){_end(spellings, replace(call, end=call.end[1:]))}",
            "repeats": True,
            "content": "json",
            "content_args": {"string_delims": [[end, end]], "unquoted_keys": True},
            "transform": _call("{name}", "{content}"),
        }
    if spellings.shapes.quotes_values:
        raise TemplateError("its calls are Python code, which a template cannot read")
    if not spellings.shapes.nests or Slot.KEY in end:
        raise TemplateError(
            "its lists and objects contain tags, but a template reads only flat ones"
        )
    field = _headed(spellings, call)
    key = rf"{spelt(parameters.opens)}(?P<key>[^<>\n]+)"
    args: dict[str, Any] = {}
    if equals == other:
        begins, ends = _quotes(spellings.value_quotes)
        # A line break beside a raw value is its own, unless the dialect writes one there.
        first = r"\n?" if equals.endswith("\n") else ""
        last = r"\n?" if end.startswith("\n") else ""
        value = rf"{begins}(?P<value>[\s\S]*?){ends}"
        pattern = rf"{key}{spelt(equals)}{first}{value}{last}{spelt(end)}"
    else:  # the marks say which values are text
        lead = equals.removesuffix(_differing(equals, other))
        text, data = (literal(each.removeprefix(lead)) for each in (equals, other))
        close = spelt(end)
        pattern = (
            rf"{key}{literal(lead)}(?:{data})?"
            rf"(?P<value>{text}[\s\S]*?{close}|(?<={data})[\s\S]*?(?={close}))"
        )
        delims = [[equals.removeprefix(lead), end.strip()]]
        args["value_parser"] = {"name": "json", "args": {"string_delims": delims}}
    args["tag_pattern"] = pattern
    return field | {
        "content": "xml-inline", "content_args": args, "transform": _call("{name}", "{content}"),
    }  # fmt: skip


def _quotes(marks: tuple[str, str]) -> tuple[str, str]:
    """Return patterns for marks around a value that may have them, on both sides or none."""
    opens, closes = map(literal, marks)
    return (f"(?P<quote>{opens})?", f"(?(quote){closes})") if opens else ("", "")


def _differing(first: str, second: str) -> str:
    """Return the part of *first* from where it differs from *second*."""
    at = next(at for at, pair in enumerate(zip(first, second, strict=False)) if pair[0] != pair[1])
    return first[at:]


# -- the whole template ----------------------------------------------------------------------------


def response_template(
    dialect: str | Dialect, *, tools: Any = None, start_anchor: str | Sequence[str] = ()
) -> dict[str, Any]:
    """Return the ``response_template`` of a dialect, for a ``tokenizer_config.json``.

    With it, transformers (`parse_response`), vLLM and SGLang read the turns of the dialect without
    a plugin. Its fields are ``thinking``, ``content`` and ``tool_calls``; it is made from what the
    dialect writes, and reads whatever `render` writes in plain words as strict parsing does.

    Args:
        dialect: A dialect, or the name of one.
        tools: The tools, in any form of `agent_parsers.toolset.Tools`. Only dialects whose inputs
            are text need them: if all tools take one text by the same name, the input becomes that
            argument; if none takes a single text, it is JSON. Otherwise, and without tools, it is
            the text as the model wrote it, which is JSON where the model wrote JSON.
        start_anchor: The text, or texts, after which the chat template of the model begins a turn;
            by default those that the dialects of this library know.

    Raises:
        TemplateError: A template cannot say how the dialect spells its turns; it is a
            `ValueError` whose message says why.
        ValueError: There is no such dialect.
    """
    found = get_dialect(dialect) if isinstance(dialect, str) else dialect
    anchors = [start_anchor] if isinstance(start_anchor, str) else list(start_anchor)
    try:
        spellings = Spellings(found)
        fields = {
            "thinking": thought_field(spellings),
            "content": answer_field(spellings),
            "tool_calls": calls_field(spellings, _argument(known_tools(tools))),
        }
    except TemplateError as error:
        raise TemplateError(f"{found.name} has no response template: {error}") from None
    return {
        "version": 1,
        "defaults": {"role": "assistant"},
        "start_anchor": anchors or _anchors(found),
        "fields": {name: field for name, field in fields.items() if field is not None},
    }


def _argument(tools: ToolSet | None) -> str | None:
    """Return the only argument of all *tools*; empty if each takes JSON, `None` if they differ."""
    if tools is None:
        return None
    lone = {_lone_text(each.get("parameters") or {}) for each in tools.openai_functions()}
    return lone.pop() if len(lone) == 1 else None


def _lone_text(schema: dict[str, Any]) -> str | None:
    """Return the name of the only parameter if it is text; empty if an input is JSON."""
    properties = schema.get("properties")
    if not properties:
        return None
    (name, declared), *others = properties.items()
    return name if not others and declared.get("type") == "string" else ""


def _anchors(dialect: Dialect) -> list[str]:
    """Return the texts after which a turn of *dialect* begins, or of any model."""
    own = _anchor(dialect)
    return [own] if own else list(_known_anchors())


def _anchor(dialect: Dialect) -> str:
    """Return the last line before the next turn, without what ends the turn before it."""
    line = dialect.turn_frame[1].strip("\n").rpartition("\n")[2]
    for stop in dialect.stop:
        line = line.removeprefix(stop)
    return line


@cache
def _known_anchors() -> tuple[str, ...]:
    return tuple(sorted({_anchor(get_dialect(name)) for name in list_dialects()} - {""}))
