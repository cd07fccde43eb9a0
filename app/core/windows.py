"""How much a model can read: what the person said, else what is known by its name.

Tokens are not counted here: whoever has no count of a server's takes four characters for one.
"""

import re
from typing import Final

from app.core.settings import BUILT_IN_URL, BUILT_IN_WINDOW, Endpoint, is_file

CHARACTERS_PER_TOKEN: Final = 4.0

# Providers that list no window. The first that fits counts, so the narrower name comes first.
_KNOWN: Final = tuple(
    (re.compile(rf"(?:^|/){pattern}"), tokens)
    for pattern, tokens in (
        (r"gpt-5", 400_000),
        (r"gpt-4\.1", 1_047_576),
        (r"gpt-4o|gpt-4-turbo|chatgpt-4o", 128_000),
        (r"gpt-4", 8_192),
        (r"gpt-3\.5", 16_385),
        (r"gpt-oss", 131_072),
        (r"o1-(?:mini|preview)", 128_000),
        (r"o[134](?:-|$)", 200_000),
        (r"claude", 200_000),
        (r"(?:models/)?gemini-1\.5-pro", 2_097_152),
        (r"(?:models/)?gemini", 1_048_576),
        (r"deepseek", 128_000),
        (r"codestral", 256_000),
        (r"(?:mistral|ministral|magistral|devstral|pixtral)", 128_000),
        (r"llama-?3(?:\.\d)?", 131_072),
        (r"qwen-?3", 131_072),
    )
)


def stated_window(endpoint: Endpoint) -> int | None:
    """Give the tokens that a model is said to read: enough to refuse what does not fit."""
    if endpoint.context_window:
        return endpoint.context_window
    return BUILT_IN_WINDOW if endpoint.base_url == BUILT_IN_URL or is_file(endpoint) else None


def window_of(endpoint: Endpoint, model: str = "") -> int | None:
    """Give the tokens that a model reads, by its name if need be; good enough to show."""
    if stated := stated_window(endpoint):
        return stated
    name = (endpoint.model or model).lower()
    return next((tokens for pattern, tokens in _KNOWN if pattern.search(name)), None)
