"""Checks values against a schema, and converts text to the types that the schema expects.

The same tables answer two questions: whether a value fits without conversion, and which value
results if texts may be read as numbers, lists and so on. A value that fits is never changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.toolset.problems.input_problem import (
    NOTHING_FOUND,
    Fit,
    InputProblem,
    kind_of,
    near,
    shown,
)
from agent_parsers.toolset.schemas.scalars import (
    LARGEST,
    from_text,
    frozen,
    is_format,
    number_faults,
    size_faults,
)
from agent_parsers.toolset.schemas.schema import KINDS, Node, Schema, compiled
from agent_parsers.toolset.schemas.spec import (
    counted,
    expected_by,
    is_nullable,
    one_of_words,
    type_words,
    words_of,
)
from output_parsers.exceptions import OutputParserException
from outputs.growing_json.scalars import NOTHING

if TYPE_CHECKING:
    from agent_parsers.toolset.problems.errors import Policy
    from output_parsers.text.timed_regex import TimeLeft

MAX_STEPS_DOWN: Final = 100
"""How deep values are checked, counted in nested schemas and values."""

_MOST_HINTS: Final = 20
_OF_SCHEMAS: Final = frozenset(("$ref", "allOf", "anyOf", "if", "not", "oneOf"))
"""The keywords with schemas for the same value."""

PATTERN_SECONDS: Final = 1.0
"""How long looking for all patterns may take in one input."""


_FORMATS: Final = {
    "date": "a date (YYYY-MM-DD)",
    "time": "a time (hh:mm:ss)",
    "date-time": "a date and time (YYYY-MM-DDThh:mm:ssZ)",
    "email": "an email address",
}
"""What formats are called."""


class Fitter:
    """Fits one input to a schema, as strictly as *policy* says; caches results for each value."""

    def __init__(self, schema: Schema, policy: Policy) -> None:
        self.schema = schema
        self.policy = policy
        self._known: dict[tuple[int, int, bool, bool], tuple[Any, Fit]] = {}
        self._depth = 0
        self._time: TimeLeft | None = None
        self._slow = ""
        self._hints = _MOST_HINTS

    def fit(self, value: Any) -> Fit:
        """Return *value*, converted where needed to fit the whole schema, and its problems."""
        found = self.run(value, self.schema.root, convert=True)
        if not found.problems and found.value is not value:
            # A part may have passed before another part changed the value: check all parts again.
            found = self.run(found.value, self.schema.root, convert=False)
        if not self._slow:
            return found
        hint = f"matching {self._slow} takes too long or too much memory"
        return Fit(found.value, (_problem(value, "a shorter text", hint),))

    def fits(self, value: Any, node: Node, *, inner: bool = False) -> bool:
        """Return whether *value* fits a part of the schema without conversion."""
        return not self.run(value, node, convert=False, inner=inner).problems

    def run(self, value: Any, node: Node, *, convert: bool, inner: bool = False) -> Fit:
        """Fit *value* to a part of the schema.

        Args:
            value: A JSON value.
            node: The part of the schema.
            convert: Whether text may be converted to another type.
            inner: Whether other parts apply to the same value, so that this part alone does not
                show which keys are unknown.
        """
        while isinstance(node, dict) and "$ref" in node and len(node) == 1:
            node = self.schema.target(node)
        if isinstance(node, bool):
            return Fit(value) if node else _one(value, "no value at all")
        key = (id(node), id(value), convert, inner)
        if key in self._known:
            return self._known[key][1]
        if self._depth > MAX_STEPS_DOWN:
            return _one(value, "a less deeply nested value")
        self._depth += 1
        found = self._run(value, node, convert=convert, inner=inner)
        self._depth -= 1
        self._known[key] = (value, found)  # keeping the value keeps its id unique
        return found

    def _run(self, value: Any, node: dict[str, Any], *, convert: bool, inner: bool) -> Fit:
        value, problem = self._typed(value, node, convert=convert)
        if problem is not None:
            return Fit(value, (problem,))
        if value is None and is_nullable(node):
            return Fit(value)  # whatever its parts say
        problems: list[InputProblem] = []
        if isinstance(value, str):
            problems += (_problem(value, fault) for fault in self._text_faults(value, node))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            problems += (_problem(value, fault) for fault in number_faults(value, node))
        elif isinstance(value, list):
            value = _fit_list(self, value, node, problems, convert=convert)
        elif isinstance(value, dict):
            value = _fit_object(self, value, node, problems, convert=convert, inner=inner)
        if node.keys().isdisjoint(_OF_SCHEMAS):
            return Fit(value, tuple(dict.fromkeys(problems)))
        inner = inner or self.schema.is_shared(node)
        for part in self._musts(value, node):
            found = self.run(value, part, convert=convert, inner=inner)
            value = found.value
            problems += found.problems
        for keyword, choose in (("anyOf", self._any_of), ("oneOf", self._one_of)):
            if keyword in node:
                found = choose(value, node[keyword], convert=convert, inner=inner)
                value = found.value
                problems += found.problems
        if "not" in node and self.fits(value, node["not"], inner=True):
            problems.append(_problem(value, "another value"))
        return Fit(value, tuple(dict.fromkeys(problems)))

    def _musts(self, value: Any, node: dict[str, Any]) -> Iterable[Node]:
        if "$ref" in node:
            yield self.schema.target(node)
        yield from node.get("allOf", ())
        if "if" in node:
            branch = "then" if self.fits(value, node["if"], inner=True) else "else"
            if branch in node:
                yield node[branch]

    def _typed(
        self, value: Any, node: dict[str, Any], *, convert: bool
    ) -> tuple[Any, InputProblem | None]:
        """Return *value* as one of the types and values that *node* allows."""
        kinds = type_words(node)
        kind = kind_of(value)
        if not kind:
            return value, _problem(value, "a value of JSON")
        is_number = kind == "integer" and "number" in kinds and abs(value) <= LARGEST
        if kinds and kind not in kinds and not is_number:
            read = self._read(value, kinds, convert=convert)
            if read is NOTHING:
                return value, _problem(value, words_of(kinds))
            value = read
        for keyword in ("enum", "const"):
            if keyword not in node:
                continue
            allowed = node["enum"] if keyword == "enum" else [node["const"]]
            allowed = [*allowed, None] if is_nullable(node) and None not in allowed else allowed
            if _is_among(value, allowed):
                continue
            read = self._read(value, {kind_of(item) for item in allowed}, convert=convert)
            if read is NOTHING and convert and self.policy.lenient:
                read = _in_case(value, allowed)
            if read is NOTHING or not _is_among(read, allowed):
                hint = self.near(value, allowed)
                return value, _problem(value, one_of_words(allowed), hint)
            value = read
        return value, None

    def _read(self, value: Any, kinds: Iterable[str], *, convert: bool) -> Any:
        if not convert or not isinstance(value, str):
            return NOTHING
        return from_text(value, tuple(kinds), lenient=self.policy.lenient)

    def _text_faults(self, text: str, node: dict[str, Any]) -> Iterable[str]:
        yield from size_faults(text, node, "minLength", "maxLength", "character")
        if "pattern" in node and not self.matches(node["pattern"], text):
            yield f"text that matches {node['pattern']}"
        if "format" in node and not is_format(text, node["format"]):
            kind = node["format"]
            yield _FORMATS.get(kind, f"text in the format {kind}")

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether *pattern* is found in *text*; on a timeout, `fit` reports a problem."""
        if self._time is None:
            # imported lazily: few schemas have patterns
            from output_parsers.text.timed_regex import TimeLeft

            self._time = TimeLeft(PATTERN_SECONDS)
        try:
            return self._time.search(compiled(pattern), text) is not None
        except OutputParserException:
            self._slow = pattern
            return False

    def near(self, word: Any, words: Iterable[Any]) -> str:
        """Return a question that suggests one of *words*, or ``""``; limited to a few per input."""
        self._hints -= 1
        if self._hints < 0 or not isinstance(word, str):
            return ""
        best = near(word, (other for other in words if isinstance(other, str)))
        return "" if best is None else f"did you mean {shown(best)}?"

    def _any_of(self, value: Any, parts: Sequence[Node], *, convert: bool, inner: bool) -> Fit:
        if any(self.fits(value, part, inner=inner) for part in parts):
            return Fit(value)
        found = [self.run(value, part, convert=convert, inner=inner) for part in parts]
        if convert:
            for fit in sorted(found, key=_rank) if isinstance(value, str) else found:
                if not fit.problems:
                    return fit
        return self._nearest(value, parts, found)

    def _one_of(self, value: Any, parts: Sequence[Node], *, convert: bool, inner: bool) -> Fit:
        fitting = sum(self.fits(value, part, inner=inner) for part in parts)
        if fitting == 1:
            return Fit(value)
        if fitting:
            return _one(
                value, f"a value that fits exactly one of {len(parts)} forms, not {fitting} of them"
            )
        found = [self.run(value, part, convert=convert, inner=inner) for part in parts]
        fits = [fit for fit in found if not fit.problems]
        for fit in fits:
            if sum(self.fits(fit.value, part, inner=inner) for part in parts) == 1:
                return fit
        if fits:
            return _one(value, f"a value that fits exactly one of {len(parts)} forms, not several")
        return self._nearest(value, parts, found)

    def _nearest(self, value: Any, parts: Sequence[Node], found: Sequence[Fit]) -> Fit:
        """Return the problems with the alternative that *value* is closest to."""
        close = [
            (part, fit)
            for part, fit in zip(parts, found, strict=True)
            if all(problem.path for problem in fit.problems)
        ]
        tags = [self._tags(part) for part, _ in close]
        if close and isinstance(value, str):  # the alternatives read the object that it holds
            value = close[0][1].value
        if not isinstance(value, dict):
            tags = []
        if shared := set(tags[0]).intersection(*tags[1:]) if tags else None:
            key = min(shared)
            chosen = [
                (part, fit)
                for (part, fit), tag in zip(close, tags, strict=True)
                if _is_among(value.get(key), [tag[key]])
            ]
            if not chosen:
                allowed = [tag[key] for tag in tags]
                if key not in value:
                    problem = InputProblem((key,), one_of_words(allowed), NOTHING_FOUND)
                else:
                    hint = self.near(value[key], allowed)
                    problem = _problem(value[key], one_of_words(allowed), hint).below(key)
                return Fit(value, (problem,))
            close = chosen
        if close:
            return min((fit for _, fit in close), key=lambda fit: len(fit.problems))
        if len(parts) == 1:
            return found[0]
        reals = [
            fit
            for part, fit in zip(parts, found, strict=True)
            if kind_of(value) in type_words(self.schema.flat(part))
        ]
        if len(reals) == 1:
            return reals[0]
        expected = dict.fromkeys(expected_by(self.schema, part) for part in parts)
        return _one(value, " or ".join(expected))

    def _tags(self, part: Node) -> dict[str, Any]:
        """Return the constants, by key, that distinguish objects of *part* from others."""
        members = self.schema.flat(part).get("properties", {})
        return {
            key: member["const"]
            for key, member in members.items()
            if isinstance(member, dict) and "const" in member
        }


def _one(value: Any, expected: str) -> Fit:
    return Fit(value, (_problem(value, expected),))


def _problem(value: Any, expected: str, hint: str = "") -> InputProblem:
    return InputProblem((), expected, shown(value), hint)


def _rank(fit: Fit) -> int:
    kind = kind_of(fit.value)
    return KINDS.index(kind) if kind else len(KINDS)


def _in_case(value: Any, allowed: Sequence[Any]) -> Any:
    """Return the only text of *allowed* that *value* is but for case and a full stop."""
    if not isinstance(value, str):
        return NOTHING
    meant = value.strip().removesuffix(".").casefold()
    found = [each for each in allowed if isinstance(each, str) and each.casefold() == meant]
    return found[0] if len(found) == 1 else NOTHING


def _is_among(value: Any, allowed: Sequence[Any]) -> bool:
    if isinstance(value, str):
        return value in allowed
    return frozen(value) in map(frozen, allowed)


# -- lists and objects -----------------------------------------------------------------------------

_MOST_NAMED = 12


def _fit_list(
    fitter: Fitter,
    value: list[Any],
    node: dict[str, Any],
    problems: list[InputProblem],
    *,
    convert: bool,
) -> list[Any]:
    """Fit the items of a list; return the list, or a new one if an item had to be changed."""
    faults = size_faults(value, node, "minItems", "maxItems", "item")
    problems += (_problem(value, fault) for fault in faults)
    items: list[Any] | None = None
    for index, (item, part) in enumerate(zip(value, _parts(node), strict=False)):
        found = fitter.run(item, part, convert=convert)
        problems += (problem.below(index) for problem in found.problems)
        if found.value is not item:
            items = value.copy() if items is None else items
            items[index] = found.value
    value = value if items is None else items
    if node.get("uniqueItems") is True and len(set(map(frozen, value))) < len(value):
        problems.append(_problem(value, "items that are all different"))
    if "contains" in node:
        count = sum(fitter.fits(item, node["contains"]) for item in value)
        least, most = node.get("minContains", 1), node.get("maxContains", count)
        if not least <= count <= most:
            item = expected_by(fitter.schema, node["contains"])
            limit, times = ("least", least) if count < least else ("most", most)
            expected = f"{item} in the list, at {limit} {counted(times, 'time')}"
            problems.append(_problem(value, expected))
    return value


def _parts(node: dict[str, Any]) -> Iterator[Node]:
    """Yield the schema of each item of a list, without end."""
    first, rest = node.get("prefixItems", ()), node.get("items", True)
    if isinstance(rest, list):  # as in drafts before 2020-12
        first, rest = rest, node.get("additionalItems", True)
    yield from first
    while True:
        yield rest


def _fit_object(
    fitter: Fitter,
    value: dict[Any, Any],
    node: dict[str, Any],
    problems: list[InputProblem],
    *,
    convert: bool,
    inner: bool,
) -> dict[str, Any]:
    """Fit the members of an object; return it, or a new one if a member had to be changed."""
    faults = size_faults(value, node, "minProperties", "maxProperties", "key")
    problems += (_problem(value, fault) for fault in faults)
    known = _known_keys(fitter, node, inner=inner)
    members: dict[str, Any] | None = None
    for key, item in value.items():
        if not isinstance(key, str):
            problems.append(_problem(key, "keys that are strings"))
            continue
        parts = _members(fitter, node, key)
        is_unknown = known is not None and key not in known
        if not parts and "additionalProperties" in node:
            parts = [node["additionalProperties"]]
            is_unknown = parts == [False]
        if is_unknown and convert and fitter.policy.unknown_keys == "drop":
            members = value.copy() if members is None else members
            del members[key]
            continue
        if is_unknown:
            problems.append(_unknown(fitter, node, key))
            continue
        if "propertyNames" in node and not fitter.fits(key, node["propertyNames"]):
            problems.append(InputProblem((key,), "a key that the schema allows", shown(key)))
        new = item
        for part in parts:
            found = fitter.run(new, part, convert=convert)
            new = found.value
            problems += (problem.below(key) for problem in found.problems)
        if new is not item:
            members = value.copy() if members is None else members
            members[key] = new
    problems += _missing(fitter, node, value)
    return value if members is None else members


def _members(fitter: Fitter, node: dict[str, Any], key: str) -> list[Node]:
    """Return the schemas that apply to the member *key*."""
    properties = node.get("properties", {})
    parts = [properties[key]] if key in properties else []
    patterns = node.get("patternProperties", {})
    return parts + [part for pattern, part in patterns.items() if fitter.matches(pattern, key)]


def _known_keys(fitter: Fitter, node: dict[str, Any], *, inner: bool) -> dict[str, None] | None:
    """Return the allowed keys if it is not the schema that forbids others, or else `None`."""
    is_kept = fitter.policy.unknown_keys == "keep" and not fitter.schema.takes_declared_only
    if inner or is_kept:
        return None
    is_all = "properties" in node or fitter.schema.is_shared(node)
    return fitter.schema.known_keys(node) if is_all else None


def _unknown(fitter: Fitter, node: dict[str, Any], key: str) -> InputProblem:
    keys = list(fitter.schema.known_keys(node) or node.get("properties", ()))
    if not keys:
        return InputProblem((key,), "no keys", f"the key {shown(key)}")
    listed = ", ".join(keys[:_MOST_NAMED]) + (", …" if len(keys) > _MOST_NAMED else "")
    hint = fitter.near(key, keys)
    what = "only the key" if len(keys) == 1 else "only the keys"
    return InputProblem((key,), f"{what} {listed}", f"the key {shown(key)}", hint)


def _missing(fitter: Fitter, node: dict[str, Any], value: dict[Any, Any]) -> Iterator[InputProblem]:
    if fitter.policy.missing_keys == "keep":
        return
    properties = node.get("properties", {})
    for key in node.get("required", ()):
        if key not in value:
            expected = expected_by(fitter.schema, properties.get(key, True))
            yield InputProblem((key,), expected, NOTHING_FOUND)
    for key, others in node.get("dependentRequired", {}).items():
        if key in value:
            yield from (
                InputProblem((other,), f"a value, because {key} is given", NOTHING_FOUND)
                for other in others
                if other not in value
            )
