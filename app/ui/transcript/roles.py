"""What a stretch of code is. Pure."""

from enum import Enum


class Role(Enum):
    """What a stretch of code is, as far as its colour goes."""

    TEXT = "text"
    KEYWORD = "keyword"
    NAME = "name"  # of something being defined
    BUILTIN = "builtin"
    STRING = "string"
    NUMBER = "number"
    COMMENT = "comment"
    OPERATOR = "operator"
    ADDED = "added"
    REMOVED = "removed"
