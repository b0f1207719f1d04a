"""The commands and their options."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agent_parsers import Dialect, Transcript, get_dialect, list_dialects, parse_record
from agent_parsers.cli.commands.app import app
from agent_parsers.registry import dialects_by_name as _registry

from ...helpers.command_line import BRIDGE, LAKE, MILL, command, needs_corpus, parse
from ...helpers.json_schema import faults

KEYS = ["version", "type", "id", "preamble", "question", "question_repairs", "steps", "failed"]
KEYS += ["source", "notices", "finish", "file", "record", "dialect"]


def tools(run: dict[str, Any]) -> list[str | None]:
    return [step["action"].get("tool") for step in run["steps"]]


def answer(run: dict[str, Any]) -> Any:
    return run["finish"]["return_values"]["output"]


def test_the_example_of_the_readme_is_read_whole() -> None:
    outcome = parse(BRIDGE)
    assert (outcome.status, outcome.stderr) == (0, "")
    run = outcome.run
    assert run["question"].startswith("Which of the two bridges")
    assert tools(run) == ["search", "search", "calculator", None]
    assert run["steps"][2]["action"]["tool_input"] == "1844 - 1489"
    assert run["steps"][2]["observation"] == "355"
    assert run["steps"][-1]["action"] == run["finish"]
    assert answer(run).endswith("before the Nydeggbrücke of 1844.")
    assert run["failed"] == run["question_repairs"] == []


@pytest.mark.parametrize("path", [BRIDGE, MILL])
def test_every_run_has_the_same_keys_in_the_same_order(path: Path) -> None:
    runs = parse(path).runs
    assert all(list(run) == KEYS for run in runs)
    steps = [step for run in runs for step in run["steps"]]
    assert len({tuple(step) for step in steps}) == 1


@pytest.mark.parametrize("path", [BRIDGE, LAKE, MILL])
def test_every_run_is_the_json_form_of_its_transcript(path: Path) -> None:
    dialect = ["--dialect", "react_docstore"] if path is LAKE else []
    for run in parse(path, *dialect).runs:
        assert not faults(run)
        own = Transcript.from_json(run).to_json()
        for step in run["failed"]:
            assert {step.pop("line"), step.pop("column")} <= {2, 1}
        assert {key: run[key] for key in own} == own


def test_the_help_names_every_key_of_the_json() -> None:
    text = command("parse", "--help").stdout
    run = parse(MILL).runs[1]
    steps = [*run["steps"], *run["failed"]]
    nested = [*steps, run["failed"][0]["error"], *(step["action"] or {} for step in steps)]
    nested += [repair for step in steps for repair in step["repairs"]]
    for key in {*run, *(key for value in nested for key in value)}:
        assert key in text, key


def test_spans_of_a_text_point_into_the_file() -> None:
    text = BRIDGE.read_text(encoding="utf-8")
    for step in parse(BRIDGE).run["steps"]:
        for name in ("thought", "observation"):
            if step[name] is not None:
                assert text[slice(*step[f"{name}_span"])] == step[name]


def test_spans_of_a_record_point_into_the_output_of_the_step() -> None:
    records = [json.loads(line) for line in MILL.read_text(encoding="utf-8").splitlines()]
    for record, run in zip(records, parse(MILL).runs, strict=True):
        outputs = [step["output"] for step in record["steps"]]
        for step in run["steps"]:
            output = outputs[step["number"] - 1]
            if step["thought"]:
                assert output[slice(*step["thought_span"])] == step["thought"]
            for repair in step["repairs"]:
                assert output[slice(*repair["span"])] == "**Action:**"
        for failed in run["failed"]:
            error = failed["error"]
            assert error["llm_output"] == outputs[failed["number"] - 1]
            assert error["span"] == failed["action_span"]
            assert error["llm_output"][slice(*error["span"])] == "So it rests on Sunday."


def test_a_failed_step_has_its_place_and_an_observation() -> None:
    (failed,) = parse(MILL).runs[1]["failed"]
    error = failed["error"]
    problem = get_dialect("react").problems["no_action_or_answer"]
    assert error["reason"] == problem.reason
    assert (error["line"], error["column"]) == (failed["line"], failed["column"]) == (2, 1)
    assert error["observation"].startswith(f"{problem.observation}\nYou wrote: So it rests")


def test_steps_keep_their_numbers_around_a_failed_one() -> None:
    run = parse(MILL).runs[1]
    assert [step["number"] for step in run["steps"]] == [1, 3]
    assert [step["number"] for step in run["failed"]] == [2]
    assert [step["number"] for step in run["steps"] if step["repairs"]] == [1]


def test_a_table_is_the_default_and_programs_ask_for_json() -> None:
    assert command("parse", BRIDGE).stdout == parse(BRIDGE, "--format", "table").stdout
    assert parse(BRIDGE, MILL, "--json").stdout == parse(BRIDGE, MILL, "--format", "json").stdout
    assert command("explain", LAKE).stdout == command("explain", LAKE, "--format", "text").stdout


def test_jsonl_is_the_same_runs_a_line_each() -> None:
    as_list = parse(BRIDGE, MILL, "--format", "json").runs
    outcome = parse(BRIDGE, MILL, "--format", "jsonl")
    assert len(outcome.stdout.splitlines()) == len(as_list) == 3
    assert outcome.runs == as_list


def test_no_runs_are_an_empty_list_and_an_error(tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text("\n\n")
    outcome = parse(path)
    assert (outcome.status, outcome.stdout) == (1, "[]\n")
    assert f"{path}: found nothing to read\n" in outcome.stderr
    assert parse(path, "--format", "jsonl").stdout == ""


def test_a_table_shows_steps_answer_repairs_and_failures() -> None:
    shown = parse(MILL, "--format", "table").stdout
    for words in (
        "Question: How much flour do 36 sacks hold?",
        "36 times 25 kg.",
        "calculator",
        "Final Answer: 900 kg",
        "step 1: read '**Action:**' as the label 'action'",
        "mill_runs.jsonl:2: expected an Action or a Final Answer",
        "| So it rests on Sunday.\n      | ^^^^^^^^^^^^^^^^^^^^^^\n",
    ):
        assert words in shown, words


@pytest.mark.parametrize("columns", [1, 2, 7, 20, 1_000])
def test_a_table_gives_no_trouble_in_any_width(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert parse(BRIDGE, "--format", "table").status == 0
    assert parse(MILL, "--format", "table").status == 1


def test_a_run_without_an_answer_says_so(tmp_path: Path) -> None:
    path = tmp_path / "cut.txt"
    path.write_text("Question: why?\nAction: search\nAction Input: it\nObservation: no")
    outcome = parse(path)
    assert (outcome.status, outcome.run["finish"]) == (0, None)
    assert "No final answer" in parse(path, "--format", "table").stdout


@pytest.mark.parametrize("name", ["react_docstore", "react_paper"])
def test_dialect_names_how_a_text_is_written(name: str) -> None:
    run = parse(LAKE, "--dialect", name).run
    assert run["dialect"] == "react_docstore"
    assert tools(run) == ["Search", "Search", "Lookup", None]
    assert answer(run) == "Lake Brienz"


def test_dialect_overrides_the_format_of_a_record(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"format": "react", "steps": [{"output": "Action: Finish[yes]"}]}')
    assert parse(path).run["finish"] is None
    assert answer(parse(path, "--dialect", "react_docstore").run) == "yes"


@pytest.mark.parametrize("args", [("parse", "x.txt", "--dialect"), ("show",)])
def test_an_unknown_dialect_is_a_usage_error(args: tuple[str, ...]) -> None:
    outcome = command(*args, "reakt")
    assert (outcome.status, outcome.stdout) == (2, "")
    assert "there is no dialect 'reakt'" in outcome.stderr


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Dialect:
    """A dialect of a user, with JSON inputs and without text transcripts."""
    react = get_dialect("react")
    table = replace(
        react.lenient, transcript_start="", read_input=lambda text, _repairs: json.loads(text)
    )
    dialect = replace(react, name="own", aliases=(), lenient=table)
    monkeypatch.setitem(_registry.KNOWN, "own", dialect)
    return dialect


def test_an_input_may_be_an_object(tmp_path: Path, own: Dialect) -> None:
    path = tmp_path / "run.json"
    output = 'Action: f\nAction Input: {"é": [1]}'
    path.write_text(json.dumps({"format": own.name, "steps": [{"output": output}]}))
    assert parse(path).run["steps"][0]["action"]["tool_input"] == {"é": [1]}
    assert '{"é": [1]}' in parse(path, "--format", "table").stdout


def test_a_dialect_without_transcripts_says_so(own: Dialect) -> None:
    outcome = parse(BRIDGE, "--dialect", own.name)
    assert outcome.status == 1
    assert "'own' has no format for whole runs" in outcome.stderr


def test_an_unknown_format_is_a_usage_error() -> None:
    outcome = parse(BRIDGE, "--format", "yaml")
    assert outcome.status == 2
    assert "yaml" in outcome.stderr


def test_notices_count_as_errors_if_asked(tmp_path: Path) -> None:
    path = tmp_path / "cut.txt"
    path.write_text("Question: why?\nAction: search\nAction Input: {}\n")
    outcome, strict = parse(path), parse(path, "--fail-on-notices")
    assert (outcome.status, outcome.stderr, strict.status) == (0, "", 1)
    assert strict.runs == outcome.runs
    notices = [notice["message"] for notice in outcome.run["notices"]]
    assert len(notices) == 2
    assert all(f"{notice} (run 1" in strict.stderr for notice in notices)
    assert "not read: 2 steps or notices; read: 1 step of 1 run" in strict.stderr
    assert parse(BRIDGE, "--fail-on-notices").status == 0


def test_dialects_lists_all_of_them() -> None:
    listed = json.loads(command("dialects", "--json").stdout)
    assert [row["name"] for row in listed] == list_dialects()
    for row in listed:
        dialect = get_dialect(row["name"])
        assert row["summary"] == dialect.summary
        assert row["aliases"] == list(dialect.aliases)
        assert row["stop"] == list(dialect.stop)


def test_dialects_says_which_read_the_text_of_a_run() -> None:
    listed = {row["name"]: row for row in json.loads(command("dialects", "--json").stdout)}
    kinds = {name: (row["several"], row["transcripts"]) for name, row in listed.items()}
    assert (kinds["react"], kinds["hermes"]) == ((False, True), (True, False))
    table = command("dialects", "--format", "table").stdout
    assert table.index("whole run can be read too") < table.index(" react ")
    assert table.index(" react ") < table.index("from records or messages only")


def test_dialects_are_found_by_words() -> None:
    found = json.loads(command("dialects", "JSON", "langchain", "--json").stdout)
    assert {"chat", "structured_chat"} <= {row["name"] for row in found} < {*list_dialects()}
    assert all("langchain" in row["summary"].lower() for row in found)
    assert (
        json.loads(command("dialects", "convo_chat", "--json").stdout)[0]["name"]
        == "conversational_chat"
    )
    none = command("dialects", "no", "such", "--format", "table")
    assert (none.status, none.stdout) == (0, "no dialect matches 'no such'\n")


def test_dialects_has_the_formats_of_parse() -> None:
    lines = command("dialects", "--format", "jsonl").stdout.splitlines()
    assert list(map(json.loads, lines)) == json.loads(command("dialects", "--json").stdout)
    table = command("dialects", "--format", "table").stdout
    assert all(name in table for name in list_dialects())


@pytest.mark.parametrize("name", list_dialects())
def test_show_has_all_that_a_prompt_needs(name: str) -> None:
    dialect = get_dialect(name)
    shown = command("show", name).stdout
    assert dialect.summary in shown
    assert dialect.sample in shown
    assert all(json.dumps(stop, ensure_ascii=False) in shown for stop in dialect.stop)
    assert all(words in shown for words in ("Looks a question up.", "Works out an expression."))
    assert "{tools}" not in shown


def test_show_knows_aliases() -> None:
    assert command("show", "react_paper").stdout == command("show", "react_docstore").stdout


@pytest.mark.parametrize("name", ["parse", "detect", "dialects", "show"])
def test_every_command_is_in_the_help(name: str) -> None:
    assert f"  {name}  " in command("--help").stdout
    assert command(name, "-h").status == 0


def test_no_command_shows_the_help() -> None:
    outcome = command()
    assert outcome.status in (0, 2)  # as the installed typer has it
    assert "Commands:" in outcome.stdout + outcome.stderr


def test_version_says_whose_it_is() -> None:
    outcome = command("--version")
    assert outcome.status == 0
    assert outcome.stdout.startswith("agent-parsers ")


@pytest.mark.parametrize("words", [["parse", "--dialect", ""], ["show", ""]])
def test_the_shell_completes_dialects(words: list[str]) -> None:
    env = {
        "_AGENT_PARSERS_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["agent-parsers", *words]),
        "COMP_CWORD": str(len(words)),
    }
    result = CliRunner().invoke(app, [], env=env, prog_name="agent-parsers")
    assert result.stdout.split() == list_dialects()


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "name",
    [
        "fireact_gpt35",
        "fireact_llama13b",
        "fireact_llama7b",
        "react_fever",
        "react_prompts",
        "react_webshop",
        "reflexion_hotpotqa",
    ],
)
def test_real_runs_come_out_step_by_step(name: str) -> None:
    path = needs_corpus() / "transcripts" / f"{name}.jsonl"
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    outcome = parse(path, "--format", "jsonl")
    assert [run["id"] for run in outcome.runs] == [record["id"] for record in records]
    for record, run in zip(records, outcome.runs, strict=True):
        read = parse_record(record)
        assert len(run["failed"]) == len(read.failed)
        steps = sorted([*run["steps"], *run["failed"]], key=lambda step: step["number"])
        repairs = [*run["question_repairs"], *(r for step in steps for r in step["repairs"])]
        assert len(repairs) == len(read.repairs)
        assert [step["number"] for step in steps] == list(range(1, len(record["steps"]) + 1))
        for step, given in zip(steps, record["steps"], strict=True):
            assert step["observation"] == given.get("observation")
    failed = [run for run in outcome.runs if run["failed"]]
    assert outcome.status == bool(failed)
    for run in failed:
        place = f"{path}:{run['record']}:"
        assert place in outcome.stderr


def test_a_record_in_a_format_without_a_dialect_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text('{"id": "a", "format": "rea", "steps": [{"output": "Final Answer: 1"}]}\n' * 2)
    outcome = parse(path)
    assert (outcome.status, outcome.runs) == (1, [])
    for line in (1, 2):
        assert f"(line {line} of the file)\n" in outcome.stderr
    assert outcome.stderr.count(f"{path}: there is no dialect 'rea'") == 2


def test_a_grammar_is_written(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([{"name": "search", "parameters": schema}]), "utf-8")
    outcome = CliRunner().invoke(app, ["grammar", "React", "--tools", str(file), "--turn", "call"])
    assert outcome.exit_code == 0
    assert outcome.stdout.startswith("root ::= call |")
    assert '\\"query\\"' in outcome.stdout
    tag = CliRunner().invoke(app, ["grammar", "hermes", "--as", "structural_tag"])
    assert json.loads(tag.stdout)["type"] == "structural_tag"


def test_what_a_grammar_leaves_out_is_reported(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"tags": {"type": "array", "uniqueItems": True}}}
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([{"name": "search", "parameters": schema}]), "utf-8")
    outcome = CliRunner().invoke(app, ["grammar", "react", "--tools", str(file)])
    assert outcome.exit_code == 0
    assert "search: 'uniqueItems' of tags is dropped: " in outcome.stderr
    exact = CliRunner().invoke(app, ["grammar", "react", "--tools", str(file), "--exact"])
    assert (exact.exit_code, exact.stdout) == (1, "")
    assert (
        "exact=True, but a grammar cannot express all of the schemas: search: 'uniqueItems' of tags"
        in exact.stderr
    )


def test_a_response_template_is_written() -> None:
    arguments = ["response-template", "React", "--start-anchor", "[/INST]"]
    outcome = CliRunner().invoke(app, arguments)
    assert json.loads(outcome.stdout)["start_anchor"] == ["[/INST]"]
    refused = CliRunner().invoke(app, ["response-template", "pythonic"])
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "pythonic has no response template: its calls are Python" in refused.stderr


def test_a_grammar_that_there_is_not() -> None:
    outcome = CliRunner().invoke(app, ["grammar", "react", "--as", "json_schema"])
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert "no 'json_schema' grammar can be made for react" in outcome.stderr
    wrong = CliRunner().invoke(app, ["grammar", "react", "--start", "thought", "--no-thoughts"])
    assert wrong.exit_code == 2


def test_the_dialect_of_files_is_found(tmp_path: Path) -> None:
    call = '<tool_call>{"name": "clock", "arguments": {}}</tool_call>'
    files = {
        "step.txt": "Action: clock\nAction Input: Bern\n",
        "replies.jsonl": "\n".join(map(json.dumps, [call, {"role": "assistant", "content": "Hi"}])),
        "call.json": '{"name": "clock", "arguments": {}}',  # JSON, but a text of its own
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / name) for name in files]
    outcome = CliRunner().invoke(app, ["detect", *paths])
    assert outcome.exit_code == 0
    lines = [line for line in outcome.stdout.splitlines() if line[0] != " "]
    assert [line.split(": ")[1] for line in lines] == ["react", "hermes", "json_toolcall"]
    as_json = CliRunner().invoke(app, ["detect", "--json", "--tools", "clock", *paths])
    found = json.loads(as_json.stdout)
    assert [each["dialect"] for each in found] == ["react", "hermes", "json_toolcall"]
    assert [each["texts"] for each in found] == [1, 2, 1]
    assert found[0]["candidates"][0]["reason"].startswith("read 1 action by 'Action:'")


def test_files_without_a_dialect_are_named(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("It is noon.")
    (tmp_path / "open.txt").write_text("Action: clock\nAction Input:\nObservation: noon")
    paths = [str(tmp_path / name) for name in ("plain.txt", "open.txt", "missing.txt")]
    outcome = CliRunner().invoke(app, ["detect", *paths])
    assert outcome.exit_code == 1
    assert "plain.txt: no sign of a dialect" in outcome.stdout
    assert "open.txt: ambiguous: react: read 1 action" in outcome.stdout
    assert "  or react_crewai: read 1 error" in outcome.stdout
    assert "missing.txt: No such file" in outcome.stderr
    found = json.loads(CliRunner().invoke(app, ["detect", "--json", paths[1]]).stdout)
    assert (found[0]["dialect"], found[0]["ambiguous"]) == (None, True)


def test_a_file_of_messages_with_calls_shows_no_dialect(tmp_path: Path) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "clock", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    (tmp_path / "calls.jsonl").write_text(json.dumps(message))
    outcome = CliRunner().invoke(app, ["detect", str(tmp_path / "calls.jsonl")])
    assert (outcome.exit_code, "no sign of a dialect" in outcome.stdout) == (1, True)
