"""The transcript: a conversation as the person reads it, streaming Markdown that stays fast."""
