"""Documents, and texts around them, to draw from."""

from hypothesis import strategies as st

TAGS = st.sampled_from(["a", "b", "note", "x-1"])
WORDS = st.sampled_from(
    ["", " ", "\n  ", "text", " 1 &lt; 2 ", "<!-- <b> -->", "a<!-- -->b", "<![CDATA[<q>]]>", "é😀"]
)


@st.composite
def element(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    tag = draw(TAGS)
    attribute = draw(st.sampled_from(["", ' k="1"', " k='>'"]))
    content = draw(st.lists(WORDS | inner, max_size=4))
    if not content:
        return f"<{tag}{attribute}/>"
    return f"<{tag}{attribute}>{''.join(content)}</{tag}>"


documents = st.recursive(element(st.nothing()), element, max_leaves=8)


tidy_documents = st.recursive(
    st.builds(
        lambda tag, text: f"<{tag}>{text}</{tag}>",
        TAGS,
        WORDS.filter(lambda word: not word.isspace()),
    ),
    lambda inner: st.builds(
        lambda tag, children, gap: f"<{tag}>{gap}{gap.join(children)}{gap}</{tag}>",
        TAGS,
        st.lists(inner, min_size=1, max_size=3),
        st.sampled_from(["", "\n  ", "<!-- -->"]),
    ),
    max_leaves=8,
)
"""Documents whose elements hold either text, which is not blank, or elements."""

BEFORE = st.sampled_from(["", "\n", "```xml\n", "So:\n```\n"])
DECLARATIONS = st.sampled_from(
    ["", '<?xml version="1.0"?>', '<?xml version="1.0" encoding="UTF-16"?>\n']
)
AFTER = st.sampled_from(["", "\n", "\n```", "```\nThat is all."])

texts = st.builds("".join, st.tuples(BEFORE, DECLARATIONS, documents, AFTER))


@st.composite
def broken(draw: st.DrawFn) -> str:
    """Draw a document in which something was replaced."""
    document = draw(documents)
    place = draw(st.integers(0, len(document)))
    length = draw(st.integers(0, 3))
    odd = st.sampled_from(["", "<", "&", "<a>", "</a>", "]]>", ">", '"', "\ud800", "\0", "<!--"])
    return document[:place] + draw(odd) + document[place + length :]
