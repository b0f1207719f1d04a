"""The exceptions that parsers raise when they cannot read the model's text.

::

    ValueError
    └── OutputParserException    the model's mistake: a reason, its text, the place, an observation
        └── ModelRefusalError    the model refused, or a filter held back its reply

A mistake of the caller (a wrong argument, a wrong type) is a plain `TypeError` or `ValueError`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

from output_parsers.printable import clipped, excerpt, printable
from outputs.html.viewable import Viewable
from outputs.json_form.storable import TABLES, Storable

__all__ = ["ModelRefusalError", "OutputParserException"]

TABLES["output_parsers.json_form"] = None

_MAX_COLUMNS = 100
"""The widest line `OutputParserException.pointer` draws, in cells of a terminal."""


class OutputParserException(ValueError, Storable, Viewable):  # noqa: N818 - the name is LangChain's
    """The model's text does not have the form that the parser expects.

    ``str()`` returns *error* exactly as it was passed. A traceback also shows the place, as
    `pointer` draws it. The exception can be pickled and copied with all its attributes.

    Args:
        error: The reason, or the exception that caused this one.
        observation: What to send back to the model, ready to use.
        llm_output: The text that was parsed.
        send_to_llm: Whether an agent should show *observation* and *llm_output* to the model.
        span: The part of *llm_output* at fault, as ``(start, end)`` in `str` characters; by default
            all of it.
        reason: What is wrong, in one clause, if *error* has LangChain's wording instead.

    Raises:
        ValueError: *send_to_llm* is set, and *observation* or *llm_output* is missing.
    """

    _view = "outputs.html.source"

    problem: str = ""
    """Name of what is wrong, such as ``no_input``, for programs; empty if it has none."""
    ai_message: Any = None
    """The `AIMessage` that was read, if it was a message and not a text; `llm_output` is its text.

    Whoever writes the next prompt sends it back with its calls.
    """
    call_at: int | None = None
    """Which call of the `ai_message` is at fault, from 0; `None` if that is not known."""
    begins_at: tuple[int, int] = (1, 1)
    """Line and column, from 1, where `llm_output` begins in the text that was read, such as a log.

    `line`, `column` and `pointer` count from the beginning of that text.
    """

    def __init__(
        self,
        error: object,
        observation: str | None = None,
        llm_output: str | None = None,
        send_to_llm: bool = False,
        *,
        span: tuple[int, int] | None = None,
        reason: str | None = None,
    ) -> None:
        # `args` has only the first argument and `__dict__` the rest, so that
        # `BaseException.__reduce__` can pickle and copy everything, in subclasses too.
        super().__init__(error)
        if send_to_llm and (observation is None or llm_output is None):
            raise ValueError(
                "Arguments 'observation' & 'llm_output' are required if 'send_to_llm' is True"
            )
        self.observation = observation
        self.llm_output = llm_output
        self.send_to_llm = send_to_llm
        if isinstance(llm_output, str):
            start, end = span or (0, len(llm_output))
            if not 0 <= start <= end <= len(llm_output):
                start, end = _clamp(start, llm_output), _clamp(end, llm_output)
                end = max(start, end)
            span = (start, end)
        self.span = span
        self._reason = reason

    @property
    def observation(self) -> str | None:
        """What to send back to the model."""
        said: str | Callable[[Any], str] | None = self.__dict__["observation"]
        if callable(said):
            self.observation = said = said(self)
        return said

    @observation.setter
    def observation(self, said: str | None) -> None:
        self.__dict__["observation"] = said

    def observe_later(self, write: Callable[[Self], str]) -> None:
        """Have *write* return the observation for this exception when it is first needed."""
        self.__dict__["observation"] = write

    def __reduce__(self) -> str | tuple[Any, ...]:
        self.observation  # noqa: B018 - what writes it may not be copied
        return super().__reduce__()

    @property
    def line(self) -> int | None:
        r"""The line where the span begins, from 1; `None` if there is no text.

        A line ends at ``\n`` or ``\r\n``.
        """
        if self.span is None or self.llm_output is None:
            return None
        start = _clamp(self.span[0], self.llm_output)
        return self.begins_at[0] + self.llm_output.count("\n", 0, start)

    @property
    def column(self) -> int | None:
        """The column where the span begins, from 1; `None` if there is no text."""
        if self.span is None or self.llm_output is None:
            return None
        start = _clamp(self.span[0], self.llm_output)
        line_start = self.llm_output.rfind("\n", 0, start) + 1
        return start - line_start + (1 if line_start else self.begins_at[1])

    @property
    def reason(self) -> str:
        """What is wrong, in one clause.

        By default the message, without a ``(line 4, column 1)`` at its end.
        """
        if self._reason is not None:
            return self._reason
        said = str(self)
        if not said.endswith(")"):
            return said
        return said.removesuffix(f" (line {self.line}, column {self.column})")

    def pointer(self) -> str:
        """Return the reason and, below it, the offending line with a mark under the span.

        ::

            found both an action and a final answer; a turn may have only one of them
              --> line 4, column 1
            4 | Final Answer: 42
              | ^^^^^^^^^^^^^

        The result is safe to print on a terminal: no line is wider than 100 cells, and
        unprintable characters are replaced. Without a text it is only the first line of the reason.
        """
        headline = clipped(printable(self.reason.partition("\n")[0]), _MAX_COLUMNS)
        if self.span is None or self.llm_output is None:
            return headline
        gutter = " " * len(str(self.line))
        line, marks = _marked_line(self.llm_output, self.span, _MAX_COLUMNS - len(f"{gutter} | "))
        return "\n".join(
            (
                headline,
                f"{gutter} --> line {self.line}, column {self.column}",
                f"{self.line} | {line}".rstrip(),
                f"{gutter} | {marks}",
            )
        )

    @cached_property
    def __notes__(self) -> list[str]:  # type: ignore[override]  # it can be set, unlike a property
        """What a traceback shows below the message: the place, and what `add_note` adds.

        It is written when it is first asked for, so a caught exception costs nothing.
        """
        if not (self.llm_output and isinstance(self.llm_output, str)) or _is_same_place(
            self, self.__cause__
        ):
            return []
        headline, _, place = self.pointer().partition("\n")
        is_said = str(self).startswith(self.reason)
        return [place if is_said else f"{headline}\n{place}"]


class ModelRefusalError(OutputParserException):
    """The model refused, or a filter of its provider held back its whole reply.

    Do not ask again: the same prompt leads to the same refusal, so ``send_to_llm`` is not set. In a
    loop, catch this error before `OutputParserException`.
    """

    problem = "refusal"

    @property
    def raw_message(self) -> Any:
        """The refusing message, as it was passed to the parser; `None` if it is not known."""
        return self.__dict__.get("raw_message", self.ai_message)

    @property
    def refusal(self) -> str:
        """The words in which the model refused."""
        return self.llm_output or ""

    @classmethod
    def saying(cls, refusal: str, category: str = "") -> Self:
        """Return the error for a model that refused in the words *refusal*.

        Args:
            refusal: Its words; empty if it has none.
            category: What the provider says that the refusal is about, such as ``cyber``.
        """
        refused = f"the model refused ({category})" if category else "the model refused"
        return cls(
            f"{refused}: {refusal}" if refusal else refused,
            llm_output=refusal,
            observation="You refused to answer, so the task cannot continue. If you can do a part "
            "of it, write that part in the required form.",
        )

    @classmethod
    def by_filter(cls) -> Self:
        """Return the error for a provider whose filter held back all of the reply."""
        return cls(
            "the provider's filter blocked the reply",
            llm_output="",
            observation="A filter blocked your reply, so the task cannot continue.",
            span=(0, 0),
        )


def _is_same_place(error: OutputParserException, cause: BaseException | None) -> bool:
    """Return whether a traceback shows the place of *error* with its *cause* already."""
    return (
        isinstance(cause, OutputParserException)
        and (cause.llm_output, cause.span) == (error.llm_output, error.span)
    )  # fmt: skip


def _marked_line(text: str, span: tuple[int, int], room: int) -> tuple[str, str]:
    """Return what is shown of the line where *span* begins in *room* cells, and its marks."""
    start, end = (_clamp(offset, text) for offset in span)
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line = text[line_start : line_end if line_end >= 0 else None].removesuffix("\r")
    return excerpt(line, start - line_start, min(end - line_start, len(line)), room)


def _clamp(offset: int, text: str) -> int:
    return min(max(offset, 0), len(text))
