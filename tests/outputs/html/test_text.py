"""Text and styles: every character is shown, no text is an element, and colours can be read."""

import re

import pytest
from hypothesis import given

from outputs.html.pages import PALETTE, STYLES, SURFACES, fragment, page
from outputs.html.texts import html_line, html_text, long_text

from ...helpers.html_pages import Page, sharp_texts


def read_back(html: str) -> str:
    (field,) = Page(f'<dd data-field="x">{html}</dd>').fields
    return field[1]


@given(sharp_texts)
def test_the_text_on_the_page_is_the_text_given(text: str) -> None:
    html = f'<div class="ap-text">{html_text(text)}</div>'
    html.encode()
    assert read_back(html) == text
    assert not re.search("[\0\r\u202e\u2028\ud800-\udfff]", html)


def test_every_character_is_shown_and_read_back() -> None:
    unseen = [0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFE00, 0xFFA0, 0xE0041, 0xE0100]
    for code in [*range(0x300), *range(0x2000, 0x2070), *unseen, 0xD800, 0xFEFF, 0x10FFFF]:
        html = html_text(chr(code))
        assert read_back(f'<div class="ap-text">{html}</div>') == chr(code)
        shown = re.sub("<.*?>", "", html)
        assert shown.strip() or chr(code).isspace() or code in {0x200C, 0x200D}, hex(code)
        assert code not in unseen or shown == f"U+{code:04X}"


def test_a_character_has_its_name_or_its_number() -> None:
    assert html_text("\0") == '<span class="ap-char" data-char="0">NUL</span>'
    assert html_text("\u202e") == '<span class="ap-char" data-char="202e">U+202E</span>'


@given(sharp_texts)
def test_a_line_has_no_markup_and_one_line(text: str) -> None:
    made = Page(page("", title=text))
    assert made.elements == Page(page("", title="x")).elements
    assert made.title.split("\n") == [made.title]
    assert "<" not in html_line(text)
    assert '"' not in html_line(text)


@pytest.mark.parametrize("unit", ["line\n", "x" * 700, "<b>\r\n", "\n"])
@pytest.mark.parametrize("count", [0, 1, 3, 4, 15, 16, 17, 20, 21, 60])
def test_a_long_text_is_folded_and_whole(unit: str, count: int) -> None:
    html = long_text(unit * count)
    assert read_back(html) == unit * count
    assert ("<details" in html) is (len(unit * count) > 3_000 or (unit[-1:] == "\n" and count > 19))


# -- styles ----------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("name", PALETTE)
def test_every_colour_can_be_read(name: str, surface: str, scheme: int) -> None:
    assert contrast(PALETTE[name][scheme], SURFACES[surface][scheme]) >= 4.5


def test_every_rule_is_about_our_own_elements() -> None:
    flat = re.sub(r"@media\(?[^{]*\{((?:[^{}]*\{[^{}]*\})*)\}", r"\1", STYLES)
    selectors = re.findall(r"([^{}]+)\{", flat)
    assert len(selectors) > 80
    for selector in selectors:
        for each in re.sub(r"\([^()]*\)", lambda m: m[0].replace(",", ";"), selector).split(","):
            assert ".ap" in each, each


def test_styles_load_nothing() -> None:
    assert "url(" not in STYLES
    assert "@import" not in STYLES
    assert "<" not in STYLES


def test_a_page_forbids_everything_from_outside() -> None:
    html = page("<p>x</p>", title="t", script="1")
    policy = dict(Page(html).elements[3][1])["content"] or ""
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "script-src 'none'" in page("", title="t")


def test_a_part_brings_its_styles() -> None:
    assert fragment("<p>x</p>").startswith(f'<div class="ap"><style>{STYLES}</style>')


def test_a_text_that_is_not_escaped_is_noticed() -> None:
    for text in ("<b>x</b>", "</p>", "<!--", "<![CDATA["):
        with pytest.raises(AssertionError):
            assert Page(f"<p>{text}</p>").elements == [("p", [])]
