"""A model that refuses, which providers tell apart from what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from output_parsers._errors import OutputParserException

if TYPE_CHECKING:
    from typing import Self


class ModelRefusalError(OutputParserException):
    """The model refused instead of calling a tool or filling in a form."""

    @property
    def refusal(self) -> str:
        """What the model said about it."""
        return self.llm_output or ""

    @classmethod
    def saying(cls, refusal: str) -> Self:
        """Return the error for a model that refused in the words *refusal*."""
        return cls(
            f"the model refused: {refusal}" if refusal else "the model refused",
            llm_output=refusal,
            observation="You refused, so there is nothing to go on with. If you can do it in part,"
            " do that in the form you were asked for.",
        )


def refusal_in(message: Any) -> str | None:
    """Return what *message* says in refusal, or `None` if it does not refuse.

    Providers in OpenAI's style tell it by a block or beside the content::

        AIMessage([{"type": "refusal", "refusal": "I can't help with that."}])
        AIMessage("", additional_kwargs={"refusal": "I can't help with that."})
    """
    content = message.content
    blocks = content if isinstance(content, list) else []
    texts = [
        str(block.get("refusal") or "")
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "refusal"
    ]
    if texts:
        return "".join(texts)
    beside = (getattr(message, "additional_kwargs", None) or {}).get("refusal")
    return beside if isinstance(beside, str) and beside else None
