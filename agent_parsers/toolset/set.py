"""Tools together: what a parser knows of them, and what their providers and prompts are told."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final, get_args

from agent_parsers.toolset.declaring.forms import Tools, read_specs
from agent_parsers.toolset.problems.errors import UnknownToolError
from agent_parsers.toolset.problems.names import folded
from agent_parsers.toolset.problems.policy import (
    CheckedInput,
    ExtraText,
    MissingKeys,
    Policy,
    UnknownKeys,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from agent_parsers.toolset.schemas.schema import Schema
    from agent_parsers.toolset.schemas.spec import ToolSpec

__all__ = ["ToolSet"]

_MOST_CHARS: Final = 200


class ToolSet:
    """The tools there are, in order.

    ::

        def search(query: str, limit: int = 5) -> str:
            '''Looks up a name.'''

        tools = ToolSet([search])
        tools.check("search", "lakes")                           # {"query": "lakes"}
        tools.check("search", {"query": "007", "limit": "3"})    # {"query": "007", "limit": 3}
        tools.check("search", {"limit": "many"})                 # ToolInputError with two problems
        tools.openai_tools(), tools.describe()

    Args:
        tools: See `Tools`.
        unknown_keys: What becomes of keys that a schema neither names nor allows: they are a
            problem, they are left out, or they stay where the schema does not forbid them.
        missing_keys: Whether a required key that is missing is a problem, or left to the tool.
        extra_text: What becomes of text around a JSON object that is the input: it is a problem,
            it is left out, or all of it is text, which a tool with a lone parameter takes.

    Raises:
        TypeError: One of the tools is none.
        ValueError: Two have the same name, or one an empty name or no sound schema; or a policy is
            none of these.
    """

    __slots__ = ("_policy", "_schemas", "_specs")

    def __init__(
        self,
        tools: Tools | ToolSet = (),
        *,
        unknown_keys: UnknownKeys = "forbid",
        missing_keys: MissingKeys = "forbid",
        extra_text: ExtraText = "forbid",
    ) -> None:
        for what, value, known in (
            ("unknown_keys", unknown_keys, UnknownKeys),
            ("missing_keys", missing_keys, MissingKeys),
            ("extra_text", extra_text, ExtraText),
        ):
            if value not in get_args(known):
                raise ValueError(f"{what} is one of {get_args(known)}, not {value!r}")
        self._specs = {spec.name: spec for spec in read_specs(tools)}
        self._policy = Policy(unknown_keys, missing_keys, extra_text)
        self._schemas: dict[str, Schema | None] = {}

    # -- what there is -------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self._specs)

    def __iter__(self) -> Iterator[ToolSpec]:
        return iter(self._specs.values())

    def __len__(self) -> int:
        return len(self._specs)

    def __contains__(self, name: object) -> bool:
        return name in self._specs

    def __getitem__(self, name: str) -> ToolSpec:
        return self._specs[name]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolSet):
            return NotImplemented
        return (tuple(self), self._policy) == (tuple(other), other._policy)

    def __hash__(self) -> int:
        return hash((self.names, self._policy))

    def __repr__(self) -> str:
        return f"ToolSet({list(self.names)!r})"

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        # What is known of schemas goes by identity, which a copy does not have.
        return None, {"_specs": self._specs, "_policy": self._policy, "_schemas": {}}

    # -- what a model wrote --------------------------------------------------------------------

    def find(self, name: str) -> str | None:
        """Return the name of the tool that *name* means, or `None`.

        That is the same name, or else the only one that differs in nothing but case, marks around
        it, and spaces, dots, hyphens and underscores (``Get-Weather`` for ``get_weather``).
        """
        if name in self._specs:
            return name
        key = _plain(name)
        same = [other for other in self._specs if key and _plain(other) == key]
        return same[0] if len(same) == 1 else None

    def checks(self, name: str) -> bool:
        """Tell whether the tool *name* is known to take a certain input, and not just any."""
        spec = self._specs.get(name)
        return spec is not None and spec.parameters is not None

    def declares(self, name: str, keys: Iterable[str]) -> bool:
        """Tell whether all *keys* are parameters that the schema of the tool *name* lists."""
        schema = self._schema(name) if name in self._specs else None
        if schema is None:
            return False
        properties = schema.flat(schema.root).get("properties", {})
        return all(key in properties for key in keys)

    def check(self, name: str, tool_input: Any, *, lenient: bool = False) -> str | dict[str, Any]:
        """Return *tool_input* as the tool takes it; see `read`."""
        return self.read(name, tool_input, lenient=lenient).value

    def read(self, name: str, tool_input: Any, *, lenient: bool = False) -> CheckedInput:
        """Return *tool_input* as the tool *name* takes it, and what was changed.

        What fits the schema stays as it is. Else text becomes null, an integer, a number, a
        boolean, an object or a list, in this order, where the schema asks for one; text that is the
        whole input is a JSON object, or the value of the lone parameter. A tool without a schema
        takes anything.

        Args:
            name: See `find`.
            tool_input: Text or an object.
            lenient: Mend JSON in texts as `repair_json` does.

        Raises:
            UnknownToolError: There is no such tool.
            ToolInputError: The input does not fit, with all that is wrong, and an example.
        """
        found = self.find(name)
        if found is None:
            raise self.unknown(name)
        policy = self._policy._replace(lenient=lenient)
        schema = self._schema(found)
        if schema is None:
            return CheckedInput(found, tool_input)
        from agent_parsers.toolset.schemas.check import check_input  # names alone need none of it

        return check_input(self._specs[found], schema, tool_input, policy)

    def fills(self, name: str, arguments: str | dict[str, Any]) -> bool:
        """Tell whether nothing can be added to *arguments* of the tool *name*.

        All its parameters are given, the optional ones too, and no others may be.
        """
        found = self.find(name)
        schema = None if found is None else self._schema(found)
        if schema is None or not isinstance(arguments, dict) or self._policy.unknown_keys == "keep":
            return False
        known = schema.known_keys(schema.root)
        return known is not None and known.keys() <= arguments.keys()

    def resolve(
        self,
        name: str,
        arguments: Any,
        others: Mapping[str, Callable[[], Iterable[Any]]],
        unnamed: Sequence[Any] = (),
    ) -> dict[str, Any] | None:
        """Return *arguments* of the tool *name* as its schema says they are meant.

        Args:
            name: Of a tool whose input is checked.
            arguments: By name.
            others: What else some of them may be: the first that fits counts if they do not.
            unnamed: Those without names, in the order of the parameters.

        Returns:
            All of them by name; `None` if there are names for too few.
        """
        schema = self._schema(name)
        assert schema is not None, "it checks the tool"
        from agent_parsers.toolset.schemas.check import resolve

        return resolve(schema, self._policy, arguments, others, unnamed)

    def unknown(self, name: str) -> UnknownToolError:
        """Return the error for *name*, which is none of the tools, or may be several of them."""
        from difflib import get_close_matches  # only errors need it

        key = _plain(name[:_MOST_CHARS])
        plain: dict[str, list[str]] = {}
        for other in self._specs:
            plain.setdefault(_plain(other), []).append(other)
        near = tuple(plain.get(key, ()))
        if not near:
            found = get_close_matches(key, plain, n=3)
            near = tuple(other for word in found for other in plain[word])[:3]
        reason = f"{name[:_MOST_CHARS]!r} is none of the tools"
        if len(plain.get(key, ())) > 1:
            reason = f"{name[:_MOST_CHARS]!r} may be any of {', '.join(near)}"
        return UnknownToolError(reason, name=name, near=near, names=self.names)

    def call(self, action: Any) -> Any:
        """Run the tool of an *action* with its input, and return what it returns.

        The input is checked first. What was made from a model gives an object of it; an
        asynchronous function gives what is to be awaited, see `acall`.

        Args:
            action: An `AgentAction`, or anything with a ``tool`` and a ``tool_input``.

        Raises:
            UnknownToolError: There is no such tool.
            ToolInputError: The input does not fit.
            TypeError: The tool was not made from anything that can be run.
        """
        checked = self.read(action.tool, action.tool_input)
        return self._origin(checked.tool).run(checked.value)

    async def acall(self, action: Any) -> Any:
        """Do the same as `call`, and wait for what has to be waited for."""
        checked = self.read(action.tool, action.tool_input)
        origin = self._origin(checked.tool)
        if hasattr(origin, "arun"):
            return await origin.arun(checked.value)
        result = origin.run(checked.value)
        return await result if inspect.isawaitable(result) else result

    def example(self, name: str) -> dict[str, Any] | None:
        """Return an input for the tool *name*, of defaults and placeholders, to show to a model.

        `None` if the tool takes anything, or what a pattern or a validator wants is not known.

        Raises:
            KeyError: There is no such tool.
        """
        schema = self._schema(name)
        if schema is None:
            return None
        from agent_parsers.toolset.schemas.check import example_of

        return example_of(self._specs[name], schema, self._policy)

    # -- what providers and prompts are told ---------------------------------------------------

    def openai_tools(self) -> list[dict[str, Any]]:
        """Return them as OpenAI's ``tools``."""
        return [spec.openai_tool() for spec in self]

    def openai_functions(self) -> list[dict[str, Any]]:
        """Return them as OpenAI's ``functions``."""
        return [spec.openai_function() for spec in self]

    def openai_response_tools(self) -> list[dict[str, Any]]:
        """Return them as the ``tools`` of OpenAI's Responses API."""
        return [spec.openai_response_tool() for spec in self]

    def anthropic_tools(self) -> list[dict[str, Any]]:
        """Return them as Anthropic's ``tools``."""
        return [spec.anthropic_tool() for spec in self]

    def json_schemas(self) -> list[dict[str, Any]]:
        """Return their inputs as JSON Schemas, with the names as titles."""
        return [spec.json_schema() for spec in self]

    def describe(self) -> str:
        """Return them as text for a prompt, a line for each and one for each parameter."""
        return "\n".join(spec.describe() for spec in self)

    # ------------------------------------------------------------------------------------------

    def _schema(self, name: str) -> Schema | None:
        if name not in self._schemas:
            self._schemas[name] = self._specs[name].schema()
        return self._schemas[name]

    def _origin(self, name: str) -> Any:
        origin = self._specs[name].origin
        if origin is None:
            raise TypeError(f"the tool {name} was not made from anything that can be run")
        return origin


def _plain(name: str) -> str:
    return folded(name[: 2 * _MOST_CHARS])
