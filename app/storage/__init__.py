"""Remembers: conversations in SQLite, the waiting queue, drafts, settings."""
