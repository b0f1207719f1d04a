"""The parser that returns YAML as an object of a pydantic model."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from pydantic import BaseModel, Field, ValidationError, field_validator
from typing_extensions import override

from output_parsers.base import BaseOutputParser
from output_parsers.exceptions import OutputParserException
from output_parsers.format_instructions import YAML_FORMAT_INSTRUCTIONS, schema_text
from output_parsers.model_output import check_text

__all__ = ["YamlOutputParser"]

Model = TypeVar("Model", bound=BaseModel)


class YamlOutputParser(BaseOutputParser[Model]):
    r"""Returns a YAML document, in a code fence or not, as an object of a pydantic model.

    ::

        class City(BaseModel):
            name: str
            people: int

        YamlOutputParser(pydantic_object=City).parse("```yaml\nname: Bonn\npeople: 340000\n```")
        # City(name='Bonn', people=340000)

    As in LangChain, it is read as YAML 1.1: ``012`` is 10, ``1:30`` is 90 and ``no`` is false. The
    first of two fences is read, and the last of two values for one key.

    Only plain data is read: tags cannot create other objects. Requires PyYAML, which the extra
    ``yaml`` installs.
    """

    pydantic_object: type[Model]
    """The model."""
    pattern: re.Pattern[str] | None = None
    """A custom pattern that matches the document as its group ``yaml``; by default the parser looks
    for a fence. It is matched by the package `regex`, which supports the syntax of `re`."""

    timeout_s: float = Field(default=1.0, gt=0)
    """How long `pattern` may take with one text, in seconds."""
    max_chars: int = Field(default=250_000, gt=0)
    """Longest text that is read: PyYAML takes seconds for more."""

    @field_validator("pattern")
    @classmethod
    def _has_its_group(cls, pattern: re.Pattern[str] | None) -> re.Pattern[str] | None:
        if pattern is not None:
            if "yaml" not in pattern.groupindex:
                raise ValueError(
                    f"the pattern {pattern.pattern!r} needs a group named yaml, as in (?P<yaml>.*)"
                )
            _timed(pattern)
        return pattern

    @override
    def parse(self, text: str) -> Model:
        """Return the object that the document in *text* describes.

        Raises:
            OutputParserException: The document is not YAML, is not valid for the model, is nested
                too deeply, or has too many aliases, or *text* is longer than `max_chars`.
            ImportError: PyYAML is not installed.
        """
        check_text(text)
        if len(text) > self.max_chars:
            limit = f"{len(text):,} characters; the limit is {self.max_chars:,}"
            raise OutputParserException(
                f"the text is too long: {limit}",
                observation=f"Your reply has {limit}. Write a shorter document.",
                llm_output=text,
            )
        start, end = self._document(text)
        try:
            return self.pydantic_object.model_validate(_load(text[start:end]))
        except ValueError as error:  # of pydantic, or a `YamlError`
            name = self.pydantic_object.__name__
            position: int | None = getattr(error, "position", None)
            reason = _reason(error)
            raise OutputParserException(
                f"Failed to parse {name} from completion {text}. Got: {error}",
                observation=f"Your YAML could not be used: {reason}. Reply with the whole "
                "document again, between two lines of three backticks, in the required form.",
                llm_output=text,
                span=None if position is None else (start + position, start + position + 1),
                reason=f"the YAML cannot be used: {reason}",
            ) from error

    @override
    def get_format_instructions(self) -> str:
        """Return the format instructions, with the schema of the pydantic model."""
        return YAML_FORMAT_INSTRUCTIONS.format(schema=schema_text(self.pydantic_object))

    @property
    @override
    def OutputType(self) -> Any:
        """The pydantic model."""
        return self.pydantic_object

    @property
    def _type(self) -> str:
        return "yaml"

    def _document(self, text: str) -> tuple[int, int]:
        """Return the span of the document in *text*: the text in the fence, or all of it."""
        if self.pattern is not None:
            from output_parsers.text.timed_regex import TimeLeft

            match = TimeLeft(self.timeout_s).search(_timed(self.pattern), text)
            is_found = match is not None and match["yaml"] is not None
            return match.span("yaml") if match and is_found else (0, len(text))
        opener = _OPENER.search(text)
        if opener is None:
            return 0, len(text)
        start, indent = opener.end(), re.escape(opener["indent"] or "")
        # Backticks in a value do not end the document, nor does a fence that is indented like part
        # of a value, unless nothing else ends it.
        closer = re.compile(rf"^(?:{indent})?(?P<fence>```)[^\S\n]*$", re.MULTILINE)
        end = closer.search(text, start)
        if end is None:
            # Fences in a value are in pairs, so an unpaired one closes the document.
            fences = [*_INDENTED_FENCE.finditer(text, start)]
            is_odd = len(fences) % 2 == 1 and not fences[-1]["tag"]
            end = fences[-1] if is_odd else _INLINE_CLOSER.search(text, start)
        return start, end.start("fence") if end else max(start, len(text.rstrip()))


_OPENER = re.compile(r"(?:\A(?>(?:\s*\n)?)(?P<indent>[^\S\n]*+)|^)```(?:ya?ml)?", re.MULTILINE)
_INDENTED_FENCE = re.compile(r"^[^\S\n]*(?P<fence>```)(?P<tag>\w*)[^\S\n]*$", re.MULTILINE)
_INLINE_CLOSER = re.compile(r"(?<=\S)[^\S\n]*(?P<fence>```)")
"""Matches a closing fence that is not on its own line."""


def _timed(pattern: re.Pattern[str]) -> Any:
    """Return *pattern* compiled for a search with a time limit."""
    from output_parsers.text.timed_regex import compiled

    return compiled(pattern.pattern, re.RegexFlag(pattern.flags))


def _load(text: str) -> Any:
    try:
        from output_parsers.text.yaml_loader import load
    except ModuleNotFoundError as error:
        if error.name != "yaml":
            raise
        raise ImportError(
            'YamlOutputParser needs PyYAML: pip install "agent-parsers[yaml]"'
        ) from error
    return load(text)


def _reason(error: ValueError) -> str:
    """Return the message of *error* in one line."""
    if not isinstance(error, ValidationError):
        return " ".join(str(error).split())
    details = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(
        f"{'.'.join(map(str, detail['loc'])) or 'the document'}: {detail['msg']}"
        for detail in details
    )
