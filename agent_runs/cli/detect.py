"""The command ``detect``: which dialect the texts in each file are written in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from agent_parsers.cli.screen import Screen, echo_json
from agent_parsers.core import text_and_end
from agent_runs import detect
from agent_runs.cli.bar import ProgressBar
from agent_runs.cli.files import read_whole, size_of, total_size
from agent_runs.cli.shown_runs import dumps
from agent_runs.cli.trouble import Trouble, name_of, trouble_lines
from output_parsers import OutputParserException
from output_parsers.printable import printable
from outputs import AIMessage, from_any

if TYPE_CHECKING:
    from agent_parsers import ToolSet
    from agent_parsers.core import Detection, DialectCandidate


def detect_files(files: Sequence[str], tools: ToolSet | None, *, as_json: bool) -> bool:
    """Print which dialect each of *files* is in, and why.

    Each file has one text, or replies of one model as JSON lines. The JSON is a list with an object
    for each file that can be read. Return whether all could be read, and have a dialect.
    """
    out, err = Screen(), Screen(stderr=True)
    found: list[dict[str, Any]] = []
    is_clear = True
    with ProgressBar(err, total_size(files)) as bar:
        for file in files:
            text = read_whole(file)
            if isinstance(text, Trouble):
                err.print(trouble_lines(text, err.width), soft_wrap=True)
                is_clear = False
                continue
            texts = _texts_in(text)
            detection = detect(texts, tools=tools)
            is_found = bool(detection.candidates) and not detection.is_ambiguous
            is_clear = is_clear and is_found
            if as_json:
                found.append(_as_json(file, len(texts), detection))
            else:
                if out.is_seen:
                    bar.hide()
                _print(out, file, detection)
            bar.advance(size_of(file) or 0)
    if as_json:
        echo_json(dumps(found))
    return is_clear


def _texts_in(text: str) -> list[str]:
    """Return the replies that *text* has as JSON lines; *text* itself if it is not made of them."""
    replies = [_reply_in(line) for line in text.splitlines() if line.strip()]
    whole = [reply for reply in replies if reply is not None]
    return whole if whole and len(whole) == len(replies) else [text]


def _reply_in(line: str) -> str | None:
    """Return the text of a reply on a line: a text in JSON, or a message of a model."""
    try:
        value = json.loads(line)
        if isinstance(value, str):
            return value
        if isinstance(value, dict) and isinstance(column := value.get("text"), str):
            return column
        message = from_any(value) if isinstance(value, dict) else None
        return text_and_end(message)[0] if isinstance(message, AIMessage) else None
    except OutputParserException:  # a message with calls, or a refusal
        return ""
    except (ValueError, TypeError, RecursionError):
        return None


def _print(out: Screen, file: str, detection: Detection) -> None:
    first, *others = detection.candidates or (None,)
    if first is None:
        said = Text("no sign of a dialect", "bold")
    elif detection.is_ambiguous:
        said = Text.assemble(("ambiguous", "bold"), ": ", _said(first))
    else:
        said = Text.assemble((first.dialect, "bold cyan"), f": {printable(first.reason)}")
    out.print(Text.assemble(f"{name_of(file)}: ", said), soft_wrap=True)
    for place, other in enumerate(others):
        what = "or" if place == 0 and detection.is_ambiguous else "less likely"
        out.print(Text(f"  {what} {_said(other)}"), soft_wrap=True)


def _said(candidate: DialectCandidate) -> str:
    return f"{candidate.dialect}: {printable(candidate.reason)}"


def _as_json(file: str, texts: int, detection: Detection) -> dict[str, Any]:
    is_found = bool(detection.candidates) and not detection.is_ambiguous
    return {
        "file": file,
        "texts": texts,
        "dialect": detection.candidates[0].dialect if is_found else None,
        "ambiguous": detection.is_ambiguous,
        "candidates": [
            {
                "dialect": each.dialect,
                "relatives": each.relatives,
                "form": each.form,
                "markers": each.markers,
                "actions": each.actions,
                "answers": each.answers,
                "repairs": each.repairs,
                "errors": [error.reason for error in each.errors],
                "reason": each.reason,
            }
            for each in detection.candidates
        ],
    }
