"""Finding the dialect of a model by its name."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from pathlib import Path

import pytest

from agent_parsers import list_dialects
from agent_parsers.registry.for_model import OWNERS, ROWS, dialect_for_model, row_for_model

from ...helpers.growth import assert_linear

PAGE = Path(__file__).parents[3] / "docs" / "models.md"

MODELS = """
Qwen/Qwen3-Coder-480B-A35B-Instruct                      qwen3_coder
Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8                    qwen3_coder
Qwen/Qwen3-Coder-Next                                    qwen3_coder
qwen/qwen3-coder:free                                    qwen3_coder
qwen3-coder:30b                                          qwen3_coder
qwen.qwen3-coder-30b-a3b-v1:0                            qwen3_coder
Qwen/Qwen3.5-35B-A3B                                     qwen3_coder
qwen3.6:27b                                              qwen3_coder
Qwen/Qwen3.8-Flash-Next-FP8                              qwen3_coder
Qwen/Qwen3-8B                                            hermes
qwen3-8b                                                 hermes
qwen3                                                    hermes
qwen3:8b                                                 hermes
qwen3:latest                                             hermes
ollama/qwen3                                             hermes
hosted_vllm/Qwen/Qwen3-8B                                hermes
openrouter/qwen/qwen3-235b-a22b-thinking-2507            hermes
accounts/fireworks/models/qwen3-8b                       hermes
accounts/fireworks/models/qwen3-8b#accounts/me/deployments/1 hermes
Qwen/Qwen3-8B-AWQ                                        hermes
unsloth/Qwen3-8B-GGUF:Q4_K_M                             hermes
Qwen/Qwen3-4B-Instruct-2507                              hermes
someone/Qwen3-8B-abliterated                             hermes
mlx-community/Qwen3-8B-4bit                              hermes
bartowski/Qwen_Qwen3-8B-GGUF                             hermes
Qwen3-8B-Q4_K_M.gguf                                     hermes
Qwen3-235B-A22B-UD-Q2_K_XL-00001-of-00003.gguf           hermes
./models/Qwen3-8B/                                       hermes
C:\\models\\Qwen3-8B                                     hermes
cache/models--Qwen--Qwen3-8B                             hermes
qwen/qwen3-8b@q4_k_m                                     hermes
Qwen/Qwen3-Next-80B-A3B-Thinking                         hermes
Qwen/Qwen3-VL-30B-A3B-Instruct                           hermes
Qwen/Qwen2.5-7B-Instruct                                 hermes
qwen/qwen-2.5-72b-instruct                               hermes
qwen2.5:7b-instruct-q4_K_M                               hermes
qwen2.5-coder:32b                                        hermes
qwen2.5vl:7b                                             hermes
Qwen/Qwen2.5-14B-Instruct-1M                             hermes
Qwen/QwQ-32B                                             hermes
groq/qwen-qwq-32b                                        hermes
NousResearch/Hermes-2-Pro-Llama-3-8B                     hermes
NousResearch/Hermes-3-Llama-3.1-8B                       hermes
nousresearch/hermes-4-70b                                hermes
hermes3:8b                                               hermes
HuggingFaceTB/SmolLM3-3B                                 hermes
XiaomiMiMo/MiMo-VL-7B-RL-2508                            hermes
speakleash/Bielik-11B-v3.0-Instruct                      hermes
LGAI-EXAONE/EXAONE-4.0-32B                               hermes
tiiuae/Falcon-H1-34B-Instruct                            hermes
LGAI-EXAONE/K-EXAONE-236B-A23B                           hermes
Qwen/Qwen3-Omni-30B-A3B-Instruct                         hermes
JetBrains/Mellum2-12B-A2.5B-Thinking                     hermes
internlm/Intern-S1-Pro-FP8                               hermes
arcee-ai/Trinity-Mini                                    hermes
arcee-ai/Trinity-Large-Preview                           hermes
PrimeIntellect/INTELLECT-3                               qwen3_coder
internlm/Intern-S2-Preview                               qwen3_coder
RekaAI/reka-edge-2603                                    reka_edge
zai-org/GLM-GA                                           glm45
zai-org/GLM-5.3-Flash                                    glm47
mindlab-research/Macaron-V1-Coding-Venti                 glm47
IQuestLab/IQuest-Q1                                      iquest_q1
ai-sage/GigaChat3.5-10B-A1.8B                            gigachat35
upstage/Solar-Open-100B                                  solar_open
openbmb/MiniCPM3-4B                                      minicpm3
openbmb/MiniCPM4-MCP                                     minicpm3
upstage/Solar-Open2-250B                                 solar_open2
meta-models/Muse-Glimmer-30B                             muse_glimmer
meta-models/Muse-Spark-Open-816B-A42B                    muse_spark
tiiuae/Falcon3-10B-Instruct                              hermes
ai21labs/AI21-Jamba-Reasoning-3B                         hermes
meituan-longcat/LongCat-Flash-Lite                       longcat_lite
meituan-longcat/LongCat-Flash-Chat-FP8                   longcat
meituan-longcat/LongCat-Flash-Thinking-2601              longcat
nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16               qwen3_coder
nvidia_NVIDIA-Nemotron-3-Super-120B-A12B-GGUF            qwen3_coder
nemotron-3-nano:30b                                      qwen3_coder
stepfun-ai/Step-3.5-Flash                                qwen3_coder
stepfun-ai/Step-5-Preview-BF16                            qwen3_coder
XiaomiMiMo/MiMo-V2-Flash                                 mimo
XiaomiMiMo/MiMo-V2.5-Pro                                 mimo
openbmb/MiniCPM-V-4.6                                    qwen3_coder
arcee-ai/Trinity-Large-Thinking                          qwen3_coder
ByteDance-Seed/Seed-OSS-36B-Instruct                     seed_oss
ibm-granite/granite-4.2-8b                               qwen3_coder
ibm-granite/granite-4.0-h-small                          hermes
granite4:micro                                           hermes
ibm/granite-4-h-tiny                                     hermes
ibm-granite/granite-3.1-8b-instruct                      granite
ibm/granite-3-8b-instruct                                granite
granite3.1-dense:8b                                      granite
granite3-dense                                           granite
bharatgenai/Param2-17B-A2.4B-Thinking                    hermes
tencent/Youtu-LLM-2B                                     hermes
IQuestLab/IQuest-Coder-V1-40B-Loop-Instruct              hermes
IQuestLab/IQuest-Coder-V1-14B-Instruct                   qwen3_coder
IQuestLab/IQuest-Coder-V1-40B-Thinking                   qwen3_coder
ornith:latest                                            qwen3_coder
internlm/Intern-S2-397B-FP8                              qwen3_coder
naver-hyperclovax/HyperCLOVAX-SEED-Think-32B             glm45
FreedomIntelligence/openPangu-Embedded-7B-V1.1           pangu_embedded
openPangu-R-72B-2512                                     pangu_embedded
openpangu/openPangu-2.0-Flash                            openpangu_v2
facebook/cwm                                             cwm
facebook/cwm-sft                                         cwm
RecursiveSI/flint-nvfp4-gguf                             glm47
google/diffusiongemma-26B-A4B-it                         gemma4
MiniMaxAI/MiniMax-M3.1-Flash                             minimax_m3
inclusionAI/Ling-3.1-flash                               ling3
IFM/Jais-3-MoVA-36B-A4B                                  k2_horizon
deepseek-ai/DeepSeek-V4.1-Flash                          deepseek_v41
deepseek-v4.1-flash                                      deepseek_v41
deepseek-ai/DeepSeek-V4-Pro                              deepseek_dsml
deepseek-ai/DeepSeek-V3.1                                deepseek_v31
deepseek-ai/DeepSeek-V3.1-Terminus                       deepseek_v31
deepseek/deepseek-chat-v3.1:free                         deepseek_v31
accounts/fireworks/models/deepseek-v3p1-terminus         deepseek_v31
deepseek-v3-1-250821                                     deepseek_v31
deepseek-ai/DeepSeek-V3.2-Exp                            deepseek_v31
deepseek-ai/DeepSeek-V3.2                                deepseek_v32
deepseek-ai/DeepSeek-V3-0324                             deepseek_v3
deepseek/deepseek-chat-v3-0324                           deepseek_v3
deepseek-v3:671b                                         deepseek_v3
deepseek-ai/DeepSeek-R1-0528                             deepseek_v3
deepseek-ai/DeepSeek-R1-Distill-Qwen-32B                 deepseek_v3
deepseek-ai/DeepSeek-R1-0528-Qwen3-8B                    deepseek_v3
deepseek-r1:8b                                           deepseek_v3
zai-org/GLM-4.7-Flash                                    glm47
zai-org/GLM-5-FP8                                        glm47
accounts/fireworks/models/glm-4p7                        glm47
zai-org/GLM-4.5-Air                                      glm45
zai-org/GLM-4.5V                                         glm45
z-ai/glm-4.6                                             glm45
THUDM/glm-4-9b-chat                                      glm4
THUDM/GLM-4-32B-0414                                     glm4
glm4:9b                                                  glm4
XingChen-AGI/Xing4.0-29B-A4B                             xing4
inclusionAI/Ling-3.0-flash                               ling3
poolside/Laguna-XS-2.1                                   laguna
poolside/Laguna-XS.2-FP8                                 laguna
IFM/K2-Horizon-375B-A23B                                 k2_horizon
XHToken/Spark-X2.5-4B                                    glm47
tencent/Hy3-preview                                      hunyuan_v3
tencent/Hy4-preview                                      hunyuan_v4
dots-studio/dots3-note-prev-fp8                          dots
stepfun-ai/step3                                         step3
pfnet/plamo-3-nict-31b-base                              plamo3
tencent/Hunyuan-A13B-Instruct-FP8                        hunyuan_a13b
meta-llama/Llama-4-Scout-17B-16E-Instruct                llama4_pythonic
llama4:maverick                                          llama4_pythonic
meta-llama/Llama-3.2-3B-Instruct                         pythonic
llama3.2:1b                                              pythonic
meta-llama/Llama-3.1-8B-Instruct                         llama3_json
unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit              llama3_json
llama3.1:8b                                              llama3_json
llama3.1                                                 llama3_json
accounts/fireworks/models/llama-v3p1-8b-instruct         llama3_json
meta.llama3-1-8b-instruct-v1:0                           llama3_json
meta-llama/llama-3-3-70b-instruct                        llama3_json
groq/llama-3.3-70b-versatile                             llama3_json
llama3.2-vision:11b                                      llama3_json
meta-llama/Llama-3.2-90B-Vision-Instruct                 llama3_json
Team-ACE/ToolACE-8B                                      pythonic
Team-ACE/ToolACE-2-Llama-3.1-8B                          pythonic
Salesforce/Llama-xLAM-2-8b-fc-r                          xlam
Salesforce/xLAM-2-32b-fc-r                               xlam
mistralai/Mistral-7B-Instruct-v0.3                       mistral_v3
mistralai/Mistral-Nemo-Instruct-2407                     mistral_v3
mistral-nemo:12b                                         mistral_v3
mistralai/Mistral-Small-3.1-24B-Instruct-2503            mistral_v3
mistral-small:24b                                        mistral_v3
mistralai/Devstral-Small-2505                            mistral_v3
mistralai/Mixtral-8x22B-Instruct-v0.1                    mistral_v3
mistralai/Mistral-Small-3.2-24B-Instruct-2506            mistral_v11
mistral-small3.2:24b                                     mistral_v11
mistralai/Magistral-Small-2506                           mistral_v11
mistralai/Magistral-Small-2509                           mistral
mistralai/Ministral-3-8B-Instruct-2512                   mistral
mistralai/Mistral-Small-4-119B-2603                      mistral
mistralai/Mistral-Large-3-675B-Instruct-2512             mistral
devstral-small-2:24b                                     mistral
openai/gpt-oss-120b                                      harmony
gpt-oss:20b                                              harmony
openai.gpt-oss-120b-1:0                                  harmony
Beam-1.0-501B-A23B                                       beam
moonshotai/Kimi-K3                                       kimi_k3
moonshotai/Kimi-K2-Instruct-0905                         kimi_k2
moonshotai/Kimi-K2-Thinking                              kimi_k2
accounts/fireworks/models/kimi-k2p5                      kimi_k2
MiniMaxAI/MiniMax-M2.5                                   minimax_m2
minimax-m2:cloud                                         minimax_m2
MiniMaxAI/MiniMax-M3                                     minimax_m3
google/gemma-4-26B-A4B-it                                gemma4
google/functiongemma-270m-it                             functiongemma
google/gemma-3-27b-it                                    pythonic
LiquidAI/LFM2-8B-A1B                                     lfm2
LiquidAI/LFM2.5-1.2B-Thinking                            lfm2
allenai/Olmo-3-7B-Instruct                               olmo3
olmo-3.1:32b                                             olmo3
microsoft/Phi-4-mini-instruct                            phi4_mini
phi4-mini:3.8b                                           phi4_mini
ai21labs/AI21-Jamba-1.5-Mini                             jamba
ai21labs_AI21-Jamba-Mini-1.6-GGUF                        jamba
internlm/internlm2-chat-7b                               internlm2
internlm/internlm2_5-7b-chat                             internlm2
internlm/Intern-S1-mini                                  internlm2
openbmb/MiniCPM5-1B                                      minicpm5
nvidia/NVIDIA-Nemotron-Nano-9B-v2                        nemotron_v2
nvidia/NVIDIA-Nemotron-Nano-12B-v2-FP8                   nemotron_v2
nvidia/Llama-3_3-Nemotron-Super-49B-v1_5                 nemotron_llama
ibm-granite/granite-20b-functioncalling                  granite_fc
MiniMaxAI/MiniMax-M1-80k                                 minimax_m1
ai-sage/GigaChat3-10B-A1.8B-bf16                         gigachat3
ai-sage/GigaChat3.1-10B-A1.8B                            gigachat31
ServiceNow-AI/Apriel-1.5-15b-Thinker                     apriel
ServiceNow-AI/Apriel-1.6-15b-Thinker                     apriel
baidu/ERNIE-4.5-21B-A3B-Thinking                         ernie45
meetkai/functionary-small-v3.1                           functionary_v31
meetkai/functionary-medium-v3.2                          functionary_v32
ByteDance-Seed/UI-TARS-1.5-7B                            None
thinkingmachines/Inkling-NVFP4                           inkling
thinkingmachines/Inkling-Small                           inkling
swiss-ai/Apertus-8B-Instruct-2509                        apertus
fireworks-ai/llama-3-firefunction-v2                     firefunction
CohereForAI/c4ai-command-r7b-12-2024                     command_a
CohereLabs/c4ai-command-a-03-2025                        command_a
CohereLabs/command-a-reasoning-08-2025                   command_a
CohereLabs/command-a-plus                                command_a_plus
command-a:111b                                           command_a
CohereForAI/c4ai-command-r-v01                           command_r
CohereForAI/c4ai-command-r-plus-08-2024                  command_r
command-r-08-2024                                        command_r
"""
"""Names in the forms of hubs and servers, and the dialects of the models."""

UNKNOWN = """
gpt-4o gpt-4.1-mini o3 claude-sonnet-4-5 claude-3-5-haiku-20241022 gemini-2.5-pro grok-4
qwen-max qwen3-max qwen3-coder-plus qwen3.5-plus mistral-large-latest mistral-medium-2508 glm-4-plus
Qwen/Qwen9-8B Qwen/Qwen4-8B deepseek-ai/DeepSeek-V9 deepseek-ai/DeepSeek-V3.9 zai-org/GLM-9
zai-org/GLM-4.9 meta-llama/Llama-9-8B meta-llama/Llama-3.9-8B moonshotai/Kimi-K9
MiniMaxAI/MiniMax-M4 google/gemma-9-27b-it ibm-granite/granite-4.9-8b mistralai/Mistral-Small-9
mistral qwen deepseek llama glm deepseek-chat deepseek-reasoner mistral-small llama3.2 magistral
myqwen3x myqwen3-8b my-qwen3-8b qwen3x qwen33 qwen30b qwen-3x qwen3.51 qwen3.5x xgpt-oss
Qwen/Qwen3-Embedding-8B Qwen/Qwen3-VL-Embedding-2B Qwen/Qwen3-Reranker-4B Qwen/Qwen3Guard-Gen-8B
meta-llama/Meta-Llama-3-8B-Instruct meta-llama/Llama-Guard-3-8B Qwen/Qwen2-7B-Instruct
nvidia/Llama-3.1-Nemotron-Nano-8B-v1
allenai/Llama-3.1-Tulu-3-8B nvidia/NVIDIA-Nemotron-Nano-12B-v2-VL nvidia/nemotron-3-8b-chat-4k-sft
microsoft/phi-4 microsoft/Phi-4-mini-reasoning mistralai/Mistral-7B-Instruct-v0.2
mistralai/Mixtral-8x7B-Instruct-v0.1 Salesforce/xLAM-7b-fc-r
facebook/cwm-pretrain FreedomIntelligence/openPangu-Ultra-MoE-718B-V1.1
llama4_json gemma4_parser IQuestLab/IQuest-Coder-V1-40B-Base moonshotai/Kimi-K3.1-Pro
models/Qwen3-8B/model.safetensors Qwen3-8B/snapshots/0123456789abcdef
"""

NO_MODEL = {
    "command_5": "no name of a model is public",
    **dict.fromkeys(
        ["chat", "conversational", "conversational_chat", "haystack", "json", "mrkl", "react",
         "react_crewai", "react_docstore", "react_json", "react_llamaindex", "react_zh", "self_ask",
         "smolagents_code", "structured_chat", "xml"],
        "a prompt asks for it, of any model",
    ),
    "anthropic_xml": "Claude is not open, and has tool calls of its own by now",
    "json_toolcall": "any model that was tuned on tool calls of OpenAI's form may write it",
    "llama3_function_tag": "a prompt asks Llama 3.1 for it; the model's own template has JSON",
}  # fmt: skip
"""Dialects without a row, and why."""


def examples() -> list[tuple[str, str | None]]:
    pairs = (line.rsplit(maxsplit=1) for line in MODELS.strip().splitlines())
    return [(name, None if dialect == "None" else dialect) for name, dialect in pairs]


NAMES = [(name.removesuffix("*"), row) for row in ROWS for name in row.names.split()]
"""Spellings of the names in a row, and the row."""


# -- names ---------------------------------------------------------------------------------------


def test_a_model_writes_its_dialect() -> None:
    for model, dialect in examples():
        for spelt in (model, model.lower(), model.upper()):
            assert dialect_for_model(spelt) == dialect, spelt


def test_what_is_not_known_is_not_guessed() -> None:
    assert [model for model in UNKNOWN.split() if row_for_model(model) is not None] == []


def test_a_name_is_found_however_it_is_written() -> None:
    for name, row in NAMES:
        for spelt in (
            name.replace("-", "_"),
            name.replace("-", " "),
            f"someone/{name}",
            f"/models/{name}/",
            f"{name}-GGUF",
            f"{name}-FP8",
            f"{name}-bnb-4bit",
            f"{name}:32b-instruct-q4_K_M",
            f"{name}.Q4_K_M.gguf",
        ):
            assert row_for_model(spelt) is row, spelt


def test_the_owner_may_be_part_of_the_name() -> None:
    for owner in OWNERS.split():
        for mark in "-_. ":
            assert dialect_for_model(f"{owner}{mark}Qwen3-8B") == "hermes", owner
        assert dialect_for_model(owner) is None, owner


def test_a_version_is_the_same_in_all_its_forms() -> None:
    for version in ("3.1", "3-1", "3_1", "v3p1"):
        assert dialect_for_model(f"llama-{version.removeprefix('v')}-8b") == "llama3_json"
        assert dialect_for_model(f"deepseek-v{version.removeprefix('v')}") == "deepseek_v31"


def test_a_size_is_not_a_version() -> None:
    assert dialect_for_model("qwen3-5b") == "hermes"
    assert dialect_for_model("qwen3-5-35b") == "qwen3_coder"
    assert dialect_for_model("qwen3-0.6b") == "hermes"
    assert dialect_for_model("GLM-4-9B") == "glm4"


# -- the table -----------------------------------------------------------------------------------


def test_no_row_hides_another() -> None:
    assert [name for name, row in NAMES if row_for_model(name) is not row] == []


def test_each_row_has_an_example() -> None:
    shown = [row_for_model(model) for model, _ in examples()]
    assert [row.names for row in ROWS if row not in shown] == []


def test_no_name_is_there_twice() -> None:
    names = [name.lower() for name, _ in NAMES]
    assert len(names) == len(set(names))


def test_each_row_has_a_source() -> None:
    for row in ROWS:
        repository, _, place = row.source.partition(": ")
        assert repository.count("/") == 1, row.names
        assert place, row.names


def test_each_dialect_has_a_row_or_a_reason() -> None:
    named = {row.dialect for row in ROWS} - {None}
    assert named | NO_MODEL.keys() == {*list_dialects()}
    assert named.isdisjoint(NO_MODEL)


def test_the_page_has_the_same_table() -> None:
    """Rows that follow one another and name one dialect are one row of the page."""
    lines = ["| models | dialect |", "|---|---|"]
    for dialect, rows in groupby(ROWS, key=attrgetter("dialect")):
        names = [f"`{name}`" for row in rows for name in row.names.split()]
        lines.append(f"| {', '.join(names)} | {f'`{dialect}`' if dialect else 'none'} |")
    table = "\n".join(lines)
    assert f"\n\n{table}\n\n" in PAGE.read_text("utf-8"), table


# -- not names -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    ["", " ", "/", "//", "\\", "-", "--", ".", ":", "#", "*", "Qwen3-8B\0", "qwen\x003", "qwen3\n",
     "\0", "ｑwen3", "qwen３", "Éqwen3", "qwen3-8b-é", "\u212aimi-K2", "\ud800", "🙂", "Qwen3-8B#/",
     "#Qwen3-8B", "../..", "3.1", "3-1", "p", "1p1", "Llama", "meta", "meta-meta-llama"],
)  # fmt: skip
def test_text_that_is_not_a_name_is_unknown(model: str) -> None:
    assert dialect_for_model(model) == ("hermes" if model == "Qwen3-8B#/" else None)


BITS = ("a", "9", "é", "\0", "/", "\\", "-", "--", "#", ".", ":", " ", "3.1", "3-1-", "3p1p", "1.",
        "meta-", "meta-llama-", "qwen_", "qwen3-", "llama-3.1-", "deepseek-")  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("bit", BITS)
@pytest.mark.parametrize(("before", "after"), [("", ""), ("meta-", "/Qwen3-8B"), ("qwen/", "!")])
def test_a_long_name_is_answered_in_linear_time(bit: str, before: str, after: str) -> None:
    assert_linear(dialect_for_model, lambda size: before + bit * (size // len(bit)) + after, 2_000)
