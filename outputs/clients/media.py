"""Images and other files in what tools return, in the forms of libraries and APIs."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final, TypeAlias

_KINDS: Final = (
    "image", "audio", "video", "file", "document", "input_image", "image_url", "input_audio",
    "input_file", "resource",
)  # fmt: skip
"""The types of blocks that may hold a file."""
_KEYS: Final = frozenset((
    "type", "text", "base64", "data", "url", "mime_type", "mimeType", "media_type", "source_type",
    "source", "image_url", "input_audio", "file", "file_data", "filename", "resource", "detail",
    "id", "index", "cache_control", "annotations", "_meta", "meta", "extras", "metadata",
))  # fmt: skip
"""What blocks have; a dictionary with anything else is data."""
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]+={0,2}\s*").fullmatch


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
        kind = self.mime_type or "a file"
        return f"({kind}: {self.url})" if self.url else f"({kind})"

    @property
    def kind(self) -> str:
        """``image``, ``audio``, ``video`` or ``file``."""
        kind = self.mime_type.partition("/")[0] or "image"
        return kind if kind in ("image", "audio", "video") else "file"

    @property
    def name(self) -> str:
        """A name for the file; the suffix comes from its MIME type."""
        return f"file.{self.mime_type.partition('/')[2]}"

    @property
    def address(self) -> str:
        """The URL of the file: a data URL with the content if that is known."""
        return f"data:{self.mime_type};base64,{self.base64}" if self.base64 else self.url

    @property
    def block(self) -> dict[str, Any]:
        """The file as a content block in LangChain's format."""
        place = {"base64": self.base64} if self.base64 else {"url": self.url}
        known = {"mime_type": self.mime_type} if self.mime_type else {}
        return {"type": self.kind, **place, **known}


Parts: TypeAlias = "tuple[MediaFile | Any, ...]"
"""What a tool returned: files, and what stands between them."""


def parts_of(returned: Any, *, is_content: bool = False) -> Parts:
    """Return the parts of what a tool *returned*; no parts if none of them is a file.

    Args:
        returned: A file or a list with one: a block of a message of LangChain, OpenAI or
            Anthropic; content of MCP, or its whole result; a file of pydantic-ai; an image of
            Pillow. A dictionary with an address alone is data.
        is_content: Whether it is the content of a message, so that such a dictionary is a file.
    """
    if isinstance(returned, str | bytes | bool | int | float | None):
        return ()
    content = getattr(returned, "content", None)
    if isinstance(returned, Mapping) and "isError" in returned:  # a result of MCP
        content = returned.get("content")
    items = content if isinstance(content, list) else returned
    items = items if isinstance(items, list | tuple) else [items]
    parts = tuple(_part(item, is_content=is_content) for item in items)
    return parts if any(isinstance(part, MediaFile) for part in parts) else ()


def _part(item: Any, *, is_content: bool) -> Any:
    """Return a file, a text, or *item* itself."""
    if isinstance(item, str | bytes | bool | int | float | list | tuple | None):
        return item
    if isinstance(item, Mapping) and not _KEYS.issuperset(item):
        return item
    fields = _Fields(item)
    if fields.get("type") == "text" and isinstance(text := fields.get("text"), str):
        return text
    return _file(fields, is_content=is_content) or _pillow(item) or item


class _Fields:
    """The texts, bytes and objects in a dictionary or an object, by name."""

    def __init__(self, item: Any) -> None:
        self._item = item

    def get(self, *names: str) -> Any:
        """Return the text, bytes or nested object under the first of *names* that has one."""
        for name in names:
            is_data = isinstance(self._item, Mapping)
            value = self._item.get(name) if is_data else getattr(self._item, name, None)
            is_inner = name in ("source", "image_url", "input_audio", "file", "resource")
            if isinstance(value, str | bytes) or (is_inner and value is not None):
                return value
        return None


def _file(fields: _Fields, *, is_content: bool) -> MediaFile | None:
    mime_type = _mime_type(fields.get("mime_type", "mimeType", "media_type"))
    data, url, kind = fields.get("base64", "data", "blob"), fields.get("url"), fields.get("type")
    if isinstance(data, bytes) and mime_type:  # of pydantic-ai
        return MediaFile(mime_type, b64encode(data).decode())
    if fields.get("kind") == "image-url" and isinstance(url, str):  # the same
        return _at(url, mime_type)
    if kind not in _KINDS:
        return None
    inner = fields.get("source", "resource", "image_url", "input_audio", "file")
    if isinstance(inner, str):
        return _at(inner, "")
    if inner is not None:
        return _inner(_Fields(inner))
    if isinstance(written := fields.get("file_data"), str):
        return _at(written, "")
    if isinstance(data, str) and mime_type and _BASE64(data):
        return MediaFile(mime_type, data.strip())
    is_one = isinstance(url, str) and url and (mime_type or is_content)
    return _at(url, mime_type) if is_one else None


def _inner(fields: _Fields) -> MediaFile | None:
    """Return the file that an object within a block is, as those of most APIs have one."""
    form, data = fields.get("format"), fields.get("data", "blob")
    mime_type = _mime_type(fields.get("media_type", "mimeType")) or (
        f"audio/{form}" if form else ""
    )
    if isinstance(data, str) and mime_type and fields.get("type") != "text" and _BASE64(data):
        return MediaFile(mime_type, data.strip())
    url = fields.get("url", "file_data")
    return _at(url, mime_type) if isinstance(url, str) and url else None


def _mime_type(written: Any) -> str:
    """Return a MIME type without its parameters, in small letters; ``""`` if it is none."""
    kind = written.partition(";")[0].strip().lower() if isinstance(written, str) else ""
    return kind if "/" in kind else ""


def _at(url: str, mime_type: str) -> MediaFile:
    head, is_data, data = url.partition(";base64,")
    if is_data and head.startswith("data:"):
        known = _mime_type(head.removeprefix("data:")) or mime_type or "application/octet-stream"
        return MediaFile(known, data)
    return MediaFile(mime_type, url=url)


def _pillow(item: Any) -> MediaFile | None:
    if type(item).__module__.partition(".")[0] != "PIL" or not hasattr(item, "save"):
        return None
    written = BytesIO()
    item.save(written, format="PNG")
    return MediaFile("image/png", b64encode(written.getvalue()).decode())
