"""XML that would make an unsafe parser hang, run out of memory, or read files and URLs."""

from collections.abc import Iterator
from typing import Any

import pytest

from output_parsers import OutputParserException
from output_parsers.xml import XMLOutputParser

from ...helpers.every_cut import fours, one_shot, story
from ...helpers.growth import assert_linear

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
        assert "a document type that declares or refers to something is forbidden" in failure[0]


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
            assert "more than 200 elements in each other (max_depth)" in failure[0]


def test_the_limit_of_depth_can_be_set() -> None:
    assert XMLOutputParser(max_depth=2).parse("<a><b/></a>") == {"a": [{"b": None}]}
    with pytest.raises(OutputParserException, match="more than 2 elements"):
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
