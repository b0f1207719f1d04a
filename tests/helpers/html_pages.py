"""What a page of HTML has: its elements and attributes, and the texts that it shows."""

from html.parser import HTMLParser

from hypothesis import strategies as st

VOID = {"meta", "input", "rect"}
"""Elements that have no end."""

SHARP = [
    "<script>alert(1)</script>", '"><img src=http://x.example/a onerror=alert(1)>', "</div></main>",
    "<!--", "-->", "<![CDATA[", "]]>", "</style>", "</title>", "&lt;", "&#0;", "&amp", "'", '" x="',
    "javascript:alert(1)", "https://x.example/", "\0", "\r", "\r\n", "\x1b[31m", "\x85", "\u2028",
    "\u202e", "\u2066", "\ufeff", "\u200b", "\ud800", "\udfff", "\uffff", "\U000e0041", "桥", "🧀",
    "e\u0301", "שלום", " ", "\n", "\t", "x",
]  # fmt: skip
"""Pieces of texts that mean something to a browser."""

sharp_texts = st.lists(st.sampled_from(SHARP) | st.text(max_size=3), max_size=8).map("".join)


def harmless(text: str) -> str:
    """Return a text of the same shape that means nothing to a browser."""
    return "".join(map(_harmless, text))


def _harmless(char: str) -> str:
    if char == "\n" or (char.isdigit() and char.isascii()):
        return char
    return " " if char.isspace() else "x"


class Page(HTMLParser):
    """The elements of a page in order, and the texts of its fields."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, list[tuple[str, str | None]]]] = []
        """Names and attributes of the elements, without those that stand for a character."""
        self.fields: list[tuple[str, str]] = []
        """Part and text of each field, as given."""
        self.title = ""
        self._open: list[dict[str, str | None]] = []
        self._tags: list[str] = []
        self.feed(html)
        self.close()
        assert not self._tags, f"not closed: {self._tags}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert len(found) == len(attrs), attrs
        if "data-char" not in found:
            self.elements.append((tag, attrs))
        if "data-field" in found:
            self.fields.append((found["data-field"] or "", ""))
        if tag not in VOID:
            self._tags.append(tag)
            self._open.append(found)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, attrs))

    def handle_endtag(self, tag: str) -> None:
        assert self._tags[-1:] == [tag]
        self._tags.pop()
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._tags[-1:] == ["title"]:
            self.title += data
        is_text = any("ap-text" in (each.get("class") or "") for each in self._open)
        if is_text and any("data-field" in each for each in self._open):
            if code := self._open[-1].get("data-char"):
                data = chr(int(code, 16))
            part, text = self.fields[-1]
            self.fields[-1] = part, text + data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data!r}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data!r}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data!r}")
