"""What the fake model says when nobody told it what to say: the question, and some Markdown."""

from typing import Any


def last_user_text(messages: Any) -> str:
    """Find the words of the last user message."""
    users = [m for m in messages if isinstance(m, dict) and m.get("role") == "user"]
    return _words(users[-1].get("content")) if users else ""


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return " ".join(part.get("text", "[picture]") for part in parts if isinstance(part, dict))


def echo_answer(messages: Any) -> str:
    """Answer with the person's own words and a little of everything that Markdown has."""
    asked = " ".join(last_user_text(messages).split())
    return (
        f"You wrote: **{asked}**\n\n"
        f"That is {len(asked.split())} words, and this is message {len(messages)} of our "
        "conversation. I am not a model: I repeat what I am told, always in the same words.\n\n"
        "## What I can show\n\n"
        "- a list, with `code` in it\n"
        "- *emphasis* and a [link](https://example.org/)\n\n"
        "```python\n"
        f"print({asked[:60]!r})\n"
        "```\n\n"
        "Stop me at any word. What was said so far stays where it is."
    )
