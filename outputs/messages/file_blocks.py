"""Files in the content of messages as LangChain's standard blocks: images, sounds, documents.

OpenAI's two APIs, Anthropic, Bedrock's Converse, Gemini and LangChain 0.x each have a form.
"""

from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

ContentBlock: TypeAlias = dict[str, Any]
"""A standard block: a dictionary with a ``type``."""


def rest_of(block: ContentBlock, *known: str) -> ContentBlock:
    """Return the ``extras`` and the ``index`` of a block whose other keys are *known*."""
    extras = {key: block[key] for key in block if key not in ("type", "index", "extras", *known)}
    extras |= block.get("extras") or {}
    beside: ContentBlock = {"extras": extras} if extras else {}
    return beside | ({"index": block["index"]} if "index" in block else {})


# -- OpenAI ----------------------------------------------------------------------------------------


def _data(url: str) -> ContentBlock:
    """Return a URL, or what a data URL has."""
    head, comma, data = url.partition(",")
    if not (comma and url.startswith("data:") and head.endswith(";base64")):
        return {"url": url}
    return {"base64": data, "mime_type": head.removeprefix("data:").removesuffix(";base64")}


def _image_url(block: ContentBlock) -> Iterator[ContentBlock]:
    given = block.get("image_url")
    url = given.get("url") if isinstance(given, dict) else given
    if isinstance(url, str):
        detail = given.get("detail") if isinstance(given, dict) else block.get("detail")
        beside = rest_of({"detail": detail} if detail else {})
        beside |= {"index": block["index"]} if "index" in block else {}
        yield {"type": "image", **_data(url), **beside}


def _input_audio(block: ContentBlock) -> Iterator[ContentBlock]:
    sound = block.get("input_audio")
    if isinstance(sound, dict) and "data" in sound:
        kind = f"audio/{sound.get('format')}"
        yield {"type": "audio", "base64": sound["data"], "mime_type": kind}


def _file(block: ContentBlock) -> Iterator[ContentBlock]:
    if "source_type" in block:
        yield from _old(block)
        return
    inner = block.get("file", block if block["type"] == "input_file" else None)
    if not isinstance(inner, dict):
        return
    named = {"extras": {"filename": inner["filename"]}} if inner.get("filename") else {}
    if "file_id" in inner:
        yield {"type": "file", "file_id": inner["file_id"], **named}
    elif isinstance(data := inner.get("file_data", inner.get("file_url")), str):
        yield {"type": "file", **_data(data), **named}


# -- Anthropic, Gemini, LangChain 0.x --------------------------------------------------------------


def _sourced(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield an image or a document of Anthropic."""
    if "source_type" in block:
        yield from _old(block)
        return
    source = block.get("source")
    key = _SOURCES.get(str(source.get("type"))) if isinstance(source, dict) else None
    if not isinstance(source, dict) or key is None or key not in source:
        return
    kind = "image" if block["type"] == "image" else "file"
    rest = rest_of(block, "source")
    if source["type"] == "base64":
        yield {"type": kind, "base64": source[key], "mime_type": source.get("media_type"), **rest}
    elif source["type"] == "text":
        yield {"type": "text-plain", "text": source[key], "mime_type": "text/plain", **rest}
    else:
        yield {"type": kind, "id" if key == "file_id" else key: source[key], **rest}


_SOURCES: Final = {"base64": "data", "text": "data", "url": "url", "file": "file_id"}


def _old(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield a file of LangChain 0.x, where ``source_type`` says what it has."""
    had, has = _OLD.get(str(block["source_type"]), ("", ""))
    if had not in block:
        return
    kind = "text-plain" if has == "text" else block["type"]
    form = _of_type(block) or ({"mime_type": "text/plain"} if has == "text" else {})
    named = {"id": block["id"]} if "id" in block and had != "id" else {}
    rest = rest_of(block, "source_type", "mime_type", "id", had)
    yield {"type": kind, has: block[had], **form, **named, **rest}


_OLD: Final = {
    "url": ("url", "url"),
    "base64": ("data", "base64"),
    "id": ("id", "file_id"),
    "text": ("url", "text"),
}
"""What each ``source_type`` has under which key, and the standard one."""


def _file_data(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield a file that Gemini reads by its address."""
    if url := block.get("file_uri"):
        yield {
            "type": "file",
            "url": url,
            **_of_type(block),
            **rest_of(block, "file_uri", "mime_type"),
        }


def _of_type(block: ContentBlock) -> ContentBlock:
    return {"mime_type": block["mime_type"]} if block.get("mime_type") else {}


# -- Bedrock's Converse ----------------------------------------------------------------------------


def untyped(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield what a block of Converse is, whose only key is its type."""
    if isinstance(text := block.get("text"), str):
        yield {"type": "text", "text": text}
    for kind in ("image", "document"):
        if isinstance(inner := block.get(kind), dict) and isinstance(inner.get("source"), dict):
            yield from _of_converse(kind, inner)


def _of_converse(kind: str, inner: ContentBlock) -> Iterator[ContentBlock]:
    source, form = inner["source"], str(inner.get("format"))
    rest = rest_of(inner, "source", "format")
    if isinstance(text := source.get("text"), str):
        yield {"type": "text-plain", "text": text, "mime_type": "text/plain", **rest}
    elif data := source.get("bytes"):
        encoded = b64encode(data).decode() if isinstance(data, bytes) else data
        of_type = {"mime_type": f"image/{form}" if kind == "image" else f"application/{form}"}
        yield {"type": "image" if kind == "image" else "file", "base64": encoded, **of_type, **rest}


FILES: Final[dict[str, Callable[[ContentBlock], Iterator[ContentBlock]]]] = {
    "image_url": _image_url,
    "input_image": _image_url,
    "input_audio": _input_audio,
    "audio": lambda block: _old(block) if "source_type" in block else iter(()),
    "file": _file,
    "input_file": _file,
    "file_data": _file_data,
    "image": _sourced,
    "document": _sourced,
}
"""What reads the blocks of each type; a reader that yields nothing does not know the block."""
