"""Which mutants a file has, and which it has not."""

import pytest

from tools.mutation.mutants import mutants_of, prompt_mutants_of
from tools.mutation.related import ROOT, group_of, sources, stages_for


def changed(source: str) -> set[str]:
    code = source.encode()
    found = (each for each in mutants_of("x.py", code) if each.is_valid(code))
    return {each.applied_to(code).decode() for each in found}


@pytest.mark.parametrize(
    ("source", "mutants"),
    [
        ("x = a < b", {"x = (a <= b)", "x = (a >= b)"}),
        ("x = not a", {"x = a"}),
        ("x = a and b", {"x = (a or b)", "x = b", "x = a"}),
        ("x = a + b", {"x = (a - b)"}),
        ("x = 'ab'", {"x = 'a'", "x = 'abx'"}),
        ("x = f'a{b}'", {"x = f'{b}'", "x = f'ax{b}'"}),
        ("x = 1", {"x = 2", "x = 0"}),
        ("x = True", {"x = False"}),
        ("x = f(a, b, c=d)", {"x = f(b, a, c=d)", "x = f(a, b)"}),
        ("x = min(a)", {"x = max(a)"}),
        ("x = a.find(b)", {"x = a.rfind(b)"}),
        ("x = a[b:]", {"x = a[:]", "x = a[b + 1:]"}),
        ("x = [a for a in b if c]", {"x = [a for a in b]"}),
        ("if a: x = b", {"if (not a): x = b"}),
        ("while a: break", {"while (not a): break", "while a: continue"}),
        ("def f(): return a", {"def f(): return None"}),
        ("raise a", {"pass"}),
        ("f()", {"pass"}),
        ("a.b = c", {"pass"}),
        ("a += b", {"pass", "a -= b"}),
        ("'ä'; x = a < b", {"'ä'; x = (a <= b)", "'ä'; x = (a >= b)"}),
    ],
)
def test_mutants(source: str, mutants: set[str]) -> None:
    assert changed(source) == mutants


@pytest.mark.parametrize(
    "source",
    [
        "import a",
        "assert a < b",
        "def f():\n    'words'",
        "def f(a: 'int') -> 'str': ...",
        "@cache(1)\nclass A(B[0]): ...",
        "if TYPE_CHECKING:\n    a = 1",
        "__all__ = ['a']",
        "a: TypeAlias = 'int'",
        "@overload\ndef f(a=1): ...",
        "a = cast('int', b)",
    ],
)
def test_what_does_nothing_at_run_time_has_no_mutants(source: str) -> None:
    assert changed(source) == set()


def test_only_the_words_of_prompts_are_changed_in_a_dialect() -> None:
    source = b"a = 1\nWORDS = PromptWords(use='ab')\n"
    (one, other) = prompt_mutants_of("x.py", source)
    assert one.applied_to(source) == b"a = 1\nWORDS = PromptWords(use='a')\n"
    assert other.place == "x.py:2"


def test_every_file_has_a_group_and_tests() -> None:
    paths = [file.relative_to(ROOT).as_posix() for file in sources()]
    assert len({group_of(path) for path in paths}) == 12
    tests = {test for path in paths for stage in stages_for(path) for test in stage}
    assert [test for test in tests if not (ROOT / test.partition("::")[0]).exists()] == []
