"""Messages of a conversation with a model, except the model's own (see `outputs.messages.ai`)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from outputs.messages.brief_repr import without_defaults
from outputs.messages.content import Content, TextAccessor, text_of

_WIDTH = 80
_BOLD = "\x1b[1m{}\x1b[0m"


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


class HumanMessage(BaseMessage):
    """A message from the user."""

    type: Literal["human"] = "human"

    if TYPE_CHECKING:  # Pydantic's own signature would require content by name.

        def __init__(self, content: Content = ..., **fields: Any) -> None: ...


class SystemMessage(BaseMessage):
    """The instructions that the model gets before the conversation."""

    type: Literal["system"] = "system"

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., **fields: Any) -> None: ...


class ChatMessage(BaseMessage):
    """A message from a speaker with an arbitrary role."""

    role: str
    """The speaker's role."""
    type: Literal["chat"] = "chat"

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., *, role: str, **fields: Any) -> None: ...


class FunctionMessage(BaseMessage):
    """The result of a function, for models that call functions without ids."""

    name: str
    """The function's name."""
    type: Literal["function"] = "function"

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., *, name: str, **fields: Any) -> None: ...


class ToolMessage(BaseMessage):
    """The result of a tool call.

    Content that is neither text nor a list is converted to text, and so are list items that are
    neither text nor a block. A tuple becomes a list; a numeric or UUID call id becomes text.
    """

    tool_call_id: str
    """The id of the call that this message answers."""
    type: Literal["tool"] = "tool"
    artifact: Any = None
    """The tool's full output, if the content is only the part meant for the model."""
    status: Literal["success", "error"] = "success"
    """Whether the call succeeded."""
    additional_kwargs: dict[Any, Any] = Field(default_factory=dict, repr=False)
    response_metadata: dict[Any, Any] = Field(default_factory=dict, repr=False)

    def __init__(
        self,
        /,
        content: Any = None,
        content_blocks: list[dict[str, Any]] | None = None,
        **fields: Any,
    ) -> None:
        content = content if content_blocks is None else content_blocks
        if isinstance(content, (list, tuple)):
            content = [item if isinstance(item, (str, dict)) else str(item) for item in content]
        elif not isinstance(content, str):
            content = str(content)
        if isinstance(call_id := fields.get("tool_call_id"), (UUID, int, float)):
            fields["tool_call_id"] = str(call_id)
        super().__init__(content, **fields)
