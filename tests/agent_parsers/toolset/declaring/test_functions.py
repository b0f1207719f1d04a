"""Functions as tools."""

from __future__ import annotations

import functools
from datetime import date  # noqa: TC003 - hints are resolved
from functools import partial
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Field
from typing_extensions import Doc

from agent_parsers import AgentAction
from agent_parsers.toolset import ToolInputError, ToolSet
from agent_parsers.toolset.declaring.functions import read_docstring


class Point(BaseModel):
    x: float
    y: float = 0


def _even(value: int) -> int:
    if value % 2:
        raise ValueError("must be even")
    return value


def _fail(value: int) -> int:
    raise KeyError("no such thing")


class Shop:
    def sell(self, item: str, count: int = 1) -> str:
        return f"{count} {item}"

    @classmethod
    def shut(cls, now: bool) -> bool:
        return now

    @staticmethod
    def open(hour: int) -> int:
        return hour


def parameters(function: Any) -> dict[str, Any]:
    (spec,) = ToolSet([function])
    assert spec.parameters is not None
    return spec.parameters


def test_hints_make_the_schema() -> None:
    def f(
        a: str,
        b: Annotated[int, Field(ge=1, description="in field")],
        c: Literal["x", "y"] = "x",
        d: Annotated[list[Point], "in text"] = [],  # noqa: B006 - a default as any other
        e: date | None = None,
        g: Annotated[bool, Doc("in doc")] = False,
        h: int = Field(3, le=9, description="in default"),
        i: int = None,  # type: ignore[assignment]  # noqa: RUF013 - as people write it
        j=4,
    ) -> None: ...

    schema = parameters(f)
    assert schema["required"] == ["a", "b"]
    assert list(schema["$defs"]) == ["Point"]
    assert schema["properties"] == {
        "a": {"type": "string"},
        "b": {"type": "integer", "minimum": 1, "description": "in field"},
        "c": {"type": "string", "enum": ["x", "y"], "default": "x"},
        "d": {
            "type": "array",
            "items": {"$ref": "#/$defs/Point"},
            "description": "in text",
            "default": [],
        },
        "e": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
        "g": {"type": "boolean", "description": "in doc", "default": False},
        "h": {"type": "integer", "maximum": 9, "description": "in default", "default": 3},
        "i": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "j": {"default": 4},
    }


def test_a_default_that_json_does_not_have_is_left_out() -> None:
    def f(a: Any = object()) -> None: ...  # noqa: B008

    assert parameters(f)["properties"] == {"a": {}}
    assert "required" not in parameters(f)


def test_what_the_model_cannot_give_is_left_out() -> None:
    shop = Shop()
    assert list(parameters(shop.sell)["properties"]) == ["item", "count"]
    assert list(parameters(Shop.shut)["properties"]) == ["now"]
    with pytest.raises(TypeError, match=r"^sell is an unbound method"):
        ToolSet([Shop.sell])
    assert list(parameters(Shop.open)["properties"]) == ["hour"]
    assert (
        ToolSet([shop.sell]).call(AgentAction("sell", {"item": "tea", "count": "2"}, "")) == "2 tea"
    )

    def f(*args: int) -> int:
        return len(args)

    assert parameters(f)["properties"] == {}
    assert ToolSet([f]).call(AgentAction("f", "", "")) == 0


def test_further_keys_go_where_a_function_takes_them() -> None:
    def f(a: int, /, b: int = 2, *, c: int = 3, **more: int) -> Any:
        return a, b, c, more

    tools = ToolSet([f])
    value = {"c": "6", "a": "1", "d": "4"}
    assert tools.call(AgentAction("f", value, "")) == (1, 2, 6, {"d": 4})
    with pytest.raises(ToolInputError, match=r"\n- d: expected an integer, found \"x\"\n "):
        tools.check("f", {"a": 1, "d": "x"})


def test_parameters_by_place_keep_their_places() -> None:
    def f(a: int = 1, b: int = 2, c: int = 3, /) -> Any:
        return a, b, c

    assert ToolSet([f]).call(AgentAction("f", {"b": 5}, "")) == (1, 5, 3)


def test_values_have_the_types_of_the_hints() -> None:
    def g(day: date, pair: tuple[int, str]) -> Any:
        return day.year, pair

    tools = ToolSet([g])
    assert tools.call(AgentAction("g", {"day": "2025-02-01", "pair": ["1", "2"]}, "")) == (
        2025,
        (1, "2"),
    )


def test_validators_count() -> None:
    def f(n: Annotated[int, AfterValidator(_even)], points: list[Point]) -> None: ...

    tools = ToolSet([f])
    with pytest.raises(ToolInputError) as caught:
        tools.check("f", {"n": "3", "points": []})
    (problem,) = caught.value.problems
    assert problem.path == ("n",)
    assert str(problem) == "n: expected a value that the tool accepts (must be even), found 3"
    assert caught.value.example is None
    assert tools.check("f", {"n": "4", "points": []}) == {"n": 4, "points": []}


def test_a_validator_may_raise_anything() -> None:
    def f(n: Annotated[int, AfterValidator(_fail)]) -> None: ...

    with pytest.raises(
        ToolInputError, match=r"n: expected a value that the tool accepts .KeyError: 'no"
    ):
        ToolSet([f]).check("f", "1")


def test_a_hint_of_what_is_returned_does_not_matter() -> None:
    def f(a: int) -> Nowhere: ...  # type: ignore[name-defined]  # noqa: F821 - the point

    assert parameters(f)["properties"] == {"a": {"type": "integer"}}


def test_a_wrapped_function_is_what_it_wraps() -> None:
    def inner(a: int) -> int:
        return a

    @functools.wraps(inner)
    def outer(*args: Any, **kwargs: Any) -> Any:
        return inner(*args, **kwargs) + 1

    assert list(parameters(outer)["properties"]) == ["a"]
    assert ToolSet([outer]).call(AgentAction("inner", "4", "")) == 5


def test_a_function_in_c_may_have_no_signature() -> None:
    tools = ToolSet([max])
    assert tools["max"].parameters is None
    assert tools.call(AgentAction("max", "hello", "")) == "o"


# -- docstrings ----------------------------------------------------------------------------------

SAID = {"query": "What to look for. Any language.", "limit": "How many: at most 9."}


@pytest.mark.parametrize(
    "text",
    [
        """Looks up.

        In a book.

        Args:
            query (str): What to look for.
                Any language.
            limit (int, optional): How many: at most 9.

        Returns:
            query: text
        """,
        """Looks up.

        In a book.

        Arguments:
          query: What to look for.

            Any language.
          limit: How many: at most 9.
        Raises:
          ValueError: nothing
        """,
        """Looks up.

        In a book.

        Parameters
        ----------
        query : str
            What to look for.

            Any language.
        limit : int, optional
            How many: at most 9.

        Returns
        -------
        query : str
            text
        """,
        """Looks up.

        In a book.

        :param query: What to look for.
            Any language.
        :type query: str
        :param int limit: How many: at most 9.
        :returns: text
        """,
    ],
    ids=["Google", "Google, dense", "NumPy", "Sphinx"],
)
def test_docstrings_say_what_parameters_are(text: str) -> None:
    assert read_docstring(text) == ("Looks up.\n\nIn a book.", SAID)


@pytest.mark.parametrize(
    ("text", "description", "said"),
    [
        (None, "", {}),
        ("", "", {}),
        ("Args: none", "Args: none", {}),
        ("Looks up.\n\nNote that args are odd.", "Looks up.\n\nNote that args are odd.", {}),
        ("A.\n\nArgs:\n", "A.", {}),
        ("A.\n\nArgs:\n    *args: more\n    **kw: most", "A.", {"args": "more", "kw": "most"}),
        ("A.\n\nParameters\n----------\nx, y : int\n    both", "A.", {"x": "both", "y": "both"}),
        ("A.\n\nExample:\n    >>> f()\n\nArgs:\n    x: it", "A.", {"x": "it"}),
        ("A.\n\nArgs:\n    x: it\n\nMore of it.", "A.", {"x": "it"}),
    ],
)
def test_docstrings_in_part(text: str | None, description: str, said: dict[str, str]) -> None:
    assert read_docstring(text) == (description, said)


def add(a: int, b: int, *, scale: float = 1) -> float:
    """Adds two numbers.

    Args:
        a: The first.
        b: The second.
    """
    return (a + b) * scale


def test_what_a_partial_binds_is_not_the_models_to_give() -> None:
    tools = ToolSet([partial(add, 1, scale=2)])
    (spec,) = tools
    assert (spec.name, spec.description) == ("add", "Adds two numbers.")
    assert spec.parameters is not None
    assert spec.parameters["properties"] == {"b": {"type": "integer", "description": "The second."}}
    assert tools.call(AgentAction("add", {"b": "2"})) == 6
    with pytest.raises(ToolInputError, match="scale"):
        tools.check("add", {"b": 2, "scale": 3})
    assert ToolSet({"plus": partial(partial(add, 1), 2)}).call(AgentAction("plus", {})) == 3


class Session:
    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def __call__(self, query: str) -> str:
        """Looks something up."""
        return f"{self.prefix} {query}"


def ask(session: Session, query: str) -> str:
    return session(query)


def test_an_object_that_can_be_called_is_a_tool_under_a_name() -> None:
    tools = ToolSet({"search": Session("found")})
    (spec,) = tools
    assert (spec.name, spec.description) == ("search", "Looks something up.")
    assert tools.call(AgentAction("search", "lakes")) == "found lakes"
    with pytest.raises(TypeError, match=r"not Session: give it a name, as in \{'name': tool\}$"):
        ToolSet([Session("found")])


def test_a_parameter_that_the_program_gives_is_bound() -> None:
    with pytest.raises(TypeError, match=r"^the parameter session of ask .* functools\.partial$"):
        ToolSet([ask])
    assert ToolSet([partial(ask, Session("found"))]).call(AgentAction("ask", "x")) == "found x"
    bound = ToolSet([partial(ask, session=Session("found"))])
    assert bound.call(AgentAction("ask", {"query": "x"})) == "found x"
