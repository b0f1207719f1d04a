"""Parsers of calls that `tools.conformance` does not drive: those of mlx-lm and of SMG.

mlx-lm is taken from the folder that ``AGENT_PARSERS_SERVERS`` names, as an unpacked wheel in
``mlx_lm/``. SMG is a gateway that has to run on this machine, ``smg launch --host 127.0.0.1``; its
address is in ``AGENT_PARSERS_SMG``.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import urllib.request
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Mlx", "Smg"]


class Mlx:
    """The parsers of mlx-lm, which its server gives what stands between two marks."""

    NAMES: ClassVar = {
        "hermes": "json_tools", "qwen3_coder": "qwen3_coder", "glm45": "glm47", "glm47": "glm47",
        "laguna": "laguna", "gemma4": "gemma4", "functiongemma": "function_gemma",
        "kimi_k2": "kimi_k2", "kimi_k3": "kimi_k3", "longcat": "longcat", "minicpm5": "minicpm5",
        "minimax_m2": "minimax_m2", "mistral": "mistral", "lfm2": "pythonic",
        "muse_glimmer": "muse_spark", "muse_spark": "muse_spark",
    }  # fmt: skip

    def __init__(self) -> None:
        folder = os.environ.get("AGENT_PARSERS_SERVERS", "")
        self._folder = Path(folder, "mlx_lm", "mlx_lm", "tool_parsers")
        if not folder or not self._folder.is_dir():
            raise ModuleNotFoundError("AGENT_PARSERS_SERVERS names no folder with mlx_lm")
        package = ModuleType("mlx_parsers")  # mlx_lm itself imports mlx
        package.__path__ = [str(self._folder)]
        sys.modules["mlx_parsers"] = package
        (info,) = self._folder.parents[1].glob("mlx_lm-*.dist-info")
        self.about = f"mlx-lm {info.name.removeprefix('mlx_lm-').removesuffix('.dist-info')}"

    def calls(self, dialect: str, text: str, tools: list[dict[str, Any]]) -> list[Any]:
        """Return the calls in *text*; a raise is an error of the parser."""
        module = self._module(self.NAMES[dialect])
        found: list[Any] = []
        for body in _between(text, module.tool_call_start, module.tool_call_end):
            read = module.parse_tool_call(body, tools)
            found += read if isinstance(read, list) else [read]
        return [{"name": each["name"], "arguments": _object(each["arguments"])} for each in found]

    def _module(self, name: str) -> Any:
        full = f"mlx_parsers.{name}"
        if full not in sys.modules:
            spec = importlib.util.spec_from_file_location(full, self._folder / f"{name}.py")
            assert spec is not None
            assert spec.loader is not None
            sys.modules[full] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[full])
        return sys.modules[full]


class Smg:
    """The parsers of SMG, asked by HTTP."""

    NAMES: ClassVar = {
        "hermes": "qwen", "qwen3_coder": "qwen_coder", "mistral": "mistral", "pythonic": "pythonic",
        "llama3_json": "llama", "deepseek_v3": "deepseek", "deepseek_v31": "deepseek31",
        "deepseek_v32": "deepseek32", "deepseek_dsml": "deepseek_v4", "glm45": "glm45_moe",
        "glm47": "glm47_moe", "step3": "step3", "kimi_k2": "kimik2", "minimax_m2": "minimax_m2",
        "minimax_m3": "minimax_m3", "command_a": "cohere", "gemma4": "gemma4", "inkling": "inkling",
        "json_toolcall": "json",
    }  # fmt: skip

    def __init__(self) -> None:
        self._url = os.environ.get("AGENT_PARSERS_SMG", "")
        if not self._url.startswith("http://127.0.0.1:"):
            raise ModuleNotFoundError("AGENT_PARSERS_SMG is not http://127.0.0.1:PORT")
        self.about = "SMG 1.13.0"

    def calls(self, dialect: str, text: str, tools: list[dict[str, Any]]) -> list[Any]:
        """Return the calls in *text*; a raise is an error of the parser."""
        body = {"text": text, "tools": tools, "tool_call_parser": self.NAMES[dialect]}
        request = urllib.request.Request(
            f"{self._url}/parse/function_call",
            json.dumps(body).encode(),
            {"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as reply:
            read = json.load(reply)["tool_calls"]
        functions = [each["function"] for each in read]
        return [{"name": f["name"], "arguments": _object(f["arguments"])} for f in functions]


def _between(text: str, opens: str, closes: str) -> Iterator[str]:
    """Yield what stands between the marks; the end of the text may close the last."""
    while opens in text:
        _, _, text = text.partition(opens)
        if closes:
            body, _, text = text.partition(closes)
        else:
            body, found, text = text.partition(opens)
            text = f"{opens}{text}" if found else ""
        yield body


def _object(arguments: Any) -> Any:
    return json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
