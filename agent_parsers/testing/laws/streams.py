"""The law of every output parser that takes a stream, be it of agents or not."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from agent_parsers.actions.agent import AgentAction
from agent_parsers.parsers.agent_parser import AgentOutputParser, MultiActionAgentOutputParser
from agent_parsers.testing.laws.broken import ONE_WAY_TO_FAIL, BrokenLawError, located, named, shown
from output_parsers import (
    BaseCumulativeTransformOutputParser,
    ListOutputParser,
    OutputParserException,
    StrOutputParser,
    XMLOutputParser,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["a_stream_ends_in_the_result_of_the_whole"]

_AGENTS: Final = (AgentOutputParser, MultiActionAgentOutputParser)
_FAILURES: Final = (OutputParserException, ValidationError)
"""Errors that a text may lead to. A parser of calls says with pydantic's what does not fit."""


def a_stream_ends_in_the_result_of_the_whole(
    parser: Any, chunks: Sequence[Any], whole: Any = None
) -> None:
    """Compare what *parser* gives for a stream with what it gives for the whole.

    The last value of a stream is that of the whole; texts, items and leaves add up to it. Values
    are the same if they are written the same: ``1`` is not ``1.0``. If the whole is an error, the
    stream ends in that, with the same message and span; a stream without chunks gives nothing. One
    exemption: a stream of XML passes over what stands around the first document, as LangChain's
    does, where the whole may be an error.

    Args:
        parser: An output parser, of this package or your own.
        chunks: Texts, or chunks of messages.
        whole: What they are the chunks of; their sum if it is None.

    Raises:
        BrokenLawError: They are not the same, or something else was raised than an error of the
            text.
    """
    if not chunks:
        return
    whole = reduce(add, chunks) if whole is None else whole
    expected = _outcome(parser, whole, lambda: _values(parser, parser.invoke(whole)))
    found = _outcome(parser, whole, lambda: _sum_of(parser, chunks))
    is_error = expected.startswith(tuple(error.__name__ for error in _FAILURES))
    if found != expected and not (is_error and isinstance(parser, XMLOutputParser)):
        reason = f"the whole comes to {expected}, its stream to {found}"
        raise _broken(parser, whole, reason, chunks)


def _outcome(parser: Any, whole: Any, do: Callable[[], Any]) -> str:
    """Return what *do* returns, or how it fails, written down."""
    try:
        return repr(do())
    except _FAILURES as error:
        if isinstance(error, OutputParserException):
            span, text = error.span, error.llm_output
            if not isinstance(text, str) or span is None:
                raise _broken(parser, whole, f"the error {str(error)!r} has no place") from error
            if not (error.observation or "").strip():
                raise _broken(parser, whole, f"the error {str(error)!r} tells nothing") from error
            return f"{type(error).__name__}: {error} at {span}"
        return f"{type(error).__name__}: {error}"
    except Exception as error:
        raise _broken(parser, whole, f"it raised {located(error)}", law=ONE_WAY_TO_FAIL) from error


def _sum_of(parser: Any, chunks: Sequence[Any]) -> Any:
    """Return what the outputs of a stream come to."""
    outputs = [*parser.transform(iter(chunks))]
    if isinstance(parser, _AGENTS):
        return [_emit(output) for output in outputs]
    if isinstance(parser, StrOutputParser):
        return "".join(outputs)
    if isinstance(parser, ListOutputParser):
        return [item for output in outputs for item in output]
    if isinstance(parser, XMLOutputParser):
        return [leaf for output in outputs for leaf in _leaves(output)]
    if getattr(parser, "diff", False):
        from jsonpatch import apply_patch

        last = reduce(apply_patch, outputs, None)
    else:
        last = outputs[-1] if outputs else None
    return _values(parser, last)


def _values(parser: Any, result: Any) -> Any:
    """Return *result* as `_sum_of` has it."""
    if isinstance(parser, _AGENTS):
        return [_emit(result)]
    if isinstance(parser, XMLOutputParser):
        return [*_leaves(result)]
    if isinstance(parser, BaseCumulativeTransformOutputParser):
        return None if result == [] else result  # Which of them a stream begins with differs.
    return result


def _emit(result: Any) -> Any:
    """Return an action, or several, without the message that they are from, or an answer."""
    if isinstance(result, list):
        return [_emit(action) for action in result]
    if isinstance(result, AgentAction):
        call_id = getattr(result, "tool_call_id", None)
        return (result.tool, result.tool_input, result.log, call_id)
    return result


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the leaves of a document, each with the tags that lead to it."""
    for tag, content in value.items():
        if isinstance(content, list) and content:
            for child in content:
                yield from _leaves(child, (*path, tag))
        else:
            is_blank = not content or content.isspace()
            yield (*path, tag), None if is_blank else content


def _broken(
    parser: Any, whole: Any, reason: str, chunks: Sequence[Any] = (), *, law: str = ""
) -> BrokenLawError:
    text = whole if isinstance(whole, str) else shown(whole)
    title = law or named(a_stream_ends_in_the_result_of_the_whole)
    return BrokenLawError(title, type(parser).__name__, reason, text=text, chunks=list(chunks))
