"""Messages of a conversation with a model, apart from the model's own (see `_ai`)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from outputs.messages.brief_repr import without_defaults
from outputs.messages.content import Content, TextAccessor, text_of

_WIDTH = 80
_BOLD = "\x1b[1m{}\x1b[0m"


class BaseMessage(BaseModel):
    """What all messages have. Fields it does not declare are kept as they are.

    Args:
        content: See the field; it may be given by position.
        content_blocks: Typed blocks, instead of ``content``.
        fields: The other fields, by name.

    Raises:
        pydantic.ValidationError: A field is missing or has the wrong type.
    """

    model_config = ConfigDict(extra="allow", defer_build=True)

    content: Content
    """Text, or a list of text and blocks."""
    additional_kwargs: dict[Any, Any] = Field(default_factory=dict)
    """What the provider sent besides, as it sent it."""
    response_metadata: dict[Any, Any] = Field(default_factory=dict)
    """About the response: model name, stop reason, log probabilities, headers."""
    type: str
    """Which kind of message it is; one word per class."""
    name: str | None = None
    """A name for whoever speaks, if the provider supports one."""
    id: str | None = Field(default=None, coerce_numbers_to_str=True)
    """The message's id, given by the provider if possible."""

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
        """Return the message below a title line of 80 characters, for people to read.

        Args:
            html: Print the title in bold, by a terminal's escape sequences.
        """
        title = f" {self.type.title()} Message "
        side = "=" * ((_WIDTH - len(title)) // 2)
        head = f"{side}{_BOLD.format(title) if html else title}{side}{'=' * (len(title) % 2)}"
        name = "" if self.name is None else f"\nName: {self.name}"
        return f"{head}{name}\n\n{self.content}"

    def pretty_print(self) -> None:
        """Print `pretty_repr`."""
        print(self.pretty_repr())


class HumanMessage(BaseMessage):
    """What the user says."""

    type: Literal["human"] = "human"

    if TYPE_CHECKING:  # Type checkers know pydantic's own: content would have to be named.

        def __init__(self, content: Content = ..., **fields: Any) -> None: ...


class SystemMessage(BaseMessage):
    """What the model is told before the conversation begins."""

    type: Literal["system"] = "system"

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., **fields: Any) -> None: ...


class ChatMessage(BaseMessage):
    """What someone in a role of any name says."""

    role: str
    """The speaker's role."""
    type: Literal["chat"] = "chat"

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., *, role: str, **fields: Any) -> None: ...


class FunctionMessage(BaseMessage):
    """What a function returned, for models that call functions without ids."""

    name: str
    """The function's name."""
    type: Literal["function"] = "function"

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., *, name: str, **fields: Any) -> None: ...


class ToolMessage(BaseMessage):
    """What a tool returned.

    Content that is neither text nor a list becomes text, and so does an item of a list that is
    neither text nor a block; a tuple becomes a list, and an id that is a number or UUID text.
    """

    tool_call_id: str
    """The id of the call that it answers."""
    type: Literal["tool"] = "tool"
    artifact: Any = None
    """What the tool produced in full, if the content is only what the model shall see of it."""
    status: Literal["success", "error"] = "success"
    """How the call went."""
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
