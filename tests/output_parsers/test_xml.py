import asyncio
import pickle
import re
import subprocess
import sys
from typing import Any

import langchain_core.exceptions as lc_exceptions
import langchain_core.output_parsers as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from output_parsers import OutputParserException
from output_parsers.xml import XMLOutputParser
from outputs import AIMessage

from ..helpers.every_cut import one_shot
from ..helpers.xml_texts import broken, documents, texts

DOCUMENT = """
 <foo>
    <bar>
        <baz></baz>
        <baz>slim.shady</baz>
    </bar>
    <baz>tag</baz>
</foo>"""
HEADED = f'<?xml version="1.0" encoding="UTF-8"?>\n{DOCUMENT}'
RESULT = {"foo": [{"bar": [{"baz": None}, {"baz": "slim.shady"}]}, {"baz": "tag"}]}

every_kind = pytest.mark.parametrize("kind", ["defusedxml", "xml"])


def theirs(kind: Any, text: str) -> Any:
    """Return LangChain's result for *text*, or the message of its error."""
    try:
        return lc.XMLOutputParser(parser=kind).parse(text)
    except lc_exceptions.OutputParserException as error:
        return str(error).partition("\nFor troubleshooting")[0]


@every_kind
@given(text=texts | documents)
def test_a_document_is_read_as_langchain_reads_it(kind: Any, text: str) -> None:
    result, failure = one_shot(XMLOutputParser(parser=kind), text)
    assert (result if failure is None else failure[0]) == theirs(kind, text)


@given(text=broken().filter(lambda text: "\ud800" not in text))
def test_a_broken_document_is_refused_in_the_words_of_langchain(text: str) -> None:
    result, failure = one_shot(XMLOutputParser(), text)
    assert (result if failure is None else failure[0]) == theirs("defusedxml", text)


@every_kind
@given(text=broken() | st.text())
def test_any_text_gives_a_result_or_a_clear_error(kind: Any, text: str) -> None:
    result, failure = one_shot(XMLOutputParser(parser=kind), text)
    if failure is not None:
        message, llm_output, (start, end) = failure
        assert result is None
        assert message.startswith("Failed to parse XML format from completion ")
        assert llm_output == text
        assert 0 <= start <= end <= len(text)


@every_kind
@pytest.mark.parametrize(
    "text",
    [
        DOCUMENT,
        HEADED,
        f"```xml\n{HEADED}\n```\n",
        f"```{DOCUMENT}```",
        f"Some random text\n```xml\n{HEADED}\n```\nMore random text",
        f"Here it is:\n{HEADED}",
    ],
)
def test_fences_and_declarations_are_passed_over(kind: Any, text: str) -> None:
    parser = XMLOutputParser(parser=kind)
    assert parser.parse(text) == RESULT
    assert asyncio.run(parser.aparse(text)) == RESULT
    assert parser.invoke(AIMessage(content=text)) == RESULT


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("<body>Text of the body.</body>", {"body": "Text of the body."}),
        ("<body></body>", {"body": []}),
        ("<body>\n</body>", {"body": []}),
        ("<a><b/><b> </b></a>", {"a": [{"b": None}, {"b": " "}]}),
        ("<a>so <b>1</b></a>", {"a": "so "}),
        ("<a><b>1</b> so</a>", {"a": [{"b": "1"}]}),
        ("<a k='1'>&amp;&#65;<![CDATA[<]]></a>", {"a": "&A<"}),
        ('<a xmlns="urn:x" xmlns:y="urn:y"><y:b/></a>', {"{urn:x}a": [{"{urn:y}b": None}]}),
        ("<имя>Анна</имя>", {"имя": "Анна"}),
        ("\ufeff<a/>", {"a": []}),
        ("<!DOCTYPE a><a/>", {"a": []}),
        ('<?xml version="1.0" encoding="no-such-encoding"?><a>é</a>', {"a": "é"}),
    ],
)
def test_what_a_document_becomes(text: str, result: Any) -> None:
    assert XMLOutputParser().parse(text) == theirs("defusedxml", text) == result


def test_a_document_may_quote_a_fence() -> None:
    text = "<a>Write ```xml\n<b/>\n``` then</a>"
    assert XMLOutputParser().parse(text) == {"a": "Write ```xml\n"}
    assert theirs("defusedxml", text) == {"b": []}  # a part of the text, which is not what it says


def test_a_document_before_a_fence_is_not_the_one_in_it() -> None:
    text = "<p>Look:</p>\n```xml\n<a/>\n```"
    assert XMLOutputParser().parse(text) == theirs("defusedxml", text) == {"a": []}


@pytest.mark.parametrize("text", ["foo></foo>", "<foo></foo", "foo></foo", "foofoo", "", "```\n"])
def test_what_is_no_document_is_refused(text: str) -> None:
    with pytest.raises(OutputParserException, match="Failed to parse") as caught:
        XMLOutputParser().parse(text)
    assert str(caught.value) == theirs("defusedxml", text)
    assert "Reply with one complete, well-formed XML document" in str(caught.value.observation)


def test_an_error_says_where_it_is() -> None:
    text = "Ü:\n```xml\n<a>\n  <b>é</c>\n</a>\n```"
    with pytest.raises(OutputParserException) as caught:
        XMLOutputParser().parse(text)
    error = caught.value
    assert error.llm_output == text
    assert error.span is not None
    assert text[error.span[0] :].startswith("c>")
    assert (error.line, error.column) == (4, 9)
    assert "mismatched tag" in str(error.__cause__)


def test_all_but_langchains_message_count_lines_and_columns_of_the_reply_from_one() -> None:
    with pytest.raises(OutputParserException) as caught:
        XMLOutputParser().parse("So:\n<a></b>")
    assert str(caught.value) == theirs("defusedxml", "So:\n<a></b>")
    with pytest.raises(OutputParserException) as caught:
        XMLOutputParser().parse("So:\n```xml\n<a></b>\n```")
    error = caught.value
    assert str(error).endswith("mismatched tag: line 1, column 5")  # in expat's counting
    assert (error.line, error.column) == (3, 6)
    assert "mismatched tag, at line 3, column 6. Reply" in str(error.observation)
    assert error.pointer().splitlines() == [
        "the XML cannot be read: mismatched tag",
        "  --> line 3, column 6",
        "3 | <a></b>",
        "  |      ^",
    ]


def test_a_pattern_of_ones_own_finds_the_document() -> None:
    parser = XMLOutputParser(encoding_matcher=re.compile("(#+ Reply)(.*)", re.DOTALL))
    assert parser.parse("## Reply\n<a/>") == {"a": []}


# descriptions


def test_the_example_in_the_instructions_is_read_and_the_wrong_ones_are_not_whole() -> None:
    text = XMLOutputParser(tags=["menu", "dish"]).get_format_instructions()
    assert text.endswith("The tags to use: menu, dish")
    example = text.partition("is right:\n")[2].partition("\nThis one")[0]
    assert XMLOutputParser().parse(example) == {"menu": [{"dish": "Soup"}, {"price": "5"}]}
    wrong = re.findall("never closed: (.*)", text)
    assert len(wrong) == 1
    with pytest.raises(OutputParserException):
        XMLOutputParser().parse(wrong[0])
    assert XMLOutputParser().get_format_instructions().endswith("The tags to use: your own.")


def test_it_describes_itself_as_langchains_does() -> None:
    parser = XMLOutputParser(tags=["a"])
    assert parser._type == lc.XMLOutputParser()._type
    assert parser.OutputType == lc.XMLOutputParser().OutputType
    assert repr(XMLOutputParser()) == "XMLOutputParser()"
    assert pickle.loads(pickle.dumps(parser)) == parser
    with pytest.raises(ValueError, match="parser"):
        XMLOutputParser(parser="lxml")  # type: ignore[arg-type]


def test_defusedxml_is_imported_when_it_is_needed() -> None:
    code = (
        "import sys\n"
        "from output_parsers.xml import XMLOutputParser\n"
        "def defused(): return 'defusedxml' in sys.modules\n"
        "seen = [defused()]\n"
        "XMLOutputParser(parser='xml').parse('<a/>')\n"
        "seen.append(defused())\n"
        "XMLOutputParser().parse('<a/>')\n"
        "seen.append(defused())\n"
        "XMLOutputParser().parse('<!DOCTYPE a><a/>')\n"
        "print(*seen, defused())"
    )
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert printed.split() == ["False", "False", "False", "True"]


def test_a_matcher_of_ones_own_needs_two_groups() -> None:
    with pytest.raises(ValueError, match="needs a second group"):
        XMLOutputParser(encoding_matcher=re.compile("<(.*)>"))
