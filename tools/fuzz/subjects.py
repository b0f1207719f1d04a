"""The subjects of fuzzing, and the laws that they are checked against."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from agent_laws import BrokenLawError, laws
from agent_laws.laws.broken import named
from agent_laws.plan import checks_of_texts
from agent_laws.smallest import Case, smallest_text
from agent_laws.trials.beside_calls import beside_calls
from agent_laws.trials.enclosures import enclosed_calls
from agent_laws.trials.sample_calls import sample_turns, seams
from agent_laws.trials.tool_shapes import tool_sets
from agent_parsers import get_dialect, list_dialects
from agent_parsers.parsers.dialect_parser import dialect_parser
from outputs import AIMessageChunk
from tests.helpers.public_parsers import SUBJECTS, is_exempt_xml

from .client_streams import STREAM_SUBJECTS, broken_laws
from .texts import Material, case_for, cut, material_of, spoilt

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

    from agent_laws.trials.sample_calls import SampleTurn
    from agent_parsers.authoring import Dialect
    from agent_parsers.engine.tables.modes import Mode
    from tests.helpers.public_parsers import Subject

__all__ = ["Found", "names", "trial_of"]

NOISE: Final = (
    "",
    " ",
    "\n",
    "{",
    "}",
    '"',
    "\\",
    "```",
    "<a>",
    "</",
    "]",
    ",",
    ":",
    "1",
    "é",
    "x",
)


class Found(NamedTuple):
    """How a law was broken."""

    subject: str
    error: BrokenLawError

    @property
    def kind(self) -> tuple[str, str, str]:
        """The key by which two findings count as the same."""
        return self.subject, self.error.law, self.error.reason[:60]


Trial: TypeAlias = "Callable[[Random, Counter[str]], Iterator[Found]]"
"""Makes one text, tries and counts the laws for it, and yields those that are broken."""


def names() -> list[str]:
    """Return the names of all subjects: ``react lenient``, ``chat-strict stream``."""
    modes = {name: _modes(get_dialect(name)) for name in list_dialects()}
    dialects = [f"{name} {mode}" for name, known in modes.items() for mode in known]
    parsers = (f"{type(it.parser).__name__} {at}" for at, it in enumerate(SUBJECTS))
    tools = (f"{name} tools" for name in modes)
    return [*dialects, *tools, *parsers, *STREAM_SUBJECTS]


def _modes(dialect: Dialect) -> tuple[Mode, ...]:
    return ("strict", "lenient", *(("transcript",) if dialect.lenient.transcript_start else ()))


def trial_of(name: str) -> Trial:
    """Return the `Trial` of the subject *name*."""
    subject, _, what = name.rpartition(" ")
    if what == "stream":
        return partial(_try_stream, name)
    if what.isdecimal():
        return partial(_try_parser, name, SUBJECTS[int(what)])
    dialect = get_dialect(subject)
    if what == "tools":
        return partial(_try_tools, name, dialect)
    return partial(_try_dialect, name, dialect, cast("Mode", what))


def _try_dialect(
    name: str, dialect: Dialect, mode: Mode, random: Random, counts: Counter[str]
) -> Iterator[Found]:
    case = case_for(random, dialect, mode)
    for law, check in checks_of_texts(dialect, mode):
        counts[named(law)] += 1
        yield from _found(name, case, check)
    if mode == "lenient":
        for law in (laws.no_observation_forges_a_mark, laws.what_is_escaped_is_unescaped):
            counts[named(law)] += 1
            yield from _found(name, case, lambda case, law=law: law(dialect, case.text))


def _found(name: str, case: Case, check: Callable[[Case], None]) -> Iterator[Found]:
    if (error := smallest_text([case], check)) is not None:
        yield Found(name, error)


def _try_tools(
    name: str, dialect: Dialect, random: Random, counts: Counter[str]
) -> Iterator[Found]:
    """Read a text with tools whose parameters are known, whole and streamed."""
    mode: Mode = random.choice(("strict", "lenient"))
    turn = random.choice([*sample_turns(dialect)])
    tools = random.choice([*tool_sets(turn.calls).values()])
    known = material_of(dialect.name, mode)
    text = spoilt(random, Material([turn.text, turn.text, *known.wholes[:4]], *known[1:]))
    parser = dialect_parser(dialect, lenient=mode == "lenient", tools=tools)
    ended = random.choice(("unknown", "stop", "length"))
    law = laws.a_stream_ends_in_the_result_of_the_whole
    counts[named(law)] += 1
    size = random.choice((1, 2, 3, 7, 30, 1000))

    def check(case: Case) -> None:
        pieces = [case.text[at : at + size] for at in range(0, len(case.text), size)]
        chunks = [AIMessageChunk(piece) for piece in pieces]
        law(parser, [*chunks, AIMessageChunk("", response_metadata=_REASONS[ended])])

    yield from _found(name, Case(text), check)
    yield from _try_caution(name, dialect, mode, turn, text, random, counts)


def _try_caution(
    name: str,
    dialect: Dialect,
    mode: Mode,
    turn: SampleTurn,
    text: str,
    random: Random,
    counts: Counter[str],
) -> Iterator[Found]:
    """Cut a turn, enclose a call, put something beside it, and read a *text* in both modes."""
    tools = random.choice([*tool_sets(turn.calls).values()])
    at = [random.randrange(len(turn.text) + 1), random.choice(seams(turn))]
    enclosed = random.choice(enclosed_calls(dialect))
    quote: dict[str, Any] = {"tools": enclosed.tools, "meant": enclosed.meant}
    trials = [
        (partial(laws.strict_reading_is_never_laxer, dialect, tools=tools), text),
        (
            partial(laws.no_prefix_of_a_turn_acts_otherwise, dialect, mode, tools=tools, at=at),
            turn.text,
        ),
        (
            partial(laws.reasoning_and_quotation_never_act, dialect, mode, **quote),
            enclosed.text,
        ),
    ]
    for beside in random.sample(
        [*beside_calls(dialect, mode)], k=bool(beside_calls(dialect, mode))
    ):
        law = laws.nothing_beside_a_call_is_dropped
        given = {"tools": beside.tools, "may_repair": beside.may_repair}
        trials.append((partial(law, dialect, mode, **given), beside.text))
    for law, said in trials:
        counts[named(law.func)] += 1
        try:
            law(said)
        except BrokenLawError as error:
            yield Found(name, error)


_REASONS: Final[dict[str, dict[str, str]]] = {
    "unknown": {},
    "stop": {"finish_reason": "stop"},
    "length": {"finish_reason": "length"},
}


def _try_stream(name: str, random: Random, counts: Counter[str]) -> Iterator[Found]:
    yield from (Found(name, error) for error in broken_laws(name, random, counts))


def _try_parser(
    name: str, subject: Subject, random: Random, counts: Counter[str]
) -> Iterator[Found]:
    law = laws.a_stream_ends_in_the_result_of_the_whole
    counts[named(law)] += 1
    chunks = _chunks(random, subject)
    if chunks is None:
        return
    try:
        law(subject.parser, chunks)
    except BrokenLawError as error:
        yield Found(name, _with_fewer(subject.parser, chunks, error))


def _with_fewer(parser: Any, chunks: Sequence[Any], error: BrokenLawError) -> BrokenLawError:
    """Return how the same law is broken by as few *chunks* as possible."""
    kept = [*chunks]
    for at in reversed(range(len(kept))):
        fewer = kept[:at] + kept[at + 1 :]
        try:
            laws.a_stream_ends_in_the_result_of_the_whole(parser, fewer)
        except BrokenLawError as other:
            if other.law == error.law:
                kept, error = fewer, other
    return error


def _chunks(random: Random, subject: Subject) -> list[Any] | None:
    """Return the chunks of a stream for a public parser, or `None` if the text is exempt."""
    material = Material(subject.texts, NOISE, NOISE)
    if subject.reads == "xml":
        text = spoilt(random, material).strip()
        return None if is_exempt_xml(text) else cut(random, text)
    if subject.reads == "text":
        chunks = cut(random, spoilt(random, material))
        as_message = random.randrange(4) == 0
        return [AIMessageChunk(chunk) for chunk in chunks] if as_message else chunks
    messages = [AIMessageChunk(random.choice(("", "Let me see.")))]
    if subject.reads == "function":
        for at, piece in enumerate(cut(random, spoilt(random, material))):
            call = {"name": "" if at else "City", "arguments": piece}
            messages.append(AIMessageChunk("", additional_kwargs={"function_call": call}))
        return messages
    indexes = random.choice((count(), count(), iter([None] * 9), iter([0] * 9)))
    for at in range(random.randrange(4)):
        name, index = random.choice(("City", "City", "ping")), next(indexes)
        for place, piece in enumerate(cut(random, spoilt(random, material))):
            call_id = f"call_{at}" if place == 0 or random.randrange(2) else None
            messages.append(AIMessageChunk("", tool_call_chunks=[
                {"name": None if place else name, "args": piece, "id": call_id, "index": index}
            ]))  # fmt: skip
    return messages
