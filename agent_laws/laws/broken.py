"""The error for a broken law, and descriptions of values and differences for its message."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, wraps
from pathlib import PurePath
from textwrap import indent
from traceback import extract_tb
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec

from agent_laws.trials.stories import FailedStep, Refusal, Story
from agent_parsers import AgentAction, AgentFinish
from agent_parsers.events import Event
from agent_parsers.testing.snapshots.readable import readable
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers import Dialect

P = ParamSpec("P")

ONE_WAY_TO_FAIL: Final = "any text gives a result or an OutputParserException"
_MOST_SHOWN: Final = 300
"""Number of characters of a value that are shown."""


class BrokenLawError(AssertionError):
    """Raised if a dialect breaks a law."""

    def __init__(
        self,
        law: str,
        dialect: str,
        reason: str,
        *,
        mode: str = "",
        text: str | None = None,
        chunks: Sequence[str] = (),
    ) -> None:
        by = f"{dialect} ({mode})" if mode else dialect
        super().__init__(f"{by} breaks a law: {law}")
        self.law = law
        """The law, in words."""
        self.dialect = dialect
        """Name of the dialect that breaks it."""
        self.reason = reason
        """Why the law is broken, in a clause."""
        self.mode = mode
        """The mode in which the text was read: ``"strict"``, ``"lenient"`` or ``"transcript"``;
        empty if the law does not depend on it."""
        self.text = text
        """The failing text, or `None` if the law is not about a text."""
        self.chunks: tuple[str, ...] = tuple(chunks)
        """The chunks of the text; empty if the cut does not matter."""

    def __reduce__(self) -> tuple[Any, ...]:
        given: dict[str, Any] = {"mode": self.mode, "text": self.text, "chunks": self.chunks}
        return partial(type(self), **given), (self.law, self.dialect, self.reason)

    @property
    def details(self) -> str:
        """The reason, the text and its chunks, on one line each."""
        lines = [self.reason]
        if self.text is not None:
            lines.append(f"text: {shown(self.text)}")
        if len(self.chunks) > 1:
            lines.append(f"in chunks: {shown(list(self.chunks))}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return f"{super().__str__()}\n{indent(self.details, '  ')}"


class Broken(Exception):  # noqa: N818 - internal: `law` turns it into a `BrokenLawError`
    """Raised inside a law if the law is broken.

    Args:
        reason: Why the law is broken, in a clause.
        text: The failing text, if it is not an argument of the law.
        chunks: The chunks of the text.
    """

    def __init__(self, reason: str, *, text: str | None = None, chunks: Iterable[str] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.text = text
        self.chunks: tuple[str, ...] = tuple(chunks)


class Crashed(Broken):
    """Raised if a text causes an error that no text may cause; ``__cause__`` is that error."""

    def __init__(self, text: str) -> None:
        super().__init__("", text=text)


def law(check: Callable[Concatenate[Dialect, P], None]) -> Callable[Concatenate[Dialect, P], None]:
    """Decorate *check*, named after its law, to raise `BrokenLawError` if the law is broken.

    An error that no text may cause breaks another law: `ONE_WAY_TO_FAIL`.
    """

    @wraps(check)
    def checked(dialect: Dialect, /, *args: P.args, **kwargs: P.kwargs) -> None:
        __tracebackhide__ = True
        try:
            check(dialect, *args, **kwargs)
        except BrokenLawError:
            raise
        except Broken as error:
            raise _broken_law(error, check, dialect, args, kwargs) from error.__cause__
        except Exception as error:
            raise _broken_law(error, check, dialect, args, kwargs) from error

    return checked


def _broken_law(
    error: Exception,
    check: Callable[..., object],
    dialect: Dialect,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> BrokenLawError:
    """Return which law is broken if *check* raises *error*, and why."""
    given = inspect.signature(check).bind(dialect, *args, **kwargs).arguments
    title, reason = named(check), str(error)
    text: str | None = given.get("text")
    chunks: Sequence[str] = ()
    fault: BaseException | None = error
    if isinstance(error, Broken):
        text = text if error.text is None else error.text
        chunks, fault = error.chunks, error.__cause__ if isinstance(error, Crashed) else None
    elif isinstance(error, OutputParserException):
        text, fault = error.llm_output, None
    elif type(error) is ValueError and reason.startswith(dialect.name):
        fault = None  # `render` refuses
    if fault is not None:
        title, reason = ONE_WAY_TO_FAIL, f"it raised {located(fault)}"
    mode = given.get("mode", "")
    return BrokenLawError(title, dialect.name, reason, mode=mode, text=text, chunks=chunks)


def crashed(dialect: Dialect, mode: str, error: Exception) -> BrokenLawError:
    """Return a `BrokenLawError` for an *error* that a dialect's code raised outside of any law."""
    reason = f"it raised {located(error)}"
    return BrokenLawError(ONE_WAY_TO_FAIL, dialect.name, reason, mode=mode)


def located(error: BaseException) -> str:
    """Return *error* in words, with the file and line where it was raised."""
    *_, frame = extract_tb(error.__traceback__)
    place = f"{PurePath(frame.filename).name}, line {frame.lineno}"
    return f"{type(error).__name__}: {error} ({place})"


def named(check: Callable[..., object]) -> str:
    """Return the name of *check* as words."""
    return check.__name__.replace("_", " ")


def shown(value: object) -> str:
    """Return *value* on one line; long values are shortened."""
    if isinstance(value, Refusal):
        line = f"the error {value.message!r}"
    elif isinstance(value, FailedStep):
        line = f"a failed step at {value.span}: {value.refusal.message!r}"
    elif isinstance(value, Event):
        start, end = value.span
        line = f"{' '.join(readable(value).split()[1:])} at {start}-{end}"
    elif isinstance(value, AgentAction):
        line = f"the action {value.tool!r} with {value.tool_input!r}"
    elif isinstance(value, list) and value and isinstance(value[0], AgentAction):
        line = ", then ".join(map(shown, value))
    elif isinstance(value, AgentFinish):
        line = f"the answer {value.return_values.get('output')!r}"
    elif value is None:
        line = "nothing"
    else:
        line = repr(value)
    return line if len(line) <= _MOST_SHOWN else f"{line[: _MOST_SHOWN - 1]}…"


def difference(one: Story, other: Story, ways: tuple[str, str]) -> str:
    """Return the first difference between two stories, which result from two *ways* of reading."""
    events = max(len(one.events), len(other.events))
    for at in range(events):
        pair = [story.events[at] if at < len(story.events) else None for story in (one, other)]
        if pair[0] != pair[1]:
            what = "it emits"
            break
    else:
        what, pair = "the text is read as", [one.outcome, other.outcome]
    words = [shown(value) for value in pair]
    if words[0] == words[1]:  # they differ in a part that `shown` leaves out
        words = [repr(value) for value in pair]
    return f"{what} {words[0]} {ways[0]}, and {words[1]} {ways[1]}"
