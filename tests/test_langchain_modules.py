"""Every public name of LangChain's modules is here and the same, or docs/differences.md says so.

The modules are those of messages, outputs, output parsers and agent parsers, as installed. What is
compared: paths of modules, their names, the values of constants, the arguments of functions and
methods, the fields and their defaults, what `repr` prints, and the format instructions.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import logging
import pkgutil
import re
import warnings
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from pydantic import BaseModel

import agent_parsers
from output_parsers.runnables.langchain import ONLY_LANGCHAINS, ONLY_LANGCHAINS_PARSERS
from tools.conformance.langchain_tests import AGENTS, MODULES

if TYPE_CHECKING:
    from collections.abc import Iterator

FOR_SERIALIZING = {"get_lc_namespace", "is_lc_serializable", "lc_attributes"}
HOOKS = {"_atransform", "_diff", "_get_schema", "_parse_obj", "_transform", "_type"}
"""What subclasses of LangChain's parsers override."""
PAGE = Path(__file__).parents[1] / "docs" / "differences.md"
SECTION = "## Names, arguments and defaults"


# -- what LangChain has ----------------------------------------------------------------------------


def modules_in(room: str) -> Iterator[str]:
    yield room
    path = getattr(import_module(room), "__path__", ())
    for found in pkgutil.walk_packages(path, f"{room}."):
        if not any(part.startswith("_") for part in found.name.split(".")):
            yield found.name


def names_in(module: Any) -> set[str]:
    """Return the public names that a module defines or lists."""
    defined: set[str] = set()
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            defined |= {each.id for each in targets if isinstance(each, ast.Name)}
    known = {name for name in defined | {*getattr(module, "__all__", ())} if name[:1] != "_"}
    helpers = (TypeVar, logging.Logger)
    return {name for name in known if not isinstance(value_of(module, name), helpers)}


def value_of(module: Any, name: str) -> Any:
    """Return what a module has under a name; `None` if it would come from a package not there."""
    with suppress(ImportError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(module, name, None)
    return None


# -- what differs ----------------------------------------------------------------------------------


def differences() -> Iterator[str]:
    """Yield a name for everything of LangChain that is not here, or is not the same."""
    compared: set[int] = set()
    for room, here in MODULES.items():
        for name in modules_in(room):
            path = here + name.removeprefix(room)
            theirs = import_module(name)
            try:
                ours = import_module(path)
            except ModuleNotFoundError:
                yield path
                continue
            for each in sorted(names_in(theirs)):
                their_value = value_of(theirs, each)
                if not hasattr(ours, each):
                    yield f"{path}.{each}"
                elif id(their_value) not in compared:
                    compared.add(id(their_value))
                    yield from in_value(f"{path}.{each}", their_value, getattr(ours, each))


def in_value(path: str, theirs: Any, ours: Any) -> Iterator[str]:
    """Yield what differs between two values of the same name."""
    if inspect.isclass(theirs):
        yield from in_class(theirs, ours)
    elif inspect.isroutine(theirs):
        yield from (f"{path}({name})" for name in lost_arguments(theirs, ours))
    elif isinstance(theirs, str | int | tuple | list | dict) and theirs != ours:
        yield path


def lost_arguments(theirs: Any, ours: Any) -> list[str]:
    """Return the arguments of a function that ours does not take by the same name and place."""
    their_own, own = ([*inspect.signature(each).parameters.values()] for each in (theirs, ours))
    taken = {each.name for each in own} | {"args", "kwargs", "self"}
    lost = [each.name for each in their_own if each.name not in taken]
    if inspect.Parameter.VAR_POSITIONAL in {each.kind for each in own}:
        return lost
    places = [
        [each.name for each in some if each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        for some in (their_own, own)
    ]
    for at, name in enumerate(places[0]):
        if places[1][at : at + 1] != [name] and name not in lost:
            lost.append(name)
    return lost


def in_class(theirs: type, ours: type) -> Iterator[str]:
    """Yield what differs between two classes of the same name."""
    name = theirs.__name__
    their_fields: dict[str, Any] = getattr(theirs, "model_fields", {})
    fields: dict[str, Any] = getattr(ours, "model_fields", {})
    for each, field in their_fields.items():
        if each not in fields:
            if not hasattr(ours, each):
                yield f"{name}.{each}"
        elif field.is_required() is not fields[each].is_required() or (
            not field.is_required() and field.default != fields[each].default
        ):
            yield f"{name}.{each}"
    checks = getattr(theirs, "__pydantic_decorators__", None)
    validators = {
        each
        for kind in ("model_validators", "field_validators", "validators", "root_validators")
        for each in getattr(checks, kind, {})
    }
    for each in vars(theirs):
        is_private = each[:1] == "_" and each not in HOOKS
        if is_private or each in {*their_fields, *validators} | FOR_SERIALIZING:
            continue
        if each in ONLY_LANGCHAINS | ONLY_LANGCHAINS_PARSERS:
            continue
        if not hasattr(ours, each):
            yield f"{name}.{each}"
        elif inspect.isroutine(their_method := getattr(theirs, each)):
            lost = lost_arguments(their_method, getattr(ours, each))
            yield from (f"{name}.{each}({argument})" for argument in lost)
    if issubclass(theirs, BaseModel) and not inspect.isabstract(theirs):
        yield from in_instance(name, theirs, ours)


SAMPLES: dict[str, dict[str, Any]] = {
    "AgentAction": {"tool": "weigh", "tool_input": {"g": 2}, "log": "l"},
    "AgentFinish": {"return_values": {"output": 1}, "log": ""},
    "ChatMessage": {"content": "Hm.", "role": "critic"},
    "FunctionMessage": {"content": "2", "name": "weigh"},
    "Generation": {"text": "Hm."},
    "ToolMessage": {"content": "2", "tool_call_id": "1"},
    "CombiningOutputParser": {},
}
"""What objects of a class are made with, where it needs something."""


def in_instance(name: str, theirs: Any, ours: Any) -> Iterator[str]:
    """Yield what differs between objects of two classes, made with the same arguments."""
    required = {each for each, field in theirs.model_fields.items() if field.is_required()}
    given = SAMPLES.get(name, {"content": "Hm."} if required == {"content"} else {})
    if required - given.keys():
        return
    pair = theirs(**given), ours(**given)
    if not name.endswith("Parser") and repr(pair[0]) != repr(pair[1]):
        yield f"repr({name})"
    if hasattr(pair[0], "get_format_instructions"):
        told = [instructions(each) for each in pair]
        if told[0] != told[1]:
            yield f"{name}.get_format_instructions"


def instructions(parser: Any) -> Any:
    try:
        return parser.get_format_instructions()
    except NotImplementedError:
        return None


# -- what the page says ----------------------------------------------------------------------------


@cache
def rows() -> dict[str, str]:
    """Return the names in the first column of the page's table, and the row of each."""
    text = PAGE.read_text(encoding="utf-8").partition(f"{SECTION}\n")[2].partition("\n## ")[0]
    lines = [line for line in text.split("\n") if line.startswith("| `")]
    return {
        name: line
        for line in lines
        for name in re.findall(r"`([^`]+)`", line.split(" | ")[0])
    }  # fmt: skip


def test_the_page_for_switching_has_every_module() -> None:
    page = (PAGE.parent / "coming-from.md").read_text("utf-8")
    table = page.partition("## From LangChain")[2].partition("| there | here |")[0]
    rows = re.findall(r"^\| (`lang.*?) \| `([\w.]+)`", table, re.MULTILINE)
    shown = {room: here for left, here in rows for room in re.findall(r"`([\w.]+)`", left)}
    agents = {room for room in MODULES if room.removesuffix(".output_parser").endswith(AGENTS)}
    first = "langchain_classic.agents.mrkl.output_parser"
    assert shown == {room: MODULES[room] for room in {*MODULES} - agents | {first}}
    assert f"`{first}` and five others" in table
    assert len(agents) == 6


FOUND = sorted({*differences()})


@pytest.mark.parametrize("difference", FOUND)
def test_what_differs_has_a_row(difference: str) -> None:
    assert any(fnmatchcase(difference, name) for name in rows()), (
        f"add {difference} to {SECTION!r} of docs/differences.md, or make it the same"
    )


def test_what_has_a_row_differs() -> None:
    stale = {name for name in rows() if not any(fnmatchcase(each, name) for each in FOUND)}
    assert not stale


def test_the_walk_finds_what_differs() -> None:
    assert len(FOUND) > 100
    theirs = import_module("langchain_core.agents").AgentAction
    assert next(in_class(theirs, agent_parsers.AgentFinish)) == "AgentAction.tool"
    assert not [*in_instance("AgentAction", theirs, agent_parsers.AgentAction)]
    unlike = type("AgentAction", (agent_parsers.AgentAction,), {"__repr__": lambda _: "?"})
    assert [*in_instance("AgentAction", theirs, unlike)] == ["repr(AgentAction)"]
    assert [*in_value("x.F", "their words", "our words")] == ["x.F"]
    assert lost_arguments(lambda text, partial: text, lambda text: text) == ["partial"]
    assert lost_arguments(lambda text, partial: text, lambda partial, text: text)


# -- our own lists of names ------------------------------------------------------------------------


def own_modules() -> list[str]:
    found = []
    for room, here in MODULES.items():
        for name in modules_in(room):
            path = here + name.removeprefix(room)
            if importlib.util.find_spec(path.rpartition(".")[0] or path) is None:
                continue
            try:
                import_module(path)
            except ModuleNotFoundError:
                continue
            found.append(path)
    return sorted({*found})


@pytest.mark.parametrize("path", own_modules())
def test_a_module_lists_what_it_has(path: str) -> None:
    module = import_module(path)
    assert all(hasattr(module, name) for name in getattr(module, "__all__", ()))
