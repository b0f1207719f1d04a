"""Dialects that are each wrong in one place, with the law that they break."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

from agent_laws import laws
from agent_parsers import Dialect, Repair, get_dialect
from agent_parsers.authoring import (
    BracketCall,
    EndTurn,
    Given,
    Go,
    JsonPayload,
    Label,
    Literal,
    Part,
    Result,
    Table,
    TaggedPayload,
    Written,
)
from agent_parsers.dialects import hermes, minimax_m2
from agent_parsers.engine.calls.json.blocks import JsonCalls
from agent_parsers.engine.calls.json.members import Members
from agent_parsers.engine.calls.json.rules import JsonCallRules
from agent_parsers.engine.calls.tags.form import TaggedForm
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead
from agent_parsers.engine.tables.guards import first_of_its_kind
from agent_parsers.engine.writing.escape import unescape

from .own_dialect import MEMO, TABLE, with_table, write

Law = Callable[..., None]


def drop_label(step: Written) -> str:
    return write(step).replace("With: ", "")


def transitions(*gone: tuple[str, str]) -> dict[Any, Any]:
    return {row: transition for row, transition in TABLE.transitions.items() if row not in gone}


def without_a_reply() -> Table:
    """Return the table of lenient mode in which a turn does not begin with a reply."""
    lenient = MEMO.lenient
    rows = {row: to for row, to in lenient.transitions.items() if row != ("plan", "reply")}
    return replace(lenient, transitions=rows)


def refusing_answers() -> Dialect:
    lenient = {row: go for row, go in TABLE.transitions.items() if row != ("plan", "reply")}
    return replace(MEMO, lenient=replace(TABLE, transitions=lenient).as_lenient())


def without_fortytwo(text: str, _repairs: list[Repair]) -> str:
    return text.replace("42", "")


def counting_again(text: str, _repairs: list[Repair]) -> str:
    for at in range(len(text)):
        text[:at].count("[")
    return text


def slicing(text: str, _repairs: list[Repair]) -> str:
    for at in range(len(text)):
        _rest = [text[at:] for _ in range(8)]  # far more than a busy machine adds to a scan
    return text


def looked_up(written: str, _tools: Any, _repairs: list[Repair]) -> ToolHead:
    return ToolHead({"search": "search"}[written])


def two_or_more(text: str, _repairs: list[Repair]) -> str:
    if len(text) < 2:
        raise BadPayload("too_short", (0, len(text)))
    return text


def unquoted(text: str, _repairs: list[Repair]) -> str:
    return text.strip('"')


def shared_reader() -> Dialect:
    reader = BracketCall()
    table = replace(
        TABLE,
        parts={state: role for state, role in TABLE.parts.items() if state != "with"}
        | {"tool": Part.CALL},
        markers={name: marker for name, marker in TABLE.markers.items() if name != "with"},
        transitions={
            **transitions(("tool", "with"), ("with", "result")),
            ("tool", "result"): EndTurn("result"),
        },
        new_call=lambda: reader,
    )
    return replace(
        MEMO,
        strict=table,
        lenient=table.as_lenient(),
        sample=MEMO.sample.replace("\nWith: oldest bridge in Bern", "[oldest bridge in Bern]"),
        write=lambda step: re.sub(r"\nWith: (.*)", r"[\1]", write(step)),
    )


# -- dialects that make calls which are not meant ------------------------------------------------


def with_input(
    read: Callable[[str, list[Repair]], Any], around: tuple[str, str] = ("", "")
) -> Dialect:
    """Return the dialect with objects as inputs, in JSON between two markers."""

    def written(step: Written) -> str:
        said = step.tool_input if isinstance(step.tool_input, str) else json.dumps(step.tool_input)
        return write(replace(step, tool_input=said.join(around)))

    table = replace(TABLE, read_input=read)
    return replace(
        MEMO,
        strict=table,
        lenient=table.as_lenient(),
        sample=MEMO.sample.replace(": oldest bridge in Bern", ': {"query": "oldest bridge"}'),
        write=written,
        example=Written(tool="search", tool_input={"query": "lakes"}),
    )


def objects_only(value: Any, text: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadPayload("bad_input", (0, len(text)))
    return value


def loaded(text: str, **options: Any) -> Any:
    try:
        return json.loads(text, **options)
    except ValueError:
        return None


def closing_strings(text: str, _repairs: list[Repair]) -> dict[str, Any]:
    found = (loaded(text + end) for end in ("", "}", '"}', '": ""}'))
    return objects_only(next((value for value in found if value is not None), None), text)


def closing_objects(text: str, _repairs: list[Repair]) -> dict[str, Any]:
    found = (loaded(text + end) for end in ("", "}", "]}", "}}"))
    return objects_only(next((value for value in found if value is not None), None), text)


def without_closer(text: str, _repairs: list[Repair]) -> str:
    return text.removeprefix("<<").removesuffix(">>")


def counting_truth(text: str, _repairs: list[Repair]) -> dict[str, Any]:
    members = objects_only(loaded(text), text)
    return {key: int(each) if isinstance(each, bool) else each for key, each in members.items()}


def last_wins(text: str, _repairs: list[Repair]) -> dict[str, Any]:
    return objects_only(loaded(text), text)


def first_wins(text: str, _repairs: list[Repair]) -> dict[str, Any]:
    value = loaded(text, object_pairs_hook=lambda members: dict(reversed(members)))
    return objects_only(value, text)


def last_wins_inside(text: str, _repairs: list[Repair]) -> dict[str, Any]:
    members = objects_only(loaded(text, object_pairs_hook=dict), text)
    outer = [key for key, _ in loaded(text, object_pairs_hook=list)]
    if len(outer) > len(members):
        raise BadPayload("bad_input", (0, len(text)))
    return members


HERMES = get_dialect("hermes")


def hermes_with(**changes: Any) -> Dialect:
    return replace(HERMES, name="hermes_like", aliases=(), strict=replace(HERMES.strict, **changes))


def without_escapes(results: Sequence[Result], number: int) -> str:
    """Write results without escaping them."""
    bare = [result._replace(text=unescape(HERMES, result.text)) for result in results]
    return HERMES.results_text(bare, number)


def hermes_like(**changes: Any) -> Dialect:
    """Return the dialect with other fields."""
    return replace(HERMES, name="hermes_like", aliases=(), **changes)


def finishing(change: Callable[[list[Any]], list[Any]]) -> Dialect:
    """Return a dialect that makes a *change* of the calls of a block once it has read them."""

    class Changing(JsonCalls):
        """Changes what it has read."""

        def _finish(self, events: Any) -> Any:
            return change(super()._finish(events))

    def changed(table: Table) -> Table:
        made = table.new_call
        assert isinstance(made, partial)
        return replace(table, new_call=partial(Changing, *made.args, **made.keywords))

    return in_both_modes(changed, write=partial(HERMES.write))  # no `Form`: nothing is matched


def without_content(step: Written) -> str:
    """Write a step without what it says beside a thought."""
    return HERMES.write(replace(step, content="") if step.thought else step)


def in_both_modes(change: Callable[[Table], Table], **others: Any) -> Dialect:
    """Return a dialect with a *change* of both tables: strict reading asks lenient reading."""
    tables = {"strict": change(HERMES.strict), "lenient": change(HERMES.lenient)}
    return replace(HERMES, name="hermes_like", aliases=(), **tables, **others)


def unaware_of_thoughts() -> Dialect:
    """Return a dialect that reads the markers of thoughts as content."""
    thoughts = ("thought", "end of thought")

    def without_thoughts(table: Table) -> Table:
        rows = table.transitions.items()
        return replace(
            table,
            markers={name: mark for name, mark in table.markers.items() if name not in thoughts},
            parts={name: role for name, role in table.parts.items() if name != "thought"},
            transitions={row: go for row, go in rows if not {*row} & {*thoughts}},
            ends={},
            starts={"content": "content"},
            prompt_ends={},
        )

    return in_both_modes(without_thoughts, reasoning=())


def acting_on_thoughts() -> Dialect:
    """Return a dialect that ignores the end of a thought that was not opened."""

    def never_late(table: Table) -> Table:
        rows = {
            row: go._replace(late="", restarts=False) if isinstance(go, Go) else go
            for row, go in table.transitions.items()
        }
        return replace(table, transitions=rows)

    return in_both_modes(never_late)


def leniently(**changes: Any) -> Dialect:
    """Return a dialect with other rows or fields of its lenient table."""
    rows = changes.pop("rows", {})
    transitions = {**HERMES.lenient.transitions, **rows}
    table = replace(HERMES.lenient, transitions=transitions, **changes)
    return replace(HERMES, name="hermes_like", aliases=(), lenient=table)


class DropsMembers(JsonCallRules):
    """Rules that drop what stands beside the input of a call."""

    def problem(self, members: Members, outside: str = "") -> str:
        members.own.members = members.call
        return super().problem(members, outside)


def dropping_members() -> Dialect:
    """Return a dialect that drops what stands beside the input of a call."""
    strict, _ = JsonPayload().rules
    rules = DropsMembers(**{field.name: getattr(strict, field.name) for field in fields(strict)})
    return hermes_with(new_call=partial(JsonCalls, rules))


def reading_marked_prose() -> Dialect:
    """Return a dialect that reads what is no call behind the mark of one as content."""
    bare = JsonPayload(bare="anywhere").content_reader(lenient=False)
    return hermes_with(new_call=bare)


def with_empty_regions() -> Dialect:
    """Return a dialect in which no call need follow the mark that encloses all calls."""
    kimi = get_dialect("kimi_k2")
    return replace(kimi, name="kimi_like", aliases=(), lenient=replace(kimi.lenient, regions=()))


def deaf_behind_answers() -> Dialect:
    """Return a dialect that drops calls behind an answer."""
    command = get_dialect("command_a")
    rows = {row: go for row, go in command.strict.transitions.items() if row[0] != "answered"}
    rows["answered", "end <|END_OF_TURN_TOKEN|>"] = Go("over")
    strict = replace(command.strict, transitions=rows)
    return replace(command, name="command_like", aliases=(), strict=strict)


class DeafForm(TaggedForm):
    """Tags that count only where they are spelt as they should be."""

    def is_like_tag(self, *_: Any, **__: Any) -> bool:
        return False


class DeafPayload(TaggedPayload):
    """Calls in such tags."""

    def tagged_form(self, *given: Any, **options: Any) -> TaggedForm:
        return DeafForm(**vars(super().tagged_form(*given, **options)))


def deaf_in_values() -> Dialect:
    """Return a dialect that takes what begins like a tag for part of a value."""
    payload = DeafPayload(**vars(minimax_m2.PAYLOAD))
    return replace(minimax_m2.FORMAT, name="deaf", aliases=(), payload=payload).dialect()


def without_user(name: str, mark: str) -> Dialect:
    """Return the dialect called *name*, which takes the *mark* of the user's turns for text."""
    like = get_dialect(name)
    given = tuple(each for each in like.given if each.canonical != mark)
    assert len(given) < len(like.given)
    return replace(like, name=f"{name}_like", aliases=(), given=given)


NOTE = {**TABLE.markers, "note": Label("Note")}

WRONG: dict[str, tuple[Callable[[], Dialect], Law, str, str]] = {
    "a written step lacks a label": (
        lambda: replace(MEMO, write=drop_label),
        laws.plain_words_are_never_refused,
        "cannot write this step: expected the name of a tool on one line",
        "Tool: search\nold",
    ),
    "the answer is written behind another label": (
        lambda: replace(MEMO, write=lambda step: write(step).replace("Reply:", "Result:")),
        laws.plain_words_are_never_refused,
        "the answer 'old' .*is refused: memo cannot write this step: expected an action or a final",
        "Result: old",
    ),
    "nothing ends an input": (
        lambda: with_table(
            transitions={
                **transitions(("with", "result")),
                ("plan", "result"): Go("result", clash="invented_first"),
            }
        ),
        laws.the_sample_is_one_flawless_run,
        r"expected an action and then an answer, found .*bridge in Bern\\nResult: It was",
        MEMO.sample,
    ),
    "nothing follows an observation but a thought": (
        lambda: with_table(transitions=transitions(("result", "tool"))),
        laws.a_scratchpad_without_logs_is_rendered,
        "2 steps are read as 1 steps",
        "Tool: search\nWith: old\nResult: old\nTool: search\nWith: old\nResult: old\n",
    ),
    "nothing ends an answer": (
        lambda: with_table(transitions=transitions(("reply", "task"))),
        laws.two_samples_are_two_runs,
        "2 runs are read as 1",
        f"{MEMO.sample}\n{MEMO.sample}",
    ),
    "a stop sequence is never written": (
        lambda: replace(MEMO, stop=("\nOutcome:",)),
        laws.a_stop_sequence_stops_no_step,
        r"the stop sequence '\\nOutcome:' is not in a rendered step",
        "Plan: old\nTool: search\nWith: old\nResult: seen\n",
    ),
    "a stop sequence is not a marker": (
        lambda: replace(MEMO, stop=("\nOutcome:",)),
        laws.a_stop_sequence_is_a_marker,
        r"'\\nOutcome:' is neither a marker of the lenient table nor the closer",
        "",
    ),
    "an observation ends with its line": (
        lambda: with_table(
            markers={**TABLE.markers, "line": Literal("\n")},
            transitions={**TABLE.transitions, ("result", "line"): Go("plan")},
        ),
        laws.no_observation_changes_how_the_text_around_it_is_read,
        "the last thought should be 'enough', found",
        r"Tool: search\nWith: oldest bridge in Bern\nResult: .*Plan: enough\nReply: seven",
    ),
    "an observation is cut": (
        lambda: replace(
            MEMO, render_observation=lambda result, _number: f"\nResult: {result[:20]}\n"
        ),
        laws.no_observation_changes_how_the_text_around_it_is_read,
        r"the observation should be '.{21,}', found '.{20}'",
        "",
    ),
    "a codec drops characters": (
        lambda: with_table(read_input=without_fortytwo),
        laws.plain_words_are_never_refused,
        "its input '42' is read back as ''",
        "Tool: search\nWith: 42",
    ),
    "a codec looks at the text again for each character": (
        lambda: with_table(read_input=counting_again),
        laws.twice_the_text_is_twice_the_work,
        r"take [34]\.\d times the work, in chunks of 1",
        "",
    ),
    "a codec cuts off one character after the other": (
        lambda: with_table(read_input=slicing),
        laws.eight_times_the_text_takes_less_than_sixteen_times_as_long,
        "take more than sixteen times as long",
        "",
    ),
    "a reader knows some names only": (
        lambda: with_table(read_tool=looked_up),
        laws.plain_words_are_never_refused,
        r"it raised KeyError: 'look_up' \(wrong_dialects\.py, line \d+\)",
        "Tool: look_up\nWith: old",
    ),
    "a codec has a problem without words": (
        lambda: with_table(read_input=two_or_more),
        laws.a_turn_is_read_or_refused,
        "it raised LookupError: dialect 'memo' does not define the problem 'too_short'",
        r"Tool:\w\nWith:.?",
    ),
    "a call reader is used twice": (
        shared_reader,
        laws.every_call_has_a_reader_of_its_own,
        "new_call returns the same reader twice",
        "",
    ),
    "a marker ends in a blank": (
        lambda: with_table(markers={**TABLE.markers, "plan": Literal("\nPlan: ")}),
        laws.no_marker_ends_in_white_space,
        r"'\\nPlan: ', the marker 'plan', ends in white space; remove it",
        "",
    ),
    "what is copied is an action": (
        lambda: replace(MEMO, show=lambda tool, _given: Written(tool=tool, tool_input="a lake")),
        laws.what_is_copied_from_the_instructions_is_no_turn,
        "the copied reply is read as the action 'search' with {'query': 'a lake'}",
        r".*Tool: search\nWith: a lake",
    ),
    "a prompt ends in a tab": (
        lambda: replace(MEMO, generation_prompt=lambda _number: "Plan:\t"),
        laws.a_prompt_ends_where_a_word_may_begin,
        "a prompt ends in white space",
        r".*Plan:\t",
    ),
    "the sample has an old label": (
        lambda: replace(MEMO, sample=MEMO.sample.replace("Result:", "Output:")),
        laws.the_sample_is_one_flawless_run,
        r"found the action 'search' with .*\\nOutput:",
        MEMO.sample.replace("Result:", "Output:"),
    ),
    "the sample is written differently": (
        lambda: replace(MEMO, sample=MEMO.sample.replace("Tool: ", "Tool:  ")),
        laws.the_steps_of_the_sample_are_written_as_they_stand,
        r"step 1 is rendered as other text: 'Plan: I look it up.\\nTool: search",
        "Plan: I look it up.\nTool:  search\nWith: oldest bridge in Bern",
    ),
    "the instructions show an old label": (
        lambda: replace(MEMO, prompt="{tools}\n\nPlan: think\nCall: a tool\nReply: the answer"),
        laws.the_instructions_show_no_label_that_is_not_read,
        "shown next to labels, but not read as a label: 'Call:'",
        "Plan: think\nCall: a tool\nReply: the answer",
    ),
    "the instructions lack a label": (
        lambda: replace(MEMO, prompt="{tools}\n\nPlan: think\nCall: a tool\nReply: the answer"),
        laws.the_instructions_show_the_labels_that_are_read,
        "the prompt lacks 'Tool:', the marker 'tool'",
        "",
    ),
    "a call is shown without tools": (
        lambda: replace(
            MEMO, prompt_words=replace(MEMO.prompt_words, no_tools="{answer}\n\nTool: a\nWith: b")
        ),
        laws.without_tools_no_call_is_shown,
        "the text is read as the action 'a' with 'b'",
        "Tool: a\nWith: b",
    ),
    "the instructions lack the tools": (
        lambda: replace(MEMO, prompt="{form}\n\n{action}"),
        laws.the_instructions_name_every_tool,
        "the description 'finds what it is asked' occurs 0 times for 2 tools",
        "",
    ),
    "an alias is taken": (
        lambda: replace(MEMO, aliases=("react_single_input",)),
        laws.a_name_is_that_of_one_dialect,
        "another dialect, 'react', also has the name 'react_single_input'",
        "",
    ),
    "a state is not reached": (
        lambda: with_table(parts={**TABLE.parts, "note": Part.THOUGHT}),
        laws.every_state_can_be_reached,
        "no transition of the table leads to 'note'",
        "",
    ),
    "a marker is never written": (
        lambda: with_table(
            markers=NOTE, transitions={**TABLE.transitions, ("plan", "note"): Go("plan")}
        ),
        laws.every_marker_is_written,
        "'Note:', the marker 'note', is neither in the sample nor in what",
        "",
    ),
    "a transcript begins nowhere": (
        lambda: with_table(transcript_start=""),
        laws.every_transcript_has_a_beginning,
        "transcript_start is empty in the lenient table",
        "",
    ),
    "lenient reading does not report a repair": (
        lambda: replace(MEMO, lenient=replace(MEMO.lenient, read_input=unquoted)),
        laws.without_a_repair_both_readings_are_the_same,
        "strict mode reads .*, lenient mode .*, and no repair is reported",
        r'Tool:\w\nWith:"',
    ),
    "lenient reading knows no reply": (
        lambda: replace(MEMO, lenient=without_a_reply()),
        laws.lenient_reads_what_strict_reads,
        "strict mode reads the answer .*, lenient mode refuses it: expected an action or",
        r"Reply:.*",
    ),
    "lenient reading does not know the label of answers": (
        refusing_answers,
        laws.lenient_reads_what_strict_reads,
        "strict mode reads the answer .*, lenient mode refuses it: expected an action or",
        r".*Reply:.*",
    ),
    "strict reading repairs": (
        lambda: replace(MEMO, strict=MEMO.lenient),
        laws.strict_reading_repairs_nothing,
        r"it repairs '\[a\]': read the name of the tool as 'a'",
        r"Tool:\[a\]",
    ),
    "a codec closes strings": (
        lambda: with_input(closing_strings),
        laws.no_prefix_of_a_turn_acts_otherwise,
        (
            r"the text is read as the action 'transfer' with {.*}, expected 'transfer' with {.*} "
            r"\(ended: unknown\)"
        ),
        r"Tool: transfer\nWith: {.*",
    ),
    "a codec closes objects": (
        lambda: with_input(closing_objects),
        laws.no_prefix_of_a_turn_acts_otherwise,
        r"the text is read as the action 'transfer' with {.*}, expected .* \(ended: unknown\)",
        r"Tool: transfer\nWith: {.*",
    ),
    "a codec does without the closer": (
        lambda: with_input(without_closer, ("<<", ">>")),
        laws.no_prefix_of_a_turn_acts_otherwise,
        r"the text is read as the action 'transfer' with '.*', expected .* \(ended: unknown\)",
        r"Tool: transfer\nWith: <.*",
    ),
    "of two keys the last counts": (
        lambda: with_input(last_wins),
        laws.no_key_counts_twice,
        "a key appears twice, but the text is read as the action 'transfer' with {'kaa': 'two'}",
        'Tool: transfer\nWith: {"kaa": "one", "kaa": "two"}',
    ),
    "of two keys the first counts": (
        lambda: with_input(first_wins),
        laws.no_key_counts_twice,
        "a key appears twice, but the text is read as the action 'transfer' with {'kaa': 'one'}",
        'Tool: transfer\nWith: {"kaa": "one", "kaa": "two"}',
    ),
    "of two inner keys the last counts": (
        lambda: with_input(last_wins_inside),
        laws.no_key_counts_twice,
        "a key appears twice, but the text is read as .*{'o': {'kaa': 'two'}, 'z': 'end'}",
        'Tool: transfer\nWith: {"o": {"kaa": "one", "kaa": "two"}, "z": "end"}',
    ),
    "what stands beside an input is dropped": (
        dropping_members,
        laws.nothing_beside_a_call_is_dropped,
        "a part is dropped, and the rest is read as the action 'transfer' with {'to': 'A'}",
        '.*"(?:amount|a7note)": 5.*',
    ),
    "what begins like a tag is part of a value": (
        deaf_in_values,
        laws.no_value_holds_the_next,
        "the values are .*'one'.*'two'.*, but the call is .*(?:PARAMETER| parameter) name=",
        '.*<(?:PARAMETER| parameter) name="kbb">.*',
    ),
    "no reasoning is known": (
        lambda: replace(MEMO, reasoning=()),
        laws.reasoning_and_quotation_never_act,
        "the text is read with an extra call, the action 'transfer' with .*",
        r"(?:Let me see\.\n)?<.*",
    ),
    "some reasoning is not known": (
        lambda: replace(MEMO, reasoning=(("<think>", "</think>"), ("<thinking>", "</thinking>"))),
        laws.reasoning_and_quotation_never_act,
        "the text is read with an extra call, the action 'transfer' with .*",
        r"(?!<think>|<thinking>).*",
    ),
    "thoughts are content": (
        unaware_of_thoughts,
        laws.reasoning_and_quotation_never_act,
        "the text is read with an extra call, the action 'transfer' with {'query': 'quoted'}",
        "<think>.*",
    ),
    "thoughts are content, so that calls in them are emitted": (
        unaware_of_thoughts,
        laws.a_call_emitted_early_is_a_call_of_the_turn,
        "the stream emits .*'transfer'.*, expected .*",
        "<think>.*",
    ),
    "the end of a thought does not cancel the call before": (
        acting_on_thoughts,
        laws.reasoning_and_quotation_never_act,
        "the text is read with an extra call, the action 'transfer' with {'query': 'quoted'}",
        "Maybe:.*",
    ),
    "a call in an open thought is always a draft": (
        lambda: leniently(acting=()),
        laws.a_call_ends_an_open_thought,
        "the text is read as the error .*, expected .*",
        "(<think>\n)?I look it up.*",
    ),
    "a call in a thought ends it, whatever follows": (
        lambda: leniently(acting=(), rows={("thought", "call"): Go("call")}),
        laws.a_call_ends_an_open_thought,
        "no repair reports the call in reasoning",
        "(<think>\n)?I look it up.*",
    ),
    "a mark that opens a thought opens it anew": (
        lambda: leniently(rows={("thought", "thought"): Go("thought")}),
        laws.a_thought_keeps_its_words,
        "the thought .* is read as 'It wrote\\\\nquick'",
        "<think>.*",
    ),
    "the first end of a thought ends it": (
        lambda: leniently(rows={("thought", "end of thought"): Go("content", closes=True)}),
        laws.a_thought_keeps_its_words,
        "the thought .* is read as 'It wrote <think>quick'",
        "<think>.*",
    ),
    "another end of a thought is text": (
        lambda: leniently(
            rows={
                ("content", "end of thought"): HERMES.lenient.transitions[
                    "content", "end of thought"
                ]._replace(guards=(first_of_its_kind,))
            }
        ),
        laws.no_answer_has_the_end_of_a_thought,
        "the answer 'It is lit.' is read as .*</thi",
        "<think>.*",
    ),
    "results are written without their escapes": (
        lambda: replace(HERMES, name="hermes_like", aliases=(), render_results=without_escapes),
        laws.no_observation_forges_a_mark,
        "the marker '.*' occurs once too often",
        ".*",
    ),
    "a frame of words": (
        lambda: replace(
            HERMES, name="hermes_like", aliases=(), turn_frame=("\nTOOL\n", "\nMODEL\n")
        ),
        laws.no_observation_forges_a_mark,
        "the marker '(TOOL|MODEL)' occurs once too often",
        ".*",
    ),
    "what is no call behind a mark is content": (
        reading_marked_prose,
        laws.no_mark_of_a_call_is_text,
        "expected a call after its mark, found the answer '.*a7word and more",
        ".*<tool_call>.*",
    ),
    "no call need stand in the region of calls": (
        with_empty_regions,
        laws.no_mark_of_a_call_is_text,
        "expected a call after its mark, found '.*a7word and more.*'",
        r".*<\|tool_calls_section_begin\|>.*",
    ),
    "a call behind an answer is dropped": (
        deaf_behind_answers,
        laws.no_mark_of_a_call_is_text,
        "expected a call after its mark, found the answer 'It is noon.'",
        r"<\|START_RESPONSE\|>It is noon.<\|END_RESPONSE\|>\n?<\|START_ACTION\|>.*",
    ),
    "no mark of results ends a turn": (
        lambda: replace(HERMES, name="hermes_like", aliases=(), given=()),
        laws.what_is_given_is_never_said,
        "the result of a tool is read as the answer '<tool_response>",
        "<tool_response>\na7seen\n</tool_response>",
    ),
    "a mark of other results ends a turn": (
        lambda: replace(HERMES, name="hermes_like", aliases=(), given=(Given("[TOOL_RESULTS]"),)),
        laws.what_is_given_is_never_said,
        "the result of a tool is read as the answer '<tool_response>",
        "<tool_response>\na7seen\n</tool_response>",
    ),
    "no mark of another role ends a turn": (
        lambda: replace(HERMES, name="hermes_like", aliases=(), given=HERMES.given[:1]),
        laws.what_is_given_is_never_said,
        "the text is read as .*a7seen.*, expected .*",
        r".*<\|im_start\|>user<tool_call>.*",
    ),
    "no mark of the user ends a turn": (
        lambda: without_user("phi4_mini", "<|user|>"),
        laws.what_is_given_is_never_said,
        "the text is read as .*a7seen.*, expected .*",
        r".*<\|user\|>.*",
    ),
    "a frame whose roles nobody knows by their marks": (
        lambda: without_user("xing4", "<_user>"),
        laws.what_is_given_is_never_said,
        "the text is read as .*a7seen.*, expected .*",
        r".*<_user>.*",
    ),
    "a codec takes truth for a number": (
        lambda: with_input(counting_truth),
        laws.a_value_is_read_as_it_is_written,
        "the input {'query': True} is read as {'query': 1}",
        "Tool: search\nWith: {.query.: true}",
    ),
    "the same call twice is made once": (
        lambda: finishing(lambda calls: [*{str(each.tool_input): each for each in calls}.values()]),
        laws.each_call_of_a_turn_is_made,
        "the calls .* are read as .*",
        "",
    ),
    "content beside a thought is not written": (
        lambda: hermes_like(write=without_content),
        laws.content_beside_a_call_is_kept,
        "the content 'One moment a7said.' is read as ''",
        "<think>.*",
    ),
    "content behind a call is dropped": (
        lambda: finishing(lambda found: [each for each in found if not each.is_text]),
        laws.content_beside_a_call_is_kept,
        "the content 'One moment a7said.' is read as ''",
        "<tool_call>.*",
    ),
    "a third result is not written": (
        lambda: hermes_like(render_results=lambda found, at: HERMES.results_text(found[:2], at)),
        laws.every_result_is_written,
        "the result 'a7three' is not written",
        ".*",
    ),
    "a stop sequence ends the first of two calls": (
        lambda: hermes_like(stop=("</tool_call>",)),
        laws.a_stop_sequence_stops_no_step,
        "if the model stops at '</tool_call>', the action .* twice is read as the action",
        ".*<tool_call>.*",
    ),
    "a mark that quotes opens a call": (
        lambda: replace(hermes.FORMAT, name="quoting", also={"call": ("<page>",)}).dialect(),
        laws.no_mark_of_a_call_quotes,
        "'<page>', the marker 'call', opens a call, but it quotes",
        "",
    ),
    "the example cannot be read": (
        lambda: replace(MEMO, example=Written(tool="search", tool_input={"query": "lakes"})),
        laws.the_example_is_an_action,
        "is read as the action 'search' with \"{'query': 'lakes'}\"",
        "Tool: search\nWith: {'query': 'lakes'}",
    ),
}
"""Dialects, the law that says what is wrong with them, its words, and the text."""
