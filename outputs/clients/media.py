"""Images and other files in what tools return, in the forms of libraries and APIs."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final, TypeAlias

_KINDS: Final = ("image", "audio", "video", "file", "document", "input_image", "image_url")
"""The types of blocks that may hold a file."""


@dataclass(frozen=True, slots=True)
class MediaFile:
    """An image or another file: its content, or where it is."""

    mime_type: str
    """Its MIME type, such as ``image/png``; empty if only its address is known."""
    base64: str = ""
    """The content."""
    url: str = ""
    """The address, if there is no content."""

    def __str__(self) -> str:
        """Return what stands for it in a text."""
        return f"({self.mime_type or self.url})"

    @property
    def kind(self) -> str:
        """``image``, ``audio``, ``video`` or ``file``."""
        kind = self.mime_type.partition("/")[0] or "image"
        return kind if kind in ("image", "audio", "video") else "file"

    @property
    def address(self) -> str:
        """The address, which has the content if that is known."""
        return f"data:{self.mime_type};base64,{self.base64}" if self.base64 else self.url

    @property
    def block(self) -> dict[str, Any]:
        """A block of a message, as LangChain has it."""
        place = {"base64": self.base64} if self.base64 else {"url": self.url}
        known = {"mime_type": self.mime_type} if self.mime_type else {}
        return {"type": self.kind, **place, **known}


Parts: TypeAlias = "tuple[MediaFile | Any, ...]"
"""What a tool returned: files, and what stands between them."""


def parts_of(returned: Any, *, is_content: bool = False) -> Parts:
    """Return the parts of what a tool *returned*, if one of them is a file; else nothing.

    Args:
        returned: A file or a list with one: a block of a message of LangChain, OpenAI or
            Anthropic; content of MCP, or its whole result; a file of pydantic-ai; an image of
            Pillow. A dictionary with an address alone is data.
        is_content: Whether it is the content of a message, so that such a dictionary is a file.
    """
    if isinstance(returned, str | bytes | bool | int | float | None):
        return ()
    content = getattr(returned, "content", None)
    items = content if isinstance(content, list) else returned
    items = items if isinstance(items, list | tuple) else [items]
    parts = tuple(_part(item, is_content=is_content) for item in items)
    return parts if any(isinstance(part, MediaFile) for part in parts) else ()


def _part(item: Any, *, is_content: bool) -> Any:
    """Return a file, a text, or *item* itself."""
    if isinstance(item, str):
        return item
    fields = item if isinstance(item, Mapping) else _Fields(item)
    if fields.get("type") == "text" and isinstance(text := fields.get("text"), str):
        return text
    return _file(fields, is_content=is_content) or _pillow(item) or item


class _Fields:
    """The attributes of an object, to be asked for as the values of a dictionary."""

    def __init__(self, item: Any) -> None:
        self._item = item

    def get(self, name: str) -> Any:
        return getattr(self._item, name, None)


_MIME_TYPES: Final = ("mime_type", "mimeType", "media_type")


def _file(fields: Any, *, is_content: bool) -> MediaFile | None:
    found = (fields.get(name) for name in _MIME_TYPES)
    mime_type = next((each for each in found if isinstance(each, str) and "/" in each), "")
    data = fields.get("base64") or fields.get("data")
    kind, url = fields.get("type"), fields.get("url")
    if isinstance(data, bytes) and mime_type:  # of pydantic-ai
        return MediaFile(mime_type, b64encode(data).decode())
    if fields.get("kind") == "image-url" and isinstance(url, str):  # the same
        return _at(url, mime_type)
    if kind not in _KINDS:
        return None
    url = url if mime_type or is_content else None
    if isinstance(source := fields.get("source"), Mapping):  # Anthropic's
        mime_type, data, url = source.get("media_type", ""), source.get("data"), source.get("url")
    elif kind in ("image_url", "input_image"):  # OpenAI's
        url = fields.get("image_url")
        url = url.get("url") if isinstance(url, Mapping) else url
    if isinstance(data, str) and data and mime_type:
        return MediaFile(mime_type, data)
    return _at(url, mime_type) if isinstance(url, str) and url else None


def _at(url: str, mime_type: str) -> MediaFile:
    head, is_data, data = url.partition(";base64,")
    if is_data and head.startswith("data:"):
        return MediaFile(head.removeprefix("data:"), data)
    return MediaFile(mime_type, url=url)


def _pillow(item: Any) -> MediaFile | None:
    if type(item).__module__.partition(".")[0] != "PIL" or not hasattr(item, "save"):
        return None
    written = BytesIO()
    item.save(written, format="PNG")
    return MediaFile("image/png", b64encode(written.getvalue()).decode())
