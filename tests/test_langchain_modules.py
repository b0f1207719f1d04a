"""Import lines of LangChain work here if only the package name is changed."""

import inspect
from importlib import import_module

import pytest

import outputs.messages

CORE_OUTPUTS = ["chat_generation", "chat_result", "generation", "llm_result", "run_info"]
CORE_MESSAGES = ["ai", "base", "chat", "function", "human", "system", "tool", "utils"]
CORE_PARSERS = [
    "base", "format_instructions", "json", "list", "openai_functions", "openai_tools", "pydantic",
    "string", "transform", "xml",
]  # fmt: skip
CLASSIC_PARSERS = [
    "boolean", "combining", "datetime", "enum", "fix", "regex", "regex_dict", "retry", "structured",
    "yaml",
]  # fmt: skip
AGENT_PARSERS = [
    "json", "openai_functions", "openai_tools", "react_json_single_input", "react_single_input",
    "self_ask", "tools", "xml",
]  # fmt: skip

MODULES = [
    *((f"outputs.{name}", f"langchain_core.outputs.{name}") for name in CORE_OUTPUTS),
    *((f"output_parsers.{name}", f"langchain_core.output_parsers.{name}") for name in CORE_PARSERS),
    ("output_parsers.prompt_values", "langchain_core.prompt_values"),
    *(
        (f"output_parsers.{name}", f"langchain_classic.output_parsers.{name}")
        for name in CLASSIC_PARSERS
    ),
    *(
        (f"agent_parsers.{name}", f"langchain_classic.agents.output_parsers.{name}")
        for name in AGENT_PARSERS
    ),
]

NOT_HERE = {
    # typed dictionaries for the chain that asks a model again, which is ours to make
    "OutputFixingParserRetryChainInput", "RetryOutputParserRetryChainInput",
    "RetryWithErrorOutputParserRetryChainInput",
    # prompts that are a picture, and the twin of `ChatPromptValue` that LangChain's schemas need
    "ChatPromptValueConcrete", "ImagePromptValue", "ImageURL",
    # helpers for LangChain's own parsers
    "droplastn", "nested_element",
}  # fmt: skip


def defined_in(name: str) -> list[str]:
    """Return the public classes and functions of a LangChain module."""
    module = import_module(name)
    found = [
        each
        for each, value in vars(module).items()
        if (inspect.isclass(value) or inspect.isfunction(value))
        and value.__module__ == name
        and each.isidentifier()
        and not each.startswith("_")
    ]
    return [each for each in found if "[" not in each]


@pytest.mark.parametrize(("ours", "theirs"), MODULES)
def test_a_module_has_what_langchains_has(ours: str, theirs: str) -> None:
    module = import_module(ours)
    names = {*defined_in(theirs)} - NOT_HERE
    assert names or theirs.endswith("format_instructions")
    assert not {name for name in names if not hasattr(module, name)}
    assert names <= {*module.__all__}


def test_the_functions_of_scratchpads_have_their_module() -> None:
    theirs = import_module("langchain_classic.agents.format_scratchpad")
    ours = import_module("agent_parsers.format_scratchpad")
    assert {*theirs.__all__} <= {*ours.__all__}
    assert all(hasattr(ours, name) for name in ours.__all__)


@pytest.mark.parametrize("name", CORE_MESSAGES)
def test_a_module_of_messages_has_those_that_are_here(name: str) -> None:
    ours = import_module(f"outputs.messages.{name}")
    theirs = import_module(f"langchain_core.messages.{name}")
    here = {*outputs.messages.__all__}
    assert {each for each in defined_in(theirs.__name__) if each in here} <= {*ours.__all__}
    # Its alias for messages of any class, and the call that its `tool` imports, are no such names.
    assert {"AnyMessage", "InvalidToolCall"} & {*vars(theirs)} & here <= {*vars(ours)}


def test_messages_have_their_module() -> None:
    theirs = import_module("langchain_core.messages")
    both = {name for name in theirs.__all__ if hasattr(outputs, name)}
    assert len(both) > 20
    assert not {name for name in both if not hasattr(outputs.messages, name)}


@pytest.mark.parametrize("ours", sorted({ours for ours, _ in MODULES}))
def test_a_module_lists_what_it_has(ours: str) -> None:
    module = import_module(ours)
    assert all(hasattr(module, name) for name in module.__all__)
