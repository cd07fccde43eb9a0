"""Thinks: sessions, the turn machine, the turn loop, providers and tools."""
