"""Colour code line by line, carrying the lexer's state, so that each line is read once.

Pure: pygments is imported with the first code block. A lexer that pygments drives with a state
stack is driven here the same way, but stopped at each line's end; what such lexers match across
lines in one go (a block comment, say) is recognised by its opener and carried as well.
"""

import logging
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from app.ui.transcript.languages import KNOWN
from app.ui.transcript.roles import Role

log = logging.getLogger(__name__)

LINE_CAP = 600  # a longer line is data; some lexers take the square of its length

_SPANS = (
    ("/*", "*/"),
    ("<!--", "-->"),
    ("{-", "-}"),
    ("(*", "*)"),
    ("--[[", "]]"),
    ('"""', '"""'),
    ("'''", "'''"),
    ("`", "`"),
    ("=begin", "=end"),
    ("<#", "#>"),
)


class Coloured(NamedTuple):
    """A stretch of one line."""

    length: int
    role: Role


@dataclass(frozen=True, slots=True)
class State:
    """Where a lexer stands between two lines."""

    stack: tuple[str, ...] = ("root",)
    closer: str = ""  # of what spans lines
    role: Role = Role.TEXT


START = State()


def highlight(language: str, line: str, state: State) -> tuple[list[Coloured], State]:
    """Colour one line and say where it leaves the lexer."""
    lexer = _lexer(language)
    if lexer is None or len(line) > LINE_CAP:
        return [Coloured(len(line), Role.TEXT)], state
    try:
        return _coloured(language, lexer, line, state)
    except Exception as exc:  # noqa: BLE001 - a lexer may raise anything; code without colours is code
        log.debug("the lexer of %s failed: %s", language, type(exc).__name__)
        return [Coloured(len(line), Role.TEXT)], state


def _coloured(language: str, lexer: Any, line: str, state: State) -> tuple[list[Coloured], State]:
    if state.closer:
        return _in_span(language, line, state)
    if not hasattr(lexer, "_tokens") or _wants_context(lexer):
        return [Coloured(len(t), _role(kind)) for _, kind, t in _tokens(lexer, line)], state
    return _Drive(language, lexer, line, state).run()


def _in_span(language: str, line: str, state: State) -> tuple[list[Coloured], State]:
    end = line.find(state.closer)
    if end < 0:
        return [Coloured(len(line), state.role)], state
    end += len(state.closer)
    rest, after = highlight(language, line[end:], State(state.stack))
    return [Coloured(end, state.role), *rest], after


def _tokens(lexer: Any, line: str) -> list[tuple[int, Any, str]]:
    return [token for token in lexer.get_tokens_unprocessed(line) if token[2]]


class _Drive:
    """pygments' own loop over one line, with the stack kept."""

    def __init__(self, language: str, lexer: Any, line: str, state: State) -> None:
        self._language = language
        self._lexer = lexer
        self._line = line + "\n"
        self._stack = list(state.stack)
        self._found: list[Coloured] = []
        self._at = 0

    def run(self) -> tuple[list[Coloured], State]:
        idle = 0
        while self._at < len(self._line) and idle < 100:
            span = self._span()
            if span is not None:
                closer, role = span
                self._put(self._line[self._at : -1], role)
                return self._found, State(tuple(self._stack), closer, role)
            before = self._at
            self._step()
            idle = idle + 1 if self._at == before else 0  # states may change without a character
        return self._found, State(tuple(self._stack))

    def _span(self) -> tuple[str, Role] | None:
        for opener, closer, role in _spans(self._language, self._stack[-1]):
            if self._line.startswith(opener, self._at):
                after = self._at + len(opener)
                return None if self._line.find(closer, after) >= 0 else (closer, role)
        return None

    def _step(self) -> None:
        for match, action, new_state in self._lexer._tokens[self._stack[-1]]:  # noqa: SLF001
            found = match(self._line, self._at)
            if found:
                self._act(action, found)
                self._at = found.end()
                self._enter(new_state)
                return
        if self._line[self._at] == "\n":
            self._stack = ["root"]
        self._put(self._line[self._at], Role.TEXT)
        self._at += 1

    def _act(self, action: Any, found: Any) -> None:
        if action is None:
            return
        if not callable(action) or isinstance(action, tuple):
            self._put(found.group(), _role(action))
            return
        for _, kind, text in action(self._lexer, found):
            self._put(text, _role(kind))

    def _enter(self, new_state: Any) -> None:
        if new_state is None:
            return
        if isinstance(new_state, int):
            del self._stack[max(1, len(self._stack) - abs(new_state)) :]
            return
        for state in new_state if isinstance(new_state, tuple) else (new_state,):
            if state == "#pop":
                del self._stack[max(1, len(self._stack) - 1) :]
            else:
                self._stack.append(self._stack[-1] if state == "#push" else state)
        del self._stack[1:-50]  # runaway nesting

    def _put(self, text: str, role: Role) -> None:
        length = len(text.rstrip("\n"))
        if length:
            self._found.append(Coloured(length, role))


@cache
def _lexer(language: str) -> Any:
    # pygments and the lexer take tens of milliseconds to import: not before they are needed.
    from pygments.lexers import find_lexer_class  # noqa: PLC0415

    known = language.lower() in KNOWN
    name = _names().get(language.lower()) if known else None
    lexer = find_lexer_class(name) if name else None
    return None if lexer is None else lexer()


@cache
def _names() -> dict[str, str]:
    # Not pygments' own lookup: for an unknown name it would load plugins from anywhere.
    from pygments.lexers import LEXERS  # noqa: PLC0415

    return {alias: entry[1] for entry in LEXERS.values() for alias in entry[2]}


@cache
def _wants_context(lexer: Any) -> bool:
    from pygments.lexer import ExtendedRegexLexer  # noqa: PLC0415

    return isinstance(lexer, ExtendedRegexLexer)


@cache
def _spans(language: str, state: str) -> tuple[tuple[str, str, Role], ...]:
    """Find what the lexer matches across lines in this state, by trying."""
    found = []
    for opener, closer in _SPANS:
        probe = f"{opener} x\nx {closer}\n"
        for match, action, _ in _lexer(language)._tokens[state]:  # noqa: SLF001
            hit = match(probe, 0)
            if hit and hit.end():
                role = Role.TEXT if callable(action) else _role(action)
                if "\n" in hit.group().rstrip("\n") and role in (Role.COMMENT, Role.STRING):
                    found.append((opener, closer, role))
                break
    return tuple(found)


@cache
def _role(kind: Any) -> Role:
    at = kind
    while at is not None:
        if (role := _roles().get(str(at))) is not None:
            return role
        at = at.parent
    return Role.TEXT


@cache
def _roles() -> dict[str, Role]:
    by_role = {
        Role.KEYWORD: "Keyword Operator.Word Name.Tag Keyword.Constant Generic.Heading",
        Role.NAME: "Name.Class Name.Function Name.Decorator Name.Namespace Generic.Subheading",
        Role.BUILTIN: "Name.Builtin Name.Attribute Keyword.Type Name.Exception Name.Variable.Magic",
        Role.STRING: "Literal.String Literal.Date",
        Role.NUMBER: "Literal.Number",
        Role.COMMENT: "Comment Generic.Output",
        Role.OPERATOR: "Operator",
        Role.ADDED: "Generic.Inserted",
        Role.REMOVED: "Generic.Deleted",
    }
    return {f"Token.{kind}": role for role, kinds in by_role.items() for kind in kinds.split()}
