"""Forms that users write as tables: reading, registering and checking them."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import metadata
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from agent_laws import check_reader
from agent_parsers import AgentAction, OutputParserException, Transcript
from agent_runs import (
    Console,
    ConsolePiece,
    MessagePart,
    Messages,
    detect_log,
    list_readers,
    read_runs,
    register_reader,
    unregister_reader,
)
from agent_runs.readers import known
from agent_runs.readers.data.tables import TABLES as MESSAGES
from agent_runs.readers.text.tables import TABLES as CONSOLES
from agent_runs.tables.part import at

from .readers.table_logs import LOGS
from .readers.text_logs import LOGS as TEXT_LOGS

OURS = Messages(
    name="ours",
    summary="the chats of our desk",
    roles={"guest": "user", "desk": "assistant", "house": "tool"},
    role="who",
    content="said",
    type_key="kind",
    messages="chat",
    parts=[
        MessagePart("text", type="words", of="words"),
        MessagePart("call", type="do", name="what", arguments="with", id="no"),
        MessagePart("result", type="done", id="no", output="got", unwrap=("value",)),
    ],
)
CHAT = [
    {"who": "guest", "said": [{"kind": "words", "words": "Is it open?"}]},
    {"who": "desk", "said": [
        {"kind": "words", "words": "I ask."},
        {"kind": "do", "what": "ask", "with": {"whom": "Ines"}, "no": 7}]},
    {"who": "house", "said": [{"kind": "done", "no": 7, "got": {"value": "Yes:\nall day"}}]},
    {"who": "desk", "said": [{"kind": "words", "words": "It is."}]},
]  # fmt: skip

SHOWN = Console(
    name="shown",
    summary="what our program prints",
    pieces=[
        ConsolePiece("question", r"### ASKED\n", is_sign=True),
        ConsolePiece("call", r"### RUN (?P<tool>\w+) (?P<args>\{.*\})\n", "", is_sign=True),
        ConsolePiece("result", r"### GOT\n"),
        ConsolePiece("text", r"### SAID\n"),
        ConsolePiece("nothing", r"### END\n"),
    ],
)
PRINTED = """\
### ASKED
Is it open?
### RUN ask {'whom': 'Ines'}
### GOT
Yes:
### GOT
all day
### SAID
It is.
### END
"""


def told(run: Transcript) -> Any:
    return (
        run.question,
        [
            (step.action.tool, step.action.tool_input, step.observation)
            for step in run.steps
            if isinstance(step.action, AgentAction)
        ],
        run.finish and run.finish.return_values["output"],
    )


@pytest.fixture
def registered() -> Iterator[None]:
    register_reader(OURS)
    register_reader(SHOWN)
    yield
    unregister_reader("ours")
    unregister_reader("shown")


@pytest.mark.parametrize("log", [CHAT, {"chat": CHAT}, {"chat": json.dumps(CHAT)}])
def test_a_table_of_messages_is_a_form(log: Any) -> None:
    (run,) = read_runs(log, format=OURS)
    expected = [("ask", {"whom": "Ines"}, "Yes:\nall day")]
    assert told(run) == ("Is it open?", expected, "It is.")
    assert run.source is not None
    assert run.source.reader == "ours"


def test_a_table_of_titles_is_a_form() -> None:
    (run,) = read_runs(PRINTED, format=SHOWN)
    # The second title stands inside the result, since no other call waits.
    expected = [("ask", {"whom": "Ines"}, "Yes:\n### GOT\nall day")]
    assert told(run) == ("Is it open?", expected, "It is.")
    assert run.notices == ()


def test_a_form_is_recognised_once_it_is_registered(registered: None) -> None:
    assert [detect_log(log).reader for log in (CHAT, PRINTED)] == ["ours", "shown"]
    assert {"ours", "shown"} <= {*list_readers()}


def test_a_form_is_not_recognised_unless_it_is_registered() -> None:
    for log in (CHAT, PRINTED):
        with pytest.raises(OutputParserException, match="no known form of log"):
            detect_log(log)


def test_a_name_is_registered_once(registered: None) -> None:
    with pytest.raises(ValueError, match="there is already a reader 'ours'"):
        register_reader(OURS)
    with pytest.raises(ValueError, match="there is already a reader 'plain'"):
        register_reader(replace(OURS, name="plain"))
    with pytest.raises(ValueError, match="names 'other', which is not a reader"):
        register_reader(replace(OURS, name="more", before=("other",)))
    with pytest.raises(ValueError, match="no reader with the name 'plain' was registered"):
        unregister_reader("plain")
    with pytest.raises(TypeError, match="found int"):
        register_reader(7)  # type: ignore[arg-type]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Return a function that installs readers, each given as the value of an entry point."""

    def install(*values: str) -> None:
        entries = [EntryPoint(f"own{at}", value, known.GROUP) for at, value in enumerate(values)]
        monkeypatch.setattr(metadata, "entry_points", lambda *, group: entries)
        known._installed.cache_clear()

    yield install
    known._installed.cache_clear()


def test_an_installed_package_adds_a_form(install: Callable[..., None]) -> None:
    install(f"{__name__}:OURS")
    assert detect_log(CHAT).reader == "ours"


def no_form() -> None:
    """Stands for what an entry point may name by mistake."""


TAKEN = replace(OURS, name="plain")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no_such_package.logs:OURS", "ModuleNotFoundError: No module named 'no_such_package'"),
        (f"{__name__}:OUR", "AttributeError: module .* has no attribute 'OUR'"),
        (f"{__name__}:no_form", "TypeError: expected the name of a reader, .* found function"),
        (f"{__name__}:TAKEN", "there is already a reader 'plain'"),
        (f"{__name__}:OURS", "there is already a reader 'ours'"),
    ],
)
def test_a_form_that_cannot_be_used_is_skipped_with_a_warning(
    name: str, why: str, install: Callable[..., None]
) -> None:
    install(f"{__name__}:OURS", name, f"{__name__}:SHOWN")
    with pytest.warns(UserWarning, match=f"skipped the reader own1 = '{name}': {why}"):
        assert detect_log(CHAT).reader == "ours"
    assert detect_log(PRINTED).reader == "shown"
    plain = known.get_reader("plain")
    assert plain.summary != OURS.summary


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.b", 1), ("x|a.b", 1), ("list.1.c", 3), ("list[].c", [2, 3]), ("list.9.c", None),
        ("a.b.c", None), ("a[].b", None), (lambda value: value["a"], {"b": 1}),
        ("lists[].c[]", [4, 5, 6]), ("lists[].x[]", []), ("s.t=no", True), ("s.t=yes", None),
        ("s.t=yes|s.t=no", True), ("s.x=no", None), ("texts[].t=no", True), ("texts[].t=x", None),
        ("s.x|=no", "no"),
    ],
)  # fmt: skip
def test_paths(path: Any, found: Any) -> None:
    value: dict[str, Any] = {"a": {"b": 1}, "list": [{"c": 2}, {"c": 3}]}
    value |= {"s": {"t": "no"}, "texts": [{"t": "yes"}, {"t": "no"}]}
    value["lists"] = [{"c": [4, 5]}, {}, {"c": [6]}]
    assert at(value, path) == found
    assert at(value, "") == value


def test_a_part_of_an_unknown_type_is_a_notice_or_refuses_its_message() -> None:
    odd = [{"who": "desk", "said": [{"kind": "picture"}, {"kind": "words", "words": "So."}]}]
    (run,) = read_runs([*CHAT[:1], *odd], format=OURS)
    assert [notice.message for notice in run.notices] == ["dropped a part of type 'picture'"]
    odd[0]["said"].append({"kind": "toolCall2"})  # type: ignore[attr-defined]
    with pytest.raises(
        OutputParserException,
        match=r"other messages, 'ours': a part of type 'toolCall2' is unknown",
    ):
        list(read_runs([*CHAT[:1], *odd], format=OURS))


# -- checking ------------------------------------------------------------------------------------


def test_a_whole_form_passes_the_check() -> None:
    for form, log in ((OURS, CHAT), (OURS, {"chat": CHAT}), (SHOWN, PRINTED)):
        report = check_reader(form, [log])
        report.raise_for_failures()
        assert (report.ok, str(report)) == (True, f"{report.reader}, 1 runs:\nnothing is wrong")


def test_a_log_to_check_may_be_a_long_text_of_one_line() -> None:
    text = json.dumps({"chat": CHAT}) + " " * 5_000  # no name of a file is as long
    check_reader(OURS, [text]).raise_for_failures()


def test_a_call_beside_the_content_is_read_once() -> None:
    (run,) = read_runs(LOGS["vercel_ai_ui"][1], format="vercel_ai_ui")
    assert not run.failed
    assert [step.error for step in run.all_steps] == [None, None]


@pytest.mark.parametrize("table", MESSAGES, ids=lambda table: table.name)
def test_the_tables_of_messages_pass_the_check(table: Messages) -> None:
    if table.name in LOGS:
        check_reader(table, LOGS[table.name]).raise_for_failures()


@pytest.mark.parametrize("table", CONSOLES, ids=lambda table: table.name)
def test_the_tables_of_titles_pass_the_check(table: Console) -> None:
    check_reader(table, [TEXT_LOGS[table.name]]).raise_for_failures()


def test_arguments_may_be_keys_of_the_call() -> None:
    call = MessagePart("call", type="do", name="what", arguments=("whom", "when"), id="no")
    form = replace(OURS, parts=[OURS.parts[0], call, OURS.parts[2]])
    do = {"kind": "do", "what": "ask", "no": 7}
    log = [CHAT[0], {"who": "desk", "said": [{**do, "whom": "Ines", "x": 1}]}, *CHAT[2:]]
    (run,) = read_runs(log, format=form)
    assert told(run) == ("Is it open?", [("ask", {"whom": "Ines"}, "Yes:\nall day")], "It is.")
    assert check_reader(form, [log]).ok
    log[1] = {"who": "desk", "said": [do]}
    with pytest.raises(OutputParserException, match="expected an object with 'whom'"):
        list(read_runs(log, format=form))


def test_an_object_with_which_a_turn_begins_or_ends_says_nothing_else() -> None:
    form = replace(
        OURS, begins=lambda found: found.get("who") == "start",
        border=lambda found: "ends" if found.get("who") == "end" else "",
    )  # fmt: skip
    log = [{"who": "start"}, *CHAT, {"who": "end"}, {"who": "start"}, *CHAT]
    assert [told(run)[2] for run in read_runs(log, format=form)] == ["It is."] * 2
    with pytest.raises(OutputParserException, match="not in the form of the other messages"):
        list(read_runs([*log, {"who": "other"}], format=form))


JOBS = MessagePart(
    "call", at="said[].ops[]", key="what", of="", name="what", arguments="with", id="no"
)
AT_ONCE = [
    {"who": "guest", "said": [{"kind": "words", "words": "Is it open?"}]},
    {"who": "desk", "said": [
        {"kind": "words", "words": "I ask."},
        {"kind": "jobs", "ops": [{"what": "ask", "with": {"whom": "Ines"}, "no": 7},
                                 {"what": "ask", "with": {"whom": "Urs"}, "no": 8}]},
        {"kind": "jobs", "ops": [{"what": "look", "with": {}, "no": 9}]}]},
    {"who": "house", "said": [{"kind": "done", "no": no, "got": str(no)} for no in (8, 7, 9)]},
    {"who": "desk", "said": [{"kind": "words", "words": "It is."}]},
]  # fmt: skip


def with_jobs(*parts: MessagePart) -> Messages:
    return replace(OURS, parts=[OURS.parts[0], *parts, OURS.parts[2]])


def test_one_part_may_hold_several_calls() -> None:
    form = with_jobs(JOBS, MessagePart("nothing", type="jobs", is_sign=False))
    (run,) = read_runs(AT_ONCE, format=form)
    calls = [("ask", {"whom": "Ines"}, "7"), ("ask", {"whom": "Urs"}, "8"), ("look", {}, "9")]
    assert told(run) == ("Is it open?", calls, "It is.")
    assert str(check_reader(form, [AT_ONCE])) == "ours, 1 runs:\nnothing is wrong"


def test_the_check_doubts_rows_that_fit_nothing() -> None:
    report = check_reader(with_jobs(replace(JOBS, at="ops[]")), [AT_ONCE])
    assert report.failures == ("log 1 has results that belong to no call: 3",)
    assert report.doubts == (
        "log 1: dropped a part of type 'jobs'",
        "log 1: no run has the text at 'said[].ops[].with.whom': 'Ines'",
        "no part of the logs matches row 2, 'call' with type='', key='what', at='ops[]'",
    )
    assert all(doubt in str(report) for doubt in report.doubts)


CALL = OURS.parts[1]
RESULT = OURS.parts[2]
WITH_MORE = replace(OURS, about={"model": "modl"}, question="task", parts=[
    OURS.parts[0], CALL, replace(RESULT, failed="bad")])  # fmt: skip


@pytest.mark.parametrize(
    ("row", "wrong", "path"),
    [
        (1, replace(CALL, arguments="wiht"), "arguments='wiht'"),
        (1, replace(CALL, id="nr"), "id='nr'"),
        (1, replace(CALL, name="what.it"), "name='what.it'"),
        (2, replace(RESULT, output="gave"), "output='gave'"),
        (0, replace(OURS.parts[0], of="word"), "of='word'"),
    ],
)
def test_a_path_that_finds_nothing_in_the_logs_is_refused(
    row: int, wrong: MessagePart, path: str
) -> None:
    parts = [wrong if at == row else part for at, part in enumerate(OURS.parts)]
    report = check_reader(replace(OURS, parts=parts), [CHAT])
    assert f"nothing in the logs is at {path} of row {row + 1}, {wrong.what!r}" in str(report)
    with pytest.raises(AssertionError, match=re.escape(path)):
        report.raise_for_failures()


def test_a_path_that_logs_may_lack_is_in_doubt() -> None:
    report = check_reader(WITH_MORE, [{"chat": CHAT}])
    assert (report.failures, len(report.doubts)) == ((), 3)
    for path in ("about 'model'='modl'", "question='task'", "failed='bad' of row 3, 'result'"):
        assert f"nothing in the logs is at {path}" in str(report)


def test_the_path_of_results_in_calls_is_refused_if_calls_lack_theirs() -> None:
    call = replace(CALL, output="gives")
    report = check_reader(replace(OURS, parts=[OURS.parts[0], call, RESULT]), [CHAT])
    assert report.ok
    assert "nothing in the logs is at output='gives'" in str(report.doubts)
    report = check_reader(replace(OURS, parts=[OURS.parts[0], call]), [[*CHAT[:2], *CHAT[3:]]])
    assert "nothing in the logs is at output='gives'" in str(report.failures)


TALK: list[Any] = [
    {"by": "guest", "text": "Is it open, and how far?"},
    {"by": "desk", "mull": "I ask both.", "say": "I look.", "calls": [
        {"no": "c1", "fn": "ask", "kw": {"whom": "Ines", "when": {"day": "Monday"}}},
        {"no": "c2", "fn": "measure", "kw": {"from": "x", "km": 2}}]},
    {"by": "house", "no": "c2", "out": ["7 km", "on foot only"], "bad": None},
    {"by": "house", "no": "c1", "out": ["Yes."], "bad": "She is ill."},
    {"by": "desk", "say": "It is open, 7 km away."},
]  # fmt: skip
SPOKEN = [
    MessagePart("text", at="", key="text"),
    MessagePart("thought", at="", key="mull"),
    MessagePart("text", at="", key="say"),
    MessagePart("call", at="calls", key="fn", of="", name="fn", arguments="kw", id="no"),
    MessagePart("result", at="", key="out", of="", id="no", output="out", failed="bad"),
]


def spoken(at: int, **changes: Any) -> Messages:
    parts = [replace(part, **changes) if at == row else part for row, part in enumerate(SPOKEN)]
    roles: Any = {"guest": "user", "desk": "assistant", "house": "tool"}
    return Messages(
        name="spoken", summary="s", roles=roles, role="by", content=None, type_key="",
        parts=[part for part in parts if part.key],
    )  # fmt: skip


UNSEEN = "log 1: no run has the text at"


@pytest.mark.parametrize(
    ("at", "changes", "seen"),
    [
        (1, {"key": ""}, f"{UNSEEN} 'mull': 'I ask both.'"),
        (2, {"where": lambda event: "calls" not in event}, f"{UNSEEN} 'say': 'I look.'"),
        (3, {"arguments": "kw.when|kw"}, f"{UNSEEN} 'calls[].kw.whom': 'Ines'"),
        (3, {"arguments": None}, "log 1: the log does not show the input of 'ask'"),
        (3, {"arguments": "kw.whom|kw"}, "log 1 has steps that cannot be read, 1: the arguments"),
        (4, {"output": "out.0|out"}, f"{UNSEEN} 'out[]': 'on foot only'"),
        (4, {"failed": ""}, f"{UNSEEN} 'bad': 'She is ill.'"),
    ],
)  # fmt: skip
def test_what_a_form_does_not_read_is_wrong_or_in_doubt(
    at: int, changes: dict[str, Any], seen: str
) -> None:
    report = check_reader(spoken(at, **changes), [TALK])
    assert report.ok is ("cannot be read" not in seen)
    assert any(each.startswith(seen) for each in (*report.failures, *report.doubts)), str(report)


def test_an_answer_in_the_turn_of_another_is_wrong() -> None:
    swapped: Any = {"guest": "assistant", "desk": "user", "house": "tool"}
    report = check_reader(replace(spoken(9), roles=swapped), [TALK])
    assert "in a message that the assistant did not write" in str(report.failures)


def test_what_a_form_reads_is_not_in_doubt() -> None:
    known = {f"{UNSEEN} 'bad': 'She is ill.'"}  # it only says that the tool failed
    for log in (TALK, {"messages": TALK}, "\n".join(map(json.dumps, TALK))):
        form = replace(spoken(9), messages="messages" if isinstance(log, dict) else "")
        report = check_reader(form, [log])
        assert report.ok
        assert {each.replace("messages[].", "") for each in report.doubts} == known


def test_texts_in_metadata_and_notices_are_not_in_doubt() -> None:
    log = [{**TALK[0], "by_whom": "Ann Lee of Bern."}, *TALK[1:]]
    assert f"{UNSEEN} 'by_whom': 'Ann Lee of Bern.'" in check_reader(spoken(9), [log]).doubts
    report = check_reader(replace(spoken(9), about={"author": "by_whom"}), [log])
    assert "Ann Lee" not in str(report)


def test_a_call_without_its_result_and_a_run_without_an_answer_are_in_doubt() -> None:
    report = check_reader(spoken(9), [TALK[:2] + TALK[3:4]])
    assert report.ok
    assert "log 1: the log does not show what 'measure' returned" in report.doubts
    assert "log 1: the run ends without an answer" in report.doubts


def test_of_many_unread_texts_ten_are_listed() -> None:
    log = [{**TALK[0], **{f"note_{at}": f"Note {at} of ours." for at in range(13)}}, *TALK[1:]]
    doubts = [each for each in check_reader(spoken(9), [log]).doubts if "no run has" in each]
    assert len(doubts) == 11
    assert doubts[-1] == "log 1: no run has the texts at 4 more places"


def test_pieces_and_groups_that_match_nothing_are_in_doubt() -> None:
    call = ConsolePiece(
        "call", r"### RUN (?P<tool>\w+)(?: as (?P<agent>\w+))? ", r"(?P<args>.*?)(?P<after>.*?)",
        is_sign=True,
    )  # fmt: skip
    calls = ConsolePiece("calls", r"### ALL\n", each=r"(?P<tool>\w+) (?P<id>\d*)(?P<args>\{.*?\})")
    frame = ConsolePiece("nothing", r"### WARN", r"(?!)")
    form = replace(SHOWN, pieces=[SHOWN.pieces[0], call, calls, *SHOWN.pieces[2:], frame])
    report = check_reader(form, [PRINTED])
    row = f"row 2, 'call' with title={call.title!r}"
    assert (report.failures, sorted(report.doubts)) == ((), [
        f"no piece of the logs matches row 3, 'calls' with title={calls.title!r}",
        f"the group 'agent' of {row} matches no text",
        f"the group 'args' of {row} matches no text",
    ])  # fmt: skip
    both = PRINTED.replace("### GOT\n", "### ALL\nask {'whom': 'Urs'}\n### GOT\n", 1)
    assert "the group 'id' of row 3" in str(check_reader(form, [both]))


def _whole(part: Any) -> bool:
    return bool(part["got"]["value"])  # another part of this type makes it fail


@pytest.mark.parametrize(
    ("failure", "form", "log"),
    [
        ("no sign of this form", replace(OURS, parts=[
            replace(part, is_sign=False) for part in OURS.parts]), CHAT),
        ("log 1 cannot be read", replace(OURS, messages="talk"), {"chat": CHAT}),
        ("no run with a step", replace(OURS, parts=[
            OURS.parts[0], MessagePart("nothing", type="do|done")]), CHAT[:1]),
        ("accepts a text in another form", replace(SHOWN, pieces=[
            ConsolePiece("question", "Question: ", is_sign=True), *SHOWN.pieces]), PRINTED),
        ("also recognised as 'plain_too'", SHOWN, PRINTED),
    ],
)  # fmt: skip
def test_the_check_finds_what_is_wrong(failure: str, form: Any, log: Any) -> None:
    if "too" in failure:
        register_reader(replace(SHOWN, name="plain_too"))
    try:
        report = check_reader(form, [log])
    finally:
        if "too" in failure:
            unregister_reader("plain_too")
    assert failure in str(report)
    with pytest.raises(AssertionError, match=r"log 1|accepts a text"):
        report.raise_for_failures()


def test_the_check_finds_half_values(monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_runs import read_log

    monkeypatch.setattr(read_log, "with_open_end", lambda runs, _lines: runs)
    assert "half of a value without a notice" in str(check_reader(SHOWN, [PRINTED]))


def test_the_check_finds_errors_that_are_not_ours() -> None:
    def read(lines: Any, _reading: Any) -> Iterator[Transcript]:
        if "### END" not in "".join(lines):
            raise ZeroDivisionError("no end")
        return SHOWN.reader.read(type(lines)(PRINTED.splitlines(keepends=True)), _reading)

    form = replace(SHOWN.reader, read=read)
    assert "ZeroDivisionError: no end" in str(check_reader(form, [PRINTED]))


# -- forms that are not known --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("log", "seen"),
    [
        ([{"role": "user", "content": [{"toolUsed": {}}]}],
         "the closest form is 'openai_chat', but a part with 'toolUsed' is unknown in this"),
        ({"turns": [{"speaker": "a", "text": "x"}]},
         "the first of 'turns' has the keys 'speaker', 'text'; docs/log-forms.md"),
        ({}, "the first value is empty"),
        ("# Notes\n\n[tool] x\n", "lines begin like '# Notes', '[tool] x'; docs/log-forms.md"),
        ("So it goes.\n", "in this text"),
    ],
)  # fmt: skip
def test_an_unknown_form_is_described(log: Any, seen: str) -> None:
    with pytest.raises(OutputParserException, match=r"^found no run, and no known form") as raised:
        list(read_runs(log))
    assert seen in raised.value.reason


def test_a_registered_form_may_be_the_nearest(registered: None) -> None:
    odd = [{"who": "desk", "said": [{"kind": "toolUse"}]}]
    with pytest.raises(OutputParserException, match="form is 'ours', but a part of type 'toolUse'"):
        list(read_runs(odd))


# -- what pieces of consoles can say --------------------------------------------------------------


def console(*pieces: ConsolePiece, **more: Any) -> Console:
    asked = ConsolePiece("question", r"Q: ", is_sign=True)
    return Console(name="c", summary="c", pieces=[*pieces, asked], **more)


def read_as(table: Console, text: str) -> Transcript:
    (run,) = read_runs(text, format=table)
    return run


def steps_in(run: Transcript) -> list[tuple[str, Any, str | None]]:
    actions = [(step.action, step.observation) for step in run.all_steps]
    return [(a.tool, a.tool_input, seen) for a, seen in actions if isinstance(a, AgentAction)]


@pytest.mark.parametrize(
    ("title", "is_fine"),
    [
        (r"### RUN\n", True),
        (r"RUN (?P<tool>[^\n]*)\n", True),
        (r"(?:a\n|b)", True),
        (r"a(?=b\n)", True),
        (r"---\n\n", False),
        (r"---\n\*\*User", False),
        (r"(?:a\nb|c)", False),
        ("a\nb", False),
    ],
)
def test_a_title_of_two_lines_is_refused(title: str, is_fine: bool) -> None:
    if is_fine:
        ConsolePiece("text", title)
        return
    with pytest.raises(ValueError, match="spans several lines"):
        ConsolePiece("text", title)


def test_a_word_that_a_table_does_not_know_is_refused() -> None:
    made: list[tuple[Any, str]] = [
        (lambda: ConsolePiece("reslt", "> "), "'reslt' is not a kind of piece of a console"),  # type: ignore[arg-type]
        (lambda: MessagePart("cal"), "'cal' is not a kind of part of a message"),  # type: ignore[arg-type]
        (lambda: replace(MESSAGES[0], roles={"human": "usr"}), "'usr' is not a kind of role"),  # type: ignore[dict-item]
    ]
    for make, said in made:
        with pytest.raises(ValueError, match=said):
            make()


def test_a_title_may_need_what_follows_it() -> None:
    rule = ConsolePiece("text", r"---\n", r"A: (?P<text>.*)", ahead=r"A: ")
    run = read_as(console(rule), "Q: why?\n---\nnot?\n---\nA: so\n---\nand\n")
    assert run.question == "why?\n---\nnot?"
    assert run.finish
    assert run.finish.return_values["output"] == "so\n---\nand"


def test_the_body_chooses_among_pieces_with_one_title() -> None:
    pieces = (
        ConsolePiece("call", r"> ", r"do (?P<tool>\w+) (?P<args>.*)"),
        ConsolePiece("result", r"> ", r"got (?P<text>.*)"),
        ConsolePiece("text", r"> "),
    )
    run = read_as(console(*pieces), "Q: q\n> do f {'a': true}\n> got 1\n> 2\n")
    assert steps_in(run) == [("f", "{'a': true}", "1")]
    assert run.finish is not None


def test_each_line_of_a_piece_may_have_a_mark() -> None:
    pieces = ConsolePiece("text", r"\| ", more=r"\| ?"), ConsolePiece("nothing", r"=", r"=*")
    table = console(*pieces)
    run = read_as(table, "Q: q\n| a  \n|\n| b\nno more\n====\n")
    assert run.finish
    assert run.finish.return_values["output"] == "a\n\nb"
    assert [notice.text for notice in run.notices] == ["no more"]
    run = read_as(replace(table, rest="text"), "Q: q\n| a\nand more\n====\n")
    assert run.finish
    assert run.finish.return_values["output"] == "a\nand more"


def test_a_piece_may_have_an_end() -> None:
    call = ConsolePiece(
        "call", r"<do (?P<tool>\w+)>", r"(?P<args>.*?)=>(?P<output>.*)", until=r"</do>"
    )
    run = read_as(console(call), "Q: q\n<do f>x =>\nQ: no question\n</do>\n<do g>y =>1</do>tail\n")
    assert steps_in(run) == [("f", "x", "Q: no question"), ("g", "y", "1")]
    assert [n.text for n in run.notices if n.kind == "unowned_text"] == ["tail"]
    runs = [*read_runs("Q: q\n<do f>x => 1\nQ: again\n", format=console(call))]
    assert [run.question for run in runs] == ["q", "again"]


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("```\nQ: no\n```", 1),
        ("~~~~\n```\nQ: no\n~~~~", 1),
        ("```md\n```js\nx\n```\nQ: no\n```", 1),
        ("```\n```js\nQ: no\n```", 1),
        ("````\n```\nQ: no\n````", 1),
        ("````md\n```\nx\n```\nQ: no\n````", 1),
        ("```\nQ: yes", 2),
        ("``\nQ: yes\n``", 2),
    ],
)
def test_a_title_in_a_fence_that_ends_is_text(text: str, questions: int) -> None:
    table = console(ConsolePiece("text", r"A: "), has_fences=True)
    assert len([*read_runs(f"Q: q\nA: a\n{text}\nA: b\n", format=table)]) == questions


def test_what_is_shortened_is_no_value() -> None:
    pieces = (
        ConsolePiece("call", r"do (?P<tool>\w+) (?P<args>[^\n]*)\n", ""),
        ConsolePiece("result", r"got "),
    )
    table = console(*pieces, shortened=r"\.\.\.\Z|\[cut\]")
    run = read_as(table, "Q: q\ndo f abc...\ngot 1\n[cut]\ndo g x\ngot 2\n")
    assert steps_in(run) == [("f", {}, "1"), ("g", "x", "2")]
    cut = [(n.step, n.text) for n in run.notices if n.kind == "cut_value" and n.text]
    assert cut == [(1, "abc..."), (1, "[cut]")]


def test_a_tool_may_be_named_by_the_table_and_arguments_be_read_by_it() -> None:
    call = ConsolePiece("call", r"\$ ", tool="shell", body=r"(?P<args>.*)", arguments=str.split)
    run = read_as(console(call, ConsolePiece("result", r"> ")), "Q: q\n$ ls -l\n> a\n")
    assert steps_in(run) == [("shell", {"input": ["ls", "-l"]}, "a")]


def test_lists_of_calls_have_a_pattern_for_each() -> None:
    calls = ConsolePiece("calls", r"DO\n", each=r"\[(?P<id>\d) (?P<tool>\w+) (?P<args>\{.*?\})\]")
    results = ConsolePiece("results", r"GOT\n", each=r"\[(?P<id>\d) (?P<text>.*?)\]")
    run = read_as(
        console(calls, results), "Q: q\nDO\nI do [1 f {}] [2 g {}] so\nGOT\n[2 b] [1 a]\n"
    )
    assert steps_in(run) == [("f", {}, "a"), ("g", {}, "b")]
    assert run.all_steps[0].content == "I do"
    assert [n.text for n in run.notices if n.kind == "unowned_text"] == ["so"]
    with pytest.raises(OutputParserException, match="expected a call as c shows it: there is none"):
        read_as(console(calls), "Q: q\nDO\nnothing\n")


def test_a_log_without_a_run_says_which_pieces_it_has() -> None:
    table = console(ConsolePiece("nothing", r"=", r"=*"))
    with pytest.raises(OutputParserException, match="pieces of the form c: 2 'nothing'"):
        [*read_runs("===\n===\nhello\n", format=table)]
    with pytest.raises(OutputParserException, match="found none of the titles of the form c"):
        [*read_runs("hello\n", format=table)]


@pytest.mark.parametrize(
    ("piece", "log"),
    [
        (ConsolePiece("result", r"Observation: "), "Action: a\nObservation: b\nAnswer: c\n"),
        (ConsolePiece("text", r"(?=> )"), "> a\n\nb\n"),
    ],
    ids=["a result", "a place"],
)
def test_what_other_logs_have_too_does_not_show_a_console(piece: ConsolePiece, log: str) -> None:
    with pytest.raises(OutputParserException, match=f"pieces of the form c: 1 '{piece.what}'"):
        [*read_runs(log, format=console(piece))]
    assert [*read_runs(f"{log}Q: q\n{log}", format=console(piece))]
