"""Blocks as text arrives: the same whatever the chunks, each closed one final."""

import random
import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from app.ui.transcript.blocks import Block, Item, Joint, Kind, Quote
from app.ui.transcript.leaf import CODE_LINES_CAP, TABLE_ROWS_CAP, TEXT_CAP
from app.ui.transcript.splitter import LINE_CAP, Splitter, split
from tests.unit.ui_transcript.markdown import documents, wild_documents
from tests.unit.ui_transcript.reference import Leaf, by_markdown_it, by_splitter

_EMPTY_ITEM = re.compile(r"(?m)^[ >]*(([-*+]|\d+[.)])\s*)+$")
_LAZY_CODE = re.compile(r"(?m)^ *>.*\n {4}")


def fed(text: str, cuts: list[int]) -> list[Block]:
    splitter = Splitter()
    blocks: list[Block] = []
    at = 0
    for cut in sorted(cut % (len(text) + 1) for cut in cuts):
        blocks += splitter.feed(text[at:cut])
        splitter.peek()
        at = cut
    return blocks + splitter.feed(text[at:]) + splitter.close()


def comparable(leaves: list[Leaf]) -> list[Leaf]:
    bare = [
        (kind, "\n".join(line.rstrip() for line in text.split("\n")), path)
        for kind, text, path in leaves
    ]
    return [leaf for leaf in bare if leaf[:2] != ("paragraph", "")]


@given(wild_documents, st.lists(st.integers(0, 20_000), max_size=12))
@example("a\r\nb\r\n\r\nc", [2])
@example("x" * 5000 + " " + "y" * 5000, [1, 1999, 2000, 2001, 6001])
def test_blocks_do_not_depend_on_the_chunks(text: str, cuts: list[int]) -> None:
    assert fed(text, cuts) == split(text)


@given(documents)
def test_block_structure_is_that_of_markdown_it(text: str) -> None:
    # Where the two differ here, markdown-it leaves the CommonMark specification.
    assume(not _EMPTY_ITEM.search(text) and not _LAZY_CODE.search(text))
    assert comparable(by_splitter(split(text))) == comparable(by_markdown_it(text))


@given(wild_documents)
def test_blocks_stand_in_the_source_in_order(text: str) -> None:
    blocks = split(text)
    edges = [edge for block in blocks for edge in (block.start, block.end)]
    assert edges == sorted(edges)
    assert all(0 <= edge <= len(text) for edge in edges)


def test_closed_blocks_come_out_while_the_rest_is_still_open() -> None:
    splitter = Splitter()
    assert splitter.feed("One.\n\nTw") == [Block(kind=Kind.PARAGRAPH, text="One.", end=4)]
    assert [block.text for block in splitter.peek()] == ["Tw"]
    assert [block.text for block in splitter.close()] == ["Tw"]


def test_items_know_their_number_and_which_block_shows_it() -> None:
    first, second, code, third = split("3. a\n4. b\n\n   ```\n   x\n   ```\n5. c\n")
    assert [block.containers for block in (first, second, third)] == [
        (Item(number=3),),
        (Item(number=4),),
        (Item(number=5),),
    ]
    assert (second.opens, code.opens) == (0, 1)
    assert code.text == "x"


def test_tasks_lose_their_box_and_keep_their_state() -> None:
    done, open_, none = split("- [x] washed\n- [ ] dried\n- [y] stored\n")
    assert (done.containers, done.text) == ((Item(task=True),), "washed")
    assert (open_.containers, open_.text) == ((Item(task=False),), "dried")
    assert (none.containers, none.text) == ((Item(),), "[y] stored")


def test_table_may_follow_a_line_of_text() -> None:
    text, table = split("Sizes:\n| a | b |\n|---|--:|\n| 1 | 2 |\n")
    assert (text.kind, text.text) == (Kind.PARAGRAPH, "Sizes:")
    assert (table.kind, table.text) == (Kind.TABLE, "| a | b |\n|---|--:|\n| 1 | 2 |")


def test_definitions_are_kept_and_not_shown() -> None:
    splitter = Splitter()
    blocks = splitter.feed("See [it][A b].\n\n[a  B]: https://x.y 'title'\n\n[^1]: A note.\n\n")
    assert [block.text for block in blocks] == ["See [it][A b].", "[^1]: A note."]
    assert splitter.references == {"A B": "https://x.y"}


@pytest.mark.parametrize("half", ["-", "1", "1.", "#", "##", ">", "``", "- [", "- [ ", "|", "> -"])
def test_half_typed_marker_is_not_shown(half: str) -> None:
    splitter = Splitter()
    splitter.feed("Before.\n\n" + half)
    assert splitter.peek() == []


def test_head_of_a_table_is_a_table_before_its_second_line() -> None:
    splitter = Splitter()
    splitter.feed("| a | b |\n|--")
    (block,) = splitter.peek()
    assert (block.kind, block.text) == (Kind.TABLE, "| a | b |")


def test_closing_fence_does_not_flash_as_code() -> None:
    splitter = Splitter()
    splitter.feed("```py\nx = 1\n``")
    assert [block.text for block in splitter.peek()] == ["x = 1"]


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("word " * 12_000, TEXT_CAP + LINE_CAP),
        ("x" * 60_000, TEXT_CAP + LINE_CAP),
        ("> " + "quoted words\n> " * 3_000, TEXT_CAP + LINE_CAP),
        ("```\n" + "x = 1\n" * 2_000, 7 * CODE_LINES_CAP + LINE_CAP),
        ("```\n" + "y" * 60_000, TEXT_CAP + LINE_CAP),
        ("|a|b|\n|-|-|\n" + "|1|2|\n" * 600, 7 * TABLE_ROWS_CAP + LINE_CAP),
    ],
)
def test_open_end_stays_bounded_however_much_arrives(text: str, limit: int) -> None:
    splitter = Splitter()
    rng = random.Random(7)
    at = 0
    blocks: list[Block] = []
    while at < len(text):
        step = rng.randrange(1, 400)
        blocks += splitter.feed(text[at : at + step])
        at += step
        assert sum(len(block.text) for block in splitter.peek()) <= limit
    blocks += splitter.close()
    assert len(blocks) > 3
    assert {block.kind for block in blocks} == {blocks[0].kind}
    assert all(block.joint is not Joint.NONE for block in blocks[1:])


@pytest.mark.parametrize(
    "cluster", ["e\u0301", "का", "☝\U0001f3fd", "👩\u200d🚀", "❤\ufe0f"], ids=ascii
)
def test_endless_line_is_cut_between_characters_as_people_see_them(cluster: str) -> None:
    for before in range(len(cluster)):
        blocks = split("x" * before + cluster * 3000)
        assert len(blocks) > 1
        for block in blocks[1:]:
            assert block.text.startswith(cluster)


@pytest.mark.parametrize("mark", [">", "> ", "- ", "1. ", "* > "])
def test_nesting_ten_thousand_deep_becomes_text_past_a_depth(mark: str) -> None:
    blocks = split(mark * 10_000 + "deep\n" + "after\n")
    assert max(len(block.containers) for block in blocks) <= 12
    assert "deep" in "".join(block.text for block in blocks)


def test_quote_in_an_item_keeps_both_around_its_code() -> None:
    (block,) = split("- > ```py\n  > x\n  > ```\n")
    assert block.containers == (Item(), Quote())
    assert (block.kind, block.info, block.text) == (Kind.CODE, "py", "x")
