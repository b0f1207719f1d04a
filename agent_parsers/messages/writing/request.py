"""Asking a model by a function of its client, whose arguments say which client it is."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

from agent_parsers.messages.writing.to_anthropic import to_anthropic
from agent_parsers.messages.writing.to_langchain import to_langchain
from agent_parsers.messages.writing.to_openai import to_openai
from agent_parsers.messages.writing.to_openai_responses import to_openai_responses
from output_parsers.printable import kind_of
from outputs import HumanMessage, SystemMessage

if TYPE_CHECKING:
    from agent_parsers.toolset import ToolSet
    from outputs import BaseMessage


def ask(
    model: Any,
    prompt: str | list[BaseMessage],
    stop: list[str],
    tools: ToolSet | None,
    *,
    is_streamed: bool,
    is_asynchronous: bool = False,
) -> Any:
    """Call *model* with the arguments that it takes, and return what it returns.

    Args:
        model: The function of a client that makes a request, such as
            ``partial(client.chat.completions.create, model="gpt-5")``, ``responses.create``, or
            ``messages.create`` of Anthropic's; a model of LangChain, or its ``invoke`` or
            ``stream``; or any function that takes a prompt and perhaps ``stop``. What
            `functools.partial` has set stays. A function with ``**kwargs`` takes everything.
        prompt: The prompt as a text, or as messages.
        stop: Stop sequences.
        tools: The tools for native calls; `None` if the prompt lists them.
        is_streamed: Whether to ask a client for chunks.
        is_asynchronous: Whether the reply may be awaited.

    Raises:
        TypeError: *model* cannot be called, or takes no *tools*.
    """
    target = model.func if isinstance(model, partial) else model
    bound = getattr(model, "keywords", {})
    owner = _langchain_model(target)
    if owner is not None:
        name = getattr(target, "__name__", "stream" if is_streamed else "invoke")
        if owner is target and is_asynchronous:
            name = f"a{name}"
        method = getattr(_with_tools(owner, tools), name)
        asked = prompt if isinstance(prompt, str) else to_langchain(prompt)
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
            "messages": to_anthropic(said),
            "stop_sequences": stop,
            "tools": tools and tools.anthropic_tools(),
        }
    elif "messages" in known or (has_more and len(known) == 1):
        given |= {"messages": to_openai(messages), "tools": tools and tools.openai_tools()}
    elif {"input", "instructions"} <= known.keys():
        given["input"] = prompt if isinstance(prompt, str) else to_openai_responses(messages)
        given["tools"] = tools and tools.openai_response_tools()
    elif {"prompt", "stream"} <= known.keys():
        given["prompt"] = prompt
    else:
        if tools and "tools" not in bound and not (has_more or "tools" in known):
            raise _takes_no_tools(model)
        more = {"stop": stop} if has_more or "stop" in known else {}
        if tools and "tools" not in bound:
            more["tools"] = tools.openai_tools()
        return model(prompt, **more)
    taken = {
        name: value
        for name, value in given.items()
        if name not in bound and (name in known or (value and has_more))
        if value or known[name].default is inspect.Parameter.empty
    }
    if tools and "tools" not in {**taken, **bound}:
        raise _takes_no_tools(model)
    return model(**taken)


def _takes_no_tools(model: Any) -> TypeError:
    name = getattr(getattr(model, "func", model), "__name__", type(model).__name__)
    return TypeError(
        f"the parser reads native calls, and {name} takes no tools: give it a parameter `tools`, or"
        " use the parser of a dialect, such as get_parser('react'), whose prompt lists them"
    )


def _parameters(model: Any) -> dict[str, inspect.Parameter]:
    if not callable(model):
        raise TypeError(f"a model is a function that is asked, not {kind_of(model)}")
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


def _with_tools(model: Any, tools: ToolSet | None) -> Any:
    """Return a *model* of LangChain that has *tools*, if it has none.

    Raises:
        TypeError: It takes none.
    """
    inner = model
    while hasattr(inner, "bound"):  # what was bound to it stays
        if "tools" in inner.kwargs:
            return model
        inner = inner.bound
    if not tools or "tools" in getattr(inner, "kwargs", ()):
        return model
    try:
        made = inner.bind_tools(tools.openai_tools())
    except (AttributeError, NotImplementedError):
        raise TypeError(
            f"the parser reads native calls, and {type(inner).__name__} of LangChain takes no"
            " tools: give a chat model that does, bind them yourself to the model within, or use"
            " the parser of a dialect, such as get_parser('react')"
        ) from None
    return made if inner is model else model.bind(**made.kwargs)
