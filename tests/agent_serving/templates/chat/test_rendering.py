"""What may be passed as a chat template, and the dialect that reads what it writes."""

import sys
from typing import Any

import pytest

from agent_parsers import register
from agent_parsers.registry import dialects_by_name as _registry
from agent_serving.templates import TemplateError, dialect_for_template, dialect_from_template
from agent_serving.templates.chat import rendering
from agent_serving.templates.chat.rendering import (
    ChatTemplate,
    Rendering,
    chat_template,
    render_all,
)

from ....helpers.chat_templates import OWN, TRL

# What may be passed as a chat template.

NAMED = [{"name": "default", "template": "d"}, {"name": "tool_use", "template": "t"}]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("{{ x }}", "{{ x }}"),
        ({"chat_template": "c"}, "c"),
        ({"chat_template": NAMED}, "t"),
        ({"chat_template": NAMED[:1]}, "d"),
    ],
)
def test_a_template_is_text_or_in_a_configuration(given: Any, text: str) -> None:
    assert chat_template(given) == ChatTemplate(text, {})


def test_special_tokens_are_those_of_the_configuration() -> None:
    config = {
        "chat_template": "c",
        "eos_token": {"content": "<end>", "lstrip": False},
        "bos_token": "<s>",
        "pad_token": None,
        "add_bos_token": True,
    }
    assert chat_template(config).special_tokens == {"eos_token": "<end>", "bos_token": "<s>"}
    own = chat_template(config, {"eos_token": "</s>"}).special_tokens
    assert own == {"eos_token": "</s>", "bos_token": "<s>"}


@pytest.mark.parametrize("given", [{}, {"chat_template": None}, {"chat_template": [{"name": "x"}]}])
def test_a_configuration_without_template_is_refused(given: Any) -> None:
    with pytest.raises(TemplateError, match=r"no chat_template .* chat_template\.jinja"):
        chat_template(given)


def test_anything_else_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="expected a chat template as a string"):
        chat_template(["{{ x }}"])  # type: ignore[arg-type]


# -- rendering as Hugging Face does, and the limits ------------------------------------------------


def test_templates_see_what_those_of_hugging_face_see() -> None:
    template = """
    {%- for name in names %}
        {%- if loop.last %}{% break %}{% endif %}
        {% generation %}
{{ value | tojson }}{% endgeneration %}
    {% endfor %}
{{ strftime_now('%Y') | length }}{{ value | tojson(indent=1) }}
"""
    written = render_all(template, [{"names": ["a", "b"], "value": {"k": "<é&'>"}}])
    assert written == [Rendering('{"k": "<é&\'>"}4{\n "k": "<é&\'>"\n}')]


def test_an_error_belongs_to_its_rendering() -> None:
    template = "{{ raise_exception('no ' + word) if word else messages[0].role }}"
    first, second, third = render_all(
        template, [{"word": "calls"}, {"messages": [{"role": "me"}]}, {"messages": []}]
    )
    assert first.error == "no calls"
    assert second == Rendering("me")
    assert third.error.startswith("UndefinedError: ")


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ '{0.__class__}'.format(messages) }}",
    ],
)
def test_templates_stay_in_the_sandbox(template: str) -> None:
    (written,) = render_all(template, [{"messages": []}])
    assert written.error.startswith(("SecurityError: ", "UndefinedError: ")) or not written.text


def test_what_a_template_changes_is_its_own() -> None:
    messages = ["a"]
    template = "{% set _ = messages.append('b') %}{{ messages | join }}{{ messages.pop() }}"
    assert render_all(template, [{"messages": messages}] * 2) == [Rendering("abb")] * 2
    assert messages == ["a"]


LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


@pytest.mark.parametrize(
    "template",
    [LOOP, "{{ (range(99999) | list * 99) | sort | map('string') | join | length }}" + LOOP],
    ids=["loops", "work in filters"],
)
def test_a_template_that_takes_too_long_is_stopped(template: str) -> None:
    with pytest.raises(TemplateError, match=r"took longer than 0\.3 seconds, so it was stopped"):
        render_all(template, [{}], timeout_s=0.3)


@pytest.mark.parametrize(
    ("template", "error"),
    [
        (
            "{% for a in range(99999) %}{{ 'long ' * 9999 }}{% endfor %}",
            "ValueError: the output of the template",
        ),
        ("{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}", "RecursionError: "),
        ("{% for a in range(9999999) %}{% endfor %}", "OverflowError: "),
    ],
)
def test_a_template_that_does_too_much_fails(template: str, error: str) -> None:
    (written,) = render_all(template, [{}])
    assert written.error.startswith(error)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory")
def test_memory_is_limited() -> None:
    (written,) = render_all("{{ ('a' * size) | length }}", [{"size": 1 << 33}])
    assert written.error.startswith("MemoryError")


@pytest.mark.parametrize(
    ("template", "error"),
    [
        (
            "{% if %}",
            "this is not a valid chat template: TemplateSyntaxError: Expected an expression",
        ),
        ("a" * 600_000, "the template has more than 524,288 characters"),
    ],
)
def test_what_is_no_template_is_refused(template: str, error: str) -> None:
    with pytest.raises(TemplateError, match=error):
        render_all(template, [{}])


def test_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "find_spec", lambda _name: None)
    with pytest.raises(ImportError, match=r'pip install "agent-parsers\[templates\]"'):
        render_all("", [{}])


def test_a_process_that_dies_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering.child, "__file__", "no_such_file.py")
    with pytest.raises(TemplateError, match="the process that renders the template ended early"):
        render_all("", [{}])


# The dialect that reads what a chat template writes.

FOUND = {"known_json": "hermes", "one_call": "llama3_json"}


@pytest.mark.parametrize("name", FOUND)
def test_the_dialect_of_a_template_is_found(name: str) -> None:
    found = dialect_for_template(OWN[name])
    assert found.dialect == FOUND[name]
    assert not found.is_ambiguous
    first = found.candidates[0]
    assert (first.form, first.repairs, first.errors) == ("reply", 0, ())
    assert first.actions >= 5
    assert "read back" in first.reason


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


LLAMA4 = """
{%- for m in messages %}
{{- '\\n' if m.tool_calls or m.role == 'tool' }}
{{- '<|header_start|>' + m.role + '<|header_end|>\\n\\n' }}
{{- m.content or '' }}
{%- for c in m.tool_calls or [] %}
{{- '{"name": "' + c.function.name + '", "parameters": ' + (c.function.arguments | tojson) + '}' }}
{%- endfor %}
{{- '\\n<|eot|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '\\n<|header_start|>assistant<|header_end|>\\n\\n' }}
{%- endif %}"""
"""As a server's example has it: white space before some headers only, and glued calls."""


def test_white_space_before_a_header_is_no_part_of_a_turn() -> None:
    found = dialect_for_template(LLAMA4)
    assert (found.dialect, found.is_ambiguous) == ("llama3_json", False)


def test_the_error_names_the_nearest_dialect() -> None:
    call = '{"name": c.function.name, "arguments": c.function.arguments}'
    template = (
        "{% for m in messages %}<|{{ m.role }}|>{{ m.content or '' }}"
        "{% for c in m.tool_calls or [] %}{{ ',' if not loop.first }}{{ " + call + " | tojson }}"
        "{% endfor %}<|end|>{% endfor %}<|assistant|>"
    )
    with pytest.raises(TemplateError, match=r"'json_toolcall' is the closest: .* but not 'two c"):
        dialect_for_template(template)


def test_json_of_what_map_returns_is_a_list() -> None:
    template = "{{ rows | map(attribute='n') | tojson }}"
    assert render_all(template, [{"rows": [{"n": 1}, {"n": 2}]}]) == [Rendering("[1, 2]")]


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
