"""Asking a model by a function of its client, whose arguments say which client it is."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_parsers.messages.writing.to_anthropic import to_anthropic
from agent_parsers.messages.writing.to_langchain import to_langchain
from agent_parsers.messages.writing.to_openai import to_openai
from agent_parsers.messages.writing.to_openai_responses import to_openai_responses
from agent_parsers.registry.dialects_by_name import get_parser
from output_parsers.printable import kind_of
from outputs import HumanMessage, SystemMessage

if TYPE_CHECKING:
    from agent_parsers.toolset import ToolSet
    from output_parsers import ProviderStrategy
    from outputs import BaseMessage

ToolChoice: TypeAlias = str
"""``"auto"``: the model calls tools or answers; ``"required"``: it calls a tool; ``"none"``: it
answers; or the name of the tool that it calls."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a model is asked."""

    prompt: str | list[BaseMessage]
    """The prompt, as a text or as messages."""
    stop: list[str]
    """Stop sequences."""
    tools: ToolSet | None = None
    """The tools for native calls; `None` if the prompt lists them, or there are none."""
    tool_choice: ToolChoice = "auto"
    """What is asked of the model that has *tools*."""
    answer: ProviderStrategy[Any] | None = None
    """The form of the answer that the provider enforces; `None` for none."""


def ask(
    model: Any, request: ModelRequest, *, is_streamed: bool, is_asynchronous: bool = False
) -> Any:
    """Call *model* with the arguments that it takes, and return what it returns.

    Args:
        model: The function of a client that makes a request, such as
            ``partial(client.chat.completions.create, model="gpt-5")``, ``responses.create``, or
            ``messages.create`` of Anthropic's; a model of LangChain, or its ``invoke`` or
            ``stream``; or any function that takes a prompt and perhaps ``stop``. What
            `functools.partial` has set stays, but may not be the prompt. A function with
            ``**kwargs`` takes everything.
        request: What it is asked. A function without a parameter ``tool_choice`` does not get that.
        is_streamed: Whether to ask a client for chunks.
        is_asynchronous: Whether the reply may be awaited.

    Raises:
        TypeError: *model* cannot be called, takes no tools, or no form of the answer, or has a
            prompt of its own.
    """
    prompt, stop, tools = request.prompt, request.stop, request.tools
    target = model.func if isinstance(model, partial) else model
    bound = getattr(model, "keywords", {})
    owner = _langchain_model(target)
    if owner is not None:
        name = getattr(target, "__name__", "stream" if is_streamed else "invoke")
        if owner is target and is_asynchronous:
            name = f"a{name}"
        method = getattr(_with_settings(owner, request), name)
        asked = prompt if isinstance(prompt, str) else to_langchain(prompt, new_id=_new_id)
        return method(asked, **{**({"stop": stop} if stop else {}), **bound})
    known = _parameters(model)
    has_more = any(each.kind is each.VAR_KEYWORD for each in known.values())
    given: dict[str, Any] = {"stop": stop, "stream": is_streamed}
    messages = [HumanMessage(prompt)] if isinstance(prompt, str) else prompt
    if {"messages", "stop_sequences"} <= known.keys():
        head = [each.text for each in messages if isinstance(each, SystemMessage)]
        said = [each for each in messages if not isinstance(each, SystemMessage)]
        given |= {
            "system": "\n\n".join(head),
            "messages": to_anthropic(said, new_id=_new_id),
            "stop_sequences": stop,
            "tools": tools and tools.anthropic_tools(),
            **_anthropic_settings(request),
        }
    elif "messages" in known or (has_more and len(known) == 1):
        given["messages"] = to_openai(messages, new_id=_new_id)
        given["tools"] = tools and tools.openai_tools()
        given |= _chat_settings(request)
        if "format" in known and "response_format" not in known:  # Ollama's
            given["format"] = request.answer and request.answer.schema_spec.json_schema
    elif {"input", "instructions"} <= known.keys():
        is_text = isinstance(prompt, str)
        given["input"] = prompt if is_text else to_openai_responses(messages, new_id=_new_id)
        given["tools"] = tools and tools.openai_response_tools()
        given |= _responses_settings(request)
    elif {"prompt", "stream"} <= known.keys():
        given["prompt"] = prompt
    else:
        given = {"tools": tools and tools.openai_tools(), **_chat_settings(request)}
        more = _taken(given, known, bound, has_more=has_more)
        if (has_more or "stop" in known) and "stop" not in bound:
            more["stop"] = stop
        _check_taken(model, request, {**more, **bound})
        return model(prompt, **more)
    _check_bound(given, bound)
    taken = _taken(given, known, bound, has_more=has_more)
    _check_taken(model, request, {**taken, **bound})
    return model(**taken)


_new_id: Final = "call{:05}".format  # nine letters and digits, which all APIs take


def _chat_settings(request: ModelRequest) -> dict[str, Any]:
    """Return what is asked beside the prompt and the tools, as Chat Completions has it."""
    choice: Any = request.tool_choice
    if choice not in _CHOICES:
        choice = {"type": "function", "function": {"name": choice}}
    answer = {} if request.answer is None else request.answer.to_model_kwargs()
    return {**_if_chosen(request, choice), **answer}


def _responses_settings(request: ModelRequest) -> dict[str, Any]:
    """Return the same as the Responses API has it."""
    choice: Any = request.tool_choice
    if choice not in _CHOICES:
        choice = {"type": "function", "name": choice}
    settings = _if_chosen(request, choice)
    if request.answer is not None:
        form = request.answer.to_model_kwargs()["response_format"]["json_schema"]
        settings["text"] = {"format": {"type": "json_schema", **form}}
    return settings


def _anthropic_settings(request: ModelRequest) -> dict[str, Any]:
    """Return the same as Anthropic's API has it."""
    choice = {"required": {"type": "any"}, "none": {"type": "none"}}.get(
        request.tool_choice, {"type": "tool", "name": request.tool_choice}
    )
    settings = _if_chosen(request, choice)
    if request.answer is not None:
        schema = request.answer.schema_spec.json_schema
        settings["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    return settings


_CHOICES: Final = ("auto", "none", "required")


def _if_chosen(request: ModelRequest, choice: Any) -> dict[str, Any]:
    is_chosen = request.tools and request.tool_choice != "auto"
    return {"tool_choice": choice} if is_chosen else {}


def _taken(
    given: dict[str, Any],
    known: dict[str, inspect.Parameter],
    bound: Mapping[str, Any],
    *,
    has_more: bool,
) -> dict[str, Any]:
    """Return what of the *given* arguments a function takes, and is not *bound* to it."""
    return {
        name: value
        for name, value in given.items()
        if name not in bound and (name in known or (value and has_more))
        if value or known[name].default is inspect.Parameter.empty
    }


def _check_bound(given: Mapping[str, Any], bound: Mapping[str, Any]) -> None:
    """Check that nothing *bound* to a model replaces the prompt, which is among what is *given*.

    Raises:
        TypeError: Something does.
    """
    for name, ours in _PROMPT_ARGUMENTS.items():
        if given.get(name) and name in bound:
            raise TypeError(
                f"{name}= is bound to the model, and would replace the prompt: pass it as {ours}"
                " of run_agent"
            )


_PROMPT_ARGUMENTS: Final = {
    "system": "system=", "messages": "history=", "input": "history=", "prompt": "the question",
}  # fmt: skip
"""The arguments of clients in which the prompt goes, and the arguments of ours that add to it."""


def _check_taken(model: Any, request: ModelRequest, taken: Mapping[str, Any]) -> None:
    """Check that a *model* has *taken* what it cannot do without.

    Raises:
        TypeError: It takes no tools, or no form of the answer.
    """
    name = getattr(getattr(model, "func", model), "__name__", type(model).__name__)
    if request.tools and "tools" not in taken:
        raise TypeError(
            f"the parser reads native calls, but {name} takes no tools: give it a parameter"
            " `tools`, or use the parser of a dialect, such as get_parser('react'), whose prompt"
            " lists them"
        )
    if request.answer and not _ANSWER_KEYS.intersection(taken):
        raise TypeError(
            f"a ProviderStrategy needs a response format, but {name} takes none: give it a"
            " parameter `response_format`, or use a ToolStrategy"
        )


_ANSWER_KEYS: Final = frozenset(("response_format", "format", "text", "output_config"))
"""The arguments of clients that say the form of an answer."""


def returns_awaitable(model: Any) -> bool:
    """Return whether calling *model* returns an awaitable or an asynchronous iterator at once."""
    target: Any = model.func if isinstance(model, partial) else model
    if _langchain_model(target) is target:  # its asynchronous methods are called
        return True
    if not callable(target):
        return False
    forms = (inspect.unwrap(target), target.__call__)
    return any(inspect.iscoroutinefunction(f) or inspect.isasyncgenfunction(f) for f in forms)


def check_model(model: Any, dialect: Any = None) -> None:
    """Check that *model* is a function that calls a model, and that a name of a *dialect* is known.

    Raises:
        TypeError: *model* is something else, such as a client, or a model of another framework.
        ValueError: No dialect or model has this name.
    """
    if not callable(model):
        raise TypeError(
            f"expected a function that calls the model, not {kind_of(model)}: pass a method of the"
            ' client, such as partial(client.chat.completions.create, model="…")'
        )
    if isinstance(dialect, str):
        get_parser(dialect)


def _parameters(model: Any) -> dict[str, inspect.Parameter]:
    check_model(model)
    try:
        return dict(inspect.signature(model).parameters)
    except ValueError:  # a function written in C may not tell
        return {}


def _langchain_model(model: Any) -> Any:
    """Return the model of LangChain that *model* is, or of which it is a method."""
    for owner in (model, getattr(model, "__self__", None)):
        kinds = type(owner).__mro__
        if hasattr(owner, "invoke") and any(
            kind.__module__.startswith("langchain_core.") for kind in kinds
        ):
            return owner
    return None


def _with_settings(model: Any, request: ModelRequest) -> Any:
    """Return a *model* of LangChain that has the tools of a *request*, if it has none.

    Raises:
        TypeError: It takes none.
    """
    inner, tools = model, request.tools
    settings = {} if request.answer is None else request.answer.to_model_kwargs()
    while hasattr(inner, "bound"):  # what was bound to it stays
        if "tools" in inner.kwargs:
            return model.bind(**settings) if settings else model
        inner = inner.bound
    if not tools or "tools" in getattr(inner, "kwargs", ()):
        return model.bind(**settings) if settings else model
    if request.tool_choice != "auto":
        choice = request.tool_choice
        settings["tool_choice"] = "any" if choice == "required" else choice
    try:
        made = inner.bind_tools(tools.openai_tools(), **settings)
    except (AttributeError, NotImplementedError):
        raise TypeError(
            f"the parser reads native calls, but LangChain's {type(inner).__name__} takes no"
            " tools: use a chat model that does, bind the tools to the inner model yourself, or use"
            " the parser of a dialect, such as get_parser('react')"
        ) from None
    return made if inner is model else model.bind(**made.kwargs)
