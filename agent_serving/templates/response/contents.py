"""Reading the text of a field: as text, a number, JSON, tags or lines, and as calls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from agent_serving.templates.response.template import FieldSpec
from output_parsers.text import compiled
from outputs.growing_json import read_arguments, repeated_key

if TYPE_CHECKING:
    from agent_serving.templates.response.template import JsonArgs, KvArgs, ValueParser, XmlArgs
    from output_parsers.text import TimeLeft

_BARE_KEY: Final = re.compile(r"(?<=[{,])(\w+):")
_BETWEEN_TAGS: Final = re.compile(r"(?>(?:[\s,;]|</[^<>]*>)*)")
_CLOSING_TAG: Final = re.compile(r"</[^<>]*>")
_BOOLS: Final = {"true": True, "1": True, "false": False, "0": False}
_PLACEHOLDER: Final = re.compile(r"\{(\w+(?:\.\w+)*)\}")


def value_of(field: FieldSpec, text: str, groups: dict[str, str], time: TimeLeft) -> Any:
    """Return the value of *field*, whose text is *text*.

    Args:
        field: The field.
        text: Its text.
        groups: What the groups of its opener matched.
        time: The time that is left for patterns.

    Raises:
        ValueError: The text is not what the field is; the message says in a clause what is wrong.
    """
    value = _read(field.content, text, field.args, time)
    if field.transform is None:
        return value
    if not field.transform_each:
        return _shaped(field.transform, {**groups, "content": value})
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise ValueError("expected a list of objects")
    return [_shaped(field.transform, {**groups, **each}) for each in value]


def _read(content: str, text: str, args: Any, time: TimeLeft) -> Any:
    match content:
        case "json":
            return _json(text, args)
        case "xml-inline":
            return _tags(text, args, time)
        case "kv-lines":
            return _lines(text, args, time)
    text = text.strip() if args.strip else text
    match content:
        case "int":
            return _number(int, text, "a whole number")
        case "float":
            return _number(float, text, "a number")
        case "bool":
            if text.lower() not in _BOOLS:
                raise ValueError(f"expected true or false, not {text[:60]!r}")
            return _BOOLS[text.lower()]
    return text


def _number(kind: type[Any], text: str, wanted: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"expected {wanted}, not {text[:60]!r}") from None


def _json(text: str, args: JsonArgs) -> Any:
    strings: list[str] = []
    written = text
    for opens, closes in args.string_delims:
        # One pass for all strings, so that no text inside one is taken for another.
        parts = re.split(f"{re.escape(opens)}(.*?){re.escape(closes)}", written, flags=re.DOTALL)
        for at in range(1, len(parts), 2):
            strings.append(json.dumps(parts[at]))
            parts[at] = f"\x01{len(strings) - 1}\x02"
        written = "".join(parts)
    if args.unquoted_keys:
        written = _BARE_KEY.sub(r'"\1":', written)
    if strings:
        if "\x01" in text or "\x02" in text:
            raise ValueError("expected no control characters in JSON")
        written = re.sub("\x01([0-9]+)\x02", lambda found: strings[int(found[1])], written)
    try:
        value = read_arguments(written, strict=True)
    except json.JSONDecodeError as error:
        if args.allow_non_json:
            return text.strip() if args.strip else text
        raise ValueError(f"expected JSON: {error}") from error
    if (key := repeated_key(written)) is not None:
        raise ValueError(f"the key {key[:60]!r} appears twice")
    return value


def _tags(text: str, args: XmlArgs, time: TimeLeft) -> dict[str, Any]:
    found: dict[str, Any] = {}
    seen: dict[str, list[Any]] = {}
    tags = time.matches(compiled(args.tag_pattern, re.DOTALL), text)
    _check_between(tags, text)
    for tag in tags:
        groups = tag.groupdict()
        seen.setdefault(groups["key"], []).append(
            _inner(groups.get("value") or "", args.value_parser, time)
        )
    for key, values in seen.items():
        if len(values) > 1 and not args.merge_duplicates:
            raise ValueError(f"the parameter {key[:60]!r} appears twice")
        found[key] = values if len(values) > 1 else values[0]
    return found


def _check_between(tags: list[Any], text: str) -> None:
    """Raise if there is anything but commas and other closers around *tags*.

    It is a tag that was cut, or the rest of a value that a pattern cut.
    """
    starts = [*(tag.start() for tag in tags), len(text)]
    ends = [0, *(tag.end() for tag in tags)]
    closed = ["", *(tag[0] for tag in tags)]
    for begin, end, before in zip(ends, starts, closed, strict=True):
        between = text[begin:end]
        closers = _CLOSING_TAG.findall(before[before.rfind("</") :] + between)
        if not _BETWEEN_TAGS.fullmatch(between) or len(closers) > len({*closers}):
            raise ValueError(f"expected a parameter, not {between.strip()[:60]!r}")


def _lines(text: str, args: KvArgs, time: TimeLeft) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for line in text.split(args.line_sep):
        key, sep, value = line.partition(args.kv_sep)
        if args.strip:
            key, value = key.strip(), value.strip()
        if not sep:
            if line.strip():
                raise ValueError(f"expected {args.kv_sep!r} in the line {line.strip()[:60]!r}")
            continue
        if key in found:
            raise ValueError(f"the key {key[:60]!r} appears twice")
        found[key] = _inner(value, args.value_parser, time)
    return found


def _inner(text: str, parser: ValueParser | None, time: TimeLeft) -> Any:
    if parser is None:
        return text
    field = FieldSpec(content=parser.name, content_args=parser.args)
    return _read(field.content, text, field.args, time)


def _shaped(shape: Any, scope: dict[str, Any]) -> Any:
    """Return *shape* with the values of *scope* in place of placeholders."""
    if isinstance(shape, dict):
        return {key: _shaped(each, scope) for key, each in shape.items()}
    if isinstance(shape, list):
        return [_shaped(each, scope) for each in shape]
    found = _PLACEHOLDER.fullmatch(shape) if isinstance(shape, str) else None
    if found is None:
        return shape
    value: Any = scope
    for key in found[1].split("."):
        if not isinstance(value, dict) or key not in value:
            raise ValueError(f"expected {key!r}")
        value = value[key]
    return value


# -- calls -----------------------------------------------------------------------------------------


def calls_of(value: Any) -> Iterator[tuple[str, str | dict[str, Any], str | None]]:
    """Yield the name, the input and the id of each call in *value*: one call, or a list of them.

    A call is ``{"function": {"name": …, "arguments": …}}``, or the inner object alone; its
    arguments are an object or text.

    Raises:
        ValueError: Something is not a call; the message says in a clause what is wrong.
    """
    for item in value if isinstance(value, list) else [value]:
        call = item.get("function", item) if isinstance(item, dict) else None
        if not isinstance(call, dict):
            raise ValueError("expected a call")  # noqa: TRY004 - the model's mistake
        name, arguments = call.get("name"), call.get("arguments")
        if not isinstance(name, str) or not name.strip():
            raise ValueError("expected the name of a tool")
        if not isinstance(arguments, dict | str):
            raise ValueError(  # noqa: TRY004 - the model's mistake
                "expected the arguments of the call, as an object or a string"
            )
        call_id = item.get("id")
        yield name.strip(), arguments, call_id if isinstance(call_id, str) else None
