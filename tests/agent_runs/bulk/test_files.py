"""Parquet files, and rows of any turns."""

from __future__ import annotations

import csv
import json
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import get_parser
from agent_runs.bulk import TableParser, parse_table
from agent_runs.bulk import files as _files
from agent_runs.bulk.files import FileError, parse_files

from ...helpers.command_line import command
from ...helpers.effort import MANY
from ...helpers.tables import check_rows

if TYPE_CHECKING:
    from pathlib import Path


# Parquet files: one file of all rows, in several processes, in several attempts.


TEXTS = ["Final Answer: 1", "no label", None, "Action: s\nAction Input: x", "", "Final Answer: 2"]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A file of six rows in three row groups."""
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"id": range(6), "text": TEXTS}), path, row_group_size=2)
    return path


def run(made: Path, parser: TableParser | None = None, **options: Any) -> Any:
    """Parse a file, and return what was written."""
    out = made.with_name("out.parquet")
    parse_files([str(made)], str(out), parser or TableParser(), **options)
    return pq.read_table(out)


def stop_after(count: int) -> Any:
    """Return a function that ends the run when so many row groups are done."""
    left = iter(range(count - 1))

    def advance(_size: int) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    return advance


def begun(made: Path, **options: Any) -> Path:
    """Interrupt a run after two of three row groups, and return the folder of its parts."""
    with pytest.raises(KeyboardInterrupt):
        run(made, advance=stop_after(2), **options)
    out = made.with_name("out.parquet")
    assert not out.exists()
    return out.with_name("out.parquet.parts")


# -- what is written -----------------------------------------------------------------------------


def test_a_file_has_the_rows_of_its_table_in_the_same_row_groups(made: Path) -> None:
    assert run(made).equals(parse_table(pq.read_table(made)))
    opened = pq.ParquetFile(made.with_name("out.parquet"))
    assert [opened.metadata.row_group(at).num_rows for at in range(3)] == [2, 2, 2]
    assert sorted(path.name for path in made.parent.iterdir()) == ["in.parquet", "out.parquet"]


def test_several_processes_write_the_same_file(made: Path) -> None:
    one = run(made)
    written = made.with_name("out.parquet").read_bytes()
    assert run(made, jobs=2).equals(one)
    assert made.with_name("out.parquet").read_bytes() == written


def test_several_files_become_one(made: Path) -> None:
    other = made.with_name("other.parquet")
    pq.write_table(pa.table({"id": [7], "text": ["Final Answer: 7"]}), other)
    out = made.with_name("out.parquet")
    sizes: list[int] = []
    done = parse_files([str(made), str(other)], str(out), TableParser(), advance=sizes.append)
    assert done == (7, 2)
    assert pq.read_table(out)["id"].to_pylist() == [0, 1, 2, 3, 4, 5, 7]
    assert len(sizes) == 4
    assert 0 < sum(sizes) < made.stat().st_size + other.stat().st_size


@pytest.mark.parametrize("groups", [0, 1])
def test_an_empty_file_stays_empty(groups: int, tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    empty = pa.schema([("text", pa.string())]).empty_table()
    with pq.ParquetWriter(path, empty.schema) as writer:
        for _ in range(groups):
            writer.write_table(empty)
    assert run(path).equals(parse_table(empty))


# -- interrupted runs ----------------------------------------------------------------------------


def test_an_interrupted_run_continues_where_it_was(made: Path) -> None:
    want = run(made)
    made.with_name("out.parquet").unlink()
    parts = begun(made)
    before = {path.name: path.stat().st_mtime_ns for path in parts.glob("*.parquet")}
    assert before.keys() == {"000000.parquet", "000001.parquet"}
    begun_again = begun(made)
    assert {path.name: path.stat().st_mtime_ns for path in begun_again.glob("*.parquet")} == before
    assert run(made).equals(want)
    assert not parts.exists()


@pytest.mark.parametrize("place", [0, 200, -1])
def test_a_damaged_part_is_made_again(place: int, made: Path) -> None:
    part = begun(made) / "000001.parquet"
    spoilt = bytearray(part.read_bytes())
    spoilt[place] ^= 0xFF
    part.write_bytes(spoilt)
    assert run(made).equals(parse_table(pq.read_table(made)))


def test_a_part_that_was_cut_or_has_other_rows_is_made_again(made: Path) -> None:
    folder = begun(made)
    first, second = sorted(folder.glob("*.parquet"))
    first.write_bytes(first.read_bytes()[:100])
    pq.write_table(pq.read_table(second).slice(1), second)
    assert run(made).equals(parse_table(pq.read_table(made)))


def test_parts_of_another_plan_are_not_used(made: Path) -> None:
    parts = begun(made)
    before = (parts / "plan.json").read_text("utf-8")
    begun(made, parser=TableParser(tools=["other"]))
    assert (parts / "plan.json").read_text("utf-8") != before
    found = run(made, TableParser(tools=["t"]))
    assert found["error"].to_pylist()[3]["reason"] == "'s' is not one of the tools"
    made.with_name("out.parquet").unlink()
    begun(made)
    pq.write_table(pa.table({"id": range(6), "text": TEXTS[::-1]}), made, row_group_size=2)
    assert run(made)["answer"].to_pylist()[0] == "2"


# -- what cannot be done -------------------------------------------------------------------------


def test_files_that_cannot_be_parsed_are_named(made: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.parquet"
    wrong.write_bytes(b"no table")
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({"id": ["a"], "text": ["x"]}), other)
    cases: list[tuple[list[Path], TableParser, str]] = [
        ([wrong], TableParser(), "Parquet"),
        ([tmp_path / "none.parquet"], TableParser(), "none.parquet"),
        ([made], TableParser(column="reply"), "there is no column 'reply'"),
        ([made], TableParser(column="id"), "expected strings in the column 'id'"),
        ([made, other], TableParser(), "the column 'id' is string, but in"),
    ]
    for files, parser, reason in cases:
        with pytest.raises(FileError, match=reason) as raised:
            parse_files([*map(str, files)], str(tmp_path / "out.parquet"), parser)
        assert str(raised.value).startswith(str(files[-1]))
    with pytest.raises(FileError, match="cannot also be the output"):
        parse_files([str(made)], str(made), TableParser())
    assert not (tmp_path / "out.parquet").exists()


def test_a_run_that_another_one_disturbs_is_refused(made: Path) -> None:
    def run_again(_size: int) -> None:
        with pytest.raises(FileError, match="another process is writing this file"):
            run(made)

    assert run(made, advance=run_again).num_rows == 6


def test_an_output_that_cannot_be_written_is_named_before_any_work(made: Path) -> None:
    for out, reason in ((made.parent, "is a folder"), (made.parent / "x" / "y", "does not exist")):
        with pytest.raises(FileError, match=reason):
            parse_files([str(made)], str(out), TableParser())
    assert [*made.parent.iterdir()] == [made]


def test_a_folder_of_other_things_is_left_alone(made: Path) -> None:
    other = made.with_name("out.parquet.parts")
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    with pytest.raises(FileError, match="this folder is needed for temporary files"):
        run(made)
    assert (other / "letter.txt").read_text() == "dear"


def test_a_killed_process_is_reported(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Pool:
        def __init__(self, *_: Any, **__: Any) -> None:
            pass

        def submit(self, *_: Any) -> Future[None]:
            future: Future[None] = Future()
            future.set_exception(BrokenProcessPool("gone"))
            return future

        def shutdown(self, **_: Any) -> None:
            pass

    monkeypatch.setattr(_files, "ProcessPoolExecutor", Pool)
    with pytest.raises(FileError, match="the process that was parsing this file ended"):
        run(made, jobs=2)


# -- the command ---------------------------------------------------------------------------------


def test_the_command_writes_a_table_and_counts_what_was_not_read(made: Path) -> None:
    out = made.with_name("out.parquet")
    outcome = command("reply", made, "-o", out, "--dialect", "react")
    said = "not read: 2 rows (see the column 'error'); read: 4 rows\n"
    assert outcome == type(outcome)(1, "", said)
    assert pq.read_table(out).equals(parse_table(pq.read_table(made)))
    clean = made.with_name("clean.parquet")
    pq.write_table(pa.table({"reply": ["[f(a=1)]"]}), clean)
    arguments = "--dialect", "pythonic", "--column", "reply", "--tools", "f"
    outcome = command("reply", clean, "-o", out, *arguments)
    assert (outcome.status, outcome.stderr) == (0, "")
    assert pq.read_table(out)["calls"].to_pylist()[0][0]["input"] == '{"a":1}'


def test_the_dialect_of_a_table_is_found(made: Path) -> None:
    out = made.with_name("out.parquet")
    outcome = command("reply", made, "-o", out)
    said = f"{made}: read as react, detected in 5 replies; use --dialect to choose another\n"
    assert said in outcome.stderr
    assert pq.read_table(out).equals(parse_table(pq.read_table(made)))


@pytest.mark.parametrize("name", ["in.jsonl", "in.json", "in.csv"])
def test_tables_of_other_forms_become_the_same_rows(made: Path, name: str) -> None:
    rows = pq.read_table(made).filter(pc.is_valid(pc.field("text"))).to_pylist()
    path, out = made.with_name(name), made.with_name("out.parquet")
    if name.endswith(".csv"):
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, ["id", "text"])
            writer.writeheader()
            writer.writerows(rows)
        rows = [{**row, "id": str(row["id"])} for row in rows]
    else:
        lines = map(json.dumps, rows)
        path.write_text("\n".join(lines) if name.endswith("l") else f"[{','.join(lines)}]")
    outcome = command("reply", path, "--column", "text", "--dialect", "react", "-o", out)
    assert (outcome.status, outcome.stdout) == (1, "")
    parsed = pq.read_table(out)
    assert parsed.equals(parse_table(pa.Table.from_pylist(rows)))
    written = command(
        "reply", path, "--column", "text", "--dialect", "react", "--format", "jsonl"
    ).runs
    for row in parsed.to_pylist():
        for call in row["calls"] or ():
            call["input"] = json.loads(call["input"])
        assert written.pop(0) == row
    assert not written


def test_values_that_parquet_cannot_hold_are_named(tmp_path: Path) -> None:
    path, out = tmp_path / "in.jsonl", tmp_path / "out.parquet"
    path.write_text(
        '{"id": 1, "text": "Final Answer: 1"}\n{"id": "a", "text": "Final Answer: 1"}\n'
    )
    outcome = command("reply", path, "-o", out)
    assert f"{out}: Parquet cannot store the column 'id': " in outcome.stderr
    assert (outcome.status, out.exists()) == (1, False)


def test_the_command_names_a_file_that_it_cannot_parse(made: Path) -> None:
    out = made.with_name("out.parquet")
    outcome = command("reply", made, "-o", out, "--dialect", "react", "--column", "reply")
    said = f"{made}: there is no column 'reply': choose one of id, text with --column\n"
    assert (outcome.status, outcome.stderr) == (1, said)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["in.parquet", "-o", "out.csv"], "--out: this command cannot write .csv files"),
        (["in.parquet", "-o", "out.parquet", "--json"], "--json: it is only for"),
        (["in.jsonl", "-o", "out.parquet", "-j", "2"], "--jobs: it is only for Parquet"),
        (["in.parquet", "--jobs", "2"], "--jobs: it is only for Parquet"),
        (["in.parquet", "--jobs", "0"], "--jobs"),
    ],
)
def test_a_wrong_command_is_named(arguments: list[str], reason: str) -> None:
    outcome = command("reply", *arguments)
    assert outcome.status == 2
    assert reason in outcome.stderr.replace("'", "").replace(" / -o", "")


# Rows that are read without an object for each: which they are, and that they are read alike.

TOOLS = ["search", "look_up"]
LABELS = {
    "react": ("Thought: ", "Action: ", "Action Input: ", "Final Answer: "),
    "mrkl": ("Thought: ", "Action: ", "Action Input: ", "Final Answer: "),
    "haystack": ("Thought: ", "Tool: ", "Tool Input: ", "Final Answer: "),
    "react_crewai": ("Thought: ", "Action: ", "Action Input: ", "Final Answer: "),
    "react_llamaindex": ("Thought: ", "Action: ", "Action Input: ", "Answer: "),
    "react_zh": ("思考：", "行动：", "行动输入：", "最终答案："),
}
PIECES = [
    *("word", "two words", "old bridge ", "x", " ", "\n", "\n\n", "\t", "\n ", "1", "42", "é"),
    *("Action", "Action Input", "Final Answer", "final answer", "Observation", "Thought", "Tool"),
    *("Question", "Input", "Answer", "Parameters", "AI", "None", "null", "Finish", "search"),
    *(":", ": ", "：", ":\n", "a: b", "10:30", "https://x.y", "?", "!", ".", "…", "-", "- ", "2)"),
    *("'", "'''", '"', '"""', "“", "”", "`", "```", "*", "**", "_", "__", "#", "# ", "3 * 4"),
    *("[", "]", "{", "}", '{"q": "x"}', '{"q": 1,}', "(", ")", "<", ">", "-->", "~~~", "|", "\\"),
    *("<think>", "</think>", "[THINK]", "[/THINK]", "<|im_end|>", "\nObs", "\nAct", "Yes", "not"),
    *("\r", "\r\n", "\0", "\x1c", "\x85", "\xa0", "\u200b", "\u2028", "\u3000", "\ufeff", "ſ", "٣"),
]
"""Words, and what may mean something in or beside a turn."""

soup = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)


@st.composite
def turns(draw: st.DrawFn, labels: tuple[str, ...]) -> str:
    """Return a turn with the labels of a dialect, and anything between them."""
    thought, tool, tool_input, answer = labels
    lead = draw(st.sampled_from(["", thought]))
    before = draw(st.just("") | soup.map(lambda text: f"{lead}{text}\n"))
    name = draw(st.sampled_from([*TOOLS, "None", "x1"]) | soup)
    action = f"{tool}{name}\n{tool_input}{draw(soup)}"
    return before + draw(st.sampled_from([action, f"{answer}{draw(soup)}"]))


@MANY
@given(data=st.data())
@pytest.mark.parametrize("tools", [None, TOOLS])
@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("name", LABELS)
def test_any_turn_with_these_labels_is_read_alike(
    name: str, lenient: bool, tools: list[str] | None, data: st.DataObject
) -> None:
    texts = data.draw(st.lists(turns(LABELS[name]), min_size=1, max_size=8))
    parser = get_parser(name, lenient=lenient, tools=tools)
    parsed = TableParser(name, lenient=lenient, tools=tools)(pa.table({"text": texts}))
    check_rows(parser, texts, parsed.to_pylist())
