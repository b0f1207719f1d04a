"""The dialect that reads what a chat template writes."""

import pytest

from agent_parsers import register
from agent_parsers.registry import dialects_by_name as _registry
from agent_parsers.templates import TemplateError, dialect_for_template, dialect_from_template

from ....helpers.chat_templates import OWN, TRL

FOUND = {"known_json": "hermes", "one_call": "llama3_json"}


@pytest.mark.parametrize("name", FOUND)
def test_the_dialect_of_a_template_is_found(name: str) -> None:
    found = dialect_for_template(OWN[name])
    assert found.dialect == FOUND[name]
    assert not found.is_ambiguous
    first = found.candidates[0]
    assert (first.form, first.repairs, first.errors) == ("reply", 0, ())
    assert first.actions >= 5
    assert "gave back" in first.reason


def test_relatives_are_one_answer() -> None:
    template = """
{%- for m in messages %}
{{- '<|' + ('observation' if m.role == 'tool' else m.role) + '|>\\n' + (m.content or '') }}
{%- for c in m.tool_calls or [] %}
{{- '\\n' if m.content or not loop.first }}{{ '<tool_call>' + c.function.name + '\\n' }}
{%- for k, v in c.function.arguments | items %}
{{- '<arg_key>' + k + '</arg_key>\\n<arg_value>' + (v if v is string else v | tojson) }}
{{- '</arg_value>\\n' }}
{%- endfor %}
{{- '</tool_call>' }}
{%- endfor %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}"""
    first, *others = dialect_for_template(template).candidates
    assert (first.dialect, others) == ("glm45", [])
    assert "glm47" in first.relatives


def test_a_template_that_no_dialect_reads_is_an_error() -> None:
    with pytest.raises(TemplateError, match=r"no dialect reads the calls .* may derive one"):
        dialect_for_template(OWN["own_marks"])


def test_a_derived_dialect_is_found_once_it_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_registry, "KNOWN", dict(_registry.KNOWN))
    register(dialect_from_template(OWN["own_marks"], name="own_marks"))
    assert dialect_for_template(OWN["own_marks"]).dialect == "own_marks"


TRL_FINDS = {
    "qwen3": "hermes", "qwen2_5": "hermes", "qwen3_5_think": "qwen3_coder", "glm4moe": "glm45",
    "deepseekv3": "deepseek_v3", "gemma4": "gemma4", "gptoss": "harmony", "llama3_1": "llama3_json",
    "lfm2_2_5": "lfm2",
}  # fmt: skip


@pytest.mark.skipif(not TRL, reason="trl is not installed")
@pytest.mark.parametrize("name", TRL_FINDS)
def test_the_dialects_of_templates_of_trl_are_found(name: str) -> None:
    assert dialect_for_template(TRL[name]).dialect == TRL_FINDS[name]
