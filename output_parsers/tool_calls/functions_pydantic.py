"""The parsers that make an object of a function call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, SkipValidation, model_validator
from typing_extensions import override

from output_parsers.exceptions import OutputParserException
from output_parsers.openai_functions import OutputFunctionsParser
from output_parsers.tool_calls.tools_pydantic import check_model

if TYPE_CHECKING:
    from outputs import Generation


class PydanticOutputFunctionsParser(OutputFunctionsParser):
    """The function call of a message as an object of a pydantic model.

    ::

        PydanticOutputFunctionsParser(pydantic_schema=Search)  # gives Search(query="rain")
        PydanticOutputFunctionsParser(pydantic_schema={"search": Search, "wait": Wait})

    Raises:
        pydantic.ValidationError: The arguments are not JSON, or not what the model says.
        OutputParserException: The message calls a function without a model; also as in
            `OutputFunctionsParser`.
        ValueError: At construction, the schema is not as described.
    """

    pydantic_schema: SkipValidation[type[Any] | dict[str, type[Any]]]
    """A model of pydantic or ``pydantic.v1``, or one for each function, by the function's name."""

    @model_validator(mode="before")
    @classmethod
    def _set_args_only(cls, fields: Any) -> Any:
        """Check the schema, and let it decide whether the function's name is looked at."""
        if not isinstance(fields, dict) or "pydantic_schema" not in fields:
            return fields
        schema = fields["pydantic_schema"]
        has_many = isinstance(schema, dict)
        for model in schema.values() if has_many else [schema]:
            check_model(model)
        if has_many and fields.get("args_only"):
            raise ValueError(
                "If multiple pydantic schemas are provided then args_only should be False."
            )
        return {"args_only": not has_many, **fields}

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """Return the function call in the message of the first of *result* as an object.

        Args:
            result: What a chat model generated.
            partial: Makes no difference.
        """
        call = super().parse_result(result)
        schema = self.pydantic_schema
        if self.args_only:
            return _build(schema, call)
        if isinstance(schema, dict):
            schema = _model_for(call.get("name"), schema)
        return _build(schema, call.get("arguments"))


class PydanticAttrOutputFunctionsParser(PydanticOutputFunctionsParser):
    """One attribute of the object that `PydanticOutputFunctionsParser` gives.

    ::

        PydanticAttrOutputFunctionsParser(pydantic_schema=Search, attr_name="query")  # "rain"
    """

    attr_name: str
    """The attribute's name."""

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        return getattr(super().parse_result(result), self.attr_name)


def _model_for(name: Any, models: dict[str, type[Any]]) -> type[Any]:
    if isinstance(name, str) and name in models:
        return models[name]
    available = ", ".join(models) or "none"
    raise OutputParserException(
        f"Unknown function: {name!r}. Available functions: {available}",
        llm_output=str(name),
        observation=f"There is no function named {name!r}. Use one of these: {available}.",
    )


def _build(model: Any, args: Any) -> Any:
    """Return the *model* that *args*, JSON text, describe."""
    if issubclass(model, BaseModel):
        return model.model_validate_json(args)
    try:
        return model.parse_raw(args)
    except RecursionError as error:
        raise OutputParserException(
            "the arguments are nested too deep",
            llm_output=args,
            observation="The arguments of your call are nested too deep. Call again with fewer.",
        ) from error
