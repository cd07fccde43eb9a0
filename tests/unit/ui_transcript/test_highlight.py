"""Code coloured line by line gets the colours it would get as a whole."""

import pytest
from pygments.lexers import get_lexer_by_name

from app.ui.transcript import highlight as module
from app.ui.transcript.highlight import START, highlight
from app.ui.transcript.languages import KNOWN
from app.ui.transcript.roles import Role

SAMPLES = {
    "python": 'class A:\n    """Doc\n    more"""\n    def f(self, n: int) -> str:\n'
    '        return f"{n!r}"  # c\n',
    "js": "/** doc\n * more\n */\nfunction f(a) {\n  const s = `x\n${a}`;\n"
    "  return /re/.test(s);\n}\n",
    "c": '#include <stdio.h>\n/* a\nb */\nint main(void) { printf("%d\\n", 3); }\n',
    "json": '{"a": [1, 2, true],\n "b": "x"}\n',
    "bash": 'for f in *.txt; do\n  echo "$f\nx" # hi\ndone\n',
    "rust": '/* a\n b */\nfn main() { let x: u32 = 5; println!("{}", x); }\n',
    "go": "package main\n/* a\nb */\nfunc main() { s := `a\nb` }\n",
    "css": "/* a\nb */ a { color: red }\n",
    "ts": "interface A { a: string }\n/* x\n y */ let z = 1\n",
    "haskell": "{- a\n b -}\nmain = print 1\n",
    "diff": "--- a\n+++ b\n-x\n+y\n",
}


def by_line(language: str, text: str) -> list[Role]:
    state, roles = START, []
    for line in text.splitlines():
        coloured, state = highlight(language, line, state)
        assert sum(one.length for one in coloured) == len(line)
        roles += [one.role for one in coloured for _ in range(one.length)]
    return roles


def as_a_whole(language: str, text: str) -> list[Role]:
    tokens = get_lexer_by_name(language).get_tokens(text)
    return [module._role(kind) for kind, part in tokens for char in part if char != "\n"]


@pytest.mark.parametrize("language", SAMPLES)
def test_line_by_line_is_like_as_a_whole(language: str) -> None:
    assert by_line(language, SAMPLES[language]) == as_a_whole(language, SAMPLES[language])


@pytest.mark.parametrize("language", ["", "no-such-language", "💥", "../../x"])
def test_unknown_language_is_plain(language: str) -> None:
    assert highlight(language, "x = 1", START) == ([(5, Role.TEXT)], START)


def test_endless_line_is_plain_and_leaves_the_state() -> None:
    coloured, state = highlight("python", "x" * 100_000, START)
    assert coloured == [(100_000, Role.TEXT)]
    assert state == START


def test_comment_left_open_colours_the_lines_below_until_it_ends() -> None:
    _, state = highlight("c", "int x; /* so", START)
    coloured, state = highlight("c", "int y;", state)
    assert [one.role for one in coloured] == [Role.COMMENT]
    coloured, state = highlight("c", "end */ int z;", state)
    assert coloured[0] == (6, Role.COMMENT)
    assert coloured[-1].role is not Role.COMMENT


@pytest.mark.parametrize("line", ["CREATE FUNCTION f() AS $$", "$body$ BEGIN", "${x}"])
@pytest.mark.parametrize("language", ["postgresql", "plpgsql"])
def test_lexer_that_fails_leaves_its_line_plain(language: str, line: str) -> None:
    found, state = highlight(language, line, START)
    assert sum(one.length for one in found) == len(line)
    assert state == START


def test_lexers_that_nobody_tried_are_not_asked() -> None:
    found, _ = highlight("befunge", "class x", START)
    assert [one.role for one in found] == [Role.TEXT]


@pytest.mark.parametrize("language", sorted(KNOWN))
def test_known_languages_take_any_line(language: str) -> None:
    for piece in ('"', "'", "\\", "(", "<", "/*", "{", "`", "#", "$", "a ", "0x", "<!--", "ä"):
        line = (piece * 60)[:60]
        found, _ = highlight(language, line, START)
        assert sum(one.length for one in found) <= len(line)
