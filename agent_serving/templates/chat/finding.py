"""Finds the dialect that reads what a chat template writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_parsers import OutputParserException, get_dialect, get_parser, list_dialects
from agent_parsers.core import Detection, DialectCandidate
from agent_parsers.events import MarkerSeen
from agent_serving.templates.chat.deriving import calls_of
from agent_serving.templates.chat.model_turns import Shown, show
from agent_serving.templates.chat.probes import TOOLS, TURNS, UNCERTAIN, WITH_CONTENT
from agent_serving.templates.chat.rendering import TIMEOUT_S, chat_template
from agent_serving.templates.template_error import TemplateError

if TYPE_CHECKING:
    from typing import TypeAlias

    from agent_parsers import Dialect, Turn
    from agent_parsers.core import AnyDialectParser

    Calls: TypeAlias = tuple[tuple[str, Any], ...]
    """The names and inputs of the calls of a turn."""


def dialect_for_template(
    template: str | Mapping[str, Any],
    *,
    special_tokens: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Detection:
    """Find the dialect that reads the turns of a model, given its chat template.

    The template renders turns with one call, with several calls, with thoughts and with text that
    looks like JSON or markup. Every dialect reads them in strict mode; those that give back all
    calls are found. If there are none, content beside calls may be missed, and then they may be
    read leniently by a dialect that has the template's end of turn, as for templates that leave
    out a closing mark. Those that end a turn as the template does come first. Dialects that read
    everything alike are relatives, of which the first then writes the most as the template does::

        dialect_for_template(open("chat_template.jinja").read()).dialect  # such as "hermes"

    Args:
        template: A chat template of Hugging Face, in Jinja, or a whole ``tokenizer_config.json``.
        special_tokens: The texts of ``eos_token`` and others, if the template uses them; by
            default those of ``tokenizer_config.json``.
        timeout_s: Limit for the renderings, in seconds. The template runs in a process that is
            ended then.

    Returns:
        What `detect` returns. The candidates are the dialects that give back the calls; those that
        also tell thoughts and content as the template does come first.

    Raises:
        ImportError: Jinja2 is not installed; the extra ``templates`` installs it.
        TemplateError: The template cannot be rendered or writes no calls, or no dialect reads
            them; the error names the nearest. `dialect_from_template` may derive one.
    """
    given = chat_template(template, special_tokens)
    dialects = [*map(get_dialect, list_dialects())]
    ways = show(given.text, given.special_tokens, timeout_s=timeout_s)
    for missed, shown in product(_MISSED, ways):
        trials = [trial for each in dialects if (trial := _try(each, shown, missed))]
        if trials:
            return _detection(trials, shown)
    raise TemplateError(
        "no dialect reads the calls that the template writes, such as"
        f" {ways[0].turns['one']!r}{_nearest(dialects, ways)}; dialect_from_template may derive one"
    )


def _nearest(dialects: Sequence[Dialect], ways: Sequence[Shown]) -> str:
    """Return the dialect that gives back the most turns, and which turns it does not."""
    most, said = (0, 3), ""  # one that gives back none is not near
    for shown, dialect in product(ways, dialects):
        parser = get_parser(dialect, tools=TOOLS, lenient=False)
        turns = {name: text for name, text in shown.turns.items() if _calls(name)}
        lost = [name for name, text in turns.items() if _read(parser, name, text) is None]
        read = len(turns) - len(lost)
        if (read, _fits(dialect, shown)) > most:
            most = read, _fits(dialect, shown)
            said = (
                f"; {dialect.name!r} is the closest: it reads back {read} of {len(turns)} turns"
                f" with calls, but not {', '.join(map(repr, lost))}"
            )
    return said


def _detection(trials: list[_Trial], shown: Shown) -> Detection:
    alike: dict[tuple[int, str], list[_Trial]] = {}
    for trial in sorted(trials, key=attrgetter("order")):
        alike.setdefault((trial.score, trial.reading), []).append(trial)
    ranked = sorted(
        ((min(trial.rank for trial in group), group) for group in alike.values()), key=itemgetter(0)
    )
    groups = [group for _, group in ranked]
    is_ambiguous = len(ranked) > 1 and ranked[0][0] == ranked[1][0]
    candidates = tuple(_candidate(group, shown.turns) for group in groups)
    return Detection(candidates, is_ambiguous, shown.turns["one"])


class _Trial(NamedTuple):
    """What a dialect read in the turns of a template."""

    dialect: Dialect
    read: Mapping[str, Turn]
    calls: int
    """How many turns with calls gave back the calls."""
    score: int
    """How many turns gave back everything."""
    written: int
    """How many turns it writes as the template does."""

    @property
    def reading(self) -> str:
        """What was read, in a form that can be compared."""
        return repr([(name, *_parts(turn)) for name, turn in self.read.items()])

    fits: int
    """How much it ends a turn as the template does."""

    @property
    def rank(self) -> tuple[int, int, int]:
        """A sort key: first those that end a turn alike, read the most, and repair the least."""
        repairs = sum(len(turn.repairs) for turn in self.read.values())
        return -self.fits, -self.score, repairs

    @property
    def order(self) -> tuple[int, int, str]:
        """A sort key for trials that read alike."""
        return -self.fits, -self.written, self.dialect.name


_MISSED: Final = (
    {*UNCERTAIN},
    {*UNCERTAIN, *WITH_CONTENT},
    {*UNCERTAIN, *WITH_CONTENT, "three calls"},
)
"""Turns whose calls may be missed, one attempt after another; the last is lenient."""


def _try(dialect: Dialect, shown: Shown, missed: set[str]) -> _Trial | None:
    """Return what *dialect* reads; `None` if it *missed* calls of other turns."""
    lenient = missed is _MISSED[-1]
    fits = _fits(dialect, shown)
    if lenient and not fits:
        return None
    parser = get_parser(dialect, tools=TOOLS, lenient=lenient)
    read: dict[str, Turn] = {}
    calls = score = written = 0
    for name, text in shown.turns.items():
        turn, want = TURNS[name], _calls(name)
        found = _read(parser, name, text)
        if found is None:
            if want and name not in missed:
                return None
            continue
        if any(repair.kind == "foreign" for repair in found.repairs):
            return None
        read[name] = found
        calls += bool(want)
        score += _parts(found) == (want, turn.thought, turn.said)
        written += _writes(dialect, name, text)
    return _Trial(dialect, read, calls, score, written, fits)


def _calls(name: str) -> Calls:
    """Return the calls of a turn."""
    return tuple((call.tool, call.tool_input) for call in TURNS[name].calls)


def _read(parser: AnyDialectParser, name: str, text: str) -> Turn | None:
    """Return the *text* of a turn as it is read, or `None` if its calls are not given back."""
    try:
        found = parser.read(text)
    except OutputParserException:
        return None
    want = _calls(name)
    return found if not want or _parts(found)[0] == want else None


def _fits(dialect: Dialect, shown: Shown) -> int:
    """Return how much *dialect* ends a turn as is *shown*: 2 by its own mark, 1 by another."""
    own, *others = dialect.stop or ("",)
    return 2 if own in shown.ends else int(any(end in shown.ends for end in others))


def _parts(turn: Turn) -> tuple[Calls, str, str]:
    """Return the calls, the thought and the content of a turn."""
    return calls_of(turn.result), turn.thought.strip(), turn.content.strip()


def _writes(dialect: Dialect, name: str, text: str) -> bool:
    try:
        return dialect.write(TURNS[name]) == text
    except ValueError:
        return False


def _candidate(group: Sequence[_Trial], turns: Mapping[str, str]) -> DialectCandidate:
    first, *others = group
    with_calls = sum(1 for name in turns if TURNS[name].calls)
    markers: dict[str, str] = {}
    for name, turn in first.read.items():
        for event in turn.events:
            if isinstance(event, MarkerSeen) and event.name not in ("start", "end"):
                text = turns[name][slice(*event.span)].strip()
                markers.setdefault(event.name, text)
    reason = (
        f"read back {first.calls} of {with_calls} turns with calls, and wrote {first.written} of"
        f" {len(turns)} turns as the template does"
    )
    if others:
        names = ", ".join(repr(trial.dialect.name) for trial in others)
        reason += f"; {names} read{'s' * (len(others) == 1)} the same"
    return DialectCandidate(
        dialect=first.dialect.name,
        relatives=tuple(trial.dialect.name for trial in others),
        form="reply",
        markers=tuple(filter(None, markers.values())),
        actions=sum(len(TURNS[name].calls) for name in first.read),
        answers=sum(1 for name in first.read if not TURNS[name].calls),
        repairs=0,
        errors=(),
        reason=reason,
    )
