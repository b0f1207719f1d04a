"""Dialects that are wrong in one place: a check finds each, and says where."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from agent_laws import BrokenLawError, DialectReport, check_dialect, dialect_laws, laws
from agent_laws.laws.broken import ONE_WAY_TO_FAIL, named
from agent_laws.plan import plan_of_form, plan_of_reading
from agent_laws.smallest import Trial
from agent_parsers import Dialect, get_dialect, register
from agent_parsers.authoring import (
    BracketCall,
    CallFormat,
    Go,
    JsonPayload,
    Literal,
    Written,
    chatml,
    read_json_input,
    write_json_input,
)
from agent_parsers.registry import dialects_by_name as registry

from ..helpers.effort import THOROUGH
from ..helpers.own_dialect import EXAMPLE, MEMO, TABLE, with_table, write
from ..helpers.stories import every_dialect
from ..helpers.wrong_dialects import WRONG, Law, drop_label, looked_up, shared_reader

pytest_plugins = ["pytester"]


EXAMPLES = 10 if THOROUGH else 3

# -- dialects that are right ---------------------------------------------------------------------


@pytest.mark.usefixtures("brief_checks")
@dialect_laws(MEMO, examples=EXAMPLES)
def test_the_example_holds(law: Callable[[], None]) -> None:
    law()


def test_every_law_is_tried() -> None:
    tried = {trial.law for trial in plan_of_form(MEMO, 1) + plan_of_reading(MEMO, 1)}
    # One is tried before the clock is asked.
    at_once = named(laws.twice_the_text_is_twice_the_work_of_parsing_it_at_once)
    of_any_parser = named(laws.a_stream_ends_in_the_result_of_the_whole)
    known = {named(getattr(laws, name)) for name in laws.__all__}
    assert tried | {at_once, of_any_parser} == known


def with_json() -> Dialect:
    table = replace(TABLE, read_input=read_json_input)
    return replace(
        MEMO,
        name="memo_json",
        strict=table,
        lenient=table.as_lenient(),
        sample=MEMO.sample.replace(": oldest bridge in Bern", ': {"query": "oldest bridge"}'),
        write=lambda step: write(replace(step, tool_input=write_json_input(step.tool_input))),
        example=Written(tool="search", tool_input={"query": "lakes"}),
    )


@pytest.mark.usefixtures("brief_checks")
def test_all_laws_hold_for_a_correct_dialect() -> None:
    report = check_dialect(with_json(), examples=EXAMPLES)
    assert report.ok
    assert not report.failures
    assert not report.skipped
    assert str(report) == f"memo_json: all {report.tried} laws hold"
    report.raise_for_failures()


@every_dialect
def test_the_parts_of_a_shipped_dialect_fit_together(dialect: Dialect) -> None:
    for trial in plan_of_form(dialect, examples=5):
        assert trial.run() is None


@pytest.fixture
def forget() -> Iterator[None]:
    """Forget the dialects that a test registers."""
    known = dict(registry.KNOWN)
    yield
    registry.KNOWN.clear()
    registry.KNOWN.update(known)


@pytest.mark.usefixtures("forget", "brief_checks")
def test_the_laws_do_not_depend_on_what_else_is_registered() -> None:
    frames: dict[str, Any] = {
        "summary": "calls of our own",
        "payload": JsonPayload(),
        "turn_frame": chatml("user"),
    }
    mine = [
        register(CallFormat(name=name, call=call, thought=thought, **frames).dialect())
        for name, call, thought in (
            ("boxed", ("[[CALL]]", "[[/CALL]]"), ("<reason>", "</reason>")),
            ("angled", ("<<call>>", "<</call>>"), ("<ponder>", "</ponder>")),
        )
    ]
    about_thoughts = (
        laws.reasoning_and_quotation_never_act,
        laws.a_call_emitted_early_is_a_call_of_the_turn,
    )
    for dialect in (*mine, get_dialect("hermes")):
        for law in about_thoughts:
            tried = trials(dialect, law, 2 * EXAMPLES)
            assert tried
            assert not any(trial.run() for trial in tried if THOROUGH or trial.mode == "lenient")


# -- dialects that are wrong in one place --------------------------------------------------------


def trials(dialect: Dialect, law: Law, examples: int = 20) -> list[Trial]:
    plan = plan_of_form(dialect, examples) + plan_of_reading(dialect, examples)
    return [trial for trial in plan if trial.law == named(law)]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("dialect", "law", "reason", "text"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_named(
    dialect: Callable[[], Dialect], law: Law, reason: str, text: str
) -> None:
    wrong, errors = dialect(), list[BrokenLawError]()
    for examples in (20, 400):  # few texts find most bugs, and all texts find each
        errors += (error for trial in trials(wrong, law, examples) if (error := trial.run()))
        meant = [error for error in errors if re.search(reason, error.reason)]
        texts = [error.text or "" for error in meant]
        is_like = re.compile(text, re.DOTALL).fullmatch
        if meant and (not text or text in texts or any(map(is_like, texts))):
            break
    else:
        pytest.fail(f"it is not found: {errors}")
    assert {error.law for error in errors} <= {named(law), ONE_WAY_TO_FAIL}


def test_a_label_that_is_the_beginning_of_another_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="marker 'call' is a prefix of marker 'calls'"):
        with_table(
            markers={**TABLE.markers, "call": Literal("Call"), "calls": Literal("Calls")},
            transitions={
                **TABLE.transitions,
                ("plan", "call"): Go("tool"),
                ("plan", "calls"): Go("tool"),
            },
        )


# -- reports -------------------------------------------------------------------------------------


def test_a_report_says_what_is_wrong_and_why() -> None:
    failures = (
        BrokenLawError("a stop sequence is a marker", "memo", "'x' is not a marker"),
        BrokenLawError("any cut is the same", "memo", "it differs", mode="strict", text="a\nb",
                       chunks=["a", "\nb"]),
        BrokenLawError("any cut is the same", "memo", "it differs too", mode="lenient", text=""),
    )  # fmt: skip
    report = DialectReport("memo", failures, tried=60)
    assert not report.ok
    assert str(report).splitlines() == [
        "memo: 3 of 60 laws do not hold",
        "",
        "1. a stop sequence is a marker",
        "   'x' is not a marker",
        "",
        "2. any cut is the same (strict, lenient)",
        "   it differs",
        "   text: 'a\\nb'",
        "   in chunks: ['a', '\\nb']",
    ]
    with pytest.raises(AssertionError, match="3 of 60 laws do not hold") as caught:
        report.raise_for_failures()
    assert str(caught.value) == str(report)


@pytest.mark.usefixtures("brief_checks")
@pytest.mark.parametrize(
    "dialect", [replace(MEMO, write=drop_label), with_table(read_tool=looked_up)]
)
def test_a_dialect_that_cannot_read_what_it_writes_is_tried_no_further(dialect: Dialect) -> None:
    report = check_dialect(dialect, examples=5)
    assert not report.ok
    assert report.skipped > 40
    assert str(report).endswith(
        f"\n{report.skipped} more laws were not tried; fix these failures first."
    )


def test_a_check_finds_the_same_in_every_run() -> None:
    dialect, law, *_ = WRONG["a codec drops characters"]
    once, again = ([str(trial.run()) for trial in trials(dialect(), law)] for _ in range(2))
    assert once == again


def test_a_law_says_what_differs_and_how_the_text_was_cut() -> None:
    class Forgetful(BracketCall):
        """Forgets what it read when more comes in."""

        def feed(self, text: str, at: int) -> Any:
            self._name.clear()
            return super().feed(text, at)

    dialect = replace(shared_reader(), name="forgetful")
    table = replace(dialect.strict, new_call=Forgetful)
    dialect = replace(dialect, strict=table, lenient=table.as_lenient())
    with pytest.raises(BrokenLawError) as caught:
        laws.any_cut_gives_the_same_events(dialect, "strict", "Tool: do[x]", sizes=[7])
    assert str(caught.value).splitlines() == [
        "forgetful (strict) breaks a law: any cut gives the same events",
        '  it emits tool "do" at 6-8 in one piece, and tool "o" at 6-7 in chunks',
        "  text: 'Tool: do[x]'",
        "  in chunks: ['Tool: d', 'o[x]']",
    ]


# -- as tests ------------------------------------------------------------------------------------


def test_each_law_is_a_test(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(
        own_dialect=EXAMPLE.read_text("utf-8").partition("register(MEMO)")[0],
        test_memo="""
            from dataclasses import replace
            from agent_laws import dialect_laws
            from own_dialect import MEMO

            @dialect_laws(replace(MEMO, name="wrong", aliases=("react",)), examples=5)
            def test_memo(law):
                law()
        """,
    )
    result = pytester.runpytest("-k", "name or example or marker", "-p", "no:cacheprovider")
    outcomes = result.parseoutcomes()
    assert outcomes["failed"] == 1
    assert outcomes["passed"] > 1
    result.stdout.fnmatch_lines(
        [
            "*test_memo?wrong-a_name_is_that_of_one_dialect*",
            "E *wrong breaks a law: a name is that of one dialect",
            "E *another dialect, 'react', also has the name 'react'",
        ]
    )
    result.stdout.no_fnmatch_line("*broken.py*")  # the code of the law is hidden


def test_the_guide_begins_with_the_example() -> None:
    guide = (EXAMPLE.parents[1] / "docs" / "dialects.md").read_text("utf-8")
    example = EXAMPLE.read_text("utf-8").split('"""\n', 1)[1].lstrip("\n")
    assert f"```python\n{example}#> tool='search' tool_input='lakes'" in guide


def _number(text: str, _repairs: object) -> str:
    return str(int(text))


def _no_text(_step: object) -> str:
    raise ZeroDivisionError("no text today")


@pytest.mark.usefixtures("brief_checks")
@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"strict": replace(MEMO.strict, read_input=_number)}, "it raised ValueError"),
        ({"write": _no_text}, "it raised ZeroDivisionError: no text today"),
        ({"write": lambda _step: None}, "TypeError"),
    ],
)
def test_what_the_code_of_a_dialect_raises_is_reported(change: dict[str, Any], error: str) -> None:
    report = check_dialect(replace(MEMO, **change), examples=3)
    assert not report.ok
    assert any(error in failure.reason for failure in report.failures)
