"""Makes dialects with other labels: in another language, or with other words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeGuard
from unicodedata import normalize

from agent_parsers.engine.markers.kinds import Inline, Label, Literal, Marker
from agent_parsers.engine.tables.problems import SHARED_PROBLEMS, Problem
from agent_parsers.forms.form import NUMBER, Form, Marks, Written
from output_parsers.printable import kind_of

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Dialect, PromptWords
    from agent_parsers.engine.tables.table import Table

_FULL_WIDTH: Final = "：﹕"
_ANY_NUMBER: Final = "70707"
"""Stands for the number of a step where labels are renamed."""
_GUARDS: Final = range(0x13000, 0x13400)
"""Egyptian hieroglyphs; one temporarily marks the lines of values, which have no labels."""


def with_labels(
    dialect: Dialect,
    *,
    name: str,
    labels: Mapping[str, str | tuple[str, ...]],
    colon: str = ":",
    aliases: tuple[str, ...] = (),
    summary: str = "",
    sample: str = "",
    prompt: str = "",
    prompt_words: PromptWords | None = None,
    observations: Mapping[str, str] | None = None,
    example: Written | None = None,
) -> Dialect:
    """Return *dialect* with other labels in its tables, texts, stop sequences and prompt.

    ::

        with_labels(
            get_dialect("react"),
            name="react_fr",
            labels={"Thought": "Réflexion", "Action Input": "Entrée", "Observation": "Résultat"},
        )

    Labels that *labels* does not name are kept. Words that lenient mode reads as ``Action Input``,
    such as ``Input``, ``Tool Input`` and ``Arguments``, may be new words of any label, and may
    stand for the old one. Strict mode reads the new label with the *colon* at the beginning of a
    line; lenient mode also reads a plain or full-width colon, and the other words. Text that the
    dialect's own functions look for, such as keys of JSON, is kept.

    Args:
        dialect: Any dialect whose labels begin lines.
        name: Name of the new dialect.
        labels: The new words by the old ones, both without colon. Of several new words, the first
            is written, and lenient mode reads the others too.
        colon: What ends a label. No blank follows a full-width colon.
        aliases: Other names of the new dialect.
        summary: One line about the models or prompts that use it; default: that of *dialect*.
        sample: A sample transcript; default: that of *dialect* with the new labels.
        prompt: The format instructions; default: those of *dialect* with the new labels.
        prompt_words: Words of the prompt; default: those of *dialect*.
        observations: Observations of errors by the name of the problem, see `Dialect.problems`;
            default: those of *dialect* with the new labels. The reasons are for developers and are
            kept.
        example: An example of an action; default: that of *dialect*.

    Raises:
        TypeError: *dialect* is not a dialect.
        ValueError: The dialect has no such label, or two labels are spelt alike.
    """
    if not hasattr(dialect, "lenient"):
        raise TypeError(f"expected a Dialect from get_dialect, not {kind_of(dialect)}")
    new = _Labels(_named(dialect, labels), colon)
    strict, lenient = new.table(dialect.strict), new.table(dialect.lenient)
    observations = observations or {}
    shared = {key: problem for key, problem in SHARED_PROBLEMS.items() if key in observations}
    problems = {**shared, **dialect.problems}
    if unknown := observations.keys() - problems.keys():
        raise ValueError(_unknown(dialect, "problem", unknown, problems))

    def write(step: Written) -> str:
        guard = _unused(f"{step.thought}{step.tool}{step.tool_input!r}{step.answer}")
        guarded: dict[str, Any] = {
            name: _guarded(value, guard)
            for name in ("thought", "tool", "tool_input", "answer")
            if isinstance(value := getattr(step, name), str)
        }
        return new.text(dialect.write(replace(step, **guarded))).replace(guard, "")

    def render_observation(observation: str, number: int) -> str:
        guard = _unused(observation)
        assert dialect.render_observation is not None, (
            "a dialect with labels has one call in a turn"
        )
        text = dialect.render_observation(_guarded(observation, guard), number)
        return new.text(text).replace(guard, "")

    return replace(
        dialect,
        name=name,
        aliases=aliases,
        summary=summary or dialect.summary,
        sample=sample or new.text(dialect.sample),
        strict=strict,
        lenient=lenient,
        problems={
            key: new.problem(problem, observations.get(key, ""))
            for key, problem in problems.items()
        },
        stop=tuple(dict.fromkeys(part for stop in dialect.stop for part in new.stops(stop))),
        form=dialect.form and new.form(dialect.form),
        write=dialect.write if dialect.form else write,
        render_observation=render_observation,
        generation_prompt=lambda number: new.text(dialect.generation_prompt(number)),
        example=example or dialect.example,
        prompt=prompt or new.prose(dialect.prompt),
        prompt_words=prompt_words or dialect.prompt_words,
    )


_New: TypeAlias = "Mapping[str, str | tuple[str, ...]]"


def _named(dialect: Dialect, labels: _New) -> _New:
    """Return *labels* with the dialect's own word for each old label."""
    markers = dialect.lenient.markers
    shown = [*dialect.strict.markers.values(), *markers.values()]
    own = {words for marker in shown if (words := _label_of(marker))}
    stands_for = {word: word for word in own}
    if "input" in markers:
        borrowed = {marker.words for marker in markers.values() if _is_borrowed(marker)}
        stands_for = dict.fromkeys(borrowed, _label_of(markers["input"])) | stands_for
    if unknown := labels.keys() - stands_for.keys():
        raise ValueError(_unknown(dialect, "label", unknown, own))
    named = {stands_for[old]: new for old, new in labels.items()}
    if len(named) < len(labels):
        raise ValueError(f"labels= names the same label twice: {sorted(labels)}")
    return named


def _unknown(dialect: Dialect, what: str, unknown: Iterable[str], known: Iterable[str]) -> str:
    return f"dialect {dialect.name!r} has no {what} {sorted(unknown)}; it has {sorted(known)}"


def _label_of(marker: Marker) -> str:
    """Return the words of a label without its colon; ``""`` if the marker is not one."""
    if not isinstance(marker, Literal):
        return "" if _is_borrowed(marker) else marker.words
    words = marker.canonical.rstrip()
    return words[:-1] if words.endswith(":") else ""


def _is_borrowed(marker: Marker) -> TypeGuard[Label]:
    return isinstance(marker, Label) and marker.borrowed


class _Labels:
    """Replaces old labels by new ones."""

    def __init__(self, labels: Mapping[str, str | tuple[str, ...]], colon: str) -> None:
        self._colon = colon
        self._words = {old: (new,) if isinstance(new, str) else new for old, new in labels.items()}
        longest_first = sorted(self._words, key=len, reverse=True)
        any_of = "|".join(map(re.escape, longest_first)) or r"(?!)"
        self._in_text = re.compile(rf"^({any_of})((?: \d+)?):( ?)", re.MULTILINE)
        self._in_prose = re.compile(rf"(?<!\w)(an? )?({any_of})(?:(?!\w)|(:)(?='))")
        self._in_stop = re.compile(rf"(\s*)({any_of})(:?)").fullmatch
        self._in_literal = re.compile(rf"({any_of}):( ?)").fullmatch

    def text(self, text: str) -> str:
        """Return *text*, which is in the old dialect, with the new labels."""
        return self._in_text.sub(
            lambda label: self._label(label[1], label[2]) + self._blank(label[3]), text
        )

    def prose(self, text: str) -> str:
        """Return *text*, which mentions labels, with the new labels."""

        def renamed(found: re.Match[str]) -> str:
            article, old, colon = found.groups()
            words = self._label(old) if colon else self._words[old][0]
            return f"{_article(words)} {words}" if article else words

        return self._in_prose.sub(renamed, text)

    def problem(self, problem: Problem, observation: str) -> Problem:
        """Return *problem* with the new labels, without LangChain's message for strict mode."""
        return Problem(self.prose(problem.reason), observation or self.prose(problem.observation))

    def stops(self, stop: str) -> tuple[str, ...]:
        """Return *stop* with the new label, once with its own colon and once with a plain one."""
        label = self._in_stop(stop)
        if label is None:
            return (stop,)
        begun = f"{label[1]}{self._words[label[2]][0]}"
        return (f"{begun}{self._colon}", f"{begun}:") if label[3] else (begun,)

    def form(self, form: Form) -> Form:
        """Return *form* with the new labels."""

        def put(text: str) -> str:
            return self.text(text.replace(NUMBER, _ANY_NUMBER)).replace(_ANY_NUMBER, NUMBER)

        def marks(texts: Marks) -> Marks:
            return put(texts[0]), put(texts[1])

        before, between, behind = form.calls
        return replace(
            form,
            call=replace(form.call, text=put(form.call.text)),
            calls=(put(before), put(between), put(behind)),
            thought=form.thought and marks(form.thought),
            no_thought=put(form.no_thought),
            answer=form.answer if isinstance(form.answer, str) else marks(form.answer),
        )

    def table(self, table: Table) -> Table:
        """Return *table* with the new labels."""
        is_label = {marker.words for marker in table.markers.values() if isinstance(marker, Label)}
        given = {words.casefold() for new in self._words.values() for words in new}
        replaced = {
            name
            for name, marker in table.markers.items()
            if _is_borrowed(marker) and marker.words.casefold() in given
        }
        return replace(
            table,
            markers={
                name: self._marker(marker, table, is_label)
                for name, marker in table.markers.items()
                if name not in replaced
            },
            transitions={
                row: go for row, go in table.transitions.items() if row[1] not in replaced
            },
        )

    def _marker(self, marker: Marker, table: Table, is_label: set[str]) -> Marker:
        if isinstance(marker, Literal):
            label = self._in_literal(marker.canonical)
            if label is None:
                return marker
            if label[1] not in is_label and not table.lenient:
                return Label(self._words[label[1]][0], colon=self._colon)
            return Literal(self._label(label[1]) + self._blank(label[2]))
        if marker.words not in self._words:
            return replace(marker, then=self._then(marker.then)) if marker.then else marker
        words, *also = self._words[marker.words]
        colon = "".join(dict.fromkeys(f"{self._colon}:：")) if table.lenient else self._colon
        then = self._then(marker.then)
        if isinstance(marker, Inline):
            return replace(marker, words=words, colon=colon, then=then)
        return replace(
            marker,
            words=words,
            colon=colon,
            then=then,
            also=tuple(also) if table.lenient else (),
            anywhere=marker.anywhere and table.lenient,
        )

    def _then(self, words: str) -> str:
        return self._words[words][0] if words in self._words else words

    def _label(self, words: str, number: str = "") -> str:
        return f"{self._words[words][0]}{number}{self._colon}"

    def _blank(self, blank: str) -> str:
        return "" if self._colon in _FULL_WIDTH else blank


def _article(words: str) -> str:
    """Return the English article before *words*, also before a word with an accent."""
    plain = normalize("NFD", words)
    return "an" if re.match(r"(?!u(?:ni|s)|one)[aeiou]", plain, re.IGNORECASE) else "a"


def _unused(text: str) -> str:
    """Return a character that is not in *text*, and that Python and JSON do not escape.

    Raises:
        ValueError: *text* contains all of these characters.
    """
    for char in map(chr, _GUARDS):
        if char not in text:
            return char
    raise ValueError(
        "the text contains every character from U+13000 to U+133FF, but one of them must be free "
        "to mark lines"
    )


def _guarded(text: str, guard: str) -> str:
    """Return *text* with *guard* before each line, so that no line begins with a label."""
    return "\n".join(guard + line for line in text.split("\n")) if text else text
