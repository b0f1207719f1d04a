"""The base classes of messages and of their chunks, their content, and how contents are added."""

import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import CoreSchema, core_schema

from outputs.messages.brief_repr import without_defaults
from outputs.messages.merging import ListMerger, merge_dicts

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

__all__ = ["BaseMessage", "BaseMessageChunk", "Content", "TextAccessor", "merge_content", "text_of"]

_WIDTH = 80
_BOLD = "\x1b[1m{}\x1b[0m"

Content: TypeAlias = str | list[str | dict[Any, Any]]
"""Text, or a list of text and blocks such as ``{"type": "text", "text": "Hello"}``."""


class OrLangChains:
    """Lets a field also hold an object of a LangChain class, which stays unchanged.

    The object is serialized with all fields of its own class. This combines `WrapValidator` and
    `SerializeAsAny`, whose import costs a millisecond.

    Args:
        module: The module of LangChain's class, which is not imported for this.
        name: The name of the class.
    """

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def has(self, value: object) -> bool:
        """Return whether *value* is an object of LangChain's class."""
        return isinstance(value, getattr(sys.modules.get(self._module), self._name, ()))

    def keep(self, value: Any, validate: Callable[[Any], Any]) -> Any:
        """Return *value* unchanged if it is LangChain's, else the result of *validate*."""
        return value if self.has(value) else validate(value)

    def __get_pydantic_core_schema__(
        self, source: object, handler: "GetCoreSchemaHandler"
    ) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(
            self.keep, handler(source), serialization=core_schema.simple_ser_schema("any")
        )


OR_MESSAGE: Final = OrLangChains("langchain_core.messages.base", "BaseMessage")
"""Lets a field of messages hold LangChain's."""


def is_langchains(value: object) -> bool:
    """Return whether *value* is a message of LangChain's."""
    return OR_MESSAGE.has(value)


class TextAccessor(str):
    """The text of a message; also callable, because ``text`` used to be a method."""

    __slots__ = ()

    def __call__(self) -> str:
        """Return the text, with a `DeprecationWarning`: ``.text`` is a property now.

        It has LangChain's words and, if LangChain is imported, its class for such warnings.
        """
        theirs = sys.modules.get("langchain_core._api.deprecation")
        warnings.warn(
            "Calling .text() as a method is deprecated. Use .text as a property instead"
            " (e.g., message.text).",
            getattr(theirs, "LangChainDeprecationWarning", DeprecationWarning),
            stacklevel=2,
        )
        return str(self)


class BaseMessage(BaseModel):
    """The base class of all messages. Undeclared fields are kept unchanged.

    Args:
        content: See the field; it may be passed by position.
        content_blocks: Typed blocks, instead of ``content``.
        fields: The other fields, by name.

    Raises:
        pydantic.ValidationError: A field is missing or has the wrong type.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow", defer_build=True)

    content: Content
    """Text, or a list of text and blocks."""
    additional_kwargs: dict[Any, Any] = Field(default_factory=dict)
    """Other data from the provider, unchanged."""
    response_metadata: dict[Any, Any] = Field(default_factory=dict)
    """Metadata of the response: model name, stop reason, log probabilities, headers."""
    type: str
    """The kind of message; one word per class."""
    name: str | None = None
    """A name for the speaker, if the provider supports names."""
    id: str | None = Field(default=None, coerce_numbers_to_str=True)
    """The message's id, from the provider if possible."""

    def __init__(
        self,
        /,
        content: Content | None = None,
        content_blocks: list[dict[str, Any]] | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(content=content if content_blocks is None else content_blocks, **fields)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        return without_defaults(self, super().__repr_args__())

    @property
    def text(self) -> TextAccessor:
        """The text of the content: strings and blocks of type ``text``, joined."""
        return TextAccessor(text_of(self.content))

    @property
    def content_blocks(self) -> list[dict[str, Any]]:
        """The content as LangChain's standard blocks: text, reasoning, calls, refusals and files.

        The calls of the message are among them, also those that cannot be read, and the reasoning
        and the refusal that a provider sends beside the content. A block that is not known has the
        type ``non_standard``.
        """
        # lazily: rarely needed
        from outputs.messages.content_blocks import content_blocks_of

        return content_blocks_of(self)

    def pretty_repr(self, html: bool = False) -> str:
        """Return a title line of 80 characters and the content, for people to read.

        Args:
            html: Make the title bold with terminal escape sequences.
        """
        title = f" {self.type.title()} Message "
        side = "=" * ((_WIDTH - len(title)) // 2)
        head = f"{side}{_BOLD.format(title) if html else title}{side}{'=' * (len(title) % 2)}"
        name = "" if self.name is None else f"\nName: {self.name}"
        return f"{head}{name}\n\n{self.content}"

    def pretty_print(self) -> None:
        """Print the result of `pretty_repr`."""
        print(self.pretty_repr())


class BaseMessageChunk(BaseMessage):
    """A chunk of a message; a sum of chunks has the class of the first one."""

    def __add__(self, other: Any) -> Self:
        """Add a chunk, or a list of chunks in one go, in time linear in their size.

        Content, ``additional_kwargs`` and ``response_metadata`` are merged; ``name`` and fields
        that are not declared are dropped.

        Raises:
            TypeError: *other* is neither a chunk nor a list of chunks, or values cannot be merged;
                see `merge_dicts`.
            ValueError: The chunks belong to different messages: role, name or tool call id differ.
        """
        return type(self)(**self._sum(self._others(other)))

    def _others(self, other: Any) -> Sequence["BaseMessageChunk"]:
        others = other if isinstance(other, (list, tuple)) else [other]
        for chunk in others:
            if not isinstance(chunk, BaseMessageChunk):
                raise TypeError(
                    f'unsupported operand type(s) for +: "{type(self).__name__}"'
                    f' and "{type(other).__name__}"'
                )
        return others

    def _sum(self, others: Sequence["BaseMessageChunk"]) -> dict[str, Any]:
        """Return the fields of the sum."""
        return {
            "content": merge_content(self.content, *[chunk.content for chunk in others]),
            "additional_kwargs": merge_dicts(
                self.additional_kwargs, *[chunk.additional_kwargs for chunk in others]
            ),
            "response_metadata": merge_dicts(
                self.response_metadata, *[chunk.response_metadata for chunk in others]
            ),
            "type": self.type,
            "id": self.id,
        }


def text_of(content: Content, *, untyped: bool = False) -> str:
    """Return the text in *content*: plain strings and blocks of type ``text``, joined.

    Args:
        content: Text or blocks.
        untyped: Include blocks that have a ``text`` but no ``type``.
    """
    if isinstance(content, str):
        return content
    types = ("text", None) if untyped else ("text",)
    return "".join(
        block if isinstance(block, str) else block["text"]
        for block in content
        if isinstance(block, str)
        or (block.get("type") in types and isinstance(block.get("text"), str))
    )


def merge_content(first_content: Content | None, *contents: Content) -> Content:
    """Merge the contents of messages, in linear time and without changing any of them.

    Texts are joined. If there is a list, the result is a list: text before it becomes the first
    item, text after it is joined to the last item if that is text and otherwise becomes a new item,
    and lists are merged by the rules of `merge_lists`.

    Raises:
        TypeError: Blocks with the same index cannot be merged; see `merge_dicts`.
    """
    pieces: list[str] = []
    merger: ListMerger | None = None
    for content in ("" if first_content is None else first_content, *contents):
        if isinstance(content, str):
            if merger is None:
                pieces.append(content)
            else:
                merger.extend_text(content)
        elif merger is None:
            merger = ListMerger(["".join(pieces), *content] if pieces else content)
        else:
            merger.extend(content)
    return "".join(pieces) if merger is None else merger.result()
