"""Objects of LiteLLM are read like the data that a server sends."""

import os
import warnings
from typing import Any

import openai
import pytest

from tests.helpers.client_stories import assert_same_stream, assert_same_whole, said_by
from tests.helpers.native_corpus import cases
from tests.helpers.recorded_client import Recorded
from tests.helpers.wire import completion, completion_chunks

os.environ.setdefault(
    "LITELLM_LOCAL_MODEL_COST_MAP", "True"
)  # otherwise it requests a file at import
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    litellm: Any = pytest.importorskip(
        "litellm", reason="LiteLLM, which is large, is not among the extras"
    )

ASK: dict[str, Any] = {
    "model": "openai/gpt-5",
    "messages": [{"role": "user", "content": "?"}],
    "max_retries": 0,
}

pytestmark = pytest.mark.filterwarnings("ignore")  # LiteLLM emits many warnings of its own


@pytest.fixture(scope="module")
def server() -> Recorded:
    return Recorded(openai)


def test_completions(server: Recorded) -> None:
    client = server.client(openai.OpenAI)
    for case in cases()[:60]:
        body, chunks = completion(case.message), completion_chunks(case.message)
        server.whole(body)
        given = litellm.completion(**ASK, client=client)
        assert type(given).__name__ == "ModelResponse"
        server.stream(chunks)
        pieces = [*litellm.completion(**ASK, client=client, stream=True)]
        assert {type(piece).__name__ for piece in pieces} == {"ModelResponseStream"}
        for parser in case.parsers():
            assert_same_whole(parser, given, given.model_dump())
            assert_same_stream(parser, pieces, [piece.model_dump() for piece in pieces])
            assert said_by(parser, [given]) == said_by(parser, [body]), case.id
            assert said_by(parser, pieces) == said_by(parser, chunks), case.id


def test_objects() -> None:
    for case in cases():
        body = completion(case.message)
        given = litellm.ModelResponse(**body)
        for parser in case.parsers():
            assert_same_whole(parser, given, given.model_dump())
            assert said_by(parser, [given]) == said_by(parser, [body]), case.id
