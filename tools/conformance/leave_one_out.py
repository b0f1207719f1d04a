"""Derives each dialect from a chat template of its models, as if this library did not have it.

``python -m tools.conformance.leave_one_out FOLDER [--dialect NAME] [--show]`` prints a table, with
a row for every dialect. FOLDER has chat templates as ``*.jinja``, which are no part of this
project: those in ``models/templates`` of ggml-org/llama.cpp and in ``examples`` of
vllm-project/vllm (without ``tool_chat_template_``), and those that the packages ``trl``,
``axolotl`` and ``cohere_melody`` have. What is derived reads the strict vectors of the hidden
dialect, leniently, and without the help of other dialects.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers import AgentAction, get_dialect, list_dialects
from agent_parsers.parsers.dialect_parser import dialect_parser
from agent_parsers.toolset import ToolSet
from agent_serving.templates import TemplateError, dialect_from_template
from output_parsers.exceptions import OutputParserException
from tools.conformance.make import call_of
from tools.conformance.vectors import Got, load

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_parsers.engine.tables.dialect import Dialect
    from tools.conformance.vectors import Vector

TEMPLATES: Final = {
    "command_5": "cmd5",
    "apertus": "Apertus-8B-Instruct apertus",
    "apriel": "Apriel-1.6-15b-Thinker-fixed unsloth-Apriel-1.5",
    "command_a": "CohereForAI-c4ai-command-r7b-12-2024-tool_use command_a_tool_use",
    "command_a_plus": "Cohere2MoE",
    "command_r": "CohereForAI-c4ai-command-r-plus-tool_use",
    "deepseek_dsml": "deepseek-ai-DeepSeek-V4 deepseek-ai-DeepSeek-V4-Flash-0731",
    "deepseek_v3": "deepseekr1 deepseek-ai-DeepSeek-R1-Distill-Llama-8B deepseekv3",
    "deepseek_v31": "deepseek-ai-DeepSeek-V3.1 deepseekv31",
    "deepseek_v32": "deepseek-ai-DeepSeek-V3.2",
    "firefunction": "fireworks-ai-llama-3-firefunction-v2",
    "functionary_v31": "meetkai-functionary-medium-v3.1",
    "functionary_v32": "meetkai-functionary-medium-v3.2",
    "functiongemma": "functiongemma",
    "gemma4": "google-gemma-4-31B-it gemma4",
    "gigachat3": "GigaChat3-10B-A1.8B",
    "gigachat31": "GigaChat3.1-10B-A1.8B",
    "gigachat35": "GigaChat3.5",
    "glm45": "GLM-4.6 glm4moe",
    "glm47": "GLM-4.7-Flash Spark2.5",
    "granite": "granite",
    "granite_fc": "granite_20b_fc",
    "harmony": "openai-gpt-oss-120b gptoss",
    "hermes": "Qwen-Qwen2.5-7B-Instruct Qwen-Qwen3-0.6B hermes",
    "hunyuan_a13b": "hunyuan_a13b",
    "hunyuan_v3": "tencent-Hy3",
    "internlm2": "internlm2_tool",
    "jamba": "jamba",
    "json_toolcall": "nemotron_json",
    "kimi_k2": "moonshotai-Kimi-K2 Kimi-K2-Thinking Kimi-K2-Instruct",
    "kimi_k3": "Kimi-K3",
    "laguna": "poolside-Laguna-S-2.1 poolside-Laguna-XS.2 poolside-Laguna-XS-2.1",
    "lfm2": "LFM2.5-8B-A1B lfm2_v2",
    "ling3": "inclusionai-ling-3.0-flash",
    "llama3_json": "meta-llama-Llama-3.1-8B-Instruct llama3.1_json",
    "llama4_pythonic": "llama4_pythonic",
    "minicpm5": "openbmb-MiniCPM5-1B",
    "minimax_m1": "MiniMax-M1",
    "minimax_m2": "MiniMax-M2",
    "minimax_m3": "MiniMax-M3",
    "mistral": "mistralai-Ministral-3-14B-Reasoning-2512 unsloth-mistral-Devstral-Small-2507",
    "mistral_v11": "Mistral-Small-3.2-24B-Instruct-2506",
    "mistral_v3": "mistral mistral_parallel mistralai-Mistral-Nemo-Instruct-2407",
    "muse_glimmer": "muse-glimmer muse_glimmer",
    "nemotron_v2": "NVIDIA-Nemotron-Nano-v2",
    "olmo3": "olmo3",
    "phi4_mini": "phi4_mini",
    "pythonic": "toolace llama3.2_pythonic gemma3_pythonic",
    "qwen3_coder": "Qwen3-Coder Qwen3.5-4B qwen3coder",
    "reka_edge": "Reka-Edge",
    "seed_oss": "ByteDance-Seed-OSS",
    "solar_open": "upstage-Solar-Open-100B",
    "xlam": "xlam_llama xlam_qwen",
}
"""The files, without their ending, that show each dialect."""
NOTES: Final = {
    "harmony": "the template writes the recipient first and no content beside calls; the model also"
    " writes the channel first",
    "hunyuan_a13b": "the template has no <think> and <answer>, which the model writes around all",
    "hunyuan_v3": "the template's marks end in ':opensource'; those of the vectors are plain",
    "llama4_pythonic": "the template has no <|python_start|>, which the model writes first",
}
"""What a template does not show, so that what is derived misses it: such a text is an error, a call
that is reported as that of another dialect, or content with the marks in it."""
TOKENS: Final = {"eos_token": "<|eos|>"}


class Row(NamedTuple):
    """What came of a template."""

    template: str
    problem: str = ""
    """Why nothing could be derived."""
    calls: int = 0
    """Vectors whose calls are right."""
    whole: int = 0
    """Vectors of which all is right."""
    count: int = 0
    """All strict vectors."""
    wrong: tuple[str, ...] = ()
    """The vectors that are read otherwise."""


def tried(dialect: str, path: Path) -> Row:
    """Derive a dialect from the template at *path*, and read the vectors of *dialect* with it."""
    try:
        derived = dialect_from_template(
            path.read_text(encoding="utf-8"), name="derived", special_tokens=TOKENS
        )
    except TemplateError as error:
        return Row(path.stem, str(error))
    vectors = [vector for vector in load(dialect) if vector.level == "strict"]
    differs = {vector.id: _differs(derived, vector) for vector in vectors}
    return Row(
        path.stem,
        calls=sum("calls" not in each for each in differs.values()),
        whole=sum(not each for each in differs.values()),
        count=len(vectors),
        wrong=tuple(f"{name} ({', '.join(each)})" for name, each in differs.items() if each),
    )


def _differs(dialect: Dialect, vector: Vector) -> list[str]:
    assert vector.want is not None, "a strict vector is read"
    tools = ToolSet(vector.tools, unknown_keys="keep", missing_keys="keep")
    options = {"tools": tools if vector.tools else None, "prompt": vector.prompt}
    try:
        turn = dialect_parser(dialect, lenient=True, **options).read(vector.text)
    except OutputParserException as error:
        return ["calls", str(error)]
    if any(repair.kind == "foreign" for repair in turn.repairs):
        return ["calls", "read with the help of other dialects"]
    if isinstance(turn.result, AgentAction | list):
        actions = turn.result if isinstance(turn.result, list) else [turn.result]
        got = Got(turn.content, turn.thought, [call_of(action) for action in actions])
    else:
        got = Got(str(turn.result.return_values["output"]), turn.thought)
    return got.differs_from(vector.want)


def rows(folder: Path, names: Iterable[str]) -> dict[str, list[Row]]:
    """Return what came of the templates of each dialect, the best first."""
    found: dict[str, list[Row]] = {}
    for name in names:
        stems = TEMPLATES.get(name, "").split()
        paths = [folder / f"{stem}.jinja" for stem in stems]
        tries = [tried(name, path) for path in paths if path.exists()]
        found[name] = sorted(tries, key=lambda row: (-row.whole, -row.calls))
    return found


def _missing(name: str) -> str:
    """Return why there is no template of the dialect *name*."""
    if name in TEMPLATES:
        return f"not in the folder: {', '.join(TEMPLATES[name].split())}"
    return "a prompt, no chat template" if not get_dialect(name).several else "none is public"


def main() -> int:
    """Print a table, and fail if a dialect cannot be derived."""
    parser = argparse.ArgumentParser(prog="python -m tools.conformance.leave_one_out")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dialect", action="append", choices=list_dialects(), help="only this one")
    parser.add_argument("--show", action="store_true", help="list the vectors that are read wrong")
    asked = parser.parse_args()
    found = rows(asked.folder, asked.dialect or list_dialects())
    print("| dialect | template | calls | all | vectors |\n|---|---|--:|--:|--:|")
    for name, tries in found.items():
        row = tries[0] if tries else Row(_missing(name))
        said = f"{row.calls} | {row.whole} | {row.count}" if row.count else "| |"
        print(f"| {name} | {row.template} | {said} |")
        if asked.show:
            print(*(f"    {each}" for row in tries for each in (row.problem, *row.wrong)), sep="\n")
    print("", *(f"{name}: {note}." for name, note in NOTES.items() if found.get(name)), sep="\n")
    derived = [tries[0] for tries in found.values() if tries and tries[0].count]
    whole = sum(row.whole == row.count for row in derived)
    most = sum(row.whole * 10 >= row.count * 9 for row in derived)
    print(
        f"\n{len(derived)} of {sum(map(bool, found.values()))} dialects with a template derived;"
        f" {whole} read all their vectors, {most} at least nine in ten."
    )
    return len(derived) < sum(map(bool, found.values()))


if __name__ == "__main__":
    sys.exit(main())
