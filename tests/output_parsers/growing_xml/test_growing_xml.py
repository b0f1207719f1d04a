"""XML as it grows, whole and streamed, and XML that attacks its reader."""

from collections.abc import Iterator
from typing import Any

import langchain_core.output_parsers as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from output_parsers import OutputParserException
from output_parsers.growing_xml.trees import AddableDict
from output_parsers.xml import XMLOutputParser
from outputs import AIMessageChunk

from ...helpers.every_cut import every_cut, fours, one_shot, pieces_of, story, sync_story
from ...helpers.growth import assert_linear
from ...helpers.xml_texts import broken, documents, texts, tidy_documents
from ..test_xml import HEADED

LEAVES = [
    {"foo": [{"bar": [{"baz": None}]}]},
    {"foo": [{"bar": [{"baz": "slim.shady"}]}]},
    {"foo": [{"baz": "tag"}]},
]


@given(text=texts | documents)
def test_the_leaves_are_those_of_langchain(text: str) -> None:
    leaves, failure = story(XMLOutputParser(), [text])
    assert leaves == list(lc.XMLOutputParser().transform(iter([text])))
    assert failure is None


@pytest.mark.parametrize("kind", ["defusedxml", "xml"])
@given(text=texts | broken())
def test_however_a_text_is_cut_the_story_is_the_same(kind: Any, text: str) -> None:
    parser = XMLOutputParser(parser=kind)
    expected = story(parser, [text])
    for chunks in every_cut(text):
        assert sync_story(parser, chunks) == expected


@given(chunks=pieces_of(texts | broken() | st.text(alphabet="<a>/!-?& \"'[D")))
def test_a_text_in_many_pieces_tells_the_same_story(chunks: list[str]) -> None:
    assert story(XMLOutputParser(), chunks) == story(XMLOutputParser(), ["".join(chunks)])


def leaves_of(value: Any, path: tuple[str, ...] = ()) -> list[Any]:
    """Return the leaves of a result, each with its path, as a stream yields them."""
    ((tag, content),) = value.items()
    if isinstance(content, list) and content:
        return [found for child in content for found in leaves_of(child, (*path, tag))]
    leaf: Any = {tag: content or None}
    for parent in reversed(path):
        leaf = {parent: [leaf]}
    return [leaf]


@given(text=tidy_documents)
def test_a_stream_has_the_leaves_of_the_one_shot_result(text: str) -> None:
    result, failure = one_shot(XMLOutputParser(), text)
    expected = (leaves_of(result), failure)
    for chunks in every_cut(text):
        assert sync_story(XMLOutputParser(), chunks) == expected


@given(text=broken().filter(lambda text: text.startswith("<") and text.endswith(">")))
def test_a_stream_that_fails_has_an_error_in_one_shot_too(text: str) -> None:
    _, failure = story(XMLOutputParser(), [text])
    _, whole_failure = one_shot(XMLOutputParser(), text)
    if failure is not None:
        assert whole_failure is not None


def test_text_around_the_document_is_passed_over() -> None:
    text = f"Some <- text ->\n```xml\n{HEADED}\n```\nand <more> text & so on"
    for chunks in (list(text), [text]):
        assert story(XMLOutputParser(), chunks) == (LEAVES, None)
    assert list(lc.XMLOutputParser().transform(iter(text))) == LEAVES


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("<a>so <b>1</b> what</a>", [{"a": [{"b": "1"}]}]),
        ("<a> </a>", [{"a": " "}]),
        ("<a/><b/>", [{"a": None}]),
        ("<!-- as in <b>this</b> --> Well: <a>1</a>", [{"a": "1"}]),
        ("<имя>Анна</имя>", [{"имя": "Анна"}]),
        ("<!DOCTYPE a>\n<a>1</a>", [{"a": "1"}]),
    ],
)
def test_what_streams(text: str, leaves: list[Any]) -> None:
    for chunks in every_cut(text):
        assert story(XMLOutputParser(), chunks) == (leaves, None)


def test_a_leaf_comes_with_the_tag_that_ends_it() -> None:
    reader = XMLOutputParser()._reader()
    assert list(reader.feed("<a><b>1</b")) == []
    assert list(reader.feed(">")) == [{"a": [{"b": "1"}]}]
    assert list(reader.feed("<b>2</b></a> and")) == [{"a": [{"b": "2"}]}]
    assert list(reader.close()) == []


@pytest.mark.parametrize(
    ("text", "leaves", "seen"),
    [
        ("<a><b>1</b><c>2", [{"a": [{"b": "1"}]}], "<a><b>1</b><c>2"),
        ("So: <a><b>1</b></c>...", [{"a": [{"b": "1"}]}], "So: <a><b>1</b></c"),
        ("No document", [], "No document"),
        ("<!-- <a/>", [], "<!-- <a/>"),
        ("", [], ""),
    ],
)
def test_a_stream_without_a_whole_document_ends_in_an_error(
    text: str, leaves: list[Any], seen: str
) -> None:
    for chunks in every_cut(text):
        found, failure = story(XMLOutputParser(), chunks)
        assert found == leaves
        assert failure[0].startswith("Failed to parse XML format from completion ")
        assert failure[1] == seen


def test_messages_and_text_in_blocks_are_read() -> None:
    chunks = [
        AIMessageChunk(content="<a><b>"),
        AIMessageChunk(content=[{"type": "text", "text": "1</b>"}]),
        "</a>",
    ]
    assert story(XMLOutputParser(), chunks) == ([{"a": [{"b": "1"}]}], None)


def test_leaves_add_up() -> None:
    leaves = list(XMLOutputParser().transform(iter(["<a><b>1</b><c/></a>"])))
    total = leaves[0] + leaves[1]
    assert total == {"a": [{"b": "1"}, {"c": None}]}
    assert type(total) is type(leaves[0]["a"][0]) is AddableDict
    assert leaves[0] == {"a": [{"b": "1"}]}  # unchanged


dicts = st.dictionaries(
    st.sampled_from("abc"), st.none() | st.integers() | st.text(max_size=2) | st.just([1])
)


@given(dicts, dicts)
def test_dictionaries_add_up_as_those_of_langchain(left: Any, right: Any) -> None:
    from langchain_core.runnables.utils import AddableDict as Theirs

    def added(cls: Any) -> Any:
        try:
            return cls(left) + cls(right), left + cls(right)
        except TypeError as error:
            return str(error)

    assert added(AddableDict) == added(Theirs)


@pytest.mark.parametrize("shape", ["<b/>", "<b>x</b>", ">", "<!-- -->", "]]>", "<", "&amp;"])
def test_the_cost_of_a_stream_is_linear(shape: str) -> None:
    def read(text: str) -> None:
        assert story(XMLOutputParser(), fours(text)) == story(XMLOutputParser(), [text])

    assert_linear(read, lambda size: "<a>" + shape * (size // len(shape)) + "</a>", 1_000)


# XML that would make an unsafe parser hang, run out of memory, or read files and URLs.

LAUGHS = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))

ATTACKS = {
    "billion laughs": f'<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]><a>&l9;</a>',
    "quadratic blowup": f'<!DOCTYPE a [<!ENTITY e "{"x" * 50_000}">]><a>{"&e;" * 50_000}</a>',
    "unused entity": '<!DOCTYPE a [<!ENTITY e "x">]><a>1</a>',
    "a file": '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>',
    "an address": '<!DOCTYPE a [<!ENTITY e SYSTEM "http://localhost/">]><a>&e;</a>',
    "a parameter entity": '<!DOCTYPE a [<!ENTITY % e SYSTEM "http://localhost/"> %e;]><a/>',
    "an external document type": '<!DOCTYPE a SYSTEM "http://localhost/a.dtd"><a>1</a>',
    "a public document type": '<!DOCTYPE a PUBLIC "-//A//B" "http://localhost/a.dtd"><a>1</a>',
    "attributes by default": '<!DOCTYPE a [<!ATTLIST b x CDATA "1">]><a><b/></a>',
    "a notation": '<!DOCTYPE a [<!NOTATION n SYSTEM "n">]><a/>',
}

every_kind = pytest.mark.parametrize("kind", ["defusedxml", "xml"])


@every_kind
@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("declaration", ["", '<?xml version="1.0"?>\n', "```xml\n"])
def test_declarations_are_refused(kind: Any, name: str, declaration: str) -> None:
    text = declaration + ATTACKS[name] + "\n```" * declaration.startswith("`")
    parser = XMLOutputParser(parser=kind)
    for outputs, failure in [
        one_shot(parser, text),
        story(parser, [text]),
        story(parser, text[:1000]),
        story(parser, fours(text)),
    ]:
        assert not outputs
        assert failure[0].startswith("Failed to parse XML format")
        assert "a DOCTYPE with declarations or an external reference is not allowed" in failure[0]


@every_kind
@pytest.mark.parametrize("text", ["<a>&e;</a>", "<!DOCTYPE a><a>&e;</a>"])
def test_an_entity_that_nobody_declared_is_an_error(kind: Any, text: str) -> None:
    parser = XMLOutputParser(parser=kind)
    for outputs, failure in (one_shot(parser, text), story(parser, text)):
        assert not outputs
        assert "undefined entity" in failure[0]


def test_defusedxml_alone_would_refuse_entities_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from defusedxml import EntitiesForbidden

    from output_parsers.growing_xml.expat import XmlReader

    monkeypatch.setattr(XmlReader, "_doctype", lambda *_: None)
    with pytest.raises(EntitiesForbidden):
        XMLOutputParser().parse(ATTACKS["billion laughs"])


@every_kind
@pytest.mark.parametrize("depth", [200, 201, 100_000])
def test_depth_has_a_limit_that_is_named(kind: Any, depth: int) -> None:
    text = "<a>" * depth + "</a>" * depth
    parser = XMLOutputParser(parser=kind)
    for outputs, failure in (one_shot(parser, text), story(parser, fours(text))):
        if depth <= 200:
            assert failure is None
        else:
            assert not outputs
            assert "elements are nested more than 200 levels deep (max_depth)" in failure[0]


def test_the_limit_of_depth_can_be_set() -> None:
    assert XMLOutputParser(max_depth=2).parse("<a><b/></a>") == {"a": [{"b": None}]}
    with pytest.raises(OutputParserException, match="nested more than 2 levels deep"):
        XMLOutputParser(max_depth=2).parse("<a><b><c/></b></a>")


def hostile(chars: int) -> Iterator[str]:
    for shape in "<>&`! -\ud800\0":
        yield shape * chars
    for shape in ("<!", "<!--", "<?xml encoding", "<!DOCTYPE ", "```", "<a ", "]]>", "<a/>"):
        yield shape * (chars // len(shape))
    yield "<?xml " + "encoding " * (chars // 9)
    yield "<a>" + "\r" * chars + "</a>"
    yield "<a " + "b" * chars
    yield "<a b='" + ">" * chars + "'/>"
    yield "<a><!--" + ">" * chars + "--></a>"
    yield "<a><?x " + ">" * chars + "?></a>"
    yield "<a><![CDATA[" + ">" * chars + "]]></a>"
    yield "<a " + " ".join(f'x{n}="1"' for n in range(chars // 10)) + "/>"
    yield "<a>" + "".join(f'<b xmlns:n{n}="u{n}"/>' for n in range(chars // 25)) + "</a>"
    yield "<!DOCTYPE a " + "[" * chars


@every_kind
@pytest.mark.parametrize(
    "number", [pytest.param(n, id=f"{text[:12]!a}") for n, text in enumerate(hostile(100))]
)
def test_hostile_text_takes_linear_time(kind: Any, number: int) -> None:
    parser = XMLOutputParser(parser=kind)

    def read(text: str) -> None:
        one_shot(parser, text)
        assert story(parser, fours(text)) == story(parser, [text])

    assert_linear(read, lambda chars: [*hostile(chars)][number], 1_000)
