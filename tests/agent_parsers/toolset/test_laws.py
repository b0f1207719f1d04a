"""Laws for every schema and every input."""

import json
from functools import partial
from typing import Annotated, Any, Literal

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    TypeAdapter,
    ValidationError,
    create_model,
)

from agent_parsers.toolset import ToolInputError, ToolSet
from agent_parsers.toolset.declaring.functions import FunctionOrigin
from agent_parsers.toolset.schemas.plain import PlainObject

NAMES = ["a", "b", "c"]

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-1000, 1000)
    | st.floats(-1e6, 1e6)
    | st.sampled_from(["", "5", "007", "1.5", "true", "null", "x", "[1]", '{"a": 1}', "red"])
    | st.text(max_size=5)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=8,
)
inputs = st.dictionaries(st.sampled_from([*NAMES, "z"]), values, max_size=3)


def models(types: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def build(fields: dict[str, tuple[Any, bool]]) -> type[BaseModel]:
        made: dict[str, Any] = {
            name: (kind, ...) if is_required else (kind | None, None)
            for name, (kind, is_required) in fields.items()
        }
        return create_model("Made", __config__=ConfigDict(extra="forbid"), **made)

    members = st.tuples(types, st.booleans())
    return st.dictionaries(st.sampled_from(NAMES), members, max_size=3).map(build)


plain = st.sampled_from([int, float, str, bool, Literal["red", "blue"], Literal[1, 2]])
types = st.recursive(
    plain,
    lambda inner: (
        inner.map(lambda kind: list[kind])  # type: ignore[valid-type]
        | inner.map(lambda kind: dict[str, kind])  # type: ignore[valid-type]
        | inner.map(lambda kind: kind | None)
        | st.tuples(inner, inner).map(lambda kinds: kinds[0] | kinds[1])
        | models(inner)
    ),
    max_leaves=5,
)
any_model = models(types)


def schema_tools(model: type[BaseModel], **policy: Any) -> ToolSet:
    """Return the tool as a schema only, as providers have it."""
    return ToolSet([{"name": "t", "parameters": model.model_json_schema()}], **policy)


def outcome(tools: ToolSet, value: Any, **how: Any) -> tuple[Any, ToolInputError | None]:
    """Return the checked input, or the error."""
    try:
        return tools.check("t", value, **how), None
    except ToolInputError as error:
        return None, error


def has_whole_float(value: Any) -> bool:
    if isinstance(value, list | dict):
        items = value.values() if isinstance(value, dict) else value
        return any(map(has_whole_float, items))
    return isinstance(value, float) and value.is_integer()


def is_valid(model: type[BaseModel], value: Any) -> bool:
    try:
        TypeAdapter(model).validate_json(json.dumps(value), strict=True)
    except ValidationError:
        return False
    return True


@given(model=any_model, data=st.data())
def test_what_pydantic_takes_strictly_stays_as_it_is(
    model: type[BaseModel], data: st.DataObject
) -> None:
    value = data.draw(fitting(model.model_json_schema()) | inputs, label="value")
    tools = schema_tools(model)
    found, error = outcome(tools, value)
    if error is not None:
        assert not is_valid(model, value)
        return
    # JSON Schema calls 5.0 an integer, pydantic does not.
    if not has_whole_float(value):
        assert (found is value) == is_valid(model, value)
    if not has_whole_float(found):
        assert is_valid(model, found)


@given(model=any_model, data=st.data())
def test_converting_twice_is_converting_once(model: type[BaseModel], data: st.DataObject) -> None:
    schema = model.model_json_schema()
    value = data.draw(fitting(schema).map(as_text) | inputs, label="value")
    for policy in ("forbid", "drop", "keep"):
        tools = schema_tools(model, unknown_keys=policy)
        once, error = outcome(tools, value)
        assert error is not None or tools.check("t", once) is once


@given(model=any_model, data=st.data())
def test_what_is_given_is_never_changed_in_place(
    model: type[BaseModel], data: st.DataObject
) -> None:
    value = data.draw(inputs | fitting(model.model_json_schema()).map(as_text))
    before = json.dumps(value)
    outcome(schema_tools(model, unknown_keys="drop"), value)
    assert json.dumps(value) == before


@given(model=any_model, data=st.data())
def test_a_value_reads_the_same_as_text(model: type[BaseModel], data: st.DataObject) -> None:
    value = data.draw(fitting(model.model_json_schema()), label="value")
    assert schema_tools(model).check("t", json.dumps(value)) == value


numbers = st.dictionaries(
    st.sampled_from(NAMES), st.sampled_from([int, float, bool, list[int], dict[str, bool]])
)


@given(kinds=numbers, data=st.data())
def test_values_that_were_made_text_come_back(kinds: dict[str, Any], data: st.DataObject) -> None:
    model = create_model("Made", **{name: (kind, ...) for name, kind in kinds.items()})  # type: ignore[call-overload]
    value = data.draw(fitting(model.model_json_schema()), label="value")
    texts = {key: json.dumps(item) for key, item in value.items()}
    assert schema_tools(model).check("t", texts) == value
    assert schema_tools(model).check("t", as_text(value)) == value


@given(text=st.text())
def test_a_string_stays_a_string(text: str) -> None:
    def find(query: str, limit: int = 5) -> None: ...

    value = {"query": text}
    assert ToolSet([find]).check("find", value) is value
    if text.strip() and not text.lstrip().startswith("{"):
        assert ToolSet([find]).check("find", text) == value


@given(model=any_model, data=st.data())
def test_every_problem_has_a_place(model: type[BaseModel], data: st.DataObject) -> None:
    value = data.draw(inputs, label="value")
    _, error = outcome(schema_tools(model), value)
    assert error is None or error.problems
    for problem in error.problems if error else ():
        path = problem.path[:-1] if problem.found == "nothing" else problem.path
        assert exists(value, path), str(problem)
        assert str(problem) in str(error)


@given(model=any_model, value=inputs)
def test_the_example_fits(model: type[BaseModel], value: Any) -> None:
    tools = schema_tools(model)
    _, error = outcome(tools, value)
    if error is None:
        return
    assert error.example is not None
    assert tools.check("t", error.example) is error.example
    for key, item in value.items():
        # The example keeps the values that fit.
        found, fault = outcome(
            ToolSet([{"name": "t", "parameters": only(model, key)}]), {key: item}
        )
        if fault is None:
            assert error.example[key] == found[key]


@given(model=any_model, text=st.text() | values.map(json.dumps) | inputs.map(json.dumps))
@pytest.mark.parametrize("lenient", [False, True])
def test_any_input_fits_or_its_problems_are_reported(
    model: type[BaseModel], text: str, lenient: bool
) -> None:
    for policy in ("forbid", "drop", "keep"):
        tools = schema_tools(model, unknown_keys=policy, extra_text=policy)
        found, error = outcome(tools, text, lenient=lenient)
        if error is None:
            assert isinstance(found, dict)
        else:
            assert error.observation
            assert error.llm_output == text


# -- schemas as strategies -----------------------------------------------------------------------


def fitting(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for values that fit *schema*, which is the schema of a model."""
    definitions = schema.get("$defs", {})

    def of(node: Any) -> st.SearchStrategy[Any]:
        if "$ref" in node:
            return of(definitions[node["$ref"].rpartition("/")[2]])
        if "anyOf" in node:
            return st.one_of(*map(of, node["anyOf"]))
        if "enum" in node or "const" in node:
            return st.sampled_from(node.get("enum", [node.get("const")]))
        return plain_of(node)

    def plain_of(node: Any) -> st.SearchStrategy[Any]:
        kind = node.get("type")
        if kind == "array":
            return st.lists(of(node["items"]), max_size=3)
        if kind == "object" and "properties" not in node and node.get("additionalProperties"):
            return st.dictionaries(
                st.text(max_size=3), of(node["additionalProperties"]), max_size=3
            )
        if kind == "object":
            parts = {key: of(part) for key, part in node.get("properties", {}).items()}
            required = set(node.get("required", ()))
            return st.fixed_dictionaries(
                {key: part for key, part in parts.items() if key in required},
                optional={key: part for key, part in parts.items() if key not in required},
            )
        return {
            "integer": st.integers(),
            "number": st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
            "string": st.text(max_size=5) | st.sampled_from(["007", "null", "5"]),
            "boolean": st.booleans(),
            "null": st.none(),
        }[kind]

    return of(schema)


def as_text(value: Any) -> Any:
    """Return *value* with every scalar as text, as in dialects that have only text."""
    if isinstance(value, dict):
        return {key: as_text(item) if key in NAMES else item for key, item in value.items()}
    if isinstance(value, list):
        return list(map(as_text, value))
    return value if isinstance(value, str) else json.dumps(value)


def exists(value: Any, path: tuple[str | int, ...]) -> bool:
    for key in path:
        if isinstance(value, str):
            value = json.loads(value)
        keys = value if isinstance(value, dict) else range(len(value))
        if key not in keys:
            return False
        value = value[key]
    return True


def only(model: type[BaseModel], key: str) -> dict[str, Any]:
    schema = model.model_json_schema()
    properties = schema.get("properties", {})
    return {
        **schema,
        "properties": {k: v for k, v in properties.items() if k == key},
        "required": [],
    }


# -- plain inputs ---------------------------------------------------------------------------------

plain_models = models(plain | plain.map(lambda kind: kind | None))
written = (
    inputs.map(json.dumps)
    | inputs.map(partial(json.dumps, indent=1))
    | st.text("a1 {}[]\"':,\\\n", max_size=12)
    | st.sampled_from(["x y", "{", '{"a": 1, "a": 2}', '{"a": 1} x', '{"arguments": {"a": 1}}'])
)


def read_both_ways(model: type[BaseModel], value: Any, *, lenient: bool) -> list[Any]:
    """Return what comes of an input that is looked at for a plain one, and of one that is not."""
    found: list[Any] = []
    for is_quick in (True, False):
        tools = schema_tools(model)
        if not is_quick:
            vars(tools._schema("t"))["plain"] = None
        try:
            checked = tools.read("t", value, lenient=lenient)
            found.append((checked, repr(checked)))  # 1 == 1.0 == True
        except ToolInputError as error:
            found.append(str(error))
    return found


@given(plain_models, inputs | written, st.booleans())
def test_a_plain_input_is_read_as_any_other(
    model: type[BaseModel], value: Any, lenient: bool
) -> None:
    quick, long = read_both_ways(model, value, lenient=lenient)
    assert quick == long


def test_a_wrong_look_for_plain_inputs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlainObject, "fits", lambda _self, value: type(value) is dict)
    law = test_a_plain_input_is_read_as_any_other.hypothesis.inner_test  # type: ignore[attr-defined]
    found = settings(phases=[Phase.generate])(
        given(plain_models, inputs | written, st.booleans())(law)
    )
    with pytest.raises(AssertionError):
        found()


# -- plain inputs of functions --------------------------------------------------------------------


def refuses(value: Any) -> Any:
    if value in (1, 5, "x", "red", "é"):
        raise ValueError("not this one")
    return value


def takes_numbers(a: int, b: float = 1.0, c: str | None = None) -> None: ...


def takes_few(a: Annotated[int, AfterValidator(refuses)], b: str = "") -> None: ...


def takes_few_texts(c: Annotated[str, AfterValidator(refuses)] = "") -> None: ...


def takes_any_text(c: str) -> None: ...


def takes_more(a: Any, **rest: bool) -> None: ...


FUNCTIONS = [takes_numbers, takes_few, takes_few_texts, takes_any_text, takes_more]
halves = st.sampled_from(["\ud800", "a\udc00", "é", "日本", '{"c": "\ud800"}', '{"c": "é"}'])
refused = st.sampled_from([{"a": 1}, {"c": "x"}, {"c": "\ud800"}, "x"])
of_functions = inputs | written | refused | halves | halves.map(lambda text: {"c": text})


@given(st.sampled_from(FUNCTIONS), of_functions, st.booleans())
def test_what_is_sure_of_a_function_is_what_it_takes(
    function: Any, value: Any, lenient: bool
) -> None:
    quick, long = ToolSet([function]), ToolSet([function])
    name = function.__name__
    vars(long._schema(name))["sure"] = None
    assert repr_of_read(quick, name, value, lenient) == repr_of_read(long, name, value, lenient)


def repr_of_read(tools: ToolSet, name: str, value: Any, lenient: bool) -> str:
    try:
        return repr(tools.read(name, value, lenient=lenient))
    except ToolInputError as error:
        return str(error)


def test_a_wrong_look_at_functions_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FunctionOrigin, "narrowed", lambda _self, plain: plain)
    law = test_what_is_sure_of_a_function_is_what_it_takes.hypothesis.inner_test  # type: ignore[attr-defined]
    found = settings(phases=[Phase.generate], max_examples=400)(
        given(st.sampled_from(FUNCTIONS), of_functions, st.booleans())(law)
    )
    with pytest.raises(AssertionError):
        found()
