"""Each key of a tool's schema is one from which the tool gets a value, and no other is taken."""

from dataclasses import InitVar, dataclass, field
from typing import Annotated, Any

import pydantic.dataclasses
import pytest
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field
from pydantic import v1 as pydantic_v1

from agent_parsers import AgentAction
from agent_parsers.toolset import ToolInputError, ToolSet
from agent_parsers.toolset.output_type import OutputType


def keys_of(tool: Any) -> list[str]:
    """Return the keys that the schema of *tool* has."""
    (function,) = ToolSet([tool]).openai_functions()
    return [*function["parameters"]["properties"]]


def ran(tool: Any, arguments: dict[str, Any], **policy: Any) -> Any:
    """Return what *tool* returns for *arguments*, or its problems."""
    tools = ToolSet([tool], **policy)
    (name,) = tools.names
    try:
        return tools.call(AgentAction(name, arguments, ""))
    except ToolInputError as error:
        return [str(problem) for problem in error.problems]


# -- fields of dataclasses with init=False ---------------------------------------------------------


@dataclass
class Seat:
    row: int
    price: int = field(init=False, default=9)
    child: InitVar[bool] = False

    def __post_init__(self, child: bool) -> None:
        self.price = 4 if child else 9


@pydantic.dataclasses.dataclass
class Berth:
    deck: int
    price: int = field(init=False, default=70)


@dataclass
class Trip:
    seat: Seat
    berths: list[Berth] = field(default_factory=list)


def reserve(seat: Seat, berth: Berth | None = None) -> int:
    return seat.price + (berth.price if berth else 0)


@pytest.mark.parametrize(
    ("tool", "arguments", "problem"),
    [
        (Seat, {"row": 1, "price": 0}, "price: expected only the keys row, child, found the key"),
        (Berth, {"deck": 1, "price": 0}, "price: expected only the key deck, found the key"),
        (Trip, {"seat": {"row": 1, "price": 0}}, "seat.price: expected only the keys row, child"),
        (
            Trip,
            {"seat": {"row": 1}, "berths": [{"deck": 1, "price": 0}]},
            "berths[0].price: expected only the key deck",
        ),
        (reserve, {"seat": {"row": 1, "price": 0}}, "seat.price: expected only the keys row"),
        (
            reserve,
            {"seat": {"row": 1}, "berth": {"deck": 1, "price": 0}},
            "berth.price: expected only the key deck",
        ),
    ],
)
def test_a_field_that_init_has_not_is_no_parameter(
    tool: Any, arguments: dict[str, Any], problem: str
) -> None:
    (found,) = ran(tool, arguments)
    assert found.startswith(problem)


def test_what_init_takes_is_a_parameter() -> None:
    assert keys_of(Seat) == ["row", "child"]
    assert ran(reserve, {"seat": {"row": 1, "child": True}, "berth": {"deck": 2}}) == 74


@pytest.mark.parametrize("answer", [Seat(3), Berth(2), Trip(Seat(1), [Berth(2)])])
def test_an_answer_is_written_without_such_fields(answer: Any) -> None:
    output_type = OutputType(type(answer))
    assert output_type.read(output_type.dump(answer)).value == answer


# -- aliases ---------------------------------------------------------------------------------------


class Parcel(BaseModel):
    town: str = Field("here", validation_alias=AliasPath("address", "town"))


class Stop(BaseModel):
    line: int
    towns: list[Parcel] = []


class Places(BaseModel):
    first: str = Field(validation_alias=AliasChoices(AliasPath("a", 0), AliasPath("b", 0)))


@dataclass
class Letter:
    town: Annotated[str, Field(validation_alias=AliasPath("address", "town"))] = "here"


def post(parcel: Parcel) -> str:
    return parcel.town


@pytest.mark.parametrize("tool", [Parcel, Stop, Places, Letter, post])
def test_a_field_inside_another_key_is_a_mistake_of_the_caller(tool: Any) -> None:
    with pytest.raises(TypeError, match=r"is read only from inside another key, by AliasPath\("):
        ToolSet([tool])


def test_it_is_one_of_an_answer_as_well() -> None:
    with pytest.raises(TypeError, match="the field 'town' is read only from inside another key"):
        OutputType(list[Parcel])


class Renamed(BaseModel):
    town: str = Field(validation_alias=AliasChoices(AliasPath("address", "town"), "place"))
    street: str = Field("", validation_alias=AliasPath("road"))


class ByName(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    town: str = Field("here", validation_alias=AliasPath("address", "town"))


def test_a_key_that_the_field_has_too_is_shown() -> None:
    assert keys_of(Renamed) == ["place", "road"]
    assert ran(Renamed, {"place": "Bergen", "road": "Strand"}) == Renamed.model_validate(
        {"place": "Bergen", "road": "Strand"}
    )
    assert keys_of(ByName) == ["town"]
    assert ran(ByName, {"town": "Bergen"}).town == "Bergen"


# -- tools of LangChain ----------------------------------------------------------------------------


class Weight(BaseModel):
    grams: int = Field(0, alias="g")
    unit: str = "g"


class WeightV1(pydantic_v1.BaseModel):
    grams: int = pydantic_v1.Field(0, alias="g")
    unit: str = "g"


class WeightByName(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    grams: int = Field(0, alias="g")
    unit: str = "g"


def structured(model: Any) -> Any:
    tools = pytest.importorskip("langchain_core.tools")
    return tools.StructuredTool.from_function(
        func=lambda grams=-1, unit="", user="": f"{grams} {unit} {user}".strip(),
        name="weigh",
        description="Weighs.",
        args_schema=model,
    )


@pytest.mark.parametrize("model", [Weight, WeightV1])
def test_a_tool_of_langchain_is_shown_with_the_aliases_that_it_reads(model: Any) -> None:
    tool = structured(model)
    assert keys_of(tool) == ["g", "unit"]
    assert ran(tool, {"g": 5}) == "5 g"
    assert ran(tool, {"grams": 5})[0].startswith("grams: expected only the keys g, unit, found")


def test_a_tool_of_langchain_may_read_by_name() -> None:
    assert ran(structured(WeightByName), {"grams": 5}) == "5 g"


def test_what_the_program_injects_is_no_parameter_beside_an_alias() -> None:
    tools = pytest.importorskip("langchain_core.tools")

    class Injected(BaseModel):
        grams: int = Field(alias="g")
        user: Annotated[str, tools.InjectedToolArg] = "ada"

    tool = structured(Injected)
    assert keys_of(tool) == ["g"]
    assert ran(tool, {"g": 5}) == "5  ada"
    assert ran(tool, {"g": 5, "user": "eve"}) == [
        'user: expected only the key g, found the key "user"'
    ]
    assert ran(tool, {"g": "heavy"}) == ['g: expected an integer, found "heavy"']


# -- keys that are kept ----------------------------------------------------------------------------


class Closed(BaseModel):
    crate: str


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    crate: str


def take(crate: str) -> str:
    return crate


def take_in(box: Closed) -> Closed:
    return box


def take_all(crate: str, **others: Any) -> Any:
    return crate, others


@pytest.mark.parametrize(
    ("tool", "arguments", "where"),
    [
        (Closed, {"crate": "K7", "floor": 3}, "floor"),
        (take, {"crate": "K7", "floor": 3}, "floor"),
        (take_in, {"box": {"crate": "K7", "floor": 3}}, "box.floor"),
        (Trip, {"seat": {"row": 1}, "class": 2}, "class"),
    ],
)
def test_a_key_is_kept_only_for_a_tool_that_sees_it(
    tool: Any, arguments: dict[str, Any], where: str
) -> None:
    (problem,) = ran(tool, arguments, unknown_keys="keep")
    assert problem.startswith(f"{where}: expected only the key")


def test_a_tool_of_langchain_sees_only_its_fields() -> None:
    (problem,) = ran(structured(Weight), {"g": 1, "floor": 3}, unknown_keys="keep")
    assert problem == 'floor: expected only the keys g, unit, found the key "floor"'


def test_a_key_is_kept_for_a_tool_that_takes_any() -> None:
    arguments = {"crate": "K7", "floor": 3}
    assert ran(take_all, arguments, unknown_keys="keep") == ("K7", {"floor": 3})
    assert ran(Open, arguments, unknown_keys="keep").floor == 3
    schema = {"name": "take", "parameters": {"properties": {"crate": {"type": "string"}}}}
    assert ToolSet([schema], unknown_keys="keep").check("take", arguments) == arguments
