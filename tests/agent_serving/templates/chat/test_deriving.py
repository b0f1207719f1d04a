"""Dialects that are derived from chat templates."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent_laws.plan import plan_of_form, plan_of_reading
from agent_parsers import get_dialect, get_parser, register
from agent_parsers.families.call_blocks import CallFormat
from agent_parsers.families.json_blocks import JsonPayload
from agent_parsers.forms.form import Written, WrittenCall
from agent_parsers.registry import dialects_by_name as _registry
from agent_serving.templates import TemplateError, dialect_for_template, dialect_from_template
from agent_serving.templates.chat import model_turns
from agent_serving.templates.chat.deriving import derive_format, format_of_turns, what_differs
from agent_serving.templates.chat.model_turns import Shown, show
from agent_serving.templates.chat.probes import FIND, VALUES
from agent_serving.templates.chat.rendering import Rendering, render_all
from agent_serving.templates.chat.source import dialect_file
from output_parsers.exceptions import OutputParserException

from ....helpers.chat_templates import OWN, TOKENS, TRL
from ....helpers.effort import THOROUGH

HAS_THOUGHTS = {"headed_ids", "known_json", "own_marks", "prefixed_tags", "tagged_blocks"}

HAS_NO_CONTENT = {"answer_in_marks", "one_call"}


@pytest.fixture(autouse=True, scope="module")
def rendered_once() -> Iterator[None]:
    """Start no second process for what was rendered before."""
    known: dict[str, list[Rendering]] = {}

    def rendered(template: str, renderings: list[Any], *, timeout_s: float) -> list[Rendering]:
        key = repr((template, renderings))
        if key not in known:
            known[key] = render_all(template, renderings, timeout_s=timeout_s)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model_turns, "render_all", rendered)
        yield


@cache
def derived(name: str) -> CallFormat:
    return derive_format({**OWN, **TRL}[name], name=name, special_tokens=TOKENS)


@cache
def shown(name: str) -> Shown:
    return show(OWN[name], TOKENS, timeout_s=20)[0]


# -- turns that derivation has not seen -----------------------------------------------------------

TURNS = [
    Written(tool="get_weather", tool_input={"city": "Zürich", "unit": ""}, id="abcdefgh1"),
    Written(
        tool="move",
        tool_input={"path": "a/b", "text": "two\nlines, \"quoted\", and <b>'tags'</b>"},
        id="abcdefgh2",
        content="I see {1} thing.",
    ),
    Written(
        "First this;\nthen that.",
        tool="move",
        tool_input={"path": "C:\\x"},
        id="abcdefgh3",
        others=(WrittenCall("stop", {}, "abcdefgh4"), WrittenCall("move", {}, "abcdefgh5")),
    ),
]


def message(turn: Written) -> dict[str, Any]:
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": call[1]}}
        for call in turn.calls
    ]
    said = {"role": "assistant", "content": turn.content, "tool_calls": calls}
    return said | ({"reasoning_content": turn.thought} if turn.thought else {})


@pytest.mark.parametrize("name", OWN)
def test_turns_of_the_template_are_read_and_written_to_their_end(name: str) -> None:
    parser = get_parser(derived(name).dialect(), lenient=False)
    turns = [turn for turn in TURNS if name in HAS_THOUGHTS or not turn.thought]
    turns = [turn for turn in turns if name not in HAS_NO_CONTENT or not turn.content]
    prompts: list[dict[str, Any]] = [
        {**TOKENS, "messages": [{"role": "user", "content": "Go."}, message(turn)]}
        for turn in turns
    ]
    for turn, written in zip(turns, render_all(OWN[name], prompts), strict=True):
        text = parser.dialect.write(turn)
        assert text in written.text
        assert written.text.partition(text)[2].strip() == parser.stop[0]
        read = parser.read(text)
        assert isinstance(read.result, list)
        assert [(each.tool, each.tool_input) for each in read.result] == [
            call[:2] for call in turn.calls
        ]
        assert (read.thought, read.content.strip()) == (turn.thought, turn.content)


def test_values_in_cdata_are_read_without_it() -> None:
    parser = get_parser(derived("tagged_rows").dialect(), lenient=False)
    text = '<box>\n<use name="a">\n<with name="b"><![CDATA[1 & </with>]]></with>\n</use>\n</box>'
    assert parser.parse(text)[0].tool_input == {"b": "1 & </with>"}


def test_marks_around_an_answer_are_not_part_of_it() -> None:
    parser = get_parser(derived("answer_in_marks").dialect(), lenient=False)
    finish = parser.parse("<|say|>It is noon.<|said|><|halt|>")
    assert finish.return_values == {"output": "It is noon."}


def test_what_nobody_writes_is_derived() -> None:
    parser = get_parser(dialect_from_template(OWN["own_marks"], name="own"))
    turn = parser.read('⟦plan⟧Hm.⟦/plan⟧Ah.⟦do⟧{"do": "ask", "with": {"who": "Jo"}}⟦/do⟧')
    assert isinstance(turn.result, list)
    assert [(each.tool, each.tool_input) for each in turn.result] == [("ask", {"who": "Jo"})]
    assert (turn.thought, turn.content) == ("Hm.", "Ah.")
    assert parser.stop == ["⟦over⟧"]


@pytest.mark.usefixtures("brief_checks")
@pytest.mark.one_in(9)
@pytest.mark.parametrize("name", OWN)
def test_a_derived_dialect_holds_the_laws(name: str) -> None:
    dialect = derived(name).dialect()
    trials = plan_of_form(dialect, 1) + plan_of_reading(dialect, 1)
    for trial in trials[:: 2 if THOROUGH else 6]:
        # The clock shows nothing that the other laws do not count.
        if "as long" not in trial.law:
            assert trial.run() is None, trial.law


def test_a_dialect_that_differs_from_its_template_is_noticed() -> None:
    form, turns = derived("known_json"), shown("known_json")
    assert what_differs(form.dialect(), turns) == ""
    wrong = {
        "would write it as": replace(form, between="\n\n"),
        "cannot read or write it": replace(form, payload=JsonPayload(tool="tool")),
        "reads its calls, thought and content as": replace(form, call=("<call>", "</call>")),
        "the results in": replace(form, turn_frame=("<|im_end|>", "")),
    }
    for said, other in wrong.items():
        assert said in what_differs(other.dialect(), turns)


# -- the file of a derived dialect ----------------------------------------------------------------


@pytest.mark.parametrize("name", OWN)
def test_the_file_of_a_dialect_makes_the_same_dialect(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_registry, "KNOWN", dict(_registry.KNOWN))
    form = derived(name)
    code = dialect_file(form)
    scope: dict[str, Any] = {}
    exec(compile(code, f"{name}.py", "exec"), scope)
    kept = register(scope["DIALECT"])
    first = form.dialect()
    assert (kept.sample, kept.stop, kept.turn_frame) == (
        first.sample, first.stop, first.turn_frame,
    )  # fmt: skip
    assert what_differs(kept, shown(name)) == ""
    assert get_dialect(name) is kept
    for line in kept.sample.splitlines():
        assert line.replace("\\", "\\\\").strip() in scope["__doc__"] or "\\" in line


# -- what cannot be derived -----------------------------------------------------------------------

USER = "{% for m in messages %}[{{ m.role }}]{{ m.content or '' }}"
CALL = "{% for c in m.tool_calls or [] %}%s{% endfor %}"
END = "[end]{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"


def with_call(written: str) -> str:
    return USER + CALL.replace("%s", written) + END


NAME, INPUT = "{{ c.function.name }}", "{{ c.function.arguments | tojson }}"


@pytest.mark.parametrize(
    ("template", "error"),
    [
        (USER + END, "does not write tool calls: the name of a called tool did not appear"),
        (with_call(f"<c>{NAME}</c>"), "does not write tool calls: the arguments of a call"),
        ("hello", "does not write the user's message"),
        (
            "{% if messages[1:] %}{{ raise_exception('no tools here') }}{% endif %}" + USER + END,
            "cannot write a turn with a call: no tools here",
        ),
        (with_call(f"<c {NAME}>{NAME}: {INPUT}</c>"), "a call names its tool twice"),
        (
            with_call(f"<c>{NAME} := {INPUT[:-2]} | replace('\"', '') }}}}</c>"),
            "in an unknown format",
        ),
        (with_call(f"{NAME} {INPUT}"), "writes no mark before calls"),
        (
            with_call(f'<c>{{"call": {{"name": "{NAME}"}}, "with": {INPUT}}}</c>'),
            "has no separate key for its name",
        ),
        (
            with_call(f'<c>{{"name": "{NAME}", "arguments": {INPUT}}}</c>').replace(
                "[end]", "{{ eos_token }}"
            ),
            "uses eos_token, whose text is in tokenizer_config.json",
        ),
        (
            with_call(f'<c>{{"name": "{NAME}", "arguments": {INPUT}}}</c>').replace(
                "{{ m.content or '' }}", "{{ m.content if m.role != 'tool' }}"
            ),
            "does not write the results of tools",
        ),
        ("{% for a in range(99999) %}" * 2 + "{% endfor %}" * 2, "took longer than 0.5 seconds"),
    ],
    ids=lambda value: "" if "{" in value or value == "hello" else value[:40],
)
def test_what_cannot_be_derived_is_an_error_that_says_why(template: str, error: str) -> None:
    timeout_s = 0.5 if "99999" in template else 20
    with pytest.raises(TemplateError, match="(?s)^.*" + error.replace(".", "\\.")):
        dialect_from_template(template, name="no", timeout_s=timeout_s)


def test_text_that_the_template_does_not_escape_is_refused_and_written_with_escapes() -> None:
    body = OWN["python_list"].partition("{%- if value is string -%}")
    template = body[0] + body[1] + "'{{ value }}'{%- elif" + body[2].partition("{%- elif")[2]
    dialect = dialect_from_template(template, name="quotes")
    assert "which writes strings with quotes and brackets in a way that cannot be read back" in (
        dialect.summary
    )
    turn = Written(tool="move", tool_input={"path": "it's"})
    parser = get_parser(dialect, lenient=False)
    assert parser.parse(dialect.write(turn))[0].tool_input == turn.tool_input
    with pytest.raises(OutputParserException):
        parser.parse(dialect.write(turn).replace("\\'", "'"))


# -- templates that are wrong ---------------------------------------------------------------------

SIGNS = ("", "{", "<", '"', "]", "```", FIND)


@pytest.mark.parametrize("name", OWN)
@given(data=st.data())
def test_turns_with_something_missing_are_derived_or_refused(
    name: str, data: st.DataObject
) -> None:
    turns = {**shown(name).turns}
    for each in data.draw(st.sets(st.sampled_from(sorted(turns)), min_size=1, max_size=3)):
        text = turns[each]
        start = data.draw(st.integers(0, len(text)))
        stop = start + data.draw(st.sampled_from((0, 1, 3, 9, 30)))
        turns[each] = text[:start] + data.draw(st.sampled_from(SIGNS)) + text[stop:]
    assume(FIND in turns["one"] and VALUES[0] in turns["one"])
    with suppress(TemplateError):
        format_of_turns("mutilated", replace(shown(name), turns=turns))


def test_tags_that_no_payload_has_are_refused_as_the_fault_of_the_template() -> None:
    turns = {**shown("prefixed_tags").turns}
    turns["one"] = f"{turns['one'][:41]}{{{turns['one'][41:]}"
    with pytest.raises(TemplateError, match="cannot have other attributes"):
        format_of_turns("mutilated", replace(shown("prefixed_tags"), turns=turns))


def test_a_value_that_nothing_ends_is_refused_as_the_fault_of_the_template() -> None:
    turns = {**shown("tagged_rows").turns}
    turns["one"] = f"{turns['one'][:55]}<{turns['one'][64:]}"
    with pytest.raises(TemplateError, match="where a value begins and where it ends"):
        format_of_turns("mutilated", replace(shown("tagged_rows"), turns=turns))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", OWN)
def test_a_template_with_something_missing_is_derived_or_refused(name: str) -> None:
    pieces = OWN[name].split("{{")
    assert len(pieces) > 3
    for at in (1, len(pieces) // 2, len(pieces) - 1) if THOROUGH else (len(pieces) // 2,):
        left = "{{".join(pieces[:at] + pieces[at + 1 :])
        for find in (partial(dialect_from_template, name="mutilated"), dialect_for_template):
            with suppress(TemplateError):
                find(left, special_tokens=TOKENS)


def test_a_template_that_does_what_is_forbidden_is_told_so() -> None:
    template = "{% for m in messages %}{% if m.tool_calls %}{{ m.keys.__self__() }}{% endif %}"
    template += "{% endfor %}" + with_call(f"<c>{NAME}{INPUT}</c>")
    with pytest.raises(TemplateError, match=r"the sandbox .* forbids, .*'__self__'"):
        dialect_from_template(template, name="no")


def test_a_template_may_append_to_its_lists_and_take_from_them() -> None:
    template = "{% set queue = namespace(ids=[]) %}{% for m in messages %}"
    template += "{% for c in m.tool_calls or [] %}{% set _ = queue.ids.append(c.id) %}{% endfor %}"
    template += "{% if m.role == 'tool' %}{% set _ = queue.ids.pop(0) %}{% endif %}{% endfor %}"
    template += with_call(f"<c>{NAME}{INPUT}</c>")
    without = dialect_from_template(with_call(f"<c>{NAME}{INPUT}</c>"), name="same")
    assert dialect_from_template(template, name="same").form == without.form


# -- what TRL ships -------------------------------------------------------------------------------

DERIVED = ["qwen3", "qwen3_5_think", "glm4moe", "deepseekv3", "llama3_1", "gemma4_v5", "lfm2_v2"]


@pytest.mark.skipif(not TRL, reason="trl is not installed")
@pytest.mark.parametrize("name", DERIVED)
def test_templates_of_trl_are_derived(name: str) -> None:
    assert derived(name).name == name
