"""The content of messages as LangChain's standard blocks, whatever provider wrote it.

::

    AIMessage([{"type": "thinking", "thinking": "Hm."}, "Yes."]).content_blocks
    # [{'type': 'reasoning', 'reasoning': 'Hm.'}, {'type': 'text', 'text': 'Yes.'}]

Blocks are known by their `type`: those of OpenAI's two APIs, of Anthropic, and the standard ones.
Anything else is a block of the type ``non_standard``. Nothing is left out.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, TypeAlias

from outputs.messages.ended import is_refused

ContentBlock: TypeAlias = dict[str, Any]
"""A standard block: a dictionary with a ``type``."""

STANDARD: Final = frozenset(
    ("text", "reasoning", "refusal", "tool_call", "invalid_tool_call", "tool_call_chunk", "image",
     "audio", "file", "text-plain", "video", "server_tool_call", "server_tool_call_chunk",
     "server_tool_result", "non_standard")
)  # fmt: skip
"""The types of standard blocks."""

_CALLS: Final = ("tool_call", "tool_use", "function_call", "custom_tool_call", "input_json_delta")
"""The types of blocks that stand for calls among those of the message."""


def content_blocks_of(message: Any) -> list[ContentBlock]:
    """Return the content, the calls, the reasoning and the refusal of *message* as blocks."""
    content, metadata = message.content, message.response_metadata or {}
    if metadata.get("output_version") == "v1" and isinstance(content, list):
        return list(content)
    calls = _Calls(message)
    blocks: list[ContentBlock] = []
    for item in [content] if isinstance(content, str) else content:
        if isinstance(item, str):
            blocks += [{"type": "text", "text": item}] if item else []
        elif item.get("type") in _CALLS:
            blocks += calls.of_block(item)
        else:
            blocks += _standard(item)
    blocks += calls.rest()
    beside = message.additional_kwargs or {}
    thought = beside.get("reasoning_content")
    if isinstance(thought, str) and thought and not _has(blocks, "reasoning"):
        blocks.insert(0, {"type": "reasoning", "reasoning": thought})
    if not _has(blocks, "refusal"):
        blocks += _refusal(beside, metadata)
    return blocks


def _has(blocks: list[ContentBlock], kind: str) -> bool:
    return any(block.get("type") == kind for block in blocks)


def _refusal(beside: Mapping[str, Any], metadata: Mapping[str, Any]) -> Iterator[ContentBlock]:
    """Yield the refusal that a message has beside its content."""
    said = beside.get("refusal")
    if isinstance(said, str) and said:
        yield {"type": "refusal", "refusal": said}
    elif is_refused(metadata):
        details = metadata.get("stop_details")
        details = details if isinstance(details, Mapping) else {}
        block: ContentBlock = {"type": "refusal", "refusal": details.get("explanation") or ""}
        if category := details.get("category"):
            block["extras"] = {"category": category}
        yield block


class _Calls:
    """The calls of a message, each of which becomes one block."""

    def __init__(self, message: Any) -> None:
        pieces = getattr(message, "tool_call_chunks", None) or ()
        is_growing = bool(pieces) and message.chunk_position != "last"
        found = [("tool_call_chunk", piece) for piece in pieces] if is_growing else []
        for kind in () if is_growing else ("tool_call", "invalid_tool_call"):
            found += [(kind, call) for call in getattr(message, f"{kind}s", None) or ()]
        self._left: list[ContentBlock] = [
            {key: value for key, value in call.items() if (key, value) != ("index", None)}
            | {"type": kind}
            for kind, call in found
        ]

    def of_block(self, block: ContentBlock) -> Iterator[ContentBlock]:
        """Yield the call that *block* of the content represents."""
        call_id = block.get("call_id") or block.get("id")
        index = block.get("index")
        at = next(
            (
                at
                for at, call in enumerate(self._left)
                if (call_id and call.get("id") == call_id)
                or (not call_id and index is not None and call.get("index") == index)
            ),
            None,
        )
        call = _call_in(block) if at is None else self._left.pop(at)
        if call is None:
            return
        extras: ContentBlock = {key: block[key] for key in _CALL_EXTRAS if key in block}
        if block["type"] != "tool_use" and "id" in block and "call_id" in block:
            extras["item_id"] = block["id"]
        extras |= block.get("extras") or {}
        yield {**call, **({"index": index} if index is not None else {}),
               **({"extras": extras} if extras else {})}  # fmt: skip

    def rest(self) -> list[ContentBlock]:
        """Return the calls that no block of the content represents."""
        return self._left


_CALL_EXTRAS: Final = ("caller", "toolset_name", "status", "namespace", "async")


def _call_in(block: ContentBlock) -> ContentBlock | None:
    """Return the call that *block* is, which is not among the calls of the message."""
    if block["type"] == "input_json_delta":
        return {"type": "server_tool_call_chunk", "args": block.get("partial_json", "")}
    args = block.get("args", block.get("input", block.get("arguments", {})))
    if isinstance(args, str) and block["type"] != "custom_tool_call":
        with suppress(ValueError, RecursionError):
            args = json.loads(args)
    call = {"name": block.get("name", ""), "id": block.get("call_id") or block.get("id")}
    if isinstance(args, dict):
        return {"type": "tool_call", "args": args, **call}
    if block["type"] == "custom_tool_call":  # its input is a text
        return {"type": "tool_call", "args": {"__arg1": args}, **call}
    return {"type": "invalid_tool_call", "args": args, "error": None, **call}


# -- other blocks ----------------------------------------------------------------------------------


def _standard(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield the standard blocks that a *block* of a provider is."""
    kind = block.get("type")
    read = _READERS.get(kind) if isinstance(kind, str) else None
    if read is None and isinstance(kind, str) and kind.endswith("_tool_result"):
        read = _server_result
    found = list(read(block)) if read is not None else []
    if not found and kind in STANDARD and "source_type" not in block:
        found = [block]
    yield from found or [{"type": "non_standard", "value": block}]


def _rest(block: ContentBlock, *known: str) -> ContentBlock:
    """Return the ``extras`` and the ``index`` of a block whose other keys are *known*."""
    extras = {key: block[key] for key in block if key not in ("type", "index", "extras", *known)}
    extras |= block.get("extras") or {}
    beside: ContentBlock = {"extras": extras} if extras else {}
    return beside | ({"index": block["index"]} if "index" in block else {})


def _text(block: ContentBlock) -> Iterator[ContentBlock]:
    notes = [*(block.get("annotations") or ()), *(block.get("citations") or ())]
    text = {key: block[key] for key in block if key not in ("annotations", "citations")}
    text = {**text, "type": "text", "text": block.get("text", "")}
    yield {**text, "annotations": [*map(_annotation, notes)]} if notes else text


_TITLES: Final = ("title", "document_title", "filename")
_CITED: Final = ("type", "cited_text", "url", "start_index", "end_index", *_TITLES)


def _annotation(note: ContentBlock) -> ContentBlock:
    """Return a citation of a provider as a standard one."""
    kind = str(note.get("type") or "")
    if kind in ("citation", "non_standard_annotation"):
        return note
    if kind not in _CITATIONS:
        return {"type": "non_standard_annotation", "value": note}
    title = next(
        (note[key] for key in ("document_title", "filename", "title") if note.get(key)), ""
    )
    shown: ContentBlock = {
        key: note[key] for key in ("url", "cited_text", "start_index", "end_index") if key in note
    }
    found: ContentBlock = {"type": "citation", **shown, **_rest(note, *_CITED)}
    return {**found, "title": title} if title else found


_CITATIONS: Final = (
    "url_citation", "file_citation", "web_search_result_location", "char_location",
    "content_block_location", "page_location", "search_result_location",
)  # fmt: skip


def _thinking(block: ContentBlock) -> Iterator[ContentBlock]:
    yield {
        "type": "reasoning", "reasoning": block.get("thinking", ""), **_rest(block, "thinking")
    }  # fmt: skip


def _reasoning(block: ContentBlock) -> Iterator[ContentBlock]:
    if "summary" not in block:
        yield block
        return
    parts = [*(block["summary"] or ()), *(block.get("content") or ())]
    common = {"type": "reasoning", **({"id": block["id"]} if "id" in block else {})}
    beside = _rest(block, "id", "summary", "content")
    if not parts:
        yield {**common, **beside}
    for number, part in enumerate(parts):
        text = {**common, "reasoning": part.get("text", "")}
        yield text if number else {**text, **beside.pop("extras", {}), **beside}


def _refused(block: ContentBlock) -> Iterator[ContentBlock]:
    named = {"id": block["id"]} if "id" in block else {}
    said = {"type": "refusal", "refusal": block.get("refusal") or ""}
    yield {**said, **named, **_rest(block, "refusal", "id")}


# -- tools that the provider runs ------------------------------------------------------------------


def _server_call(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield a call of Anthropic's server."""
    is_mcp = block["type"] == "mcp_tool_use"
    name, args = block.get("name", ""), block.get("input", {})
    if args == {} and "partial_json" in block:
        with suppress(ValueError, RecursionError):
            args = json.loads(block["partial_json"])
    rest = _rest(block, "id", "name", "input", "partial_json")
    if is_mcp:
        rest["extras"] = {"tool_name": name, **rest.get("extras", {})}
    named = "remote_mcp" if is_mcp else {"code_execution": "code_interpreter"}.get(name, name)
    yield {
        "type": "server_tool_call",
        "name": named,
        "args": args,
        "id": block.get("id", ""),
        **rest,
    }


def _server_result(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield a result of Anthropic's server."""
    output = block.get("content")
    is_error = block.get("is_error") or (isinstance(output, dict) and output.get("error_code"))
    rest = _rest(block, "tool_use_id", "content", "is_error")
    rest["extras"] = {"block_type": block["type"], **rest.get("extras", {})}
    yield {
        "type": "server_tool_result",
        "tool_call_id": block.get("tool_use_id", ""),
        "status": "error" if is_error else "success",
        **({"output": output} if output else {}),
        **rest,
    }


_OPENAI_TOOLS: Final = {
    "web_search_call": ("web_search", "action", ""),
    "file_search_call": ("file_search", "queries", "results"),
    "code_interpreter_call": ("code_interpreter", "code", "outputs"),
    "mcp_call": ("remote_mcp", "arguments", "output"),
    "mcp_list_tools": ("mcp_list_tools", "", "tools"),
}
"""The tools of OpenAI's server: the name, and the keys of the input and of the output."""
_STATUS: Final = {"failed": "error", "completed": "success"}


def _openai_tool(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield a call of OpenAI's server and its result, which are one item there."""
    name, given, returned = _OPENAI_TOOLS[block["type"]]
    call: ContentBlock = {"type": "server_tool_call", "name": name, "args": {}, "id": block["id"]}
    value, output = block.get(given), block.get(returned)
    extras: ContentBlock = {}
    if isinstance(value, str) and given == "arguments":
        try:
            call["args"] = json.loads(value)
        except (ValueError, RecursionError):
            extras["arguments"] = value
            del call["args"]
    elif isinstance(value, dict):  # the action of a search, which has its sources too
        call["args"] = {key: value[key] for key in value if key != "sources"}
        output = {"sources": value["sources"]} if value.get("sources") else None
    elif value is not None:
        call["args"] = {given: value}
    if "name" in block:
        extras["tool_name"] = block["name"]
    known = ("id", "status", "error", "name", given, returned)
    extras |= _rest(block, *known).get("extras", {})
    yield {**call, **({"extras": extras} if extras else {})}
    result: ContentBlock = {"type": "server_tool_result", "tool_call_id": block["id"]}
    status, error = str(block.get("status") or ""), block.get("error")
    if error:
        result |= {"status": "error", "extras": {"error": error}}
    elif status in _STATUS or block["type"].startswith("mcp"):
        result["status"] = _STATUS.get(status, "success")
    elif status:
        result["extras"] = {"status": status}
    yield {**result, **({"output": output} if output else {})}


# -- files -----------------------------------------------------------------------------------------


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
        yield {"type": "image", **_data(url), **({"extras": {"detail": detail}} if detail else {})}


def _input_audio(block: ContentBlock) -> Iterator[ContentBlock]:
    sound = block.get("input_audio")
    if isinstance(sound, dict) and "data" in sound:
        yield {
            "type": "audio", "base64": sound["data"], "mime_type": f"audio/{sound.get('format')}"
        }  # fmt: skip


def _file(block: ContentBlock) -> Iterator[ContentBlock]:
    inner = block.get("file", block if block["type"] == "input_file" else None)
    if not isinstance(inner, dict):
        return
    named = {"extras": {"filename": inner["filename"]}} if inner.get("filename") else {}
    if "file_id" in inner:
        yield {"type": "file", "file_id": inner["file_id"], **named}
    elif isinstance(data := inner.get("file_data", inner.get("file_url")), str):
        yield {"type": "file", **_data(data), **named}


def _sourced(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield an image or a document of Anthropic."""
    source = block.get("source")
    if not isinstance(source, dict):
        return
    kind = "image" if block["type"] == "image" else "file"
    rest = _rest(block, "source")
    if source.get("type") == "base64":
        data = {"base64": source.get("data"), "mime_type": source.get("media_type")}
        yield {"type": kind, **data, **rest}
    elif source.get("type") == "text":
        yield {"type": "text-plain", "text": source.get("data"), "mime_type": "text/plain", **rest}
    elif key := {"url": "url", "file": "file_id"}.get(str(source.get("type"))):
        yield {"type": kind, key: source.get(key), **rest}


def _made_image(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield an image that OpenAI's server made."""
    if result := block.get("result"):
        form = block.get("output_format")
        kind = {"mime_type": f"image/{form}"} if form else {}
        yield {
            "type": "image", "base64": result, **kind, "id": block.get("id"),
            **_rest(block, "result", "id"),
        }  # fmt: skip


_READERS: Final[dict[str, Callable[[ContentBlock], Iterator[ContentBlock]]]] = {
    "text": _text,
    "output_text": _text,
    "input_text": _text,
    "thinking": _thinking,
    "reasoning": _reasoning,
    "refusal": _refused,
    "server_tool_use": _server_call,
    "mcp_tool_use": _server_call,
    **dict.fromkeys(_OPENAI_TOOLS, _openai_tool),
    "image_url": _image_url,
    "input_image": _image_url,
    "input_audio": _input_audio,
    "file": _file,
    "input_file": _file,
    "image": _sourced,
    "document": _sourced,
    "image_generation_call": _made_image,
}
"""What reads the blocks of each type; a reader that yields nothing does not know the block."""
