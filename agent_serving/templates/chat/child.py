"""Renders a chat template, as a process of its own, which the parent can end.

A chat template is a program. Jinja's sandbox keeps it from files and from Python, but nothing
inside a process can end a loop that runs too long. So this file is run as a script; it imports only
what it needs, and reads one request from standard input, and writes the answer to standard output.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final, NoReturn

_DATE: Final = "2026-01-02 03:04:05"
"""The time in every rendering, so that renderings can be compared."""


def _main() -> None:
    request = json.load(sys.stdin)
    sys.path[:] = request["path"]
    _limit_memory(request["max_bytes"])
    left = request["max_chars"]
    written: list[dict[str, str]] = []
    try:
        template = _environment().from_string(request["template"])
    except Exception as error:  # noqa: BLE001 - Jinja's compiler may raise anything
        json.dump({"error": _said(error)}, sys.stdout)
        return
    for variables in request["renderings"]:
        try:
            text = _rendered(template, variables, left)
            left -= len(text)
            written.append({"text": text})
        except Exception as error:  # noqa: BLE001 - a template may raise anything
            written.append({"error": _said(error)})
    json.dump({"renderings": written}, sys.stdout)


def _limit_memory(size: int) -> None:
    """Let the system refuse more memory than *size* bytes, where it can."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # Windows has none, and macOS takes no notice of it

        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _rendered(template: Any, variables: dict[str, Any], most: int) -> str:
    parts: list[str] = []
    for part in template.generate(variables):
        parts.append(part)
        most -= len(part)
        if most < 0:
            raise ValueError("the output of the template is too long")
    return "".join(parts)


def _said(error: Exception) -> str:
    said = str(error)[:300]
    return said if type(error).__name__ == "TemplateError" else f"{type(error).__name__}: {said}"


def _environment() -> Any:
    """Return what renders chat templates as Hugging Face's libraries do.

    Theirs let no list be changed, so that no template changes the messages of a caller. Here the
    messages are a copy, and models such as Kimi K2 come with a template that appends to a list.
    """
    import jinja2
    from jinja2.ext import Extension, loopcontrols
    from jinja2.nodes import Scope
    from jinja2.sandbox import SandboxedEnvironment

    class Generation(Extension):
        """The block ``{% generation %}``, which marks what a model is trained to write."""

        tags = {"generation"}  # noqa: RUF012 - as Jinja declares it

        def parse(self, parser: Any) -> Any:
            """Return the body of the block."""
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return Scope(body, lineno=line)

    def raise_exception(message: str) -> NoReturn:
        raise jinja2.TemplateError(message)

    environment = SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals |= {"raise_exception": raise_exception, "strftime_now": _strftime_now()}
    return environment


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Return *value* as JSON; Jinja's own filter replaces what has a meaning in HTML."""
    return json.dumps(
        list(value) if isinstance(value, Iterator) else value,  # what Jinja's `map` returns
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


def _strftime_now() -> Callable[[str], str]:
    from datetime import datetime

    return datetime.fromisoformat(_DATE).strftime


if __name__ == "__main__":
    _main()
