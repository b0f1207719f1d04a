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
from typing import Any, Final

from outputs.messages.ended import filtered_by, is_refused
from outputs.messages.file_blocks import FILES, ContentBlock, rest_of, untyped

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
        return content
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
    elif reasons := filtered_by(metadata):
        said = metadata.get("finish_message") or ""
        yield {"type": "refusal", "refusal": said, "extras": reasons}


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
    read = _READERS.get(kind) if isinstance(kind, str) else untyped if len(block) == 1 else None
    if read is None and isinstance(kind, str) and kind.endswith("_tool_result"):
        read = _server_result
    found = list(read(block)) if read is not None else []
    if not found and kind in STANDARD and "source_type" not in block:
        found = [block]
    yield from found or [_non_standard(block)]


def _non_standard(block: ContentBlock) -> ContentBlock:
    value = {key: block[key] for key in block if key != "index"}
    beside = {"index": block["index"]} if "index" in block else {}
    return {"type": "non_standard", "value": value, **beside}


def _text(block: ContentBlock) -> Iterator[ContentBlock]:
    cited = block.get("citations") or ()
    if any("source_content" in note for note in cited):  # of Bedrock's Converse, without types
        cited = [{"type": "source", **note} for note in cited]
    notes = [*(block.get("annotations") or ()), *cited]
    text = {key: block[key] for key in block if key not in ("annotations", "citations")}
    text = {**text, "type": "text", "text": block.get("text", "")}
    yield {**text, "annotations": [*map(_annotation, notes)]} if notes else text


def _annotation(note: ContentBlock) -> ContentBlock:
    """Return a citation of a provider as a standard one."""
    kind = str(note.get("type") or "")
    if kind in ("citation", "non_standard_annotation"):
        return note
    if any(key not in note for key in _CITATIONS.get(kind, ("not a citation",))):
        return {"type": "non_standard_annotation", "value": note}
    title = next((note[key] for key in _TITLES if note.get(key)), "")
    shown: ContentBlock = {key: note[key] for key in _SHOWN if key in note}
    if isinstance(parts := note.get("source_content"), list):
        shown["cited_text"] = "".join(part.get("text", "") for part in parts)
    place = note.get("index") if kind == "file_citation" else None  # elsewhere, that of the chunk
    left = {key: note[key] for key in note if key not in (*_SHOWN, *_TITLES, "source_content")}
    left = rest_of({**left, "index": None})
    extras = left.get("extras", {}) | ({"index": place} if place is not None else {})
    found: ContentBlock = {"type": "citation", **shown, **({"extras": extras} if extras else {})}
    return {**found, "title": title} if title else found


_TITLES: Final = ("document_title", "filename", "title")
_SHOWN: Final = ("url", "cited_text", "start_index", "end_index")
_CITATIONS: Final = {
    "url_citation": ("url",),
    "file_citation": (),
    "source": (),
    "web_search_result_location": ("cited_text", "url"),
    **dict.fromkeys(
        ("char_location", "content_block_location", "page_location", "search_result_location"),
        ("cited_text",),
    ),
}
"""What a citation of each type must have."""


def _thinking(block: ContentBlock) -> Iterator[ContentBlock]:
    yield {
        "type": "reasoning", "reasoning": block.get("thinking", ""), **rest_of(block, "thinking")
    }  # fmt: skip


def _reasoning(block: ContentBlock) -> Iterator[ContentBlock]:
    if "summary" not in block:
        yield block
        return
    parts = [*(block["summary"] or ()), *(block.get("content") or ())]
    common = {"type": "reasoning", **({"id": block["id"]} if "id" in block else {})}
    beside = rest_of(block, "id", "summary", "content")
    if not parts:
        yield {**common, **beside}
    for number, part in enumerate(parts):
        text = {**common, "reasoning": part.get("text", "")}
        yield text if number else {**text, **beside.pop("extras", {}), **beside}


def _reasoning_content(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield the reasoning of Bedrock's Converse."""
    inner = block.get("reasoning_content")
    inner = inner if isinstance(inner, dict) else {}
    said = {"reasoning": inner["text"]} if inner.get("text") else {}
    sealed = {key: inner[key] for key in ("signature", "redacted_content") if inner.get(key)}
    rest = rest_of({**block, "extras": sealed | (block.get("extras") or {})}, "reasoning_content")
    yield {"type": "reasoning", **said, **rest}


def _refused(block: ContentBlock) -> Iterator[ContentBlock]:
    named = {"id": block["id"]} if "id" in block else {}
    said = {"type": "refusal", "refusal": block.get("refusal") or ""}
    yield {**said, **named, **rest_of(block, "refusal", "id")}


# -- tools that the provider runs ------------------------------------------------------------------


def _server_call(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield a call of Anthropic's server."""
    is_mcp = block["type"] == "mcp_tool_use"
    name, args = block.get("name", ""), block.get("input", {})
    if args == {} and "partial_json" in block:
        with suppress(ValueError, RecursionError):
            args = json.loads(block["partial_json"])
    rest = rest_of(block, "id", "name", "input", "partial_json")
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
    rest = rest_of(block, "tool_use_id", "content", "is_error")
    rest["extras"] = {"block_type": block["type"], **rest.get("extras", {})}
    yield {
        "type": "server_tool_result",
        "tool_call_id": block.get("tool_use_id", ""),
        "status": "error" if is_error else "success",
        **({"output": output} if output else {}),
        **rest,
    }


def _gemini_code(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield code that Gemini's server runs."""
    code, language = block.get("executable_code", ""), block.get("language", "python")
    rest = rest_of(block, "executable_code", "language", "id")
    call = {"name": "code_interpreter", "args": {"code": code, "language": language}}
    yield {"type": "server_tool_call", **call, "id": block.get("id", ""), **rest}


def _gemini_result(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield what that code returned; an outcome other than 1 is an error."""
    rest = rest_of(block, "code_execution_result", "tool_call_id", "outcome")
    outcome = block.get("outcome", 1)
    rest["extras"] = {"block_type": block["type"], "outcome": outcome, **rest.get("extras", {})}
    yield {
        "type": "server_tool_result",
        "tool_call_id": block.get("tool_call_id", ""),
        "status": "success" if outcome == 1 else "error",
        "output": block.get("code_execution_result", ""),
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
    extras |= rest_of(block, *known).get("extras", {})
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


def _made_image(block: ContentBlock) -> Iterator[ContentBlock]:
    """Yield an image that OpenAI's server made."""
    if result := block.get("result"):
        form = block.get("output_format")
        kind = {"mime_type": f"image/{form}"} if form else {}
        yield {
            "type": "image", "base64": result, **kind, "id": block.get("id"),
            **rest_of(block, "result", "id"),
        }  # fmt: skip


_READERS: Final[dict[str, Callable[[ContentBlock], Iterator[ContentBlock]]]] = {
    "text": _text,
    "output_text": _text,
    "input_text": _text,
    "thinking": _thinking,
    "reasoning": _reasoning,
    "reasoning_content": _reasoning_content,
    "refusal": _refused,
    "server_tool_use": _server_call,
    "mcp_tool_use": _server_call,
    **dict.fromkeys(_OPENAI_TOOLS, _openai_tool),
    "executable_code": _gemini_code,
    "code_execution_result": _gemini_result,
    **FILES,
    "image_generation_call": _made_image,
}
"""What reads the blocks of each type; a reader that yields nothing does not know the block."""


# -- texts that are not read -----------------------------------------------------------------------

_KNOWN: Final = (
    STANDARD | _READERS.keys() | {"None", "reasoning_text", "summary_text"}
) - {"input_text", "output_text"}  # fmt: skip
"""The types whose texts are read, or are something else than content, such as a thought."""


def unread_text(content: Any) -> str:
    """Return the type of the first block in *content* whose text is not read, or ``""``."""
    for block in content if isinstance(content, list) else ():
        text = block.get("text") if isinstance(block, dict) else None
        if not (isinstance(text, str) and text.strip()):
            continue
        kind = str(block.get("type"))
        if kind not in _KNOWN and not kind.endswith(("_output", "_result")):
            return kind
    return ""
