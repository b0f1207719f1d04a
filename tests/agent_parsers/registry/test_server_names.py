"""Names of servers' parsers: each leads to a dialect, or is refused with what it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agent_parsers import dialect_for_model, get_dialect, get_parser
from agent_parsers.auto import AutoOutputParser
from agent_parsers.registry import for_model
from agent_parsers.registry.server_names import REFUSED
from agent_parsers.toolset.problems.names import folded
from tools.conformance import stand_ins

PAGE = Path(__file__).parents[3] / "docs" / "models.md"
RECIPES = Path(__file__).with_name("recipes_of_vllm.txt")


class Names(NamedTuple):
    """The names of the parsers of one kind in one server."""

    server: str
    option: str
    source: str
    """A repository or package, and the place in it."""
    names: str
    """``NAME`` is that of a dialect, but for its spelling, ``NAME=DIALECT`` is an alias, and
    ``NAME=!`` is refused."""


NAMES = (
    Names("vLLM 0.33.0", "--tool-call-parser", "vllm/tool_parsers/__init__.py", """
        dots deepseek_v3 deepseek_v31 deepseek_v32 deepseek_v4=deepseek_dsml deepseek_v41
        cohere_command3=command_a cohere_command4=command_a_plus ernie45 glm45 glm47 ling3
        granite-20b-fc=granite_fc granite granite4=hermes hermes hf=! beam poolside_v1=laguna
        hunyuan_a13b hy_v3=hunyuan_v3 hy_v4=hunyuan_v4 internlm=internlm2 jamba lfm2 kimi_k2 kimi_k3
        k2_horizon llama3_json llama4_json=llama3_json llama4_pythonic longcat mimo minimax_m2
        minimax_m3 minicpm5 mistral olmo3 plamo3 muse=! muse_glimmer musespark1x=muse_spark openai=!
        phi4_mini_json=phi4_mini pythonic qwen3_coder qwen3_json=hermes qwen3_xml=qwen3_coder
        seed_oss step3 step3p5=qwen3_coder step5=qwen3_coder inkling xlam gigachat3 functiongemma
        gemma4 apertus"""),
    Names("vLLM 0.33.0", "--reasoning-parser", "vllm/reasoning/__init__.py", """
        deepseek_r1=deepseek_v3 deepseek_v3 deepseek_v4=deepseek_dsml deepseek_v41
        poolside_v1=laguna cohere_command3=command_a cohere_command4=command_a_plus ernie45 gemma4
        glm45 glm47 ling3 openai_gptoss=harmony granite granite_thinking_parser=qwen3_coder hf=!
        beam holo2=! hunyuan_a13b hy_v3=hunyuan_v3 hy_v4=hunyuan_v4 kimi_k2 kimi_k3 k2_horizon mimo
        minicpmv=! minimax_m2 minimax_m2_append_think=minimax_m2 minimax_m3 mistral
        nemotron_v3=qwen3_coder olmo3 plamo3 muse=! muse_glimmer musespark1x=muse_spark
        qwen3=hermes seed_oss step3 step3p5=qwen3_coder step5=qwen3_coder inkling"""),
    Names("vLLM's pull requests 31340, 32583, 44171 and 47271", "--tool-call-parser",
          "vllm/tool_parsers", """
        cwm hyperclovax_seed_think_14b=! openpangu_v2 pangu=!"""),
    Names("SGLang 0.5.23", "--tool-call-parser",
          "sglang/srt/function_call/function_call_parser.py", """
        apertus2509=apertus beam cohere_command4=command_a_plus deepseekv3 deepseekv31 deepseekv32
        deepseekv4=deepseek_dsml deepseekv41 dots glm=glm45 glm45 glm47 gpt-oss=harmony k2_horizon
        kimi_k2 kimi_k3 lfm2 ling3 llama3=llama3_json mimo minicpm5 mistral muse=!
        poolside_v1=laguna pythonic qwen=hermes qwen25=hermes qwen3_coder spark25=glm47 step3
        step3p5=qwen3_coder minimax-m2 minimax-m3 nanbeige=qwen3_coder trinity=hermes
        interns1=internlm2 hermes
        hunyuan=! gigachat3 gigachat35 gemma4 inkling iquest_q1 response_template=!"""),
    Names("SGLang 0.5.23", "--reasoning-parser", "sglang/srt/parser/reasoning_parser.py", """
        apertus2509=apertus beam deepseek-r1=deepseek_v3 deepseek-v3 deepseek-v4=deepseek_dsml
        deepseek-v41 dots glm45 ling3 hunyuan=! gpt-oss=harmony k2_horizon kimi=! kimi_k2
        kimi_k3 mimo muse=! poolside_v1=laguna qwen3=hermes qwen3-thinking=hermes minimax=minimax_m2
        minimax-append-think=minimax_m2 minimax-m3 nanbeige=qwen3_coder step3 step3p5=qwen3_coder
        mistral nemotron_3=qwen3_coder granite_thinking_parser=qwen3_coder interns1=internlm2 gemma4
        gigachat35 inkling iquest_q1 cohere_command4=command_a_plus response_template=!"""),
    Names("llama.cpp b11549", "chat formats in its log", "common/chat.cpp", """
        Content-only=! peg-simple=! peg-native=! peg-gemma4=gemma4 peg-minimax-m3=minimax_m3"""),
    Names("llama.cpp b11549", "--reasoning-format", "common/chat.cpp", """
        none=! auto=auto deepseek=! deepseek-legacy=!"""),
    Names("LMDeploy 0.18.0", "--tool-call-parser, --reasoning-parser", "lmdeploy/serve/parsers", """
        gpt-oss=harmony deepseek-v4=deepseek_dsml qwen=hermes qwen2d5=hermes qwen3=hermes
        deepseek-v32 deepseek-v3.2 glm47 qwen3coder internlm=internlm2 intern-s1=internlm2 kimi_k2
        kimi-k2 llama3=llama3_json interns2-preview=qwen3_coder deepseek-v3 default=!"""),
    Names("TensorRT-LLM of November 2026", "--tool_parser",
          "tensorrt_llm/serve/tool_parser/tool_parser_factory.py", """
        qwen3=hermes qwen3_coder kimi_k2 kimi_k3 deepseek_v3 deepseek_v31 deepseek_v32
        deepseek_v4=deepseek_dsml deepseek_v41 gemma4 glm4 glm47 telechat4=xing4 xing4_0=xing4
        xingchen4=xing4 minimax_m2 minimax_m3 poolside_v1=laguna inkling"""),
    Names("TensorRT-LLM of November 2026", "--reasoning_parser",
          "tensorrt_llm/llmapi/reasoning_parser.py", """
        deepseek-r1=deepseek_v3 qwen3=hermes qwen3_5=qwen3_coder minimax_m2
        minimax_m2_append_think=minimax_m2 deepseek_v4=deepseek_dsml poolside_v1=laguna laguna
        minimax_m3 nemotron-v3=qwen3_coder nano-v3=qwen3_coder gemma4 kimi_k2 kimi_k25=kimi_k2
        kimi_k3"""),
    Names("Ollama of August 2026", "PARSER in a Modelfile", "model/parsers/parsers.go", """
        qwen3=hermes qwen3-thinking=hermes qwen3.5=qwen3_coder ornith=qwen3_coder qwen3-coder
        qwen3-vl-instruct=hermes qwen3-vl-thinking=hermes ministral=mistral passthrough=! harmony
        cogito=deepseek_v3 deepseek3=deepseek_v31 olmo3 olmo3-think=olmo3
        nemotron-3-nano=qwen3_coder nemotron-3.5-nano=qwen3_coder functiongemma glm-4.7 gemma4
        gemma4-no-thinking=gemma4 glm-ocr=glm45 lfm2 lfm2-thinking=lfm2 laguna poolside-v1=laguna
        cohere=command_a_plus glimmer=muse_glimmer"""),
    Names("mlx-lm 0.32.2", "tool_parser_type", "mlx_lm/tool_parsers", """
        function_gemma gemma4 glm47 json_tools=hermes kimi_k2 kimi_k3 laguna longcat minicpm5
        minimax_m2 mistral muse_spark pythonic qwen3_coder"""),
    Names("mlx-vlm 0.7.10", "--tool-parser", "mlx_vlm/tools/registry.py", """
        atem=! gemma4 cohere2_moe=command_a_plus minimax_m3 minimax_m2 minicpm5 longcat glm47
        pythonic qwen3_coder kimi_k2 mistral harmony json_tools=hermes"""),
    Names("verl 0.9.1", "multi_turn.format", "verl/experimental/agent_loop/tool_parser.py", """
        hermes gpt-oss=harmony qwen3_coder glm=glm45 seed=seed_oss minimax=minimax_m2 kimi=!
        deepseek_v4=deepseek_dsml gemma4"""),
)  # fmt: skip


def names_in(row: Names) -> list[tuple[str, str]]:
    """Return each name of a row with its dialect, ``!``, or ``""`` if it is the dialect's own."""
    pairs = (word.partition("=") for word in row.names.split())
    return [(name, dialect) for name, _, dialect in pairs]


@pytest.fixture
def without_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no name be found as that of a model."""

    def fail(model: str) -> None:
        raise AssertionError(f"{model!r} was looked for as a model")

    monkeypatch.setattr(for_model, "row_for_model", fail)


def outcome(name: str) -> str:
    """Return the dialect that *name* leads to, ``auto``, or ``!`` if it is refused."""
    try:
        parser: Any = get_parser(name)
    except ValueError as error:
        said = str(error)
        return "!" if said.startswith(f"{name!r} is not a dialect: ") else said
    return "auto" if isinstance(parser, AutoOutputParser) else str(parser.dialect.name)


@pytest.mark.usefixtures("without_models")
@pytest.mark.parametrize("row", NAMES, ids=lambda row: f"{row.server} {row.option}")
def test_a_name_leads_to_a_dialect_or_is_refused(row: Names) -> None:
    for name, wanted in names_in(row):
        found = outcome(name)
        assert found == wanted or (not wanted and folded(found) == folded(name)), name


def test_a_refused_name_is_that_of_a_server() -> None:
    refused = {folded(name) for row in NAMES for name, dialect in names_in(row) if dialect == "!"}
    assert refused == set(REFUSED)


def test_a_refused_name_is_refused_in_any_spelling() -> None:
    for name in ("Holo2", "content only", "OpenAI", "Response-Template"):
        with pytest.raises(ValueError, match="is not a dialect: "):
            get_dialect(name)


@pytest.mark.parametrize(
    "name", ["llama4_json", "llama4_xml", "gemma4_pythonic", "kimi-k2-parser", "GPT-OSS-JSON"]
)
def test_the_name_of_a_parser_is_not_that_of_a_model(name: str) -> None:
    assert dialect_for_model(name) is None


@pytest.mark.parametrize(
    ("server", "start", "place"),
    [("vllm", "_TOOL_PARSERS_TO_REGISTER", "vllm/tool_parsers/__init__.py"),
     ("vllm", "_REASONING_PARSERS_TO_REGISTER", "vllm/reasoning/__init__.py"),
     ("sglang", "ToolCallParserEnum", "sglang/srt/function_call/function_call_parser.py"),
     ("sglang", "DetectorMap: ", "sglang/srt/parser/reasoning_parser.py"),
     ("verl", "", "verl/experimental/agent_loop/tool_parser.py")],
)  # fmt: skip
def test_the_names_are_those_of_the_server(server: str, start: str, place: str) -> None:
    folder = stand_ins.find(server)
    (row,) = [row for row in NAMES if row.source == place]
    if folder is None or stand_ins.version_of(server) not in row.server:
        pytest.skip(f"{row.server} is not installed, nor in the folder AGENT_PARSERS_SERVERS")
    text = (folder / place).read_text("utf-8")
    table = text[text.index(start) :].partition("\n}" if server == "vllm" else "\n    }")[0]
    entry = r'@ToolParser.register\("(.+)"\)' if server == "verl" else r'^\s+"([\w.-]+)": '
    own = {word.partition("=")[0] for word in row.names.split()}
    assert set(re.findall(entry, text if server == "verl" else table, re.MULTILINE)) == own


def page_table() -> str:
    """Return the table of the page: for each dialect, the names that are not its own."""
    names: dict[str, list[str]] = {}
    for row in NAMES:
        for name, dialect in names_in(row):
            if dialect not in ("", "auto") and f"`{name}`" not in names.setdefault(dialect, []):
                names[dialect].append(f"`{name}`")
    refused = ", ".join(sorted(names.pop("!"), key=str.lower))
    rows = [f"| `{each}` | {', '.join(sorted(names[each]))} |" for each in sorted(names)]
    head = ["| dialect | names of servers' parsers |", "|---|---|"]
    return "\n".join([*head, *rows, f"| none | {refused} |"])


def test_the_page_has_the_same_names() -> None:
    table = page_table()
    page = PAGE.read_text("utf-8")
    assert f"\n\n{table}\n\n" in page, table
    prose = " ".join(page.split())
    for row in NAMES:
        assert row.server in prose
        assert all(option in prose for option in row.option.split(", "))


def recipes() -> list[tuple[str, str]]:
    """Return the models of vLLM's recipes that have a parser of calls, with their dialect."""
    lines = [line.split(": ") for line in RECIPES.read_text("utf-8").splitlines() if line[0] != "#"]
    return [(model, dialect) for dialect, models in lines for model in models.split()]


def test_the_models_of_vllms_recipes_are_known() -> None:
    assert len(recipes()) > 350
    wrong = [(model, d) for model, d in recipes() if dialect_for_model(model) != d]
    assert wrong == []
