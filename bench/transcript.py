"""The transcript's cost: per flush as an answer grows, under hostile streams, and on opening.

    python -m bench.transcript [--quick]

CPU time of the GUI thread, painting included, offscreen. A flush is one delta of forty characters
applied, shown and painted: about 300 tokens/s at 30 flushes a second. Ratios are of means from
the same run. Prints a table and writes bench/results/transcript.json.
"""

import gc
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextBrowser

from app.core.events import ConversationOpened, TextDelta, TurnStarted
from app.core.ids import ConversationId, MessageId, TurnId
from app.core.messages import Draft, Message, Role, Tree, text_parts
from app.ui.style import put_on
from app.ui.theme import LIGHT
from app.ui.transcript.view import TranscriptView
from bench.harness import Figure, percentile, report

HERE, TURN, ANSWER = ConversationId("c"), TurnId("t"), MessageId("answer")
CHUNK = 40
STEP = 27  # characters that 200 tokens a second bring in a thirtieth of one
FIRST = 30
TOKEN = 4  # characters
SAMPLE = """## A heading

Some words about **heights** and `code`, with [a link](https://example.org/x) and *emphasis* in \
a paragraph that is long enough to be wrapped over several lines on any screen there is.

- a first item with a few words
- a second item, `with code`
  - and one below it

1. one
2. two

```python
def find(tree: list[int], y: int) -> int:
    '''Find the row at a height.'''
    at = 0
    while at < len(tree):
        at += at & -at  # up
    return at
```

| Operation | Cost |
|---|--:|
| find | `O(log n)` |
| set | `O(log n)` |

> A remark that somebody made, quoted here with **some** emphasis.

"""


def figure(name: str, value: float, unit: str, limit: float | None = None) -> Figure:
    """Make one line of the report."""
    return Figure(name=name, value=value, unit=unit, limit=limit)


def endless(sample: str = SAMPLE) -> Iterator[str]:
    """Give the sample in chunks, again and again."""
    while True:
        for at in range(0, len(sample), CHUNK):
            yield sample[at : at + CHUNK]


def history(count: int) -> Tree:
    """Make a conversation of so many messages."""
    messages: dict[MessageId, Message] = {}
    parent: MessageId | None = None
    for number in range(count):
        is_person = number % 2 == 0
        text = f"Question {number}?" if is_person else f"Answer {number}.\n\n" + SAMPLE
        key = MessageId(f"m{number}")
        messages[key] = Message(
            id=key,
            conversation_id=HERE,
            parent_id=parent,
            role=Role.USER if is_person else Role.ASSISTANT,
            parts=text_parts(text),
            created_at=float(number),
        )
        parent = key
    return Tree(messages=messages, leaf=parent)


def opened(tree: Tree) -> ConversationOpened:
    """Open a conversation."""
    return ConversationOpened(conversation_id=HERE, tree=tree, waiting=(), draft=Draft())


def streaming_view(tree: Tree) -> TranscriptView:
    """Show a conversation in which an answer has begun."""
    view = TranscriptView(LIGHT)
    view.resize(860, 900)
    view.show()
    view.apply(opened(tree))
    view.apply(TurnStarted(conversation_id=HERE, turn_id=TURN, epoch=1, model="m"))
    QApplication.processEvents()
    return view


def say(view: TranscriptView, text: str) -> None:
    """Show more of the answer, painted."""
    view.apply(TextDelta(conversation_id=HERE, turn_id=TURN, message_id=ANSWER, text=text))
    view.flush()
    QApplication.processEvents()


def cpu_ms(work: Callable[[], None]) -> float:
    """Measure the CPU time of this thread."""
    began = time.thread_time()
    work()
    return (time.thread_time() - began) * 1000


def grown(view: TranscriptView, chunks: Iterator[str], tokens: int, have: int) -> int:
    """Let the answer grow to so many tokens, quickly."""
    while have < tokens * TOKEN:
        text = "".join(next(chunks) for _ in range(50))
        say(view, text)
        have += len(text)
    return have


def per_flush(tree: Tree, sizes: list[int], flushes: int) -> dict[int, float]:
    """Measure the mean cost of a flush at sizes of the answer, in tokens."""
    view = streaming_view(tree)
    chunks = endless()
    have, costs = 0, {}
    for tokens in sizes:
        have = grown(view, chunks, tokens, have)
        gc.collect()
        costs[tokens] = statistics.fmean(
            cpu_ms(lambda: say(view, next(chunks))) for _ in range(flushes)
        )
        have += flushes * CHUNK
    view.close()
    return costs


def in_turns(cases: Sequence[tuple[int, int]], flushes: int) -> float:
    """Measure a flush of the second case over one of the first: messages before, tokens so far."""
    views = [streaming_view(history(messages)) for messages, _ in cases]
    chunks = [endless() for _ in cases]
    for view, source, (_, tokens) in zip(views, chunks, cases, strict=True):
        grown(view, source, tokens, 0)
    gc.collect()
    costs = [0.0, 0.0]
    for _ in range(flushes):
        for which in (0, 1):
            words = next(chunks[which])
            costs[which] += cpu_ms(lambda at=views[which], words=words: say(at, words))  # type: ignore[misc]
    for view in views:
        view.close()
    return costs[1] / costs[0]


def set_markdown(sizes: list[int], flushes: int) -> dict[int, float]:
    """Measure QTextBrowser.setMarkdown with the whole answer at every flush."""
    browser = QTextBrowser()
    browser.resize(860, 900)
    browser.show()
    costs = {}
    for tokens in sizes:
        text = (SAMPLE * (tokens * TOKEN // len(SAMPLE) + 1))[: tokens * TOKEN]

        def flush(text: str = text) -> None:
            browser.setMarkdown(text)
            browser.verticalScrollBar().setValue(browser.verticalScrollBar().maximum())
            QApplication.processEvents()

        costs[tokens] = statistics.fmean(cpu_ms(flush) for _ in range(max(3, flushes // 40)))
    browser.close()
    return costs


def plain_append(sizes: list[int], flushes: int) -> dict[int, float]:
    """Measure QPlainTextEdit with text appended: no Markdown at all."""
    edit = QPlainTextEdit()
    edit.resize(860, 900)
    edit.show()
    chunks = endless()
    costs = {}
    for tokens in sizes:
        edit.setPlainText((SAMPLE * (tokens * TOKEN // len(SAMPLE) + 1))[: tokens * TOKEN])

        def flush() -> None:
            cursor = edit.textCursor()
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(next(chunks))
            edit.verticalScrollBar().setValue(edit.verticalScrollBar().maximum())
            QApplication.processEvents()

        costs[tokens] = statistics.fmean(cpu_ms(flush) for _ in range(flushes))
    edit.close()
    return costs


def hostile() -> dict[str, str]:
    """Streams made to slow a renderer down."""
    return {
        "2,000-line fence": "```python\n" + "x = [i for i in range(10)]  # line\n" * 2000,
        "60 kB without newline": "word and `code` and **bold** " * 2070,
        "600-row table": "| a | b | c |\n|---|---|---|\n" + "| one `x` | two | three |\n" * 600,
        "1,000 items": "- an item with some words\n" * 1000,
        "deep nesting": "".join(
            "  " * (n % 40) + "- deep item number one\n" + "> " * (n % 40) + "quoted words\n\n"
            for n in range(600)
        ),
        "40 kB quote": "> " + "quoted words with `code` in them " * 1210,
    }


def last_over_first(text: str) -> float:
    """Measure the cost of the last tenth of a stream over that of its first."""
    view = streaming_view(history(2))
    step = max(CHUNK, len(text) // 1500)
    costs = [
        cpu_ms(lambda at=at: say(view, text[at : at + step]))  # type: ignore[misc]
        for at in range(0, len(text), step)
    ]
    view.close()
    tenth = len(costs) // 10
    return statistics.fmean(costs[-tenth:]) / statistics.fmean(costs[:tenth])


def steps_ms(flushes: int) -> list[float]:
    """Measure each step of an answer that comes at 200 tokens a second, thirty flushes a second."""
    view = streaming_view(history(20))
    text = SAMPLE * (flushes * STEP // len(SAMPLE) + 1)
    costs = [
        cpu_ms(lambda at=at: say(view, text[at : at + STEP]))  # type: ignore[misc]
        for at in range(0, flushes * STEP, STEP)
    ]
    view.close()
    return costs[FIRST:]  # what is loaded with the first words is no step of the stream


def frames_ms(count: int, frames: int) -> tuple[list[float], list[float]]:
    """Measure frames of smooth scrolling through a long conversation, and of jumps in it."""
    view = streaming_view(history(count))
    rng = random.Random(1)

    def scroll() -> None:
        view.scroll_by(-40)
        QApplication.processEvents()

    def jump() -> None:
        view.page.flow.scroll_to(rng.randrange(view.page.flow.limit))
        view.shift()
        QApplication.processEvents()

    smooth = [cpu_ms(scroll) for _ in range(frames)]
    jumps = [cpu_ms(jump) for _ in range(frames)]
    view.close()
    return smooth, jumps


def monsters() -> dict[str, Callable[[int], str]]:
    """Inputs that are quadratic in many renderers, each of about so many characters."""
    return {
        "one word": lambda size: "x" * size,
        "brackets": lambda size: "[" * size,
        "stars": lambda size: "*a" * (size // 2),
        "ticks": lambda size: "".join("`" * (n % 50) + "a" for n in range(size // 26)),
        "nesting": lambda size: "> " * (size // 2) + "deep",
        "links": lambda size: "[a](" * (size // 4),
        "references": lambda size: "[a]: <b>\n[a][b] " * (size // 16),
        "columns": lambda size: "| a " * (size // 8) + "|\n" + "|---" * (size // 8) + "|\n",
        "marks": lambda size: "e\u0301" * (size // 2),
        "entities": lambda size: "&amp;" * (size // 5),
        "underscores": lambda size: "_a__b___" * (size // 8),
        "rules": lambda size: "- - x" * (size // 5),
        "addresses": lambda size: "http://a.b/(" * (size // 12),
    }


def growth(make: Callable[[int], str], size: int) -> float:
    """Measure the cost per character of an input over that of one a quarter as long."""

    def cost(length: int) -> float:
        text = make(length)
        view = streaming_view(history(2))

        def work() -> None:
            for at in range(0, len(text), 2000):
                say(view, text[at : at + 2000])

        best = cpu_ms(work) / len(text)
        view.close()
        return best

    cost(size // 4)
    return cost(size) / cost(size // 4)


def opening(count: int) -> tuple[float, float]:
    """Measure opening a conversation: CPU seconds, and megabytes more."""
    view = TranscriptView(LIGHT)
    view.resize(860, 900)
    view.show()
    view.apply(opened(history(20)))
    QApplication.processEvents()
    event = opened(history(count))
    gc.collect()
    process = psutil.Process()
    before = process.memory_info().rss

    def work() -> None:
        view.apply(event)
        QApplication.processEvents()

    seconds = cpu_ms(work) / 1000
    more = (process.memory_info().rss - before) / 1e6
    view.close()
    return seconds, more


def pace(name: str, costs: list[float]) -> list[Figure]:
    """Boil frames down to the usual and the slow ones."""
    return [
        figure(f"{name}: p50 of a frame", statistics.median(costs), "ms", 16),
        figure(f"{name}: p99", percentile(costs, 0.99), "ms"),
    ]


def run(*, quick: bool = False) -> list[Figure]:
    """Measure everything."""
    flushes = 120 if quick else 400
    seconds, more = opening(10_000)  # first: later the heap has room to hide it in
    sizes = [1_000, 10_000, 50_000]
    empty = per_flush(history(0), sizes, flushes)
    longer = in_turns([(0, 1_000), (0, 50_000)], flushes)
    fuller = in_turns([(0, 1_000), (10_000, 1_000)], flushes)
    markdown = set_markdown(sizes, flushes)
    plain = plain_append(sizes, flushes)
    steps = steps_ms(300 if quick else 1200)
    smooth, jumps = frames_ms(10_000, 100 if quick else 400)
    size = 20_000 if quick else 80_000
    return [
        *(figure(f"flush at {size:,} tokens", empty[size], "ms") for size in sizes),
        figure("flush at 50,000 over 1,000 tokens", longer, "×", 1.5),
        figure("flush in 10,000 messages over none", fuller, "×", 1.3),
        *(figure(f"setMarkdown at {size:,} tokens", markdown[size], "ms") for size in sizes),
        *(figure(f"plain append at {size:,} tokens", plain[size], "ms") for size in sizes),
        *(
            figure(f"{name}: last tenth over first", last_over_first(text), "×", 1.5)
            for name, text in hostile().items()
        ),
        figure("longest step at 200 tokens/s", max(steps), "ms", 16),
        figure("step at 200 tokens/s: p50", statistics.median(steps), "ms"),
        *pace("smooth scroll in 10,000 messages", smooth),
        *pace("random jump in 10,000 messages", jumps),
        *(
            figure(f"{name}: per character, long over short", growth(make, size), "×", 2.0)
            for name, make in monsters().items()
        ),
        figure("open 10,000 messages, CPU", seconds, "s", 0.2),
        figure("open 10,000 messages, memory", more, "MB", 20),
    ]


def main() -> int:
    """Print the table and write the results."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    put_on(app, LIGHT)
    return report("transcript", run(quick="--quick" in sys.argv))


if __name__ == "__main__":
    sys.exit(main())
