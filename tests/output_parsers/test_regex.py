import asyncio
import pickle
import subprocess
import sys
from typing import Any

import langchain_classic.output_parsers.regex as lc
import langchain_classic.output_parsers.regex_dict as lc_dict
import pytest
from hypothesis import given
from hypothesis import strategies as st

from output_parsers import OutputParserException
from output_parsers.regex import RegexParser
from output_parsers.regex_dict import RegexDictParser
from output_parsers.text.timed_regex import TimeLeft
from outputs import AIMessage

SLOW = r"^(a|aa)+$"
SLOW_TEXT = "a" * 60 + "!"

PATTERNS = [
    (r"Score: (\d+)", ["score"]),
    (r"(\w+)=(\w*)", ["key", "value"]),
    (r"(?i)(a)|(b)", ["a", "b"]),
    (r"(?s)<(.*)>", ["inner"]),
    (r"^(\S+)\s*$", ["word"]),
    ("no groups", []),
    (r"(x)(y)(z)?", ["x"]),
]

texts = st.lists(
    st.sampled_from(["Score: ", "7", "a", "B", "x", "y", "=", "<", ">", " ", "\n", "é"]), max_size=8
).map("".join)


def outcome(parser: Any, text: str) -> Any:
    try:
        return parser.parse(text)
    except ValueError as error:
        return str(error)


@given(st.sampled_from(PATTERNS), texts, st.sampled_from([None, "score", "key", "other"]))
def test_results_and_messages_are_those_of_langchain(
    pattern: tuple[str, list[str]], text: str, default: str | None
) -> None:
    fields = {"regex": pattern[0], "output_keys": pattern[1], "default_output_key": default}
    assert outcome(RegexParser(**fields), text) == outcome(lc.RegexParser(**fields), text)


def test_the_groups_of_the_first_match_get_their_names() -> None:
    parser = RegexParser(
        regex=r"Score: (\d+), because (.*)",
        output_keys=["score", "reason"],
        default_output_key="reason",
    )
    text = "Score: 7, because it rhymes\nScore: 8, because"
    result = {"score": "7", "reason": "it rhymes"}
    assert parser.parse(text) == parser.invoke(AIMessage(content=text)) == result
    assert asyncio.run(parser.aparse(text)) == result
    assert list(parser.transform(iter(text))) == [result]
    assert parser.parse("Great!") == {"score": "", "reason": "Great!"}


def test_no_match_is_an_error_that_shows_the_form() -> None:
    parser = RegexParser(regex=r"Score: (\d+)", output_keys=["score"])
    with pytest.raises(OutputParserException, match=r"^Could not parse output: Seven\n") as caught:
        parser.parse("Seven")
    assert caught.value.llm_output == "Seven"
    assert str(caught.value.observation).endswith(parser.get_format_instructions())
    assert r"Score: (\d+)" in parser.get_format_instructions()
    assert "score" in parser.get_format_instructions()


@pytest.mark.parametrize(
    ("parser", "slow"),
    [
        (RegexParser(regex=SLOW, output_keys=["a"], timeout_s=0.1), SLOW),
        (
            RegexDictParser(
                regex_pattern="^({}|aa)+$", output_key_to_format={"x": "a"}, timeout_s=0.1
            ),
            SLOW,
        ),
        (
            RegexDictParser(
                regex_pattern="^({}|aa)+$",
                output_key_to_format={"x": "a", "y": "a", "z": "a"},
                timeout_s=0.1,
            ),
            SLOW,
        ),
    ],
)
def test_a_hostile_pattern_or_text_ends_in_time(parser: Any, slow: str) -> None:
    with pytest.raises(OutputParserException, match="took longer than") as caught:
        parser.parse(SLOW_TEXT)
    assert repr(slow) in str(caught.value)
    assert "timeout_s" in str(caught.value)
    assert caught.value.llm_output == SLOW_TEXT
    assert caught.value.observation


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "[a", "(" * 5000 + ")" * 5000])
def test_a_pattern_that_is_none_is_the_callers_mistake(pattern: str) -> None:
    with pytest.raises(ValueError, match="is not a regular expression") as caught:
        RegexParser(regex=pattern, output_keys=[])
    assert not isinstance(caught.value, OutputParserException)
    with pytest.raises(ValueError, match="is not a regular expression"):
        RegexDictParser(
            regex_pattern=pattern.replace("{", "{{").replace("}", "}}"),
            output_key_to_format={"a": "A"},
        )


def test_more_keys_than_groups_are_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="has 1 groups, but needs at least 2: one for each"):
        RegexParser(regex="(a)b", output_keys=["a", "b"])


@pytest.mark.parametrize("pattern", ["{}: (\\d{4})", "{}}", "{name}: (.*)", "{}: ({)"])
def test_braces_that_are_not_doubled_are_the_callers_mistake(pattern: str) -> None:
    with pytest.raises(ValueError, match="double every brace"):
        RegexDictParser(regex_pattern=pattern, output_key_to_format={"a": "A"})


LABELLED = """We got this result:

- Action: Search
- Action Input: How to use this class?
- Additional Fields: "N/A"

That's all."""

labelled = st.lists(
    st.sampled_from(["Action: x", "Action Input: y's.", "Q+A: n", "A", ": ", "\n", "é", "Q+A:N/A"]),
    max_size=6,
).map("".join)


@given(labelled, st.sampled_from([None, "N/A", "x"]), st.sampled_from([None, "{}: (.)(.)", "{}:"]))
def test_labelled_values_and_messages_are_those_of_langchain(
    text: str, no_update: str | None, pattern: str | None
) -> None:
    fields: dict[str, Any] = {"output_key_to_format": {"a": "Action", "b": "Q+A"}}
    fields |= {} if pattern is None else {"regex_pattern": pattern}
    ours = RegexDictParser(no_update_value=no_update, **fields)
    theirs = lc_dict.RegexDictParser(no_update_value=no_update, **fields)
    assert outcome(ours, text) == outcome(theirs, text)


def test_labels_get_their_keys() -> None:
    parser = RegexDictParser(output_key_to_format={"do": "Action", "on": "Action Input"})
    result = {"do": "Search", "on": "How to use this class?"}
    assert parser.parse(LABELLED) == parser.invoke(LABELLED) == result
    assert asyncio.run(parser.aparse(LABELLED)) == result
    parser.no_update_value = "Search"
    assert parser.parse(LABELLED) == {"on": "How to use this class?"}


@pytest.mark.parametrize(
    ("text", "message", "observation"),
    [
        ("", "No match found for output key: do with expected format", "'Action' is missing"),
        ("Action: a. Action: b", "Multiple matches found for output key: do", "2 values of"),
    ],
)
def test_a_label_is_there_once(text: str, message: str, observation: str) -> None:
    parser = RegexDictParser(output_key_to_format={"do": "Action"})
    with pytest.raises(OutputParserException, match=message) as caught:
        parser.parse(text)
    assert caught.value.llm_output == text
    assert observation in str(caught.value.observation)


def test_the_example_in_the_instructions_is_read() -> None:
    parser = RegexDictParser(output_key_to_format={"do": "Action", "on": "Action Input"})
    example = parser.get_format_instructions().partition("\n\n")[2].partition("\n\n")[0]
    assert parser.parse(example) == {"do": "<value>", "on": "<value>"}
    own = RegexDictParser(regex_pattern="{} is (.*)", output_key_to_format={"a": "A"})
    assert own.get_format_instructions().endswith("\n\nA is (.*)")


def test_they_describe_themselves_as_langchains_do() -> None:
    for ours, theirs in [
        (RegexParser(regex="(a)", output_keys=["a"]), lc.RegexParser),
        (RegexDictParser(output_key_to_format={"a": "A"}), lc_dict.RegexDictParser),
    ]:
        fields = ours.asdict(exclude={"timeout_s"})
        kind = fields.pop("_type")
        assert theirs(**fields).asdict() == {**fields, "_type": kind}
        assert ours.OutputType == dict[str, str]
        assert pickle.loads(pickle.dumps(ours)) == ours
    with pytest.raises(ValueError, match="timeout_s"):
        RegexParser(regex="a", output_keys=[], timeout_s=0)


def test_regex_is_imported_when_it_is_needed() -> None:
    code = (
        "import sys\n"
        "from output_parsers.regex import RegexParser\n"
        "from output_parsers.regex_dict import RegexDictParser\n"
        "before = 'regex' in sys.modules\n"
        "RegexParser(regex='a', output_keys=[])\n"
        "print(before, 'regex' in sys.modules)"
    )
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert printed.split() == ["False", "True"]


@pytest.mark.parametrize(
    "bomb",
    [
        "((a{1000}){1000}){1000}",
        "(?:" * 50 + "a" + "{2})" * 50,
        "(?:x" * 30 + "a" + "b)+" * 30,
        r"([)]\)a" * 12 + "x" + "y){3,}" * 12,
    ],
    ids=["numbers", "twos", "pluses", "signs in sets"],
)
def test_a_pattern_that_would_take_gigabytes_is_refused_at_once(bomb: str) -> None:
    with pytest.raises(ValueError, match="expand to more than 300,000 copies"):
        RegexParser(regex=f"({bomb})", output_keys=["x"])


@pytest.mark.parametrize(
    "pattern",
    [
        r"\d{4}-\d{2}-\d{2}T(\d+:)+\d++.*",
        "(a{100000})",
        "(?:(a?b*){0,500}){0,500}" * 9,
        "[(]{9}(x)",
    ],
)
def test_a_pattern_with_ordinary_repetitions_is_none_of_these(pattern: str) -> None:
    assert RegexParser(regex=pattern, output_keys=["x"]).regex == pattern


@pytest.mark.parametrize("place", ["{0.real}", "{:>1000000000}", "{!r}", "{1}", "{key}"])
def test_a_place_for_a_label_is_that_and_no_more(place: str) -> None:
    with pytest.raises(ValueError, match="double every brace"):
        RegexDictParser(regex_pattern=place, output_key_to_format={"a": "A"})


def test_a_search_that_takes_too_much_memory_is_an_error() -> None:
    class Greedy:
        pattern = "((a|b)+)+c"

        def search(self, text: str, timeout: float) -> None:
            raise MemoryError

    with pytest.raises(OutputParserException, match="took more memory than is available") as caught:
        TimeLeft(1).search(Greedy(), "ab" * 10)
    assert caught.value.llm_output == "ab" * 10
    assert caught.value.observation


@pytest.mark.parametrize("share", [0.25, 1, 4])
def test_the_time_is_that_of_the_clock_on_the_wall(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much CPU time the process uses, which is what `regex` counts."""
    wall = 0.0
    attempts: list[float] = []

    class Endless:
        pattern = "x"

        def search(self, text: str, timeout: float) -> None:
            nonlocal wall
            wall += timeout / share
            attempts.append(timeout)
            raise TimeoutError

    monkeypatch.setattr("output_parsers.text.timed_regex.perf_counter", lambda: wall)
    monkeypatch.setattr("output_parsers.text.timed_regex.process_time", lambda: wall * share)
    with pytest.raises(OutputParserException, match="longer than 2 s"):
        TimeLeft(2).search(Endless(), "a")
    assert 1.9 < wall < 2.1
    assert len(attempts) == 2
