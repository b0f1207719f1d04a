"""What a parser of turns has for constrained decoding: grammars, and requests with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.tables.table import Part

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from agent_parsers.constrain.export import GrammarOptions
    from agent_parsers.constrain.parts.options import GrammarForm, Server, TurnOptions
    from agent_parsers.constrain.parts.tree import GrammarText, GrammarTree
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.toolset import ToolSet


class Constrained:
    """Writes the grammar of the turns that a parser reads, for the tools of the parser."""

    if TYPE_CHECKING:
        dialect: Dialect
        tools: ToolSet | None
        start: Literal["", "content", "thought"]
        prompt: str

    @overload
    def grammar(
        self,
        form: Literal["lark", "llguidance", "gbnf", "regex"],
        **options: Unpack[GrammarOptions],
    ) -> GrammarText: ...
    @overload
    def grammar(
        self, form: Literal["json_schema", "structural_tag"], **options: Unpack[GrammarOptions]
    ) -> GrammarTree: ...
    def grammar(
        self, form: GrammarForm, **options: Unpack[GrammarOptions]
    ) -> GrammarText | GrammarTree:
        """Return a grammar for constrained decoding: the model can write only turns of the dialect.

        Strict parsing reads every such turn as an action of one of the tools, or as an answer. The
        grammar is made from the table of strict mode and from what `render` writes; the members of
        objects are in the order of their schema.

        Args:
            form: ``"lark"`` (for llguidance, xgrammar, vLLM, OpenAI), ``"llguidance"`` (Lark for
                llama.cpp), ``"gbnf"`` (llama.cpp, xgrammar, vLLM, SGLang), ``"regex"``,
                ``"json_schema"`` or ``"structural_tag"``; the last two are dictionaries.
            options: ``turn`` (``"any"``, only those with a ``"call"``, or only an ``"answer"``),
                ``start`` (as the field of the parser, which is the default), ``thoughts=False``
                for turns without, ``max_calls`` (the most calls of a turn), ``max_thought`` and
                ``max_content`` (their most characters), and ``schema_inputs=False`` for inputs of
                any kind, and ``exact=True`` to refuse schemas that a grammar cannot say as a
                whole; see `GrammarOptions`.

        Returns:
            The grammar. Its ``notes`` say what it leaves out of the schemas of the tools, such as
            ``uniqueItems``: there the model can write more than the parser takes.

        Raises:
            GrammarError: The form cannot say it, such as free text in a JSON Schema; it is a
                `ValueError` whose message says why.
            ValueError: There is no such form, or an option is wrong.
        """
        from agent_parsers.constrain.export import write_grammar  # lazily: rarely needed

        return write_grammar(form, self.dialect, self.tools, self._turn_options(options))

    def structured_outputs(
        self, server: Server, **options: Unpack[GrammarOptions]
    ) -> dict[str, Any]:
        """Return the fields of a request that constrain the model to turns of the dialect.

        Args:
            server: ``"vllm"``, ``"sglang"`` and ``"llama_cpp"`` take the fields beside those of
                OpenAI's API: with its client, as ``extra_body``. ``"openai_tool"`` (Responses) and
                ``"openai_chat_tool"`` (Chat Completions) are a custom tool whose input is the turn;
                ``"anthropic"`` is the output of dialects that are JSON.
            options: See `grammar`.

        Raises:
            GrammarError: The form that the server takes cannot say it.
            ValueError: There is no such server, or an option is wrong.
        """
        from agent_parsers.constrain.export import request_fields  # lazily: rarely needed

        return request_fields(server, self.dialect, self.tools, self._turn_options(options))

    def _turn_options(self, options: GrammarOptions) -> TurnOptions:
        from agent_parsers.constrain.parts.options import TurnOptions

        start: Literal["", "content", "thought"] = self.start
        if self.prompt:
            begun = machine(self.dialect, "strict").start("", self.prompt)
            start = "thought" if begun.part is Part.THOUGHT else "content"
        if wrong := [name for name in options if name not in TurnOptions.__dataclass_fields__]:
            raise TypeError(
                f"a grammar has no option {wrong[0]!r}; to force one tool, give the parser that"
                ' tool alone, get_parser(…, tools=[tool]), and pass turn="call"'
            )
        given: GrammarOptions = {"start": start}
        given.update(options)
        return TurnOptions(**given)
