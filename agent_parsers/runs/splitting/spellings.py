"""Labels as people write them by hand, and the lines that only number the steps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["begins_foreign", "spelling_of"]

_SYNONYMS: Final = {
    "Question": ("q", "task", "query"),
    "Thought": ("think", "thinking", "reasoning"),
    "Action": ("act",),
    "Action Input": ("input", "action args", "action arguments"),
    "Observation": ("obs", "observe", "tool output", "tool result", "tool response", "result"),
    "Final Answer": ("final", "a"),
}
"""How each label is written by hand, if it is never written as it should be."""
_LABEL: Final = re.compile(
    r"^[ \t]*(?:\[(?P<bracket>tool (?:output|result|response)|observation|result)\][ \t]*:?"
    r"|(?P<label>[A-Za-z]\w*(?: \w+)?)[ \t]*:)",
    re.MULTILINE | re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"^\W*(?:step|turn|iteration|round)\W{0,3}(\d{1,4})\W*$\n?", re.MULTILINE | re.IGNORECASE
)
_FOREIGN: Final = re.compile(
    r"[ \t]*(?:(?:user|human|assistant|ai|agent|tool|system|q|obs|observe|result|output|answer"
    r"|final|response)(?: \w+)?[ \t]*:|\[[a-z][\w ]{0,30}\]"
    r"|\W*(?:step|turn|iteration|round)\W{0,3}\d+\W*$)",
    re.IGNORECASE,
).match


def begins_foreign(line: str) -> bool:
    """Return whether *line* begins with what may be a label, of whatever form."""
    return _FOREIGN(line) is not None


def _are_in_order(head: str, ours: Mapping[str, str]) -> bool:
    """Return whether labels that stand for others stand where those would."""
    names = [(found["label"] or found["bracket"]).lower() for found in _LABEL.finditer(head)]
    firsts: dict[str, int] = {}
    for at, name in enumerate(names):
        firsts.setdefault(ours.get(name, name.capitalize()), at)
    action = firsts["Action"]
    return firsts.get("Question", -1) < action < firsts.get("Observation", len(names))


def spelling_of(head: str) -> tuple[Callable[[str], str], str] | None:
    """Return what spells the lines of a log with the labels of ReAct, and what it does in words.

    Args:
        head: The beginning of the log.

    Returns:
        `None` if the log has these labels, or no action at all.
    """
    labels = {(found["label"] or found["bracket"]).lower() for found in _LABEL.finditer(head)}
    if not labels & {"action", "act"}:
        return None
    ours = {
        name: canonical
        for canonical, names in _SYNONYMS.items()
        if canonical.lower() not in labels
        for name in [next((each for each in names if each in labels), "")]
        if name
    }
    first = min(
        (at for at in map(head.lower().find, ("thought:", "action:")) if at >= 0), default=0
    )
    numbers = [*_NUMBER.finditer(head)]
    is_numbered = (
        bool(numbers)
        and [int(found[1]) for found in numbers] == [*range(1, len(numbers) + 1)]
        and numbers[0].start() <= first
    )
    if not (ours or is_numbered) or not _are_in_order(head, ours):
        return None

    def spelt(line: str) -> str:
        if is_numbered and _NUMBER.match(line):
            return "\n"
        found = _LABEL.match(line)
        name = (found["label"] or found["bracket"]).lower() if found else ""
        return f"{ours[name]}:{line[found.end() :]}" if found and name in ours else line

    words = [f"{name!r} read as {canonical!r}" for name, canonical in ours.items()]
    words += ["lines that number the steps"] * is_numbered
    return spelt, ", ".join(words)
