"""Lines of a log that begin with a label, as programs and people write it, or number a step."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Final

from agent_parsers import StreamParser
from agent_parsers.authoring import Label, Note, Part
from agent_parsers.core import Patterns, has_telling_marker, label_words, spelt_texts
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Finish,
    InputDelta,
    MarkerSeen,
    StepFailed,
)

if TYPE_CHECKING:
    from agent_parsers import Dialect

_STEPS: Final = frozenset({Part.THOUGHT, Part.TOOL, Part.CALL})

_BEGINS: Final = re.compile(
    r"[ \t*_#]{0,16}(?:question|thought|observation|action|final answer|follow up|tool|new input|"
    r"task|code|问题|思考|观察|行动|最终答案)(?: input)?[ \t\d*_]{0,16}[:：]"
    r"|[ \t]*(?:<(?:tool|tool_input|thinking|observation|final_answer|code)\b|```(?:py|json))",
    re.IGNORECASE,
).match
"""Matches a line with a mark of a dialect that has transcripts."""
_OPENER: Final = re.compile(r"[ \t]*[<\[][^<>\s]{1,40}>?").match


def begins_any(line: str) -> bool:
    """Return whether *line* begins with a marker of any dialect."""
    opener = _OPENER(line)
    return bool(_BEGINS(line) or (opener is not None and has_telling_marker(opener[0])))


_QUESTION: Final = re.compile(
    r"[ \t*_#]{0,16}(?:question|task|human|new input|input question|问题)[ \t\d*_]{0,16}[:：]",
    re.IGNORECASE,
).match
_ANSWER: Final = re.compile(
    r"[ \t*_#{\"]*(?:final[ _]answer|(?:so )?the final answer is|answer|AI|最终答案)"
    r"[ \t\d*_]{0,16}[:：]|[ \t]*<final_answer>|.*\bfinish\[|.*\bfinal_answer\("
    r"|.*\"action\"[ \t]*:[ \t]*\"final answer\"",
    re.IGNORECASE,
).match


def may_begin_question(line: str) -> bool:
    """Return whether *line* begins with the label of a question in any dialect."""
    return _QUESTION(line) is not None


def begins_answer(line: str) -> bool:
    """Return whether *line* begins an answer in any dialect, or calls a tool that ends a run."""
    return _ANSWER(line) is not None


def begins_question(dialect: Dialect, line: str) -> bool:
    """Return whether *line* begins a question: any may, if the dialect has no label for it."""
    return _begins(_labels(dialect, frozenset({Part.QUESTION})), line)


def begins_marked(dialect: Dialect, line: str) -> bool:
    """Return whether *line* begins with a marker of the dialect, or is one of its fences."""
    if line.strip() in _fences(dialect):
        return True
    found = _marks(dialect).match(f"\n{line.lstrip()}")
    return found is not None and bool(found[0].strip())


def begins_step(dialect: Dialect, line: str) -> bool:
    """Return whether *line* begins a thought or an action: any may, if they have no labels."""
    return _begins(_labels(dialect, _STEPS), line)


def begins_result(dialect: Dialect, line: str) -> bool:
    """Return whether *line* begins a result: any may, if the dialect has no label for it."""
    return _begins(_labels(dialect, frozenset({Part.OBSERVATION})), line)


def _begins(labels: Patterns, line: str) -> bool:
    return not labels.markers or labels.match(f"\n{line}") is not None


def size_of_observation_label(dialect: Dialect, text: str) -> int:
    """Return the length of the observation label at the beginning of *text*, or 0."""
    found = _labels(dialect, frozenset({Part.OBSERVATION})).match(f"\n{text}")
    return 0 if found is None else found.end() - 1


def has_log_mark(dialect: Dialect, text: str) -> bool:
    """Return whether *text* may have the label of a question or a result, which no turn has."""
    folded = text.casefold()
    return any(word in folded for word in _words_of_logs(dialect))


def is_step(dialect: Dialect, lines: Iterable[str]) -> bool:
    """Return whether *lines* begin with a step that has an action or an answer.

    Only a few of them are consumed.
    """
    parser = StreamParser(dialect, mode="transcript", max_chars=None)
    answers = _leading_to(dialect, frozenset({Part.ANSWER}))
    thoughts = _labels(dialect, frozenset({Part.THOUGHT}))
    for number, line in enumerate(lines):
        if number and _begins(thoughts, line):
            return False
        for event in parser.feed(line):
            match event:
                case ActionComplete() | Finish() | InputDelta() | AnswerDelta():
                    return True
                case MarkerSeen(name=name) if name in answers:
                    return True
                case StepFailed():
                    return False
    return False


@cache
def _fences(dialect: Dialect) -> frozenset[str]:
    """Return the fences with which a dialect opens a call, as its form says."""
    form = dialect.form
    lines = f"{form.calls[0]}{form.call.text}".splitlines() if form is not None else ()
    return frozenset(line for line in lines if line.startswith("```") and line.strip("`"))


@cache
def _marks(dialect: Dialect) -> Patterns:
    return Patterns(dialect.lenient.markers)


@cache
def _labels(dialect: Dialect, parts: frozenset[Part]) -> Patterns:
    """Return the labels that lead to some *parts*, at the beginning of a line."""
    markers = map(dialect.lenient.markers.__getitem__, _leading_to(dialect, parts))
    found = {
        marker.canonical: marker
        for marker in markers
        if isinstance(marker, Label) and not marker.then
    }
    return Patterns(found)


@cache
def _words_of_logs(dialect: Dialect) -> frozenset[str]:
    """Return the first word of each mark of questions and results; of a mark without one, ""."""
    names = _leading_to(dialect, frozenset({Part.QUESTION, Part.OBSERVATION}))
    markers = map(dialect.lenient.markers.__getitem__, names)
    spelt = (label_words(marker) or spelt_texts(marker) for marker in markers)
    words = map(re.compile(r"\w+|$").search, chain.from_iterable(spelt))
    return frozenset(word[0].casefold() for word in words if word is not None)


@cache
def _leading_to(dialect: Dialect, parts: frozenset[Part]) -> tuple[str, ...]:
    """Return the names of the markers that lead to some *parts*, in the order of the table."""
    table = dialect.lenient
    names = (
        name
        for (_, name), transition in table.transitions.items()
        if table.parts[transition.to] in parts and not isinstance(transition, Note)
    )
    return tuple(dict.fromkeys(names))


_SYNONYMS: Final = {
    "Question": ("q", "task", "query", "claim"),
    "Thought": ("think", "thinking", "reasoning"),
    "Action": ("act",),
    "Action Input": ("input", "action args", "action arguments"),
    "Observation": ("obs", "observe", "tool output", "tool result", "tool response", "result"),
    "Final Answer": ("final", "a"),
}
"""How each label is written by hand, if it is never written as it should be."""
_LABEL: Final = re.compile(
    r"^[ \t]*(?:\[(?P<bracket>tool (?:output|result|response)|observation|result)\][ \t]*:?"
    r"|(?P<number>\d{1,9}[ \t]+(?=(?:question|claim)[ \t]*:))?"
    r"(?P<label>[A-Za-z]\w*(?: \w+)?)[ \t]*:)",
    re.MULTILINE | re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"^[^\w\n]*(?:step|turn|iteration|round)\W{0,3}(\d{1,4})[^\w\n]*$\n?",
    re.MULTILINE | re.IGNORECASE,
)
begins_foreign: Final = re.compile(
    r"[ \t]*+(?:(?:user|human|assistant|ai|agent|tool|system|q|obs|observe|result|output|answer"
    r"|final|response)(?: \w+)?[ \t]*:|\[[a-z][\w ]{0,30}\]"
    r"|\W*(?:step|turn|iteration|round)\W{0,3}\d+\W*$)",
    re.IGNORECASE,
).match
"""Matches a line that begins with something that may be a label in some form."""


def _name_of(label: re.Match[str]) -> str:
    """Return what a *label* says, without the number of its step."""
    return (label["label"] or label["bracket"]).lower().rstrip(" 0123456789")


def _are_in_order(head: str, ours: Mapping[str, str]) -> bool:
    """Return whether labels that stand for others stand where those would."""
    names = [*map(_name_of, _LABEL.finditer(head))]
    firsts: dict[str, int] = {}
    for at, name in enumerate(names):
        firsts.setdefault(ours.get(name, name.capitalize()), at)
    action = firsts["Action"]
    return firsts.get("Question", -1) < action < firsts.get("Observation", len(names))


_RUNNING: Final = re.compile(
    r"^[ \t]*> Running step [\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\."
    r" Step input:[ \t]*(?P<question>.*)$\n?",
    re.MULTILINE,
)
"""What LlamaIndex 0.10 to 0.12 prints before each turn: the question, and ``None`` later on."""


def is_of_llamaindex(head: str) -> bool:
    """Return whether LlamaIndex printed the *head* of a log, with the turns of its ReAct agent."""
    return _RUNNING.search(head) is not None


def _asked(head: str) -> str:
    """Return *head* with the label of a question in place of what LlamaIndex prints before one."""
    return _RUNNING.sub(
        lambda found: "\n" if found["question"] == "None" else f"Question: {found['question']}\n",
        head,
    )


_FORMAT: Final = re.compile(r"^Follow the following format\.$", re.MULTILINE)
_REASONING: Final = re.compile(r"^Reasoning:", re.MULTILINE)


def _reasoned(head: str) -> str:
    """Return *head* with the label of a thought in place of that of DSPy 2.0 to 2.4."""
    return _REASONING.sub("Thought:", head)


def spelling_of(head: str) -> tuple[Callable[[str], str], str] | None:
    """Return a function that replaces other labels in a log with those of ReAct, and a description.

    It is `None` if the *head* of the log has no others.
    """
    changes = {
        "'> Running step' read as 'Question'": _asked,
        "'Reasoning' read as 'Thought'": _reasoned,
    }
    is_of_dspy = _FORMAT.search(head) is not None
    made = {
        words: change
        for words, change in changes.items()
        if change(head) != head and (is_of_dspy or change is _asked)
    }

    def printed(text: str) -> str:
        for change in made.values():
            text = change(text)
        return text

    by_hand = _by_hand(printed(head))
    if by_hand is None:
        return (printed, ", ".join(made)) if made else None
    spelt, words = by_hand
    return lambda line: spelt(printed(line)), ", ".join((*made, words))


def _by_hand(head: str) -> tuple[Callable[[str], str], str] | None:
    """Return the same for labels that people write by hand.

    It is `None` if the *head* of the log has the labels of ReAct, or no action at all.
    """
    labels = {*map(_name_of, _LABEL.finditer(head))}
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
    has_numbers = any(found["number"] for found in _LABEL.finditer(head))
    if not (ours or is_numbered or has_numbers) or not _are_in_order(head, ours):
        return None

    def spelt(line: str) -> str:
        if is_numbered and _NUMBER.match(line):
            return "\n"
        found = _LABEL.match(line)
        name = _name_of(found) if found else ""
        if found is None or not (name in ours or found["number"]):
            return line
        return f"{ours.get(name, name.capitalize())}:{line[found.end() :]}"

    words = [f"{name!r} read as {canonical!r}" for name, canonical in ours.items()]
    words += ["lines that number the steps"] * is_numbered
    words += ["numbers before questions"] * has_numbers
    return spelt, ", ".join(words)
