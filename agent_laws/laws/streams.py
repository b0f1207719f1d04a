"""The law for all output parsers that read streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import Any, Final

from pydantic import ValidationError

from agent_laws.laws.broken import ONE_WAY_TO_FAIL, BrokenLawError, located, named, shown
from agent_parsers import AgentAction, AgentOutputParser, MultiActionAgentOutputParser
from output_parsers import (
    BaseCumulativeTransformOutputParser,
    ListOutputParser,
    OutputParserException,
    StrOutputParser,
    XMLOutputParser,
)

_AGENTS: Final = (AgentOutputParser, MultiActionAgentOutputParser)
_FAILURES: Final = (OutputParserException, ValidationError)
"""Errors that a text may cause; parsers of tool calls raise pydantic's error."""


def a_stream_ends_in_the_result_of_the_whole(
    parser: Any, chunks: Sequence[Any], whole: Any = None
) -> None:
    """Check that *parser* gives the same result for a stream as for the whole text.

    The last value of a stream equals the result for the whole; texts, items and leaves add up to
    it. Values are compared by their `repr`: ``1`` is not ``1.0``. If the whole gives an error, the
    stream ends in an error with the same message and span. A stream without chunks yields nothing.
    There are three exceptions, all as in LangChain: a stream of XML ignores text around the first
    document, which may be an error in the whole; it begins at the first tag, even if the whole is
    in a fence after that; and for an element that begins with text, it yields the elements inside,
    while the whole has that text.

    Args:
        parser: An output parser, from this package or your own.
        chunks: Texts, or message chunks.
        whole: The whole text or message; by default the sum of *chunks*.

    Raises:
        BrokenLawError: The results differ, or an error is raised that no text may cause.
    """
    if not chunks:
        return
    whole = reduce(add, chunks) if whole is None else whole
    expected = _outcome(parser, whole, lambda: _values(parser, parser.invoke(whole)))
    found = _outcome(parser, whole, lambda: _sum_of(parser, chunks))
    errors = tuple(error.__name__ for error in _FAILURES)
    before = str(whole).partition("```")
    is_fenced = found.startswith(errors) and "<" in before[0] and bool(before[1])
    is_error = expected.startswith(errors) or is_fenced
    is_xml = isinstance(parser, XMLOutputParser)
    if found != expected and not (is_xml and (is_error or _is_same_xml(parser, chunks, whole))):
        reason = f"the whole text is read as {expected}, the stream as {found}"
        raise _broken(parser, whole, reason, chunks)


def _outcome(parser: Any, whole: Any, do: Callable[[], Any]) -> str:
    """Return the result of *do*, or its error, as text."""
    try:
        return repr(do())
    except _FAILURES as error:
        if isinstance(error, OutputParserException):
            span, text = error.span, error.llm_output
            if not isinstance(text, str) or span is None:
                raise _broken(parser, whole, f"the error {str(error)!r} has no span") from error
            if not (error.observation or "").strip():
                raise _broken(
                    parser, whole, f"the error {str(error)!r} has no observation"
                ) from error
            return f"{type(error).__name__}: {error} at {span}"
        return f"{type(error).__name__}: {error}"
    except Exception as error:
        raise _broken(parser, whole, f"it raised {located(error)}", law=ONE_WAY_TO_FAIL) from error


def _is_same_xml(parser: Any, chunks: Sequence[Any], whole: Any) -> bool:
    """Return whether the leaves are the same, but for elements that have text and elements."""
    read, streamed = _values(parser, parser.invoke(whole)), _sum_of(parser, chunks)
    above = {path[:depth] for path, _ in streamed for depth in range(len(path))}
    mixed = {path for path, _ in read} & above
    found, expected = (
        [leaf for leaf in leaves if not any(leaf[0][: len(path)] == path for path in mixed)]
        for leaves in (streamed, read)
    )
    return bool(mixed) and repr(found) == repr(expected)


def _sum_of(parser: Any, chunks: Sequence[Any]) -> Any:
    """Return the sum of the outputs of a stream, or the last one."""
    outputs = [*parser.transform(iter(chunks))]
    if isinstance(parser, _AGENTS):
        return [_without_message(output) for output in outputs]
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
    """Return *result* in the form that `_sum_of` returns."""
    if isinstance(parser, _AGENTS):
        return [_without_message(result)]
    if isinstance(parser, XMLOutputParser):
        return [*_leaves(result)]
    if isinstance(parser, BaseCumulativeTransformOutputParser):
        return None if result == [] else result  # a stream may begin with either
    return result


def _without_message(result: Any) -> Any:
    """Return *result*; actions are returned without the message that they are from."""
    if isinstance(result, list):
        return [_without_message(action) for action in result]
    if isinstance(result, AgentAction):
        call_id = getattr(result, "tool_call_id", None)
        return (result.tool, result.tool_input, result.log, call_id)
    return result


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the leaves of a document, each with the path of its tags."""
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
