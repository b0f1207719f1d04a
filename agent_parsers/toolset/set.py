"""`ToolSet`: the tools of an agent, for parsers, providers and prompts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, get_args

from agent_parsers.toolset.declaring.forms import Tools, read_specs
from agent_parsers.toolset.problems.errors import (
    CheckedInput,
    ExtraText,
    MissingKeys,
    Policy,
    ToolInputError,
    UnknownKeys,
    UnknownToolError,
    unknown_tool,
)
from agent_parsers.toolset.problems.names import folded_start
from agent_parsers.toolset.running import TurnOfCalls, one_action

if TYPE_CHECKING:
    from agent_parsers.toolset.output_type import OutputType
    from agent_parsers.toolset.problems.errors import InputNote
    from agent_parsers.toolset.running import AnyAction, Approve, HasActions, ToolErrors
    from agent_parsers.toolset.schemas.schema import Schema
    from agent_parsers.toolset.schemas.spec import ToolSpec


class ToolSet:
    """The tools of an agent, in order.

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
        unknown_keys: What to do with keys that a schema neither names nor allows: ``"forbid"``
            reports a problem, ``"drop"`` removes them, and ``"keep"`` leaves them in unless the
            schema forbids them, or the tool is a function or a model that would not see them.
        missing_keys: What to do if a required key is missing: ``"forbid"`` reports a problem,
            ``"keep"`` leaves it to the tool.
        extra_text: What to do with text around a JSON object: ``"forbid"`` reports a problem,
            ``"drop"`` removes it, and ``"keep"`` reads the whole input as text, which only a tool
            with a lone parameter takes.

    Raises:
        TypeError: One of *tools* is not a tool.
        ValueError: Two tools have the same name, a name is empty, a schema is invalid, or a policy
            is unknown.
    """

    __slots__ = ("_bare", "_plain", "_policy", "_schemas", "_specs", "output_type")

    output_type: OutputType | None
    """The type of the agent's answers; `None` for text."""

    def __init__(
        self,
        tools: Tools | ToolSet = (),
        *,
        unknown_keys: UnknownKeys = "forbid",
        missing_keys: MissingKeys = "forbid",
        extra_text: ExtraText = "forbid",
    ) -> None:
        self._policy = Policy(unknown_keys, missing_keys, extra_text)
        kinds = (UnknownKeys, MissingKeys, ExtraText)
        for what, value, known in zip(Policy._fields, self._policy, kinds, strict=False):
            if value not in get_args(known):
                raise ValueError(f"{what} must be one of {get_args(known)}, not {value!r}")
        self._specs = {spec.name: spec for spec in read_specs(tools)}
        self._schemas: dict[str, Schema | None] = {}
        self._plain: dict[str, list[str]] = {}
        self._bare: ToolSet | None = None
        self.output_type = None

    def answering(self, output_type: Any) -> ToolSet:
        """Return the same tools for an agent whose answers are of this type.

        Args:
            output_type: See `OutputType`; `None` for text.

        Raises:
            TypeError: It has no JSON Schema.
        """
        from agent_parsers.toolset.output_type import OutputType  # lazily: most answers are text

        other = copy(self)
        other._schemas, other._plain = self._schemas, self._plain  # of the same tools
        other.output_type = None if output_type is None else OutputType(output_type)
        return other

    def adding(self, tools: Tools) -> ToolSet:
        """Return these tools followed by more *tools*.

        Raises:
            TypeError: One of *tools* is not a tool.
            ValueError: Two tools have the same name.
        """
        return self._of(read_specs([*self, *tools]))

    def only(self, names: Collection[str]) -> ToolSet:
        """Return only the tools with these *names*."""
        return self._of(spec for spec in self if spec.name in names)

    def _of(self, specs: Iterable[ToolSpec]) -> ToolSet:
        """Return other tools, read in the same way."""
        other = copy(self)
        other._specs = {spec.name: spec for spec in specs}
        return other

    # -- the tools -----------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in order."""
        return tuple(self._specs)

    @property
    def without_schemas(self) -> ToolSet:
        """The same tools by name alone: each takes any input, and answers are text."""
        if self._bare is None:
            self._bare = ToolSet(self.names)
        return self._bare

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
        ours = tuple(self), self._policy, self.output_type
        return ours == (tuple(other), other._policy, other.output_type)

    def __hash__(self) -> int:
        return hash((self.names, self._policy))

    def __repr__(self) -> str:
        return f"ToolSet({list(self.names)!r})"

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        # `_schemas` caches by the identity of nodes, which a copy does not share.
        caches: dict[str, Any] = {"_schemas": {}, "_plain": {}, "_bare": None}
        kept = {"_specs": self._specs, "_policy": self._policy, "output_type": self.output_type}
        return None, {**kept, **caches}

    # -- what a model wrote --------------------------------------------------------------------

    def find(self, name: str) -> str | None:
        """Return the name of the tool that *name* refers to, or `None`.

        An exact match comes first. Otherwise exactly one tool must match when case, marks around
        the name, and spaces, dots, hyphens and underscores are ignored (``Get-Weather`` for
        ``get_weather``).
        """
        if name in self._specs:
            return name
        key = folded_start(name)
        same = self._by_plain_name().get(key, []) if key else []
        return same[0] if len(same) == 1 else None

    def _by_plain_name(self) -> dict[str, list[str]]:
        """Return the names of the tools by what they have in common with other spellings."""
        if not self._plain:
            for name in self._specs:
                self._plain.setdefault(folded_start(name), []).append(name)
        return self._plain

    def checks(self, name: str) -> bool:
        """Return whether the tool *name* has a schema that its input is checked against."""
        spec = self._specs.get(name)
        return spec is not None and spec.parameters is not None

    def declares(self, name: str, keys: Iterable[str]) -> bool:
        """Return whether the schema of the tool *name* lists all *keys* as parameters."""
        schema = self._schema(name) if name in self._specs else None
        if schema is None:
            return False
        properties = schema.flat(schema.root).get("properties", {})
        return all(key in properties for key in keys)

    def declares_any(self, name: str, keys: Iterable[str]) -> bool:
        """Return whether one of *keys*, or it in lower case, is a parameter of the tool *name*."""
        spelt = {word for key in keys for word in (key, key.lower())}
        return any(self.declares(name, [word]) for word in spelt)

    def has_lists(self, name: str, paths: Iterable[Iterable[str]]) -> bool:
        """Return whether the schema of the tool *name* has a list at each of *paths*.

        A path has the names of a parameter and of members; items of lists have no names.
        """
        schema = self._schema(name) if name in self._specs else None
        return schema is not None and all(map(schema.has_list, paths))

    def from_texts(self, name: str, given: dict[str, Any]) -> dict[str, Any] | None:
        """Return *given*, its strings converted to the values that the schema of a tool expects.

        Args:
            name: Name of the tool.
            given: The strings by key; other values are kept.

        Returns:
            `None` if a string may mean several values.
        """
        if not self.checks(name):
            return given
        schema = self._schema(name)
        return schema.plain.from_texts(given) if schema and schema.plain else None

    def check(self, name: str, tool_input: Any, *, lenient: bool = False) -> str | dict[str, Any]:
        """Return *tool_input* converted to what the tool takes; see `read`."""
        return self.read(name, tool_input, lenient=lenient).value

    def read(self, name: str, tool_input: Any, *, lenient: bool = False) -> CheckedInput:
        """Return *tool_input* converted to what the tool *name* takes, and the changes made.

        Values that fit the schema are kept as they are. Where the schema asks for another type,
        text is read as null, an integer, a number, a boolean, an object or a list, tried in this
        order. If the whole input is text, it is read as a JSON object, or as the value of the lone
        parameter. A tool without a schema takes any input.

        Args:
            name: Name of the tool, matched as in `find`.
            tool_input: Text or an object.
            lenient: Repair malformed JSON in texts, as `repair_json` does.

        Raises:
            UnknownToolError: There is no such tool.
            ToolInputError: The input does not fit; the error lists all problems and has an example.
        """
        found = name if name in self._specs else self.find(name)
        if found is None:
            raise self.unknown(name, tool_input)
        schema = self._schema(found)
        if schema is None:
            return CheckedInput(found, tool_input)
        plain = self.read_plain(found, tool_input)
        if plain is not None:
            return CheckedInput(found, *plain)
        policy = self._policy._replace(lenient=lenient)
        # Imported lazily: a set of names does not need it.
        from agent_parsers.toolset.schemas.check import check_input

        return check_input(self._specs[found], schema, tool_input, policy)

    def read_plain(
        self, name: str, tool_input: Any
    ) -> tuple[dict[str, Any], tuple[InputNote, ...]] | None:
        """Return the value and notes of `read` if the types alone show that *tool_input* fits.

        Args:
            name: Name of a tool that has a schema.
            tool_input: Text or an object.
        """
        schema = self._schemas.get(name) or self._schema(name)
        if schema is None or schema.plain is None:
            return None
        plain = None if schema.sure is None else schema.sure.read(tool_input)
        if plain is not None or schema.sure is schema.plain:
            return plain
        plain = schema.plain.read(tool_input)
        is_kept = plain is None or not any(self._specs[name].origin.problems(plain[0]))
        return plain if is_kept else None

    def fills(self, name: str, arguments: str | dict[str, Any]) -> bool:
        """Return whether no further argument of the tool *name* can be added to *arguments*.

        This is so if all its parameters, the optional ones included, are given, and no other keys
        are allowed.
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
        texts: Collection[str] = (),
    ) -> dict[str, Any] | None:
        """Return *arguments* of the tool *name*, with ambiguous ones decided by its schema.

        Args:
            name: Name of a tool with a schema.
            arguments: The arguments by name.
            others: Other readings of some arguments, by name; if an argument does not fit the
                schema, the first reading that fits replaces it.
            unnamed: Positional arguments, in the order of the parameters.
            texts: Names of arguments that stay texts if the schema takes texts.

        Returns:
            All arguments by name, or `None` if *unnamed* has more items than the tool has
            parameters, or one of them is given by name, too.
        """
        schema = self._schema(name)
        assert schema is not None, "the tool has a schema"
        from agent_parsers.toolset.schemas.check import resolve

        return resolve(schema, self._policy, arguments, others, unnamed, texts)

    def unknown(self, name: str, tool_input: Any = "") -> UnknownToolError:
        """Return the error for *name*, which matches no tool, or more than one.

        If no name is similar, but one tool alone takes the *tool_input*, that is the likely one.
        """
        return unknown_tool(name, tool_input, self.names, self._by_plain_name(), self._takers)

    def _takers(self, tool_input: Any) -> tuple[str, ...]:
        """Return the tools that take *tool_input*; those that are not checked take any."""

        def takes(name: str) -> bool:
            try:
                self.read(name, tool_input)
            except ToolInputError:
                return False
            return True

        return tuple(filter(takes, self.names))

    def call(
        self, action: AnyAction, *, errors: ToolErrors = (), approve: Approve | None = None
    ) -> Any:
        """Check the input of an *action*, run its tool, and return what the tool returned.

        A tool made from a model returns an instance of the model. If a tool raises a
        `ToolException`, LangChain's or pydantic-ai's ``ModelRetry`` included, its text is the
        result, for the model to read.

        Args:
            action: An `AgentAction`, or anything with a ``tool`` and a ``tool_input``.
            errors: Other exceptions for the model to read when a tool raises them, such as
                ``(LookupError, TimeoutError)``.
            approve: Called with the action before the tool runs. It returns `True`; or `False`, or
                a text for the model, if it is not to run; or other arguments for it.

        Raises:
            UnknownToolError: There is no such tool; no tool was run.
            ToolInputError: The input does not fit; no tool was run.
            TypeError: *action* is a turn or a list, see `run`; or the tool cannot be run, since it
                was not made from a callable or a model, or it is asynchronous, see `acall`; or
                *approve* returns something else.
            Exception: What the tool raised.
        """
        ((_, seen),) = self._turn(one_action(action), errors, approve).run()
        return seen

    async def acall(
        self, action: AnyAction, *, errors: ToolErrors = (), approve: Approve | None = None
    ) -> Any:
        """Do the same as `call`; the tool and *approve* may be asynchronous.

        A function that is not asynchronous runs in a thread.
        """
        turn = self._turn(one_action(action), errors, approve)
        ((_, seen),) = await turn.arun(is_sequential=False)
        return seen

    def run(
        self,
        turn: HasActions | Sequence[AnyAction],
        *,
        errors: ToolErrors = (),
        approve: Approve | None = None,
    ) -> list[tuple[Any, Any]]:
        """Check the inputs of a *turn*, run its tools, and return the steps that were taken.

        Args:
            turn: A turn, as `read` returns it, or a list of actions.
            errors: As for `call`.
            approve: As for `call`, for each action before any tool runs.

        Returns:
            For each action a pair of it and what its tool returned, as `render_prompt` takes them;
            none for an answer.

        Raises:
            UnknownToolError: There is no such tool; no tool was run.
            ToolInputError: An input does not fit; no tool was run.
            TypeError: *turn* is a single action, see `call`; otherwise as for `call`.
            Exception: What a tool raised. Its ``steps_taken`` are the steps of the calls that ran;
                if the turn has several, a note names those that did not.
        """
        return self._turn(turn, errors, approve).run()

    async def arun(
        self,
        turn: HasActions | Sequence[AnyAction],
        *,
        errors: ToolErrors = (),
        approve: Approve | None = None,
        sequential: bool = False,
    ) -> list[tuple[Any, Any]]:
        """Do the same as `run`; the tools and *approve* may be asynchronous.

        The tools of a turn run concurrently, functions that are not asynchronous in threads; the
        steps are in the order of the calls. If one raises, the others are cancelled.

        Args:
            turn: As for `run`.
            errors: As for `call`.
            approve: As for `run`.
            sequential: Whether the tools run one after the other.
        """
        return await self._turn(turn, errors, approve).arun(is_sequential=sequential)

    def _turn(self, turn: Any, errors: ToolErrors, approve: Approve | None) -> TurnOfCalls:
        return TurnOfCalls(turn, self._specs, self.read, errors, approve)

    def example(self, name: str) -> dict[str, Any] | None:
        """Return an example input for the tool *name*, made of defaults and placeholders.

        Returns `None` if the tool has no schema, or if the example does not satisfy a pattern or a
        validator.

        Raises:
            KeyError: There is no such tool.
        """
        schema = self._schema(name)
        if schema is None:
            return None
        from agent_parsers.toolset.schemas.check import example_of

        return example_of(self._specs[name], schema, self._policy)

    # -- for providers and prompts -------------------------------------------------------------
    # The lists are of dictionaries; as `dict` they would be no `TypedDict` of a client.

    def openai_tools(self) -> list[Any]:
        """Return the tools in the form of OpenAI's ``tools``."""
        return [spec.openai_tool() for spec in self]

    def openai_functions(self) -> list[Any]:
        """Return the tools in the form of OpenAI's ``functions``."""
        return [spec.openai_function() for spec in self]

    def openai_response_tools(self) -> list[Any]:
        """Return the tools in the form of the ``tools`` of OpenAI's Responses API."""
        return [spec.openai_response_tool() for spec in self]

    def anthropic_tools(self) -> list[Any]:
        """Return the tools in the form of Anthropic's ``tools``."""
        return [spec.anthropic_tool() for spec in self]

    def json_schemas(self) -> list[dict[str, Any]]:
        """Return the JSON Schemas of the inputs, titled with the names of the tools."""
        return [spec.json_schema() for spec in self]

    def describe(self) -> str:
        """Return the tools as text for a prompt: a line for each tool and for each parameter."""
        return "\n".join(spec.describe() for spec in self)

    def _schema(self, name: str) -> Schema | None:
        if name not in self._schemas:
            self._schemas[name] = self._specs[name].schema()
        return self._schemas[name]
