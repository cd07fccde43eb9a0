"""Markdown as Hypothesis writes it: made of the pieces that blocks are made of."""

from hypothesis import strategies as st

_PIECES = (
    "- ",
    "* ",
    "+ ",
    "1. ",
    "2. ",
    "3) ",
    "> ",
    "> > ",
    "  ",
    "   ",
    "    ",
    " ",
    "# ",
    "## ",
    "###",
    "```",
    "```py",
    "~~~",
    "---",
    "***",
    "===",
    "word",
    "two words",
    "`code`",
    "**b**",
    "-",
    "1.",
    "foo  ",
    "&",
)
_TABLES = ("| a | b |", "|---|:-:|", "| c", "a|b")
_WILD = (
    "\t",
    "\r",
    "[x] ",
    "[a]: http://b.c",
    "[a]",
    "$$",
    "\\[",
    "\\]",
    "`",
    "é🎉",
    "\u200d",
    "x" * 900,
)

lines = st.lists(st.sampled_from(_PIECES), max_size=4).map("".join)
documents = st.lists(lines, max_size=10).map(lambda each: "".join(line + "\n" for line in each))

_wild_pieces = st.one_of(st.sampled_from(_PIECES + _TABLES + _WILD), st.text(max_size=8))
wild_lines = st.lists(_wild_pieces, max_size=6).map("".join)
wild_documents = st.lists(wild_lines, max_size=12).map("\n".join)
