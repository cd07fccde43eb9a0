"""What servers say about their models, read from each one's own words."""

import pytest

from app.agent.models.catalogue import can_chat, read_models
from app.core.models import ModelInfo


@pytest.mark.parametrize(
    ("plain", "expected"),
    [
        ({"id": "m"}, ModelInfo(id="m")),
        (
            {
                "id": "openrouter/x",
                "context_length": 131072,
                "architecture": {"input_modalities": ["text", "image"]},
                "supported_parameters": ["temperature"],
            },
            ModelInfo(id="openrouter/x", context_window=131072, sees=True, uses_tools=False),
        ),
        ({"id": "groq", "context_window": 8192}, ModelInfo(id="groq", context_window=8192)),
        ({"id": "vllm", "max_model_len": 4096}, ModelInfo(id="vllm", context_window=4096)),
        (
            {
                "id": "mistral",
                "max_context_length": 32768,
                "capabilities": {"vision": False, "function_calling": True},
            },
            ModelInfo(id="mistral", context_window=32768, sees=False, uses_tools=True),
        ),
        (
            {"id": "lm", "type": "vlm", "capabilities": ["tool_use"]},
            ModelInfo(id="lm", sees=True, uses_tools=True),
        ),
        (
            {"id": "llama", "meta": {"n_ctx_train": 2048, "size": 98_000_000}},
            ModelInfo(id="llama", context_window=2048, size_bytes=98_000_000),
        ),
        ({"id": "odd", "context_length": "many"}, ModelInfo(id="odd")),
    ],
    ids=lambda value: value["id"] if isinstance(value, dict) else "",
)
def test_each_servers_words_are_understood(plain: dict[str, object], expected: ModelInfo) -> None:
    assert read_models([plain]) == (expected,)


def test_what_is_no_model_is_left_out() -> None:
    assert read_models([None, 3, {}, {"id": 7}, {"id": ""}, {"id": "text-embedding-3"}]) == ()


def test_names_of_chat_models_are_not_mistaken() -> None:
    assert can_chat("gpt-5-mini")
    assert can_chat("models/gemini-3-flash")
    assert not can_chat("whisper-large-v3")
