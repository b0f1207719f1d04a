"""What type checkers say of structured output: checked, never run."""

from dataclasses import dataclass
from types import UnionType
from typing import Any, assert_type

from pydantic import BaseModel
from typing_extensions import TypedDict

from output_parsers import (
    AutoStrategy,
    OutputParserException,
    ProviderStrategy,
    RawAndParsed,
    Runnable,
    StructuredResponse,
    StructuredRetry,
    ToolStrategy,
    read_structured_output,
    with_structured_output,
)


class Lake(BaseModel):
    name: str


class Pond(TypedDict):
    name: str


@dataclass
class River:
    name: str


def check_schemas(model: Any, question: str) -> None:
    assert_type(with_structured_output(model, Lake), Runnable[Any, Lake])
    assert_type(with_structured_output(model, Lake).invoke(question), Lake)
    assert_type(with_structured_output(model, Pond), Runnable[Any, Pond])
    assert_type(with_structured_output(model, River), Runnable[Any, River])
    assert_type(with_structured_output(model, Lake | River), Runnable[Any, Lake | River])


def check_json_schemas(model: Any, schema: dict[str, Any]) -> None:
    assert_type(with_structured_output(model, schema), Runnable[Any, dict[str, Any]])
    assert_type(with_structured_output(model, {"title": "Lake"}), Runnable[Any, dict[str, Any]])


def check_what_is_known_at_run_time(model: Any, kinds: UnionType, include_raw: bool) -> None:
    assert_type(with_structured_output(model, kinds), Runnable[Any, Any])
    either = with_structured_output(model, Lake, include_raw=include_raw)
    assert_type(either, Runnable[Any, Any])


def check_strategies(model: Any) -> None:
    assert_type(with_structured_output(model, ToolStrategy(Lake)), Runnable[Any, Lake])
    assert_type(with_structured_output(model, ProviderStrategy(Lake)), Runnable[Any, Lake])
    either = ToolStrategy(Lake | River, handle_errors=False)
    assert_type(either, ToolStrategy[Lake | River])
    assert_type(with_structured_output(model, either), Runnable[Any, Lake | River])
    assert_type(AutoStrategy(Lake | River), AutoStrategy[Lake | River])
    assert_type(ToolStrategy({"title": "Lake"}), ToolStrategy[Any])
    resolved = AutoStrategy(Lake).resolve(has_provider=True)
    assert_type(resolved, ToolStrategy[Lake] | ProviderStrategy[Lake])


def check_raw(model: Any, schema: dict[str, Any], question: str) -> None:
    runnable = with_structured_output(model, Lake, include_raw=True)
    assert_type(runnable, Runnable[Any, RawAndParsed[Lake]])
    found = runnable.invoke(question)
    assert_type(found["raw"], Any)
    assert_type(found["parsed"], Lake | None)
    assert_type(found["parsing_error"], OutputParserException | None)
    either = with_structured_output(model, Lake | River, include_raw=True)
    assert_type(either, Runnable[Any, RawAndParsed[Lake | River]])
    data = with_structured_output(model, schema, include_raw=True)
    assert_type(data, Runnable[Any, RawAndParsed[dict[str, Any]]])


def check_loop(message: Any, strategy: ToolStrategy[Lake]) -> None:
    found = read_structured_output(message, strategy)
    assert_type(found, StructuredResponse[Lake] | StructuredRetry | None)
    match found:
        case StructuredResponse(response):
            assert_type(response, Lake)
        case StructuredRetry(error):
            raise error
        case None:
            pass
