"""Belay: a desktop AI assistant that can be stopped or redirected at any moment."""

__version__ = "0.1.0"
