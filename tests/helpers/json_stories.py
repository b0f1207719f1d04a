"""Reads turns of the dialects whose calls are JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pytest

from agent_parsers import OutputParserException, StreamParser, get_dialect, merge_events
from agent_parsers.events import AnswerDelta, Event, Repair, ThoughtDelta

if TYPE_CHECKING:
    from agent_parsers.engine.tables.modes import Mode

NAMES: Final = (
    "apertus", "apriel", "command_a", "command_a_plus", "command_r", "deepseek_v3",
    "deepseek_v31", "ernie45", "firefunction", "functionary_v31", "functionary_v32",
    "gigachat3", "gigachat31", "glm4", "granite", "granite_fc", "harmony", "hermes",
    "hunyuan_a13b", "inkling", "internlm2", "jamba", "kimi_k2", "llama3_function_tag",
    "llama3_json", "longcat", "minimax_m1", "mistral", "mistral_v11", "mistral_v3",
    "nemotron_llama", "nemotron_v2", "phi4_mini", "plamo3", "reka_edge", "solar_open", "xlam",
    "cwm", "openpangu_v2", "pangu_embedded",
)  # fmt: skip
THINKING: Final = frozenset((
    "apertus", "command_a", "command_a_plus", "deepseek_v3", "deepseek_v31", "ernie45", "harmony",
    "hermes", "hunyuan_a13b", "inkling", "kimi_k2", "longcat", "minimax_m1", "mistral",
    "mistral_v11", "nemotron_llama", "nemotron_v2", "plamo3", "reka_edge", "solar_open",
    "cwm", "openpangu_v2", "pangu_embedded",
))  # fmt: skip
"""Dialects that write thoughts."""
MODES: Final[tuple[Mode, ...]] = ("strict", "lenient")

Said: TypeAlias = AnswerDelta | ThoughtDelta

every_dialect = pytest.mark.parametrize("name", NAMES)
every_mode = pytest.mark.parametrize("mode", MODES)


def story(
    name: str, text: str, mode: Mode = "lenient", size: int = 0, **options: Any
) -> tuple[list[Event], Any]:
    """Return the events of *text* in chunks of this *size*, and the result."""
    parser = StreamParser(get_dialect(name), mode=mode, **options)
    events: list[Event] = []
    size = size or len(text) or 1
    try:
        for at in range(0, len(text), size):
            events += parser.feed(text[at : at + size])
        events += parser.close()
    except OutputParserException as error:
        events += parser.last_events
        return merge_events(events), (str(error), error.span)
    result = parser.result
    if isinstance(result, list):
        return merge_events(events), [
            (action.tool, action.tool_input, getattr(action, "tool_call_id", None))
            for action in result
        ]
    assert result is not None
    return merge_events(events), result.return_values["output"]  # type: ignore[union-attr]


def read(name: str, text: str, mode: Mode = "lenient", **options: Any) -> Any:
    """Return the calls in *text*, without ids, or the answer; or `None` for an error."""
    result = story(name, text, mode, **options)[1]
    if isinstance(result, list):
        return [(tool, tool_input) for tool, tool_input, _ in result]
    return None if isinstance(result, tuple) else result


def said(name: str, text: str, kind: type[Said], mode: Mode = "lenient") -> list[str]:
    """Return the texts of all events of a *kind*."""
    return [event.text for event in story(name, text, mode)[0] if isinstance(event, kind)]


def repaired(name: str, text: str, **options: Any) -> list[str]:
    """Return the kinds of the repairs in *text*."""
    events = story(name, text, **options)[0]
    return [event.kind for event in events if isinstance(event, Repair)]


CALL: Final = '{"name": "find", "arguments": {"city": "Bern"}}'
PING: Final = '{"name": "ping", "arguments": {}}'
