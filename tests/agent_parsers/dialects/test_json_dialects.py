"""The dialects whose calls are JSON, with the name in it or beside it, case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from agent_parsers import StreamParser, get_dialect
from agent_parsers.authoring import Result, Written
from agent_parsers.events import AnswerDelta, MarkerSeen, ThoughtDelta

from ...helpers.json_stories import CALL, MODES, PING, every_mode, read, repaired, said, story

if TYPE_CHECKING:
    from agent_parsers.engine.tables.modes import Mode

# -- hermes ---------------------------------------------------------------------------------------

FIND: Final = ("find", {"city": "Bern"})


class TestHermes:
    def test_a_turn_may_have_several_blocks_and_content_around_them(self) -> None:
        text = f"a\n<tool_call>\n{CALL}\n</tool_call>\nb<tool_call>{PING}</tool_call> c"
        for mode in MODES:
            assert read("hermes", text, mode) == [FIND, ("ping", {})]
            assert said("hermes", text, AnswerDelta, mode) == ["a", "b", "c"]

    def test_a_block_strictly_has_one_call(self) -> None:
        text = f"<tool_call>{CALL}\n{PING}</tool_call>"
        assert read("hermes", text, "strict") is None
        assert read("hermes", text) == [FIND, ("ping", {})]
        assert repaired("hermes", text) == ["several_calls"]

    def test_a_list_is_strictly_no_call(self) -> None:
        text = f"<tool_call>[{CALL}, {PING}]</tool_call>"
        assert read("hermes", text, "strict") is None
        assert read("hermes", text) == [FIND, ("ping", {})]

    def test_what_follows_the_json_in_a_block_is_content(self) -> None:
        text = f"<tool_call>{CALL} I wait."
        assert read("hermes", text, "strict") is None
        assert read("hermes", text) == [FIND]
        assert said("hermes", text, AnswerDelta) == ["I wait."]

    @every_mode
    def test_a_string_may_hold_the_closing_tag(self, mode: Mode) -> None:
        text = '<tool_call>{"name": "f", "arguments": {"a": "x</tool_call>y"}}</tool_call>'
        assert read("hermes", text, mode) == [("f", {"a": "x</tool_call>y"})]

    @every_mode
    def test_arguments_may_come_first_or_be_missing(self, mode: Mode) -> None:
        first = '<tool_call>{"arguments": {"a": 1}, "name": "f"}</tool_call>'
        assert read("hermes", first, mode) == [("f", {"a": 1})]
        assert read("hermes", '<tool_call>{"name": "f"}</tool_call>', mode) == [("f", {})]

    @pytest.mark.parametrize(
        "block",
        [
            '{"name": "find", "parameters": {"city": "Bern"}}',
            '{"name": "find", "arguments": "{\\"city\\": \\"Bern\\"}"}',
            "{'name': 'find', 'arguments': {'city': 'Bern'}}",
            '{"name": "find", "arguments": {"city": "Bern",},}',
            f"```json\n{CALL}\n```",
            f"Sure: {CALL}",
        ],
    )
    def test_common_mistakes_in_a_block_are_repaired_and_reported(self, block: str) -> None:
        text = f"<tool_call>{block}</tool_call>"
        assert read("hermes", text) == [FIND]
        assert repaired("hermes", text)

    def test_a_call_needs_no_opening_tag_at_the_beginning_of_content(self) -> None:
        assert read("hermes", f"<think>x</think>{CALL}\n</tool_call>") == [FIND]
        assert repaired("hermes", f"{CALL}\n</tool_call>") == ["marks"]
        for answer in (f"It is {CALL}", '{"open": true} or not', '{"name": "Ada"}', '{"open": tr'):
            assert read("hermes", answer) == answer

    @every_mode
    def test_a_block_that_is_not_a_call_is_an_error_beside_others_too(self, mode: Mode) -> None:
        text = f"<tool_call>nothing</tool_call><tool_call>{CALL}</tool_call>"
        assert read("hermes", text, mode) is None

    @every_mode
    def test_half_a_call_is_not_a_call(self, mode: Mode) -> None:
        assert read("hermes", '<tool_call>{"name": "f", "arguments": {"a": "b', mode) is None

    def test_a_draft_in_a_finished_thought_is_not_a_call(self) -> None:
        text = f"<think><tool_call>{CALL}</tool_call></think>"
        assert read("hermes", text) is None
        assert read("hermes", f"{text}Hi") == "Hi"

    def test_the_prompt_may_have_opened_a_thought(self) -> None:
        for mode in MODES:
            text = "I think.</think>Yes"
            assert read("hermes", text, mode, start="thought") == "Yes"


# -- name, then JSON ------------------------------------------------------------------------------


class TestMistral:
    @every_mode
    @pytest.mark.parametrize("name", ["mistral", "mistral_v3", "mistral_v11"])
    def test_all_generations_are_read(self, name: str, mode: Mode) -> None:
        for text, call_id in (
            ('[TOOL_CALLS] [{"name": "f", "arguments": {"a": 1}, "id": "abcdefghi"}]', "abcdefghi"),
            ('[TOOL_CALLS]f[CALL_ID]abcdefghi[ARGS]{"a": 1}', "abcdefghi"),
            ('[TOOL_CALLS]f[ARGS]{"a": 1}', None),
        ):
            assert story(name, text, mode)[1] == [("f", {"a": 1}, call_id)]

    @every_mode
    def test_a_turn_may_have_several_calls(self, mode: Mode) -> None:
        text = '[TOOL_CALLS]f[ARGS]{"a": 1}[TOOL_CALLS]ping[ARGS]{}'
        assert read("mistral", text, mode) == [("f", {"a": 1}), ("ping", {})]
        text = '[TOOL_CALLS][{"name": "f", "arguments": {"a": 1}}, {"arguments": {}, "name": "g"}]'
        assert read("mistral", text, mode) == [("f", {"a": 1}), ("g", {})]

    @every_mode
    def test_what_follows_a_call_is_content(self, mode: Mode) -> None:
        text = 'a[TOOL_CALLS]f[ARGS]{"x": "[TOOL_CALLS]"} `b`\nc[THINK]d[/THINK]e'
        assert read("mistral", text, mode) == [("f", {"x": "[TOOL_CALLS]"})]
        assert said("mistral", text, AnswerDelta, mode) == ["a", "`b`\nc", "e"]
        assert said("mistral", text, ThoughtDelta, mode) == ["d"]

    @every_mode
    def test_a_call_in_a_thought_is_a_draft(self, mode: Mode) -> None:
        assert read("mistral", "[THINK]a [TOOL_CALLS]f[ARGS]{} b[/THINK]c", mode) == "c"

    @pytest.mark.parametrize(
        "text",
        [
            '[TOOL_CALLS]rent{"boat": "raft"}',
            '[TOOL_CALLS][TOOL_CALLS] [{"name": "rent", "arguments": {"boat": "raft"}}]',
            '[{"name": "rent", "arguments": {"boat": "raft"}}]',
            '[TOOL_CALLS] {"name": "rent", "arguments": {"boat": "raft"}}',
            '[TOOL_CALLS] rubbish [{"name": "rent", "arguments": {"boat": "raft"}}]',
            '[TOOL_CALLS]rent[ARGS]"{\\"boat\\": \\"raft\\"}"',
            "[TOOL_CALLS] [{'name': 'rent', 'arguments': {'boat': 'raft'}}]",
        ],
    )
    def test_common_mistakes_are_repaired_and_reported(self, text: str) -> None:
        assert read("mistral", text, "strict") in (None, text)
        assert read("mistral", text) == [("rent", {"boat": "raft"})]
        assert repaired("mistral", text)

    @every_mode
    @pytest.mark.parametrize(
        "text",
        ["ping[TOOL_CALLS]{}", "[TOOL_CALLS]f[ARGS]", '[TOOL_CALLS]f[ARGS]{"a": "b',
         "[TOOL_CALLS]f[ARGS]nothing", "[TOOL_CALLS]a b[ARGS]{}", "[TOOL_CALLS][ARGS]{}"],
    )  # fmt: skip
    def test_a_name_or_input_alone_is_not_a_call(self, text: str, mode: Mode) -> None:
        assert read("mistral", text, mode) is None

    @every_mode
    def test_brackets_are_text(self, mode: Mode) -> None:
        for text in ("[TO be]", "[TOOL", "[ARGS]", "[a](b)"):
            assert read("mistral", text, mode) == text


BEGIN, END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
OPEN, SEPARATOR, CLOSE = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"


class TestDeepSeek:
    @every_mode
    def test_v3_has_a_fence_which_a_string_may_hold_too(self, mode: Mode) -> None:
        one = f'{OPEN}function{SEPARATOR}f\n```json\n{{"a": "```"}}\n```{CLOSE}'
        text = f"Hm.{BEGIN}{one}\n{one}{END}"
        assert read("deepseek_v3", text, mode) == [("f", {"a": "```"})] * 2
        assert said("deepseek_v3", text, AnswerDelta, mode) == ["Hm."]

    @every_mode
    def test_v31_has_none(self, mode: Mode) -> None:
        one = f'{OPEN}f{SEPARATOR}{{"a": "{CLOSE}"}}{CLOSE}'
        assert read("deepseek_v31", f"{BEGIN}{one}{one}{END}", mode) == [("f", {"a": CLOSE})] * 2

    @pytest.mark.parametrize(
        "text",
        [
            f'{BEGIN}{OPEN}function{SEPARATOR}f{{"a": 1}}{CLOSE}{END}',
            f'{BEGIN}{OPEN}function{SEPARATOR}f\n```\n{{"a": 1}}```{CLOSE}{END}',
            f'{OPEN}function{SEPARATOR}f\n```json\n{{"a": 1}}\n```',
            f'{BEGIN}{OPEN}f{SEPARATOR}{{"a": 1}}',
            f'{BEGIN}{OPEN}function{SEPARATOR}f\n```json\n{{{{"a": 1}}\n```{CLOSE}',
        ],
    )
    def test_common_mistakes_are_repaired_and_reported(self, text: str) -> None:
        assert read("deepseek_v3", text, "strict") is None
        for name in ("deepseek_v3", "deepseek_v31"):
            assert read(name, text) == [("f", {"a": 1})]
        assert repaired("deepseek_v3", text)

    @every_mode
    def test_the_ends_may_be_missing(self, mode: Mode) -> None:
        assert read("deepseek_v31", f"{BEGIN}{OPEN}f{SEPARATOR}{{}}", mode) == [("f", {})]

    @every_mode
    def test_only_a_region_may_be_read_in_an_open_thought(self, mode: Mode) -> None:
        call = f"{OPEN}f{SEPARATOR}{{}}{CLOSE}"
        assert read("deepseek_v31", f"<think>x {call}</think>y", mode) == "y"
        assert read("deepseek_v31", f"<think>x {call}", mode) is None
        wanted = [("f", {})] if mode == "lenient" else None
        assert read("deepseek_v31", f"<think>x {BEGIN}{call}{END}", mode) == wanted
        assert read("deepseek_v3", f"<think>x {BEGIN}{call}{END}", mode) == wanted


SECTION, SECTION_END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
KIMI, ARGUMENTS, KIMI_END = (
    "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>",
    "<|tool_call_end|>",
)


class TestKimi:
    @every_mode
    def test_the_header_is_the_id_and_holds_the_name(self, mode: Mode) -> None:
        text = f'a{SECTION}{KIMI}functions.a.b:12{ARGUMENTS}{{"x": "{KIMI_END}"}}{KIMI_END}'
        result = story("kimi_k2", text + SECTION_END, mode)[1]
        assert result == [("a.b", {"x": KIMI_END}, "functions.a.b:12")]

    @pytest.mark.parametrize("header", ["call_7f", "functions.ping.1", "functions_ping_1", ":0"])
    def test_without_a_number_the_name_is_not_trusted(self, header: str) -> None:
        bad = f"{KIMI}{header}{ARGUMENTS}{{}}{KIMI_END}"
        good = f"{KIMI}functions.f:1{ARGUMENTS}{{}}{KIMI_END}"
        for mode in MODES:
            assert read("kimi_k2", f"{SECTION}{bad}{SECTION_END}", mode) is None
            assert read("kimi_k2", f"{SECTION}{bad}{good}{SECTION_END}", mode) is None

    @pytest.mark.parametrize(
        "text",
        [
            f"{KIMI}functions.f:0{ARGUMENTS}{{}}{KIMI_END}",
            f"{SECTION.replace('calls', 'call')}{KIMI}functions.f:0{ARGUMENTS}{{}}{KIMI_END}",
            f"{SECTION}{KIMI} functions.f:0 {ARGUMENTS} {{}} {KIMI_END}",
            f"{SECTION}{KIMI}f:0{ARGUMENTS}{{}}{KIMI_END}",
            f"{SECTION}{KIMI}functions.f:0{ARGUMENTS}{KIMI_END}",
        ],
    )
    def test_common_mistakes_are_repaired_and_reported(self, text: str) -> None:
        assert read("kimi_k2", text, "strict") is None
        assert read("kimi_k2", text) == [("f", {})]
        assert repaired("kimi_k2", text)

    def test_a_section_may_be_read_in_an_open_thought(self) -> None:
        text = f"<think>a{SECTION}{KIMI}functions.f:0{ARGUMENTS}{{}}{SECTION_END}"
        assert read("kimi_k2", text) == [("f", {})]
        assert repaired("kimi_k2", text) == ["open_reasoning"]
        assert said("kimi_k2", text, ThoughtDelta, "lenient") == ["a"]
        assert read("kimi_k2", text, "strict") is None


# -- no marks at all ------------------------------------------------------------------------------


class TestLlama:
    @every_mode
    def test_a_turn_with_both_keys_is_a_call(self, mode: Mode) -> None:
        for text in (
            '{"name": "f", "parameters": {"a": "}"}}',
            '<|python_tag|>{"parameters": {"a": "}"}, "name": "f"}<|eom_id|>',
        ):
            assert read("llama3_json", text, mode) == [("f", {"a": "}"})]

    @every_mode
    def test_lenient_mode_drops_a_type_beside_the_call(self, mode: Mode) -> None:
        text = '{"type": "function", "name": "f", "parameters": {"a": "}"}}'
        called = [("f", {"a": "}"})]
        assert read("llama3_json", text, mode) == (None if mode == "strict" else called)

    @every_mode
    def test_any_other_text_is_the_answer(self, mode: Mode) -> None:
        for text in ('{"open": true}', '{"name": "Ada", "age": 3}', "{x} is a set", "[1]", "Hello"):
            assert read("llama3_json", text, mode) == text
        assert read("llama3_json", "<|python_tag|>print(1)", mode) is None

    @every_mode
    def test_what_is_held_becomes_content_at_once(self, mode: Mode) -> None:
        parser = StreamParser(get_dialect("llama3_json"), mode=mode)
        assert parser.feed('{"open": {"name": "x"}, "b": "<|python_tag|>"') == []
        assert parser.feed("} and") == [
            AnswerDelta('{"open": {"name": "x"}, "b": "<|python_tag|>"} and', (0, 50))
        ]

    @every_mode
    def test_half_an_object_is_neither(self, mode: Mode) -> None:
        assert read("llama3_json", '{"name": "f", "para', mode) is None
        assert read("llama3_json", '{"name": "f", "parameters": {"a": 1', mode) is None
        for half in ("{", '{"name": "f"', '{"name": "f", "para', '{"a": 1, "b": 2'):
            assert read("llama3_json", f"{half}<|eot_id|>", mode) is None
            assert read("xlam", f"[{half}<|eot_id|>", mode) is None

    @every_mode
    def test_what_follows_a_call_is_content(self, mode: Mode) -> None:
        text = '{"name": "f", "parameters": {}} \n\nShall I go on? {"a": 1}'
        assert read("llama3_json", text, mode) == [("f", {})]
        assert said("llama3_json", text, AnswerDelta, mode) == ['Shall I go on? {"a": 1}']

    def test_several_objects_and_other_keys_are_repaired(self) -> None:
        two = '{"name": "f", "parameters": {}}; {"name": "g", "parameters": {"a": 1}}'
        assert read("llama3_json", two, "strict") is None
        text = '{"name": "f", "parameters": {}}; {"function": "g", "arguments": {"a": 1}}'
        assert read("llama3_json", two) == read("llama3_json", text)
        assert read("llama3_json", text) == [("f", {}), ("g", {"a": 1})]
        text = "Here it is:\n{'name': 'f', 'parameters': {}}"
        assert read("llama3_json", text) == [("f", {})]
        assert said("llama3_json", text, AnswerDelta) == ["Here it is:"]


# -- messages with headers ------------------------------------------------------------------------

CHANNEL, MESSAGE, START = "<|channel|>", "<|message|>", "<|start|>"


class TestHarmony:
    @every_mode
    @pytest.mark.parametrize(
        "header",
        [
            f"{CHANNEL}commentary to=functions.f <|constrain|>json",
            f"{CHANNEL}commentary to=functions.f<|constrain|>json",
            f" to=functions.f{CHANNEL}commentary json",
            f"{START}assistant to=functions.f{CHANNEL}analysis json",
            f"{START}assistant{CHANNEL}commentary{CHANNEL}analysis to=f",
            f"{CHANNEL}commentary well then to=functions.f",
        ],
    )
    def test_a_recipient_makes_a_call(self, header: str, mode: Mode) -> None:
        text = f'{header}{MESSAGE}{{"a": "<|end|>"}}<|call|>'
        assert read("harmony", text, mode) == [("f", {"a": "<|end|>"})]

    @every_mode
    def test_the_channel_says_what_other_bodies_are(self, mode: Mode) -> None:
        text = (
            f"{CHANNEL}analysis{MESSAGE}t<|end|>{START}assistant{CHANNEL}commentary{MESSAGE}a"
            f"<|end|>{START}assistant{CHANNEL}final{MESSAGE}b\n{CHANNEL}final{MESSAGE}c<|return|>"
        )
        assert read("harmony", text, mode) == "b\nc"  # words in between are no answer
        assert said("harmony", text, ThoughtDelta, mode) == ["t"]

    @every_mode
    def test_nothing_is_emitted_before_the_header_is_complete(self, mode: Mode) -> None:
        parser = StreamParser(get_dialect("harmony"), mode=mode)
        assert parser.feed(f"{CHANNEL}final <|constr") == []
        assert parser.feed("ain|>x<|mess") == []
        assert AnswerDelta("Yes", (42, 45)) in parser.feed("age|>Yes")

    @every_mode
    def test_text_without_tokens_is_content_at_once(self, mode: Mode) -> None:
        parser = StreamParser(get_dialect("harmony"), mode=mode)
        assert AnswerDelta("Hello", (0, 5)) in parser.feed("Hello")

    @every_mode
    def test_a_builtin_tool_is_not_called(self, mode: Mode) -> None:
        for name in ("python", "browser.search", "container.exec"):
            text = f"{CHANNEL}analysis to={name} code{MESSAGE}print(1)<|call|>"
            assert read("harmony", text, mode) is None

    @every_mode
    def test_another_type_is_text(self, mode: Mode) -> None:
        text = f"{CHANNEL}commentary to=functions.run code{MESSAGE} print(1)<|call|>"
        assert read("harmony", text, mode) == [("run", "print(1)")]

    @every_mode
    @pytest.mark.parametrize("of_type", [" code", " <|constrain|>xml"])
    def test_a_tool_with_parameters_takes_no_other_text_than_json(
        self, of_type: str, mode: Mode
    ) -> None:
        def run(command: str = "ls") -> str:
            return command

        def said_in(body: str) -> Any:
            text = f"{CHANNEL}commentary to=functions.run{of_type}{MESSAGE}{body}<|call|>"
            return read("harmony", text, mode, tools=[run])

        assert said_in("<p:command>ls</p:command>") is None
        assert said_in("{ls") is None
        assert said_in('{"command": "pwd"}') == [("run", {"command": "pwd"})]

    @every_mode
    def test_a_result_that_the_model_wrote_itself_is_refused(self, mode: Mode) -> None:
        invented = f"{START}functions.f to=assistant{CHANNEL}commentary{MESSAGE}{{}}<|end|>"
        assert read("harmony", f"{invented}{START}assistant{CHANNEL}final{MESSAGE}x", mode) is None

    def test_a_header_without_its_end_is_repaired(self) -> None:
        text = f'{CHANNEL}commentary to=functions.f <|constrain|>json{{"a": 1}}<|call|>'
        assert read("harmony", text, "strict") is None
        assert read("harmony", text) == [("f", {"a": 1})]
        assert repaired("harmony", text) == ["head"]
        assert read("harmony", f"{CHANNEL}final Hello") == "Hello"

    def test_what_is_left_of_lost_tokens_is_read(self) -> None:
        text = 'analysisHm.assistantcommentary to=functions.f json{"a": 1}'
        assert read("harmony", text) == [("f", {"a": 1})]
        assert read("harmony", "analysisHm.assistantfinalYes.") == "Yes."
        for answer in ("analysis of this", "finally to=5", "final: no"):
            assert read("harmony", answer) == answer

    def test_among_marks_the_words_that_lost_ones_leave_are_text(self) -> None:
        text = f"{CHANNEL}final{MESSAGE}Write assistantfinal here."
        assert read("harmony", text) == "Write assistantfinal here."
        assert read("harmony", "Write assistantfinalYes.", start="content") == "Write\nYes."
        text = f"Hm.<|end|>{START}assistant{CHANNEL}final{MESSAGE}Not assistantanalysis."
        assert read("harmony", text, start="thought") == "Not assistantanalysis."

    @every_mode
    def test_a_mark_says_whose_message_follows_as_soon_as_that_is_known(self, mode: Mode) -> None:
        parser = StreamParser(get_dialect("harmony"), mode=mode)
        events = parser.feed(f"{CHANNEL}final{MESSAGE}Yes.{START}")
        assert events[-1] == AnswerDelta("Yes.", (27, 31))
        assert parser.feed("assist") == [MarkerSeen("message", (31, 40))]
        assert AnswerDelta("No.", (76, 79)) in parser.feed(f"ant{CHANNEL}final{MESSAGE}No.")

    def test_a_type_may_be_glued_to_the_name_of_a_known_tool(self) -> None:
        text = f"{CHANNEL}commentary to=functions.fjson{MESSAGE}{{}}"
        assert read("harmony", text, tools=["f"]) == [("f", {})]
        assert read("harmony", text, tools=["f", "fjson"]) == [("fjson", {})]
        assert read("harmony", text) == [("fjson", {})]


class TestVariants:
    def test_phi4_has_two_openers(self) -> None:
        text = '<|tool_call|>[{"type": "function", "function": {"name": "f", "arguments": {}}}]'
        assert read("phi4_mini", f"{text}<|/tool_call|>") == [("f", {})]
        assert read("phi4_mini", "functools.cache") == "functools.cache"

    @every_mode
    def test_a_word_of_prose_is_held_until_it_is_known_to_be_no_mark(self, mode: Mode) -> None:
        parser = StreamParser(get_dialect("phi4_mini"), mode=mode)
        assert parser.feed("Use functools [") == [AnswerDelta("Use", (0, 3))]
        assert parser.feed("0]") == [AnswerDelta(" functools [0]", (3, 17))]
        assert read("phi4_mini", f"functools\n[\n{CALL}]", mode) == [FIND]

    def test_granite_3_0_wrote_a_tag(self) -> None:
        assert read("granite", f"<tool_call>[{CALL}]") == [FIND]

    def test_xlam_is_read_in_a_fence_and_behind_marks(self) -> None:
        for text in (f"```json\n[{CALL}]\n```", f"<tool_call>[{CALL}]</tool_call>", f"[{CALL}]"):
            assert read("xlam", text) == [FIND]


def test_ids_are_written_as_the_templates_take_them() -> None:
    step = Written(tool="f", tool_input={}, number=3)
    for name in ("mistral_v3", "mistral_v11"):
        [(_, _, call_id)] = story(name, get_dialect(name).write(step))[1]
        assert call_id == "000000003"
        assert call_id in get_dialect(name).results_text([Result("f", "x")], 3)
    assert story("kimi_k2", get_dialect("kimi_k2").write(step))[1] == [("f", {}, "functions.f:2")]
