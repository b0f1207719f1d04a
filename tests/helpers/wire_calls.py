"""Valid and invalid tool calls in wire format, for the tests of several parsers."""

import json
from typing import Any

from hypothesis import strategies as st

Json = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
JSON_TEXTS = Json.map(json.dumps)
MANGLED = st.builds(
    lambda text, cut, more: text[:cut] + more,
    JSON_TEXTS,
    st.integers(0, 20),
    st.sampled_from(["", "}", " x", "\n", '"', "\\"]),
)
NAMES = st.sampled_from(["search", "wait", "Ping"]) | st.none() | st.just("")
WIRE_CALLS = st.fixed_dictionaries(
    {
        "function": st.fixed_dictionaries(
            {"name": NAMES, "arguments": st.none() | st.just("") | JSON_TEXTS | MANGLED}
        )
    },
    optional={"id": st.none() | st.text(max_size=3), "type": st.just("function")},
)


def outcome(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the result, or the type and message of the error without LangChain's link."""
    try:
        return function(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - both must raise the same error
        return type(error).__name__, str(error).partition("\nFor troubleshooting")[0]
