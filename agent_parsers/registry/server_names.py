"""Names of servers' parsers that are not dialects, and what to name in their place.

A parser of a server that reads the format of a dialect is an alias of that dialect, in the file of
the dialect. The names here are refused, before a model of such a name is looked for.
"""

from __future__ import annotations

from typing import Final

from agent_parsers.toolset.problems.names import folded

_RESPONSE_TEMPLATE: Final = (
    "it is a parser that uses the response_template of a tokenizer, which"
    " agent_serving.templates.from_response_template supports"
)
_NOTHING: Final = "it is a parser that reads neither calls nor thoughts"
_BY_TEMPLATE: Final = (
    "it is llama.cpp's parser for the format of any chat template; agent_serving.templates"
    ".dialect_for_template finds the dialect of a template"
)
_PLACE_OF_THOUGHTS: Final = "it says where llama.cpp puts thoughts, not how calls are written"

_NAMES: Final = {
    "openai": (
        "it has two meanings: 'tools' reads messages of OpenAI's API, and 'harmony' reads the text"
        " of gpt-oss, which vLLM reads under this name"
    ),
    "hf": _RESPONSE_TEMPLATE,  # vLLM
    "response_template": _RESPONSE_TEMPLATE,  # SGLang
    "hunyuan": (
        "SGLang reads two formats under this name, depending on the tokenizer: Hy3 writes"
        " 'hunyuan_v3', Hy4 writes 'hunyuan_v4'"
    ),
    "kimi": (
        "under this name, SGLang reads the thoughts of Kimi-VL, which every dialect does, and verl"
        " reads the calls of Kimi K2, for which the dialect is 'kimi_k2'"
    ),
    "muse": (
        "under this name, vLLM reads Muse Spark, whose dialect is 'muse_spark', and SGLang reads"
        " Muse Glimmer, whose dialect is 'muse_glimmer'"
    ),
    "hyperclovax_seed_think_14b": (
        "it is a parser for vLLM that reads HyperCLOVA X SEED Think 14B, for whose format there is"
        " no dialect; see docs/models.md"
    ),
    "pangu": (
        "under this name, parsers for vLLM read two formats: that of openPangu Embedded, whose"
        " dialect is 'pangu_embedded', and that of openPangu 2.0, whose dialect is 'openpangu_v2'"
    ),
    "atem": (
        "mlx-vlm reads the calls of both Muse models under this name: use 'muse_spark' or"
        " 'muse_glimmer'"
    ),
    "holo2": (
        "it is vLLM's parser of <think> alone, and does not say how calls are written: name the"
        " dialect of the calls"
    ),
    "minicpmv": (
        "its calls are those of 'qwen3_coder', but a server gives their line breaks as the two"
        " characters \\n; undo this in the text, and use 'qwen3_coder'"
    ),
    "default": (  # lmdeploy
        "it is lmdeploy's name for <think> and any parser of calls: name the dialect of the calls"
    ),
    "passthrough": _NOTHING,  # Ollama
    "Content-only": _NOTHING,  # llama.cpp
    "peg-simple": _BY_TEMPLATE,
    "peg-native": _BY_TEMPLATE,
    "none": _PLACE_OF_THOUGHTS,
    "deepseek": (
        f"{_PLACE_OF_THOUGHTS}; DeepSeek's models write 'deepseek_v3', 'deepseek_v31',"
        " 'deepseek_v32', 'deepseek_v4' or 'deepseek_v41'"
    ),
    "deepseek-legacy": _PLACE_OF_THOUGHTS,
}
REFUSED: Final = {folded(name): why for name, why in _NAMES.items()}
"""Why a name is refused, by the `folded` name."""
