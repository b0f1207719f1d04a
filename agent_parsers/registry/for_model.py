"""Finding the dialect that an open model writes, from the model's name.

The names are in one table, `ROWS`, and each row cites its source. Nothing is guessed: a name that
matches no row is unknown, and so is a name with another word between the family and the size, such
as that of a fine-tune, which may have learnt another format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from output_parsers.printable import kind_of

if TYPE_CHECKING:
    from agent_parsers.registry.names import SeveralCallsName

_CALLS_BY_API: Final = re.compile(
    r"(?:(?:openai|anthropic|google|models|vertex_ai|bedrock|azure)[/:.])*"
    r"(?:gpt-?[345]|chatgpt\b|o[1345](?:-|$)|claude\b|gemini\b)",
    re.IGNORECASE,
)
"""Matches the beginnings of names of models whose API returns tool calls."""


@dataclass(frozen=True, slots=True)
class Row:
    """Models of one format."""

    names: str
    """The beginnings of the models' names, separated by spaces. A name with a star may be followed
    by any word, another name only by a number or one of `_PLAIN`, so that ``Qwen3`` does not match
    ``Qwen3-Embedding``."""
    dialect: SeveralCallsName | None
    """The dialect they write; `None` if no dialect reads it, to exclude them from later rows."""
    source: str
    """The repository that documents it, of the model or of a server, and the place in it."""


_LLAMA_CPP: Final = "ggml-org/llama.cpp: docs/function-calling.md"
_RECIPE: Final = "vllm-project/recipes: models/{}.yaml"
_PRIME_RL: Final = (
    "PrimeIntellect-ai/prime-rl: packages/prime-rl-configs/src/prime_rl/utils/parsers.py"
)
_SGLANG: Final = "sgl-project/sglang: docs/advanced_features/tool_parser.ipynb"
_SGLANG_FILE: Final = "sgl-project/sglang: python/sglang/srt/function_call/{}.py"
_VLLM_FILE: Final = "vllm-project/vllm: vllm/{}.py"
_VLLM: Final = "vllm-project/vllm: docs/features/tool_calling.md"

ROWS: Final = (
    # -- Qwen, and models with the format of one of its generations
    Row("Qwen3-Coder Qwen3-Coder-Next", "qwen3_coder", _VLLM),
    Row(
        "Qwen3.5 Qwen3.6 Qwen3.8 Qwen3.8-Flash-Next",
        "qwen3_coder",
        _RECIPE.format("Qwen/Qwen3.8-27B"),
    ),
    Row("Qwen3", "hermes", "QwenLM/Qwen3: docs/source/deployment/vllm.md"),
    Row("Qwen3-Next Qwen3-VL", "hermes", _SGLANG),
    Row("Qwen2.5 Qwen2.5-Coder Qwen2.5-Math Qwen2.5-VL Qwen2.5VL QwQ*", "hermes", _LLAMA_CPP),
    Row("Hermes-2-Pro* Hermes-2-Theta* Hermes-3* Hermes-4* Hermes-4.3*", "hermes", _VLLM),
    Row("SmolLM3*", "hermes", "HuggingFaceTB/SmolLM3-3B: model card"),
    Row("MiMo-VL*", "hermes", "XiaomiMiMo/MiMo-VL-7B-RL: chat template"),
    Row("Bielik-11B-v2.5* Bielik-11B-v3.0*", "hermes", "speakleash/bielik-tools: README.md"),
    Row("EXAONE-4.0* EXAONE-4.0.1*", "hermes", "LGAI-EXAONE/EXAONE-4.0-32B: model card"),
    Row("Falcon3*", "hermes", _LLAMA_CPP),
    Row(
        "Falcon-H1*",
        "hermes",
        "axolotl-ai-cloud/axolotl: src/axolotl/utils/chat_templates/templates/falcon_h1.jinja",
    ),
    Row("K-EXAONE*", "hermes", "LGAI-EXAONE/K-EXAONE-236B-A23B: model card"),
    Row("Qwen3-Omni*", "hermes", "modelscope/ms-swift: swift/template/templates/qwen.py"),
    Row("Mellum2*", "hermes", _RECIPE.format("JetBrains/Mellum2-12B-A2.5B-Thinking")),
    Row("Intern-S1-Pro", "hermes", "InternLM/Intern-S1: docs/interns1pro_user_guide.md"),
    Row("Trinity-Mini* Trinity-Nano* Trinity-Large-Preview", "hermes", _PRIME_RL),
    Row("INTELLECT-3 INTELLECT-3.1", "qwen3_coder", _PRIME_RL),
    Row("Intern-S2", "qwen3_coder", _RECIPE.format("internlm/Intern-S2-397B")),
    Row("Param2-17B*", "hermes", _RECIPE.format("bharatgenai/Param2-17B-A2.4B-Thinking")),
    Row("Youtu-LLM*", "hermes", "modelscope/ms-swift: swift/agent_template/youtu.py"),
    Row("Ornith*", "qwen3_coder", "ollama/ollama: model/parsers/parsers.go"),
    Row(
        "IQuest-Coder-V1-40B-Instruct IQuest-Coder-V1-40B-Loop-Instruct",
        "hermes",
        "IQuestLab/IQuest-Coder-V1: issue 15",
    ),
    Row(
        "IQuest-Coder-V1-7B* IQuest-Coder-V1-14B* IQuest-Coder-V1-40B-Thinking "
        "IQuest-Coder-V1-40B-Loop-Thinking",
        "qwen3_coder",
        "IQuestLab/IQuest-Coder-V1: issue 15",
    ),
    Row("Reka-Edge*", "reka_edge", "ggml-org/llama.cpp: models/templates/Reka-Edge.jinja"),
    Row("Jamba-Reasoning*", "hermes", "ai21labs/AI21-Jamba-Reasoning-3B: chat template"),
    Row("LongCat-Flash-Lite*", "longcat_lite", "ml-explore/mlx-lm: mlx_lm/tool_parsers/longcat.py"),
    Row("LongCat-Flash*", "longcat", _VLLM),
    Row(
        "Nemotron-3-Nano* Nemotron-3-Super* Nemotron-3-Ultra* Nemotron-3.5-Lightning* "
        "Nemotron-3.5-Super-VL*",
        "qwen3_coder",
        _RECIPE.format("nvidia/NVIDIA-Nemotron-3.5-Super-VL-120B-A12B-NVFP4"),
    ),
    Row(
        "Nemotron-Nano-9B-v2 Nemotron-Nano-9B-v2-Japanese Nemotron-Nano-12B-v2",
        "nemotron_v2",
        "ggml-org/llama.cpp: models/templates/NVIDIA-Nemotron-Nano-v2.jinja",
    ),
    Row(
        "Llama-3.3-Nemotron-Super-49B-v1.5",
        "nemotron_llama",
        "nvidia/Llama-3_3-Nemotron-Super-49B-v1_5: chat template",
    ),
    Row("Step-3.5* Step-3.7*", "qwen3_coder", _SGLANG_FILE.format("function_call_parser")),
    Row("Step-5*", "qwen3_coder", _VLLM_FILE.format("tool_parsers/step5_tool_parser")),
    Row("MiMo-V2* MiMo-V2.5* MiMo-V2.6*", "mimo", _RECIPE.format("XiaomiMiMo/MiMo-V2.5-Pro")),
    Row("MiniCPM-V-4.6*", "qwen3_coder", _RECIPE.format("openbmb/MiniCPM-V-4.6")),
    Row(
        "Trinity-Large-Thinking*", "qwen3_coder", _RECIPE.format("arcee-ai/Trinity-Large-Thinking")
    ),
    Row("Seed-OSS*", "seed_oss", _VLLM_FILE.format("parser/seed_oss")),
    # -- Granite
    Row("Granite-4.2*", "qwen3_coder", _VLLM_FILE.format("parser/granite_thinking")),
    Row(
        "Granite-4.0* Granite-4.1* Granite-4-H* Granite-4-Micro* Granite-4-Tiny* Granite-4-Small*",
        "hermes",
        "ibm-granite/granite-4.0-micro: chat template",
    ),
    Row(
        "Granite-3 Granite-3-Dense* Granite-3-MoE* Granite-3.0* Granite-3.1* Granite-3.2* "
        "Granite-3.3*",
        "granite",
        "ibm-granite/granite-3.1-8b-instruct: chat template",
    ),
    Row(
        "Granite-20B-FunctionCalling",
        "granite_fc",
        "vllm-project/vllm: examples/tool_chat_template_granite_20b_fc.jinja",
    ),
    # -- DeepSeek
    Row("DeepSeek-V4.1*", "deepseek_v41", _RECIPE.format("deepseek-ai/DeepSeek-V4.1-Flash")),
    Row("DeepSeek-V4*", "deepseek_dsml", _VLLM_FILE.format("parser/deepseek_v4")),
    Row("DeepSeek-V3.2-Exp* DeepSeek-V3.1* DeepSeek-Chat-V3.1*", "deepseek_v31", _SGLANG),
    Row("DeepSeek-V3.2*", "deepseek_v32", _SGLANG),
    Row("DeepSeek-V3 DeepSeek-Chat-V3 DeepSeek-V2.5* DeepSeek-R1*", "deepseek_v3", _LLAMA_CPP),
    # -- GLM, and models with the format of one of its generations
    Row(
        "GLM-4.7* GLM-5* GLM-5.1* GLM-5.2* GLM-5.3*",
        "glm47",
        _RECIPE.format("zai-org/GLM-5.3-Flash"),
    ),
    Row("GLM-4.5* GLM-4.5V* GLM-4.6* GLM-4.6V*", "glm45", _RECIPE.format("zai-org/GLM-4.6V")),
    Row("GLM-GA", "glm45", _RECIPE.format("zai-org/GLM-GA")),
    Row("HyperCLOVAX-SEED-Think-32B", "glm45", "vllm-project/vllm: pull request 42366"),
    Row("Flint", "glm47", _RECIPE.format("RecursiveSI/flint")),
    Row(
        "Macaron-V1-Coding-Venti",
        "glm47",
        _RECIPE.format("mindlab-research/Macaron-V1-Coding-Venti"),
    ),
    Row("IQuest-Q1*", "iquest_q1", _SGLANG_FILE.format("iquest_q1_detector")),
    Row("GLM-4-9B GLM-4-32B", "glm4", "THUDM/glm-4-9b-chat: chat template"),
    Row("Xing4.0-29B*", "xing4", "modelscope/ms-swift: swift/agent_template/xing4_0.py"),
    Row("Ling-3.0* Ling-3.1*", "ling3", _RECIPE.format("inclusionAI/Ling-3.1-flash")),
    Row("Laguna-XS* Laguna-S* Laguna-M*", "laguna", _RECIPE.format("poolside/Laguna-S-2.1")),
    Row("K2-Horizon* Jais-3*", "k2_horizon", _RECIPE.format("IFM/Jais-3-32B")),
    Row("Spark-X2.5*", "glm47", _SGLANG_FILE.format("spark25_detector")),
    Row("Hy3*", "hunyuan_v3", _RECIPE.format("tencent/Hy3")),
    Row("Hy4*", "hunyuan_v4", _VLLM_FILE.format("tool_parsers/hy_v4_tool_parser")),
    Row("Hunyuan-A13B", "hunyuan_a13b", _VLLM),
    # -- Llama, and models tuned from it for calls
    Row("Llama-4*", "llama4_pythonic", _VLLM),
    Row("Llama-3.2-1B Llama-3.2-3B Llama-v3.2-1B Llama-v3.2-3B", "pythonic", _VLLM),
    Row(
        "Llama-3.1 Llama-3.2-11B* Llama-3.2-90B* Llama-3.2-Vision Llama-3.3 Llama-v3.1 "
        "Llama-v3.2-11B* Llama-v3.2-90B* Llama-v3.3",
        "llama3_json",
        _LLAMA_CPP,
    ),
    Row("ToolACE-8B ToolACE-2* ToolACE-2.5*", "pythonic", _VLLM),
    Row("Llama-xLAM-2* xLAM-2*", "xlam", _VLLM),
    Row("Functionary-Small-v3.1 Functionary-Medium-v3.1", "functionary_v31", _LLAMA_CPP),
    Row(
        "Functionary-Small-v3.2 Functionary-Medium-v3.2",
        "functionary_v32",
        "ggml-org/llama.cpp: models/templates/meetkai-functionary-medium-v3.2.jinja",
    ),
    Row("Firefunction-v2 Llama-3-Firefunction-v2", "firefunction", _LLAMA_CPP),
    # -- Mistral: each of these dialects reads all Mistral formats, and writes its own
    Row(
        "Mistral-7B-v0.3* Mistral-7B-Instruct-v0.3* Mistral-Nemo* "
        "Open-Mistral-Nemo* Mistral-Large-2407 Mistral-Large-2411 Mistral-Large-Instruct-2407 "
        "Mistral-Large-Instruct-2411 Mistral-Small-24B Mistral-Small-2501 Mistral-Small-3.1* "
        "Mistral-Small-2503 Pixtral-12B* Pixtral-Large* Devstral-Small-2505",
        "mistral_v3",
        "mistralai/mistral-common: docs/models.md",
    ),
    Row("Mixtral-8x22B-Instruct*", "mistral_v3", "mistralai/mistral-common: README.md of 1.4"),
    Row(
        "Mistral-Small-3.2* Mistral-Small-2506 Magistral-Small-2506",
        "mistral_v11",
        "mistralai/Mistral-Small-3.2-24B-Instruct-2506: chat template",
    ),
    Row(
        "Magistral-Small-2507 Magistral-Small-2509 Devstral-Small-2507 Devstral-2* "
        "Devstral-Small-2* Ministral-3* Mistral-Small-4* Mistral-Medium-3.5* Mistral-Large-3*",
        "mistral",
        _RECIPE.format("mistralai/Mistral-Small-4-119B-2603"),
    ),
    # -- formats of their own
    Row("gpt-oss*", "harmony", _VLLM),
    Row("Beam-1.0*", "beam", "vllm-project/vllm: tests/parser/test_beam_parser.py"),
    Row(
        "Kimi-K2* Kimi-K2.5* Kimi-K2.6* Kimi-K2.7*",
        "kimi_k2",
        _RECIPE.format("moonshotai/Kimi-K2.7-Code"),
    ),
    Row("Kimi-K3*", "kimi_k3", "ggml-org/llama.cpp: models/templates/Kimi-K3.jinja"),
    Row("MiniMax-M1", "minimax_m1", "MiniMax-AI/MiniMax-M1: docs/function_call_guide.md"),
    Row(
        "MiniMax-M2* MiniMax-M2.1* MiniMax-M2.5* MiniMax-M2.7*",
        "minimax_m2",
        _RECIPE.format("MiniMaxAI/MiniMax-M2.7"),
    ),
    Row("dots3-note*", "dots", _RECIPE.format("dots-studio/dots3-note-prev")),
    Row("MiniMax-M3* MiniMax-M3.1*", "minimax_m3", _RECIPE.format("MiniMaxAI/MiniMax-M3.1-Flash")),
    Row("Step3", "step3", _VLLM_FILE.format("tool_parsers/step3_tool_parser")),
    Row("PLaMo-3*", "plamo3", _VLLM_FILE.format("parser/plamo3")),
    Row("GigaChat3", "gigachat3", "ai-sage/GigaChat3-10B-A1.8B: chat template"),
    Row("GigaChat3.1", "gigachat31", "ai-sage/GigaChat3.1-10B-A1.8B: chat template"),
    Row("GigaChat3.5*", "gigachat35", "ggml-org/llama.cpp: models/templates/GigaChat3.5.jinja"),
    Row(
        "Solar-Open-100B",
        "solar_open",
        "ggml-org/llama.cpp: models/templates/upstage-Solar-Open-100B.jinja",
    ),
    Row(
        "openPangu-Embedded* openPangu-R*",
        "pangu_embedded",
        "vllm-project/vllm: pull request 32583",
    ),
    Row("openPangu-2.0*", "openpangu_v2", "vllm-project/vllm: pull request 47271"),
    Row("CWM CWM-SFT", "cwm", "facebookresearch/cwm: PROMPTING_GUIDE.md"),
    Row("Solar-Open2*", "solar_open2", _VLLM_FILE.format("tool_parsers/solar_open2_tool_parser")),
    Row("UI-TARS*", None, "bytedance/UI-TARS: codes/ui_tars/prompt.py"),
    Row("Muse-Spark*", "muse_spark", _VLLM_FILE.format("tool_parsers/muse_tool_parser")),
    Row("Muse-Glimmer*", "muse_glimmer", _VLLM_FILE.format("parser/muse_glimmer")),
    Row("Gemma-4*", "gemma4", _VLLM_FILE.format("parser/gemma4")),
    Row("DiffusionGemma*", "gemma4", _RECIPE.format("Google/diffusiongemma-26B-A4B-it")),
    Row("FunctionGemma*", "functiongemma", _VLLM),
    Row(
        "Gemma-3",
        "pythonic",
        "vllm-project/vllm: examples/tool_chat_template_gemma3_pythonic.jinja",
    ),
    Row("LFM2 LFM2.5", "lfm2", _VLLM_FILE.format("tool_parsers/lfm2_tool_parser")),
    Row("Olmo-3* Olmo-3.1*", "olmo3", _VLLM),
    Row("Inkling Inkling-Small", "inkling", _VLLM_FILE.format("renderers/inkling_encoding")),
    Row("Apertus-8B Apertus-70B", "apertus", _SGLANG_FILE.format("apertus2509_detector")),
    Row(
        "Apriel-1.5* Apriel-1.6*",
        "apriel",
        "ggml-org/llama.cpp: models/templates/Apriel-1.6-15b-Thinker-fixed.jinja",
    ),
    Row(
        "ERNIE-4.5-21B-A3B-Thinking",
        "ernie45",
        "vllm-project/vllm: tests/tool_parsers/test_ernie45_moe_tool_parser.py",
    ),
    Row("Phi-4-mini", "phi4_mini", "microsoft/Phi-4-mini-instruct: model card"),
    Row(
        "Jamba-1.5* Jamba-Mini-1.5* Jamba-Large-1.5* Jamba-1.6* Jamba-Mini-1.6* Jamba-Large-1.6*",
        "jamba",
        "ai21labs/AI21-Jamba-1.5-Mini: chat template",
    ),
    Row("InternLM2 InternLM2.5", "internlm2", _VLLM),
    Row("Intern-S1 Intern-S1-mini", "internlm2", _RECIPE.format("internlm/Intern-S1")),
    Row("MiniCPM3 MiniCPM4-MCP", "minicpm3", "OpenBMB/MiniCPM: demo/minicpm4/MCP/README_en.md"),
    Row("MiniCPM5*", "minicpm5", _VLLM_FILE.format("tool_parsers/minicpm5xml_tool_parser")),
    Row(
        "Command-R7B* Command-A Command-A-Reasoning",
        "command_a",
        "CohereForAI/c4ai-command-r7b-12-2024: chat template",
    ),
    Row(
        "Command-A-Plus",
        "command_a_plus",
        "sgl-project/sglang: python/sglang/srt/parser/reasoning_parser.py",
    ),
    Row(
        "Command-R Command-R-Plus Command-R-v01",
        "command_r",
        "CohereForAI/c4ai-command-r-v01: model card",
    ),
)
"""Which models write which dialect. The first row that matches a name counts."""

OWNERS: Final = (
    "ai-sage AI21 ai21labs allenai arcee-ai baidu bharatgenai ByteDance-Seed C4AI Cohere "
    "CohereForAI CohereLabs DeepSeek deepseek-ai dots-studio facebook fireworks-ai Google "
    "HuggingFaceTB IBM ibm-granite IFM inclusionAI internlm IQuestLab JetBrains LGAI-EXAONE "
    "LiquidAI meetkai meituan-longcat Meta meta-llama meta-models Microsoft mindlab-research "
    "MiniMax MiniMaxAI Mistral mistralai Moonshot moonshotai naver-hyperclovax NousResearch "
    "NVIDIA OpenAI openbmb pfnet poolside PrimeIntellect Qwen RecursiveSI RekaAI Salesforce "
    "ServiceNow-AI speakleash stepfun-ai swiss-ai Team-ACE tencent thinkingmachines THUDM tiiuae "
    "upstage XHToken XiaomiMiMo XingChen-AGI zai zai-org"
)
"""Owners that may precede a name: ``Meta-Llama-3.1-8B``, ``Qwen_Qwen3-8B-GGUF``."""

_TUNED: Final = "base chat hf instruct instant it latest preview thinking turbo versatile"
_STORED: Final = (
    "autoround awq bf bnb dwq dynamic exl f fp ggml gguf gptq int iq mlx mxfp nvfp onnx q qat "
    "quantized ud unsloth w"
)
_SERVED: Final = "cloud exacto fast floor free maas nitro tee"
_PLAIN: Final = frozenset(f"{_TUNED} {_STORED} {_SERVED}".split())
"""Words that say nothing about the format of a model."""

_FORMATS: Final = frozenset(("json", "parser", "pythonic", "xml"))
"""Words that only names of parsers have: ``llama4_json`` is not a model, whatever its beginning."""

_WORD: Final = re.compile(r"[a-z]+|[0-9]+(?:\.[0-9]+)*[a-z]*")
_DIVIDED_VERSION: Final = re.compile(r"(?<![0-9.])([0-9])[-_p]([0-9])(?![0-9a-z]|\.[0-9])")
_MAX_WORDS: Final = 16  # more than the longest name in the table, with an owner


def calls_by_api(name: str) -> bool:
    """Return whether *name* is that of a closed model, whose API returns tool calls."""
    return _CALLS_BY_API.match(name) is not None


def dialect_for_model(model: str) -> SeveralCallsName | None:
    """Return the name of the dialect that the open model called *model* writes.

    Names may be in any form that hubs and servers use, in upper or lower case: ``Qwen/Qwen3-8B``,
    ``qwen3:8b``, ``ollama/qwen3``, ``Qwen3-8B-Q4_K_M.gguf``, or the path of a directory with such a
    name::

        get_parser(dialect_for_model(model) or "react")

    Args:
        model: The model's name, with or without its owner, a provider and the quantisation.

    Returns:
        The name of a dialect, or `None` if the model is not known: its generation is not in the
        table, no dialect reads its format, or it is not an open model.

    Raises:
        TypeError: *model* is not a text.
    """
    if not isinstance(model, str):
        raise TypeError(f"expected the name of a model, not {kind_of(model)}")
    row = row_for_model(model)
    return None if row is None else row.dialect


def row_for_model(model: str) -> Row | None:
    """Return the first of `ROWS` that matches *model*; `None` if no row matches."""
    words = _words(_last_part(model))
    if not _FORMATS.isdisjoint(words):
        return None
    starts = [0]
    for start in starts:  # grows after each owner; there may be two, as in nvidia_NVIDIA
        starts += [start + len(o) for o in _OWNERS if words[start : start + len(o)] == o]
    names = [words[start:] for start in starts]
    for row, patterns in _PATTERNS:
        if any(_fits(name, *pattern) for name in names for pattern in patterns):
            return row
    return None


def _last_part(model: str) -> str:
    """Return *model* without its path and owner, or ``""`` if it cannot be a name."""
    if not (model.isascii() and model.isprintable()):
        return ""
    path = model.partition("#")[0].replace("\\", "/").replace("--", "/")
    return path.rstrip("/").rpartition("/")[2]


def _words(name: str) -> tuple[str, ...]:
    """Return the first words of *name*: letters, or a number with the letters that follow it.

    A version is one word in any spelling: ``3.1``, ``3-1``, ``3_1`` and ``3p1`` are the same. A
    number followed by a letter is a size, so ``3-1b`` is two words.
    """
    name = _DIVIDED_VERSION.sub(r"\1.\2", name.lower())
    return tuple(found[0] for found in islice(_WORD.finditer(name), _MAX_WORDS))


def _fits(words: tuple[str, ...], first: tuple[str, ...], star: bool) -> bool:
    """Return whether *words* begin with *first*; without *star* only plain words may follow."""
    size = len(first)
    if words[:size] != first:
        return False
    following = words[size : size + 1]
    return star or not following or following[0][0].isdigit() or following[0] in _PLAIN


_OWNERS: Final = tuple(map(_words, OWNERS.split()))
_PATTERNS: Final = tuple(
    (row, tuple((_words(name), name.endswith("*")) for name in row.names.split())) for row in ROWS
)
