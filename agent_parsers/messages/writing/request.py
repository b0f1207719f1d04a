"""Asking a model by a function of its client, whose arguments say which client it is."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agent_parsers.messages.writing.to_anthropic import to_anthropic
from agent_parsers.messages.writing.to_langchain import to_langchain
from agent_parsers.messages.writing.to_openai import to_openai
from agent_parsers.messages.writing.to_openai_responses import to_openai_responses
from output_parsers.printable import kind_of
from outputs import SystemMessage

if TYPE_CHECKING:
    from agent_parsers.toolset import ToolSet
    from outputs import BaseMessage


def ask(
    model: Callable[..., Any],
    prompt: str | list[BaseMessage],
    stop: list[str],
    tools: ToolSet | None,
    *,
    is_streamed: bool,
) -> Any:
    """Call *model* with the arguments that it takes, and return what it returns.

    Args:
        model: The function of a client that makes a request, such as
            ``partial(client.chat.completions.create, model="gpt-5")``, ``responses.create``, or
            ``messages.create`` of Anthropic's; ``invoke`` or ``stream`` of a model of LangChain's;
            or any function that takes a prompt and perhaps ``stop``. What `functools.partial` has
            set stays.
        prompt: The prompt as a text, or as messages.
        stop: Stop sequences.
        tools: The tools for native calls; `None` if the prompt lists them.
        is_streamed: Whether to ask a client for chunks.

    Raises:
        TypeError: *model* cannot be called.
    """
    known = _parameters(model)
    messages = [] if isinstance(prompt, str) else prompt
    given: dict[str, Any] = {"stop": stop, "stream": is_streamed}
    if _is_langchains(model):
        return model(to_langchain(messages) or prompt, **({"stop": stop} if stop else {}))
    if {"messages", "stop_sequences"} <= known.keys():
        head = [each.text for each in messages if isinstance(each, SystemMessage)]
        said = [each for each in messages if not isinstance(each, SystemMessage)]
        given |= {
            "system": "\n\n".join(head),
            "messages": to_anthropic(said),
            "stop_sequences": stop,
            "tools": tools and tools.anthropic_tools(),
        }
    elif "messages" in known:
        given |= {"messages": to_openai(messages), "tools": tools and tools.openai_tools()}
    elif {"input", "instructions"} <= known.keys():
        given["input"] = to_openai_responses(messages) or prompt
        given["tools"] = tools and tools.openai_response_tools()
    elif {"prompt", "stream"} <= known.keys():
        given["prompt"] = prompt
    else:
        takes_stop = "stop" in known or any(
            each.kind is each.VAR_KEYWORD for each in known.values()
        )
        return model(prompt, stop=stop) if takes_stop else model(prompt)
    bound = getattr(model, "keywords", {})
    taken = {
        name: value
        for name, value in given.items()
        if value and name in known and name not in bound
    }
    return model(**taken)


def _parameters(model: Any) -> dict[str, inspect.Parameter]:
    if not callable(model):
        said = f"a model is a function that is asked, not {kind_of(model)}"
        raise TypeError(f"{said}: give its stream or invoke" if hasattr(model, "invoke") else said)
    try:
        return dict(inspect.signature(model).parameters)
    except ValueError:  # a function written in C may not tell
        return {}


def _is_langchains(model: Any) -> bool:
    owner = type(getattr(model, "__self__", None))
    return any(each.__module__.startswith("langchain_core.") for each in owner.__mro__)
