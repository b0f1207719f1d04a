"""Drives parsers over vectors: ours, those of servers, and our plugins in servers.

An adapter of another parser is a class with the three methods of `Adapter`.
"""

from __future__ import annotations

import asyncio
import json
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from agent_parsers import AgentAction, StreamParser, ToolSet, get_dialect
from agent_parsers.engine.reading.turn import content_of, thought_of
from tools.conformance import stand_ins
from tools.conformance.make import call_of, read
from tools.conformance.tokens import Tokenizer
from tools.conformance.vectors import Got

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tools.conformance.vectors import Vector

__all__ = ["ADAPTERS", "Adapter"]

ANY_TOOL: Final = {"type": "function", "function": {"name": "search", "parameters": {}}}
"""The tool of requests for texts without calls: servers parse nothing if there is none."""


class Adapter(Protocol):
    """Drives one parser. Whatever a method raises counts as an error of the text."""

    about: str
    """The parser and its version."""
    splits: bool
    """Whether it separates reasoning from content; if not, thoughts may be part of the content."""

    def name(self, dialect: str) -> str:
        """Return what the parser calls *dialect*; empty if it does not know it."""

    def takes(self, vector: Vector) -> bool:
        """Return whether the text is of a kind that the parser is given."""

    def whole(self, vector: Vector) -> Got:
        """Return what the parser makes of the text as a whole."""

    def streamed(self, vector: Vector) -> Got:
        """Return what it makes of the text in chunks, in all."""


class Ours:
    """Our own parsers."""

    about = "agent-parsers, lenient"
    splits = True

    def name(self, dialect: str) -> str:
        return dialect

    def takes(self, vector: Vector) -> bool:
        return True

    def whole(self, vector: Vector) -> Got:
        return read(get_dialect(vector.dialect), vector.text, vector.tools, prompt=vector.prompt)

    def streamed(self, vector: Vector) -> Got:
        tools = ToolSet(vector.tools, unknown_keys="keep", missing_keys="keep")
        parser = StreamParser(
            get_dialect(vector.dialect),
            tools=tools if vector.tools else None,
            prompt=vector.prompt,
        )
        events = [event for piece in vector.pieces() for event in parser.feed(piece)]
        events += parser.close()
        result, content, thought = parser.result, parser.content, parser.thought
        content = content_of(events) if content is None else content
        thought = thought_of(events) if thought is None else thought
        if isinstance(result, AgentAction | list):
            actions = result if isinstance(result, list) else [result]
            return Got(content, thought, [call_of(action) for action in actions])
        assert result is not None
        return Got(result.return_values["output"], thought)


class Vllm:
    """The parsers that vLLM has, composed by its own manager."""

    splits = True

    def __init__(self, names: Mapping[str, tuple[str, str]]) -> None:
        stand_ins.provide("vllm")
        self.about = f"vLLM {stand_ins.version_of('vllm')}"
        self._names = names
        self._protocol = import_module("vllm.entrypoints.openai.chat_completion.protocol")
        self._manager = import_module("vllm.parser.parser_manager").ParserManager

    def name(self, dialect: str) -> str:
        return self._names.get(dialect, ("", ""))[0]

    def takes(self, vector: Vector) -> bool:
        return not _thinks(vector) or bool(self._names[vector.dialect][1])

    def whole(self, vector: Vector) -> Got:
        parser, request, tokens = self._start(vector)
        parser.set_prompt_token_ids(tokens.encode(PROMPT + vector.prompt))
        ids = tokens.encode(vector.text)
        reasoning, content, calls = parser.parse(vector.text, request, True, ids)
        found = [_call(call.name, call.arguments) for call in calls or ()]
        return Got(content or "", reasoning or "", found)

    def streamed(self, vector: Vector) -> Got:
        parser, request, tokens = self._start(vector)
        pieces = tokens.pieces(vector)
        content = reasoning = ""
        calls: dict[int, list[str]] = {}
        for number, ids in enumerate(pieces):
            delta = parser.parse_delta(
                tokens.decode(ids), ids, request, tokens.encode(PROMPT + vector.prompt),
                finished=number == len(pieces) - 1,
            )  # fmt: skip
            if delta is None:
                continue
            content += delta.content or ""
            reasoning += delta.reasoning or ""
            for call in delta.tool_calls:
                named = calls.setdefault(call.index, ["", ""])
                named[0] += (call.function and call.function.name) or ""
                named[1] += (call.function and call.function.arguments) or ""
        return Got(content, reasoning, [_call(*calls[index]) for index in sorted(calls)])

    def _separates(self, vector: Vector) -> bool:
        return _thinks(vector)  # some take a text without marks for a thought

    def _start(self, vector: Vector) -> tuple[Any, Any, Tokenizer]:
        tools, reasoning = self._names[vector.dialect]
        kind = self._manager.get_parser(
            tool_parser_name=tools,
            reasoning_parser_name=reasoning if self._separates(vector) else None,
            enable_auto_tools=True,
        )
        request = self._protocol.ChatCompletionRequest(
            model="m",
            messages=[{"role": "user", "content": "?"}],
            tools=vector.tools or [ANY_TOOL],
            tool_choice="auto",
        )
        markers = get_dialect(vector.dialect).strict.markers.values()
        tokens = Tokenizer(each.canonical for each in markers if each.canonical[0] == "<")
        return kind(tokens, request.tools), request, tokens


class VllmPlugin(Vllm):
    """Our plugin in vLLM."""

    def __init__(self) -> None:
        from agent_serving.requests import served_names

        super().__init__({name: (served, served) for served, name in served_names().items()})
        import_module("agent_serving.vllm")
        self.about = f"our plugin in {self.about}"

    def _separates(self, vector: Vector) -> bool:
        return True


class Sglang:
    """The parsers of calls that SGLang has."""

    splits = False

    def __init__(self, names: Mapping[str, str]) -> None:
        stand_ins.provide("sglang")
        self.about = f"SGLang {stand_ins.version_of('sglang')}"
        self._names = names
        module = import_module("sglang.srt.function_call.function_call_parser")
        self._kind = module.FunctionCallParser
        self._tool = import_module("sglang.srt.entrypoints.openai.protocol").Tool

    def name(self, dialect: str) -> str:
        return self._names.get(dialect, "")

    def takes(self, vector: Vector) -> bool:
        return not vector.prompt  # SGLang would separate the thought before

    def whole(self, vector: Vector) -> Got:
        parser = self._start(vector)
        if not parser.has_tool_call(vector.text):
            return Got(vector.text)
        content, calls = parser.parse_non_stream(vector.text)
        return Got(content, "", [_call(call.name, call.parameters) for call in calls])

    def streamed(self, vector: Vector) -> Got:
        parser = self._start(vector)
        content = ""
        calls: dict[int, list[str]] = {}
        parts = [parser.parse_stream_chunk(piece) for piece in vector.pieces()]
        for text, items in [*parts, parser.parse_stream_end()]:
            content += text
            for item in items:
                named = calls.setdefault(item.tool_index, ["", ""])
                named[0] += item.name or ""
                named[1] += item.parameters
        return Got(content, "", [_call(*calls[index]) for index in sorted(calls)])

    def _start(self, vector: Vector) -> Any:
        tools = [self._tool(**tool) for tool in vector.tools or [ANY_TOOL]]
        return self._kind(tools, self._names[vector.dialect], tokenizer=Tokenizer())


class SglangPlugin(Sglang):
    """Our plugin in SGLang."""

    def __init__(self) -> None:
        from agent_serving.requests import served_names

        super().__init__({name: served for served, name in served_names().items()})
        import_module("agent_serving.sglang").register()
        self.about = f"our plugin in {self.about}"


class VerlPlugin:
    """Our plugin in verl, which parses no streams."""

    splits = False

    def __init__(self) -> None:
        stand_ins.provide("verl")
        import_module("agent_serving.verl")
        self.about = f"our plugin in verl {stand_ins.version_of('verl')}"
        self._kind = import_module("verl.experimental.agent_loop.tool_parser").ToolParser
        self._tool = import_module("verl.tools.schemas").OpenAIFunctionToolSchema

    def name(self, dialect: str) -> str:
        return f"ap_{dialect}"

    def takes(self, vector: Vector) -> bool:
        return not vector.prompt  # verl knows no prompt

    def whole(self, vector: Vector) -> Got:
        tokens = Tokenizer()
        tools = [self._tool(**_described(tool)) for tool in vector.tools]
        parser = self._kind.get_tool_parser(self.name(vector.dialect), tokens)
        found = parser.extract_tool_calls(tokens.encode(vector.text), tools)
        content, calls = asyncio.run(found)
        return Got(content, "", [_call(call.name, call.arguments) for call in calls])

    streamed = whole


PROMPT: Final = "assistant\n"
"""The end of the prompt, which opens no thought."""


def _thinks(vector: Vector) -> bool:
    return vector.want is not None and bool(vector.want.reasoning)


def _call(name: str, arguments: str) -> dict[str, Any]:
    try:
        return {"name": name, "arguments": json.loads(arguments or "{}")}
    except ValueError:
        return {"name": name, "arguments": arguments}


def _described(tool: dict[str, Any]) -> dict[str, Any]:
    """Return *tool* with what verl insists on: descriptions, and a type for each parameter."""
    function = {"description": "", **tool["function"]}
    properties = function["parameters"]["properties"]
    typed = {key: schema or {"type": "string"} for key, schema in properties.items()}
    function["parameters"] = {"type": "object", "properties": typed}
    return {**tool, "function": function}


class Transformers:
    """The reader of response templates in transformers, with the templates that TRL ships."""

    splits = True
    NAMES: ClassVar = {
        "hermes": "qwen3", "qwen3_coder": "qwen3_5", "glm45": "glm4moe", "lfm2": "lfm2_2_5",
        "gemma4": "gemma4", "llama3_json": "llama3", "harmony": "gptoss",
    }  # fmt: skip

    def __init__(self) -> None:
        stand_ins.provide("trl")
        templates = import_module("trl.chat_template_utils")
        parsing = import_module("transformers.utils.chat_parsing.response_parser")
        self.about = (
            f"transformers {stand_ins.version_of('transformers')} with the response templates of"
            f" TRL {stand_ins.version_of('trl')}"
        )
        self._kind = parsing.ResponseParser
        self._templates = {n: getattr(templates, f"{t}_template") for n, t in self.NAMES.items()}

    def name(self, dialect: str) -> str:
        return self.NAMES.get(dialect, "")

    def takes(self, vector: Vector) -> bool:
        return True

    def whole(self, vector: Vector) -> Got:
        return self._read(vector, [vector.text])

    def streamed(self, vector: Vector) -> Got:
        return self._read(vector, vector.pieces())

    def _read(self, vector: Vector, pieces: Iterable[str]) -> Got:
        tools = vector.tools or None
        parser = self._kind(self._templates[vector.dialect], prefix=vector.prompt, tools=tools)
        for piece in pieces:
            parser.feed(piece)
        message, _ = parser.finalize()
        thought = message.get("thinking") or message.get("reasoning_content") or ""
        functions = [call["function"] for call in message.get("tool_calls") or ()]
        calls = [{"name": f["name"], "arguments": f["arguments"]} for f in functions]
        return Got(message.get("content") or "", thought, calls)


VLLM_NAMES: Final = {
    "apertus": ("apertus", ""),
    "command_a": ("cohere_command3", "cohere_command3"),
    "command_a_plus": ("cohere_command4", "cohere_command4"),
    "deepseek_dsml": ("deepseek_v4", "deepseek_v4"),
    "deepseek_v3": ("deepseek_v3", "deepseek_r1"),
    "deepseek_v31": ("deepseek_v31", "deepseek_r1"),
    "deepseek_v32": ("deepseek_v32", "deepseek_r1"),
    "deepseek_v41": ("deepseek_v41", "deepseek_v41"),
    "dots": ("dots", ""),
    "ernie45": ("ernie45", "ernie45"),
    "functiongemma": ("functiongemma", ""),
    "gemma4": ("gemma4", "gemma4"),
    "gigachat3": ("gigachat3", ""),
    "gigachat31": ("gigachat3", ""),
    "glm45": ("glm45", "glm45"),
    "glm47": ("glm47", "glm47"),
    "granite": ("granite", "granite"),
    "granite_fc": ("granite-20b-fc", ""),
    "hermes": ("hermes", "qwen3"),
    "hunyuan_a13b": ("hunyuan_a13b", "hunyuan_a13b"),
    "hunyuan_v3": ("hy_v3", "hy_v3"),
    "hunyuan_v4": ("hy_v4", "hy_v4"),
    "inkling": ("inkling", "inkling"),
    "internlm2": ("internlm", ""),
    "jamba": ("jamba", ""),
    "k2_horizon": ("k2_horizon", "k2_horizon"),
    "kimi_k2": ("kimi_k2", "kimi_k2"),
    "kimi_k3": ("kimi_k3", "kimi_k3"),
    "laguna": ("poolside_v1", "poolside_v1"),
    "lfm2": ("lfm2", "qwen3"),
    "ling3": ("ling3", "ling3"),
    "llama3_json": ("llama3_json", ""),
    "llama4_pythonic": ("llama4_pythonic", ""),
    "longcat": ("longcat", ""),
    "mimo": ("mimo", "mimo"),
    "minicpm5": ("minicpm5", "qwen3"),
    "minimax_m2": ("minimax_m2", "minimax_m2"),
    "minimax_m3": ("minimax_m3", "minimax_m3"),
    "muse_glimmer": ("muse_glimmer", "muse_glimmer"),
    "muse_spark": ("muse", "muse"),
    "olmo3": ("olmo3", "olmo3"),
    "phi4_mini": ("phi4_mini_json", ""),
    "plamo3": ("plamo3", "plamo3"),
    "pythonic": ("pythonic", ""),
    "qwen3_coder": ("qwen3_coder", "qwen3"),
    "seed_oss": ("seed_oss", "seed_oss"),
    "step3": ("step3", "step3"),
    "xlam": ("xlam", "deepseek_r1"),
}
"""The parsers of calls and of reasoning that vLLM has for a dialect."""

SGLANG_NAMES: Final = {
    "apertus": "apertus2509", "command_a_plus": "cohere_command4", "deepseek_dsml": "deepseekv4",
    "deepseek_v3": "deepseekv3", "deepseek_v31": "deepseekv31", "deepseek_v32": "deepseekv32",
    "deepseek_v41": "deepseekv41", "dots": "dots", "gemma4": "gemma4", "gigachat3": "gigachat3",
    "gigachat31": "gigachat3", "gigachat35": "gigachat35", "glm45": "glm45", "glm47": "glm47",
    "harmony": "gpt-oss", "hermes": "hermes", "hunyuan_v3": "hunyuan", "inkling": "inkling",
    "iquest_q1": "iquest_q1", "k2_horizon": "k2_horizon", "kimi_k2": "kimi_k2",
    "kimi_k3": "kimi_k3", "laguna": "poolside_v1", "lfm2": "lfm2", "ling3": "ling3",
    "llama3_json": "llama3", "mimo": "mimo", "minicpm5": "minicpm5", "minimax_m2": "minimax-m2",
    "minimax_m3": "minimax-m3", "mistral": "mistral", "muse_glimmer": "muse",
    "pythonic": "pythonic", "qwen3_coder": "qwen3_coder", "step3": "step3",
}  # fmt: skip
"""The parsers of calls that SGLang has for a dialect."""

ADAPTERS: Final = {
    "ours": Ours,
    "vllm-plugin": VllmPlugin,
    "sglang-plugin": SglangPlugin,
    "verl-plugin": VerlPlugin,
    "vllm": lambda: Vllm(VLLM_NAMES),
    "sglang": lambda: Sglang(SGLANG_NAMES),
    "transformers": Transformers,
}
"""The adapters by name."""
