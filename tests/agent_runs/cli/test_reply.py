"""One reply of a model, and tables with a reply in each record."""

import gzip
import json
from pathlib import Path

import pytest

from agent_parsers import get_parser

from ...helpers.command_line import BRIDGE, command, process

CALL = '<tool_call>\n{"name": "search", "arguments": {"query": "Lake Thun"}}\n</tool_call>\n'
STEP = "I look it up.\nAction: search\nAction Input: Lake Thun"
CUT = '<tool_call>\n{"name": "search", "arguments": {'


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def lines(path: Path, *records: object) -> Path:
    return write(path, "".join(f"{json.dumps(record)}\n" for record in records))


# -- one reply -----------------------------------------------------------------------------------


def test_a_reply_of_any_model_is_read(tmp_path: Path) -> None:
    outcome = command("reply", write(tmp_path / "reply.txt", CALL))
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.stdout.splitlines() == [
        "hermes",
        "Action: search",
        'Action Input: {"query": "Lake Thun"}',
    ]


def test_what_is_in_a_reply_is_shown() -> None:
    reply = "**Thought:** I know.\nFinal Answer: two\nlakes"
    shown = command("reply", "--dialect", "react", stdin=reply.encode()).stdout
    assert "Thought: I know." in shown
    assert "Final Answer: two" in shown
    assert "              lakes" in shown
    assert "Repaired (1)" in shown


@pytest.mark.parametrize("name", ["auto", "react", "ReAct", "hermes", "Qwen/Qwen3-8B"])
def test_a_program_gets_what_the_library_reads(name: str) -> None:
    text = STEP if "re" in name.lower() or name == "auto" else CALL
    read = json.loads(command("reply", "--json", "--dialect", name, stdin=text.encode()).stdout)
    turn = get_parser(name).read(text)
    made = turn.result if isinstance(turn.result, list) else [turn.result]
    assert [call["tool"] for call in read["calls"]] == [each.tool for each in made]  # type: ignore[union-attr]
    assert [call["input"] for call in read["calls"]] == [each.tool_input for each in made]  # type: ignore[union-attr]
    assert (read["kind"], read["thought"]) == ("action", turn.thought)
    assert read["dialect"] == ("react" if text == STEP else "hermes")


def test_an_error_says_where_and_what_to_tell_the_model(tmp_path: Path) -> None:
    path = write(tmp_path / "reply.txt", CUT)
    outcome = command("reply", path)
    place = f"{path}:2:1: expected the end of the call\n    2 | {{"
    assert outcome.status == 1
    assert place in outcome.stdout
    assert place in outcome.stderr
    assert "Observation: Your call is cut off, so nothing was done." in outcome.stdout
    read = json.loads(command("reply", path, "--format", "jsonl").stdout)
    assert (read["dialect"], read["kind"], read["calls"]) == ("hermes", "error", None)
    assert read["error"]["reason"] == "expected the end of the call"
    assert (read["error"]["line"], read["error"]["column"]) == (2, 1)


def test_plain_text_is_the_answer_and_that_is_said() -> None:
    outcome = command("reply", "--json", stdin=b"It is noon.")
    said = (
        "<stdin>: no sign of a dialect, so the whole text is the answer;"
        " use --dialect to choose one\n"
    )
    assert (outcome.status, outcome.stderr) == (0, said)
    read = json.loads(outcome.stdout)
    assert (read["dialect"], read["kind"], read["answer"]) == (None, "answer", "It is noon.")


def test_tools_and_strictness_are_heeded() -> None:
    wrong = command("reply", "--tools", "find", "--json", stdin=CALL.encode())
    assert "search" in json.loads(wrong.stdout)["error"]["reason"]
    comma = CALL.replace("}}", "},}").encode()
    assert command("reply", "--dialect", "hermes", stdin=comma).status == 0
    assert command("reply", "--dialect", "hermes", "--strict", stdin=comma).status == 1


def test_the_log_of_a_run_is_for_another_command() -> None:
    outcome = command("reply", BRIDGE, "--dialect", "react")
    said = f"{BRIDGE}: this is a run of 4 steps; use `parse` to read all of it\n"
    assert said in outcome.stderr


def test_a_reply_is_written_to_a_file(tmp_path: Path) -> None:
    path, out = write(tmp_path / "reply.txt", CALL), tmp_path / "out.json"
    assert command("reply", path, "-o", out) == command("reply", "-o", out, stdin=CALL.encode())
    assert out.read_text() == command("reply", path, "--json").stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["a.txt", "b.txt"], "one reply at a time"),
        (["a.txt", "-j", "2"], "it is only for tables"),
        (["a.txt", "-o", "x.parquet"], "this command cannot write .parquet files"),
        (["a.txt", "--dialect", "tools"], "'tools' is not a dialect, since it reads messages"),
    ],
)
def test_a_wrong_command_is_named(arguments: list[str], reason: str) -> None:
    outcome = command("reply", *arguments)
    assert outcome.status == 2
    assert reason in outcome.stderr


# -- tables --------------------------------------------------------------------------------------


def test_each_record_gets_what_is_in_its_reply(tmp_path: Path) -> None:
    path = lines(tmp_path / "in.jsonl", {"id": 1, "text": CALL}, {"id": 2, "text": CUT})
    outcome = command("reply", path, "--format", "jsonl")
    first, second = outcome.runs
    call = {"tool": "search", "input": {"query": "Lake Thun"}, "id": None}
    assert (first["id"], first["text"], first["kind"], first["calls"]) == (
        1,
        CALL,
        "action",
        [call],
    )
    assert (second["id"], second["kind"]) == (2, "error")
    assert outcome.status == 1
    assert outcome.stderr == (
        f"{path}: read as hermes, detected in 2 replies; use --dialect to choose another\n"
        "not read: 1 row (see the column 'error'); read: 1 row\n"
    )
    table = command("reply", path).stdout
    assert all(words in table for words in ("search", "Lake Thun", "expected the end of the call"))


def test_records_come_from_lines_lists_fields_and_texts(tmp_path: Path) -> None:
    record = {"id": "1", "reply": STEP, "at": None}
    want = [{**record, **json.loads(command("reply", "--json", stdin=STEP.encode()).stdout)}]
    del want[0]["dialect"]
    options = ("--column", "reply", "--format", "jsonl")
    for name in ("in.jsonl", "in.ndjson", "in.txt", "in"):
        assert command("reply", lines(tmp_path / name, record), *options).runs == want
    listed = write(tmp_path / "in.json", json.dumps([record], indent=1))
    assert command("reply", listed, *options).runs == want
    text = json.dumps(record).encode() + b"\n"
    assert command("reply", *options, stdin=text).runs == want
    table = write(tmp_path / "in.csv", f'id,reply,at\n\n1,"{STEP}",\n')
    assert command("reply", table, *options).runs == [{**want[0], "at": ""}]
    tabs = write(tmp_path / "in.tsv", f'id\treply\tat\n1\t"{STEP}"\t\n')
    assert command("reply", tabs, *options).runs == [{**want[0], "at": ""}]
    packed = tmp_path / "in.jsonl.gz"
    packed.write_bytes(gzip.compress(text))
    assert command("reply", packed, *options).runs == want
    texts = lines(tmp_path / "texts.jsonl", STEP)
    assert command("reply", texts, *options).runs[0]["calls"] == want[0]["calls"]


def test_a_record_without_a_reply_keeps_its_place(tmp_path: Path) -> None:
    path = lines(tmp_path / "in.jsonl", {"text": None}, {"text": STEP})
    first, second = command("reply", path, "--json").runs
    assert [first[key] for key in ("kind", "calls", "error")] == [None, None, None]
    assert second["kind"] == "action"


def test_a_pipe_gives_json_that_programs_read() -> None:
    text = json.dumps({"text": f"{STEP}\u2028"}) + "\n"
    outcome = process("reply", "--column", "text", "--format", "jsonl", stdin=text.encode())
    assert (outcome.status, len(outcome.runs)) == (0, 1)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        (
            "a.jsonl",
            '{"id": 1, "reply": "x"}',
            ":1: there is no column 'text': choose one of id, reply",
        ),
        ("a.csv", "id,reply\n1,x\n", ":2: there is no column 'text': choose one of id, re"),
        ("a.jsonl", '{"text": 7}', ":1: expected a string in the column 'text', found 7"),
        ("a.jsonl", "[[1], [2]]", ":1: expected an object or a string, found a list"),
        (
            "a.jsonl",
            '{"text": "x", "answer": 1}',
            ":1: the table already has columns that this command adds: rename answer",
        ),
        ("a.jsonl", "Final Answer: 1", ":1: not JSON: "),
        ("a.csv", "text,text\nx,y\n", ":1: two columns are named 'text'"),
        ("a.csv", "text,id\nx\n", ":2: expected 2 fields, as in the first line, found 1"),
        ("a.csv", "text,id\n", ": found nothing to read"),
        ("a.jsonl", "", ": found nothing to read"),
        ("a.jsonl", '{"text": "It is noon."}', ": no sign of a dialect in 1 reply: choose one"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(
    tmp_path: Path, name: str, content: str, reason: str
) -> None:
    path = write(tmp_path / name, content)
    outcome = command("reply", path)
    assert (outcome.status, outcome.stdout) == (1, "")
    assert f"{path}{reason}" in outcome.stderr


def test_a_damaged_record_does_not_stop_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    good = json.dumps({"text": STEP})
    path.write_text(f'{good}\n{{"text": \n{{"reply": 1}}\n{good}\n')
    outcome = command("reply", path, "--format", "jsonl")
    assert (outcome.status, len(outcome.runs)) == (1, 2)
    assert f"{path}:2: not JSON: " in outcome.stderr
    assert f"{path}:3: there is no column 'text'" in outcome.stderr
    assert "not read: 2 files or records; read: 2 rows\n" in outcome.stderr


def test_replies_in_two_dialects_need_a_name(tmp_path: Path) -> None:
    path = lines(tmp_path / "in.jsonl", {"text": CALL}, {"text": STEP})
    outcome = command("reply", path)
    assert (outcome.status, outcome.stdout) == (1, "")
    assert "choose one with --dialect" in outcome.stderr


def test_a_missing_file_is_reported() -> None:
    assert command("reply", "/none.txt").stderr == "/none.txt: No such file or directory\n"
    assert command("reply", "/none.csv").stderr == "/none.csv: No such file or directory\n"
    assert command("reply", "/none.jsonl").stderr == "/none.jsonl: No such file or directory\n"
    assert command("reply", "/none.parquet").stderr == "/none.parquet: No such file or directory\n"


def test_a_reply_may_be_a_message_as_an_api_returns_it() -> None:
    function = {"name": "area", "arguments": '{"lake": "Thun"}'}
    call = {"id": "1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    for value in (message, {"choices": [{"message": message, "finish_reason": "tool_calls"}]}):
        found = json.loads(command("reply", "--json", stdin=json.dumps(value).encode()).stdout)
        assert found["dialect"] == "tools"
        assert found["calls"] == [{"tool": "area", "input": {"lake": "Thun"}, "id": "1"}]


def test_nothing_has_no_dialect() -> None:
    assert json.loads(command("reply", "--json", stdin=b"").stdout)["dialect"] is None
