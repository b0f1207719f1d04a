"""The page about fields says what the faces do with them."""

import re
from pathlib import Path
from typing import Any

import pytest

from agent_serving.serve.faces.messages_face import MessagesFace
from agent_serving.serve.faces.responses_face import ResponsesFace

PAGE = (Path(__file__).parents[3] / "docs" / "serve-fields.md").read_text("utf-8")
FACES: Any = {
    "Responses": (ResponsesFace(), {"model": "m", "input": "?"}),
    "Messages": (
        MessagesFace(),
        {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "?"}]},
    ),
}


def rows() -> dict[str, dict[str, list[str]]]:
    """Return the names of the fields in each row of the first table, by face."""
    table: dict[str, dict[str, list[str]]] = {}
    for line in PAGE.partition("## ")[0].splitlines():
        if line.startswith("|") and not line.startswith(("| | ", "|---")):
            row, *cells = (cell.strip() for cell in line.split("|")[1:-1])
            if cells[1:] == ["the same"]:
                cells[1] = cells[0]
            table[row] = {
                face: re.findall(r"`([a-z_]+)(?:: true)?`", cell)
                for face, cell in zip(FACES, cells, strict=True)
            }
    return table


def cases(row: str) -> list[Any]:
    return [(face, name) for face, names in rows()[row].items() for name in names]


def test_the_page_is_short() -> None:
    assert len(PAGE.split()) <= 700
    assert {len(names) for names in rows()["ignored"].values()} == {8, 9}


@pytest.mark.parametrize(("face", "name"), cases("ignored"))
def test_what_is_ignored_says_nothing(face: str, name: str) -> None:
    reader, body = FACES[face]
    without, asked = (
        reader.read(body),
        reader.read({**body, name: "x"} if name != "include" else body),
    )
    assert asked == without


@pytest.mark.parametrize(("face", "name"), cases("refused"))
def test_what_is_refused_is_named(face: str, name: str) -> None:
    reader, body = FACES[face]
    value = ["message.output_text.logprobs"] if name == "include" else True
    with pytest.raises(ValueError, match=f"^`{name}`"):
        reader.read({**body, name: value})


@pytest.mark.parametrize(("face", "name"), cases("passed on as they are"))
def test_what_is_passed_on_stays(face: str, name: str) -> None:
    reader, body = FACES[face]
    value: Any = {"a": 1} if name in ("logit_bias", "chat_template_kwargs") else 1
    assert reader.read({**body, name: value}).settings[name] == value


@pytest.mark.parametrize(("face", "name"), cases("repeated in the reply"))
def test_what_is_repeated_is_in_the_reply(face: str, name: str) -> None:
    reader, body = FACES[face]
    value: Any = {"a": "1"} if name == "metadata" else "x"
    asked = reader.read({**body, name: value})
    assert reader.writer(asked).whole[name] == value


def test_any_other_field_gets_a_warning() -> None:
    known = {name for row in rows().values() for names in row.values() for name in names}
    assert "shine" not in known
    for reader, body in FACES.values():
        (warning,) = reader.read({**body, "shine": 1}).warnings
        assert warning.startswith("`shine` is dropped")
