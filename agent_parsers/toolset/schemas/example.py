"""Corrected inputs: the values that fit, and placeholders for the rest."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.toolset.problems.errors import as_json
from agent_parsers.toolset.problems.input_problem import InputProblem, Path, kind_of, near
from agent_parsers.toolset.schemas.plain import lone_key
from agent_parsers.toolset.schemas.scalars import from_text, number_faults
from agent_parsers.toolset.schemas.spec import FORMATS, KEY, type_words
from outputs.growing_json.scalars import NOTHING

if TYPE_CHECKING:
    from agent_parsers.toolset.schemas.fit import Fitter
    from agent_parsers.toolset.schemas.schema import Node, Schema

_MOST_LEVELS: Final = 6
_MOST_ITEMS: Final = 20
_MOST_VALUES: Final = 300
_LARGEST: Final = 1e300


def corrected(fitter: Fitter, value: Any, node: Node, wrong: Collection[Path] = ()) -> Any:
    """Return *value* with placeholders where it does not fit *node*.

    The values at *wrong* paths, which validators reject, are replaced as well.
    """
    return _Corrector(fitter).correct(value, node, "value", wrong, 0)


def corrected_input(fitter: Fitter, value: Any, problems: Iterable[InputProblem]) -> Any:
    """Return a whole *value* with placeholders for the parts that have *problems*.

    If *value* fits the schema, *problems* are those that validators found.
    """
    root = fitter.schema.root
    fits = not fitter.run(value, root, convert=True).problems
    wrong = [problem.path for problem in problems if problem.path] if fits else []
    return corrected(fitter, value, root, wrong)


def example_text(schema: Schema, example: dict[str, Any]) -> str:
    """Return *example* as text: the value alone if the tool has one main parameter, else JSON."""
    text = example.get(lone_key(schema.flat(schema.root)) or "")
    if len(example) == 1 and isinstance(text, str) and text.strip():
        return text
    return as_json(example)


class _Corrector:
    """Corrects one input."""

    def __init__(self, fitter: Fitter) -> None:
        self._fitter = fitter
        self._placeholders = _Placeholders(fitter.schema)

    def correct(
        self, value: Any, node: Node, name: str, wrong: Collection[Path], level: int
    ) -> Any:
        fitter = self._fitter
        found = fitter.run(value, node, convert=True)
        if not found.problems and not wrong:
            return found.value
        if () in wrong or level > _MOST_LEVELS:
            return self._placeholders.make(node, name, level)
        flat = self._form(value, node)
        kinds = type_words(flat)
        if isinstance(value, str):
            texts = [item for item in flat.get("enum", ()) if isinstance(item, str)]
            if (best := near(value, texts)) is not None:
                return best
            read = from_text(value, kinds, lenient=True)
            value = value if read is NOTHING else read
        if isinstance(value, dict) and ("properties" in flat or "object" in kinds):
            return self._object(value, flat, wrong, level)
        part = flat.get("items", True)
        if "array" in kinds and isinstance(part, dict | bool):
            items = value[:_MOST_ITEMS] if isinstance(value, list) else _listed(value)
            fixed = [
                self.correct(item, part, name, _below(wrong, index), level + 1)
                for index, item in enumerate(items)
            ]
            if fixed and fitter.fits(fixed, node):
                return fixed
        return self._placeholders.make(node, name, level)

    def _form(self, value: Any, node: Node) -> dict[str, Any]:
        """Return the alternative of *node* that *value* is closest to."""
        flat = self._fitter.schema.flat(node)
        if "properties" in flat:
            return flat
        kind = kind_of(value)
        forms = map(self._fitter.schema.flat, (*flat.get("anyOf", ()), *flat.get("oneOf", ())))
        same = [form for form in forms if kind in type_words(form)]
        return min(same, key=partial(self._faults, value), default=flat)

    def _faults(self, value: Any, form: dict[str, Any]) -> int:
        return len(self._fitter.run(value, form, convert=True).problems)

    def _object(
        self, value: dict[Any, Any], flat: dict[str, Any], wrong: Collection[Path], level: int
    ) -> dict[str, Any]:
        properties: dict[str, Node] = flat.get("properties", {})
        required = flat.get("required", ())
        lost = [key for key in value if isinstance(key, str) and key not in properties]
        missing = [key for key in required if key not in value]
        meant = _renamed(lost, missing)
        fixed: dict[str, Any] = {}
        for key, part in properties.items():
            if key in value:
                item = self.correct(value[key], part, key, _below(wrong, key), level + 1)
                if key in required or self._fitter.fits(item, part):
                    fixed[key] = item
            elif key in missing:
                item = value[meant[key]] if key in meant else NOTHING
                fixed[key] = self._fitting(item, part, key, level)
        for key in missing:
            fixed.setdefault(key, f"<{key}>")
        rest = flat.get("additionalProperties", "properties" not in flat)
        for key in lost if rest is not False and not missing else ():
            found = self._fitter.run(value[key], rest, convert=True)
            if not found.problems:
                fixed[key] = found.value
        return fixed

    def _fitting(self, value: Any, part: Node, key: str, level: int) -> Any:
        """Return *value* if it is present and fits *part*, else a placeholder."""
        if value is not NOTHING:
            found = self._fitter.run(value, part, convert=True)
            if not found.problems:
                return found.value
        return self._placeholders.make(part, key, level + 1)


def _listed(value: Any) -> list[Any]:
    """Return what a *value* in place of a list lists; a text may, at commas or on lines."""
    if not isinstance(value, str):
        return [] if value is NOTHING else [value]
    parts = (part.strip().removeprefix("- ") for part in re.split(r"[,;\n]", value))
    items = [part for part in parts if part][:_MOST_ITEMS]
    is_sure = len(items) > 1 or not re.search(r"\s", value.strip())
    return items if is_sure else []


def _renamed(lost: list[str], missing: list[str]) -> dict[str, str]:
    """Return the *lost* key that is most similar to each of the *missing* ones."""
    if len(lost) > _MOST_ITEMS:
        return {}
    pairs = {key: best for key in missing if (best := near(key, lost)) is not None}
    rest = [key for key in lost if key not in pairs.values()]
    unpaired = [key for key in missing if key not in pairs]
    if len(rest) == len(unpaired) == 1:
        pairs[unpaired[0]] = rest[0]
    return pairs


def _below(paths: Collection[Path], key: str | int) -> list[Path]:
    return [path[1:] for path in paths if path and path[0] == key]


class _Placeholders:
    """Makes placeholders, up to a maximum number for each schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._left = _MOST_VALUES

    def make(self, node: Node, name: str, level: int) -> Any:
        """Return a placeholder for *node*, called *name*, or `None` if it is nested too deep."""
        flat = self._schema.flat(node)
        self._left -= 1
        for keyword in ("default", "examples", "enum", "const"):
            if (value := flat.get(keyword)) is not None:
                values = value if keyword in ("examples", "enum") else [value]
                if isinstance(values, list) and values:
                    return values[0]
        if level > _MOST_LEVELS or self._left < 0:
            return None
        for keyword in ("anyOf", "oneOf"):
            if keyword in flat and "type" not in flat:
                return self.make(self._first(flat[keyword]), name, level + 1)
        kinds = [kind for kind in type_words(flat) if kind != "null"] or type_words(flat)
        kind = kinds[0] if kinds else "object" if "properties" in flat else "string"
        if kind == "object":
            members = flat.get("properties", {})
            required = flat.get("required", ())
            rest = flat.get("additionalProperties", True)
            if not (required or members or rest is False):
                return {KEY: self.make(rest, "value", level + 1)}
            return {key: self.make(members.get(key, True), key, level + 1) for key in required}
        if kind == "array":
            return [self.make(part, name, level + 1) for part in _item_parts(flat)]
        if kind == "string":
            return _text(flat, name)
        if kind in ("integer", "number"):
            return _number(flat, kind)
        return True if kind == "boolean" else None

    def _first(self, forms: Sequence[Node]) -> Node:
        """Return the first of *forms* that is not the null type."""
        reals = (form for form in forms if "null" not in type_words(self._schema.flat(form)))
        return next(reals, forms[0])


def _item_parts(flat: dict[str, Any]) -> Sequence[Node]:
    """Return the schemas of the items of a short list that is valid."""
    rest = flat.get("items", True)
    first = flat.get("prefixItems", rest if isinstance(rest, list) else ())
    parts = [*first]
    if isinstance(rest, dict | bool):
        least = min(int(flat.get("minItems", 1)), _MOST_ITEMS)
        parts += [rest] * (max(least, 1) - len(first))
    return parts[: min(int(flat.get("maxItems", _MOST_ITEMS)), _MOST_ITEMS)]


def _text(flat: dict[str, Any], name: str) -> str:
    if flat.get("format") in FORMATS:
        return FORMATS[flat["format"]]
    text = f"<{flat['pattern']}>" if "pattern" in flat else f"<{name}>"
    least, most = int(flat.get("minLength", 0)), flat.get("maxLength")
    if least <= 1000:
        text = text.ljust(least, ".")
    return text if most is None else text[: int(most)]


def _number(flat: dict[str, Any], kind: str) -> float:
    """Return 1 if it is within the bounds, else a number close to a bound."""
    from fractions import Fraction

    candidates: list[float] = [1]
    lows = [flat[key] for key in ("minimum", "exclusiveMinimum") if _is_bound(flat.get(key))]
    highs = [flat[key] for key in ("maximum", "exclusiveMaximum") if _is_bound(flat.get(key))]
    step = flat.get("multipleOf", 1 if kind == "integer" else None)
    if step is not None:
        low = floor(Fraction(max(lows)) / Fraction(step)) if lows else 0
        high = ceil(Fraction(min(highs)) / Fraction(step)) if highs else 0
        candidates += (step * count for count in (low, low + 1, high, high - 1))
    else:
        candidates += (*lows, *highs, *(low + 1 for low in lows), *(high - 1 for high in highs))
        candidates += ((low + high) / 2 for low in lows for high in highs)
    for value in candidates:
        if not any(number_faults(value, flat)) and (kind == "number" or value == int(value)):
            return value
    return 1


def _is_bound(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) <= _LARGEST
