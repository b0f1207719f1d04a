"""A response template, checked: the whole specification of transformers 5, version 1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from agent_serving.templates.template_error import TemplateError
from output_parsers.text import compiled

THOUGHTS: Final = ("thinking", "reasoning_content", "reasoning")
"""The names that templates have for a thought."""
_FIELDS: Final = (*THOUGHTS, "content", "tool_calls")
_PLACEHOLDER: Final = re.compile(r"\{\w+(?:\.\w+)*\}")
_Texts = (
    Annotated[str, Field(min_length=1)]
    | Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
)
_Content = Literal["text", "int", "float", "bool", "json", "xml-inline", "kv-lines"]


class _Strict(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True, frozen=True)


class TextArgs(_Strict):
    """Arguments of the content parsers ``text``, ``int``, ``float`` and ``bool``."""

    strip: bool = True
    """Whether white space around the text is removed."""


class JsonArgs(TextArgs):
    """Arguments of the content parser ``json``."""

    unquoted_keys: bool = False
    """Whether keys may be bare words."""
    string_delims: list[tuple[str, str]] = []
    """Other marks around strings, in which nothing is escaped."""
    allow_non_json: bool = False
    """Whether anything else is text."""

    @model_validator(mode="before")
    @classmethod
    def _pairs(cls, given: Any) -> Any:
        delims = given.get("string_delims") if isinstance(given, dict) else None
        if isinstance(delims, list):  # JSON has no tuples
            pairs = [tuple(each) if isinstance(each, list) else each for each in delims]
            given = {**given, "string_delims": pairs}
        return given


class ValueParser(_Strict):
    """How values inside ``xml-inline`` and ``kv-lines`` are read."""

    name: _Content = "text"
    """The kind of content."""
    args: dict[str, Any] = {}
    """Its arguments."""

    @model_validator(mode="after")
    def _check_args(self) -> Self:
        _ARGS[self.name].model_validate(self.args)
        return self


class XmlArgs(_Strict):
    """Arguments of the content parser ``xml-inline``."""

    tag_pattern: str
    """Pattern for one parameter, with the groups ``key`` and ``value``."""
    value_parser: ValueParser | None = None
    """How values are read; `None` for text as it is."""
    merge_duplicates: bool = False
    """Whether the values of a repeated key are a list."""

    @model_validator(mode="after")
    def _check_pattern(self) -> Self:
        if "key" not in _compile(self.tag_pattern).groupindex:
            raise ValueError("tag_pattern needs a group named 'key', as in (?P<key>[^>]+)")
        return self


class KvArgs(TextArgs):
    """Arguments of the content parser ``kv-lines``."""

    line_sep: Annotated[str, Field(min_length=1)] = "\n"
    """What separates two lines."""
    kv_sep: Annotated[str, Field(min_length=1)] = ":"
    """What separates a key from its value."""
    value_parser: ValueParser | None = None
    """How values are read; `None` for text."""


_ARGS: Final[dict[str, type[_Strict]]] = {
    "text": TextArgs, "int": TextArgs, "float": TextArgs, "bool": TextArgs,
    "json": JsonArgs, "xml-inline": XmlArgs, "kv-lines": KvArgs,
}  # fmt: skip


class FieldSpec(_Strict):
    """One field of a template: where it begins and ends, and how its text is read."""

    open: _Texts | None = None
    """Text, or any of several, that begins it; without it and `open_pattern` it is what is left."""
    open_pattern: str | None = None
    """The same as a pattern."""
    close: _Texts | None = None
    """Text, or any of several, that ends it; without it and `close_pattern` the turn does."""
    close_pattern: str | None = None
    """The same as a pattern."""
    content: _Content = "text"
    """How its text is read."""
    content_args: dict[str, Any] = {}
    """Arguments for that."""
    repeats: bool = False
    """Whether its values are a list."""
    join: str | None = None
    """What its values, which are texts, are joined by."""
    optional: bool = True
    """Whether a turn may lack it."""
    transform: Any = None
    """The shape of its value, in which ``"{content}"`` and the groups of the opener stand."""
    transform_each: bool = False
    """Whether the value is a list, and each item has the shape."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        for literal, pattern in (("open", "open_pattern"), ("close", "close_pattern")):
            if getattr(self, literal) is not None and getattr(self, pattern) is not None:
                raise ValueError(
                    f"found both {literal!r} and {pattern!r}; expected only one of them"
                )
        groups = [n for each in (self.opens, self.closes) if each for n in each.groupindex]
        if groups and self.transform is None:
            raise ValueError(
                f"the groups {', '.join(groups)} are not used: add a 'transform' that uses them"
            )
        if self.join is not None and not self.repeats:
            raise ValueError("'join' is only allowed together with 'repeats'")
        if self.transform_each and self.transform is None:
            raise ValueError("'transform_each' needs 'transform'")
        for text in _texts_in(self.transform):
            if _PLACEHOLDER.search(text) and not _PLACEHOLDER.fullmatch(text):
                raise ValueError(f"expected only a placeholder, found {text!r}")
        self.args  # noqa: B018 - raises if they are wrong
        return self

    @property
    def opens(self) -> Any:
        """The compiled opener; `None` if the field has none and takes the text that is left."""
        return _mark(self.open, self.open_pattern)

    @property
    def closes(self) -> Any:
        """The compiled closer; `None` if the field ends with the turn."""
        return _mark(self.close, self.close_pattern)

    @property
    def args(self) -> Any:
        """The arguments of its content."""
        return _ARGS[self.content].model_validate(self.content_args)


class Template(_Strict):
    """A checked template."""

    version: Literal[1] = 1
    """The version of the specification."""
    defaults: dict[str, Any] = {}
    """Members of every message."""
    start_anchor: _Texts | None = None
    """Text, or any of several, after which a turn begins in a prompt."""
    start_anchor_pattern: str | None = None
    """The same as a pattern."""
    fields: Annotated[dict[str, FieldSpec], Field(min_length=1)]
    """The fields by name."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.start_anchor is None) is (self.start_anchor_pattern is None):
            raise ValueError("expected either 'start_anchor' or 'start_anchor_pattern'")
        if others := [name for name in self.fields if name not in _FIELDS]:
            raise ValueError(
                f"unknown fields {', '.join(others)}; the fields of a turn are {', '.join(_FIELDS)}"
            )
        bare = [name for name, field in self.fields.items() if field.opens is None]
        if len(bare) > 1:
            raise ValueError(
                f"only one field may lack 'open' and 'open_pattern', not {', '.join(bare)}"
            )
        self.anchor  # noqa: B018 - raises if it is wrong
        return self

    @property
    def anchor(self) -> Any:
        """The compiled pattern of the text after which a turn begins."""
        return _mark(self.start_anchor, self.start_anchor_pattern)

    def begun(self, prompt: str) -> str:
        """Return the part of *prompt* that belongs to the turn: the text after the last anchor."""
        ends = [found.end() for found in self.anchor.finditer(prompt)]
        return prompt[ends[-1] :] if ends else prompt


def load_template(template: Mapping[str, Any]) -> Template:
    """Check *template*, and return it as a `Template`.

    Raises:
        TemplateError: It is invalid; the message lists all problems.
    """
    try:
        return Template.model_validate(template)
    except ValidationError as error:
        problems = [_said(each) for each in error.errors(include_url=False)]
        raise TemplateError(
            "\n- ".join((f"the response template has {len(problems)} problem(s):", *problems))
        ) from None


def _said(problem: Any) -> str:
    place = ".".join(str(part) for part in problem["loc"] if part not in ("str", "list"))
    said = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "extra_forbidden":
        said = "unknown key"
    return f"{place or 'template'}: {said}"


def _mark(texts: str | list[str] | None, pattern: str | None) -> Any:
    if pattern is not None:
        return _compile(pattern)
    if texts is None:
        return None
    longest_first = sorted([texts] if isinstance(texts, str) else texts, key=len, reverse=True)
    return _compile("|".join(map(re.escape, longest_first)))


def _compile(pattern: str) -> Any:
    r"""Return *pattern*, compiled so that a search for half a match takes linear time.

    `regex` looks for the text that each match must have, from every place where half a match may
    begin: that is quadratic for ``\n[ \t]*Action:`` in blanks. A branch that never matches has no
    such text.
    """
    alone = compiled(pattern, re.DOTALL)
    try:
        return compiled(f"(?:{pattern})|(?!)", re.DOTALL)
    except ValueError:  # such as a pattern that ends in a comment
        return alone


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(each)
