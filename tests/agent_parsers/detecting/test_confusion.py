"""No text of a dialect is read wrongly in the one that is found; ``make detection`` tells all."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from agent_parsers import list_dialects
from agent_parsers.detecting.evidence import Evidence

from ...helpers.effort import THOROUGH

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "detection.py"


@pytest.fixture(scope="module")
def detection() -> ModuleType:
    spec = importlib.util.spec_from_file_location("detection", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def wrong_in(detection: ModuleType, name: str) -> list[str]:
    texts = list(detection.texts_of(name, detection.DRAWN if THOROUGH else 0))
    return [each.text for each in texts[:: 1 if THOROUGH else 25] if is_wrong(detection, each)]


def is_wrong(detection: ModuleType, reply: tuple[str, str, str]) -> bool:
    return detection.judged(reply)[0] == "wrong"  # type: ignore[no-any-return]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", list_dialects())
def test_no_text_of_a_dialect_is_taken_for_another_that_reads_it_otherwise(
    name: str, detection: ModuleType
) -> None:
    assert not wrong_in(detection, name)


def test_the_law_catches_a_rule_that_names_the_best_whatever_speaks_against_it(
    detection: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "<tool_call>\n</tool_call>\nIt is 217 m deep."
    reply = detection.Reply("hunyuan_v3", "case", text)
    assert detection.judged(reply) == ("ambiguous", "")
    monkeypatch.setattr(Evidence, "outdoes", lambda _self, _other: True)
    assert detection.judged(reply)[0] == "wrong"


def test_the_wild_replies_are_not_read_wrongly(detection: ModuleType) -> None:
    if not detection.WILD.is_file():
        pytest.skip("the corpus is not here")
    texts = list(detection.wild_texts(detection.WILD, with_tools=True))
    assert len(texts) > 200
    assert not [each for each in texts[:: 1 if THOROUGH else 30] if is_wrong(detection, each)]
