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

_cells = st.lists(st.one_of(st.sampled_from(_WILD), st.text(max_size=6)), max_size=5)
_rows = _cells.map(lambda cells: "|" + "|".join(cells) + "|")
wild_tables = st.tuples(
    st.sampled_from(["|a|b|\n|-|-:|\n", "a | b\n:-:|-\n", "|a|\n|-|\n", "|x|y|z|\n|---|\n"]),
    st.lists(_rows, max_size=8).map("\n".join),
).map("".join)

_languages = st.sampled_from(["", "py", "js", "c", "html", "bash", "json", "yaml", "rust", "xyz"])
_code_lines = st.one_of(
    st.sampled_from(["/* open", "end */", '"""', "'''", "`tick", "def f(x):", "<!-- a", "-->"]),
    wild_lines,
)
wild_code = st.tuples(
    _languages.map(lambda name: f"```{name}\n"),
    st.lists(_code_lines, max_size=10).map("\n".join),
    st.sampled_from(["", "\n```", "\n```\nafter"]),
).map("".join)

_marks = [
    "**",
    "*",
    "`",
    "```",
    "~~",
    "[",
    "](",
    ")",
    "![",
    "]:",
    "<",
    ">",
    "&",
    "&amp;",
    "&#x202e;",
    "\\",
    "_",
    "__",
    "<br>",
    "https://a.b/c",
    "|",
    "#",
    "\n",
    "\u202e",
]
wild_inline = st.lists(
    st.one_of(st.sampled_from([*_marks, " ", "\n", "word"]), st.text(max_size=3)), max_size=30
).map("".join)
