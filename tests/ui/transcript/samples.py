"""Answers with every kind of block, for tests and pictures."""

MOCK = """## Short answer

Keep the **height of every message** in a Fenwick tree: finding the row at a scroll offset and \
updating one height are both `O(log n)`, so 10,000 messages open at once. 🎉 See [the paper]\
(https://example.org/fenwick) for the proof.

1. Estimate heights from the text length, without any layout.
2. Measure a row when it first becomes visible.
   - correct the tree,
   - keep the *anchor* row in place.
3. Paint only what is on the screen.

| Operation | List of sums | Fenwick tree |
|---|--:|--:|
| Find row | `O(log n)` | `O(log n)` |
| Set height | `O(n)` | `O(log n)` |
| Append | `O(1)` | `O(log n)` |

> An image in an answer is not fetched: ![chart](https://example.org/chart.png)
"""

CODE = '''Here is the core, with an update and a search:

```python
class Fenwick:
    """Prefix sums with point updates."""
    def __init__(self, n: int) -> None:
        self.tree = [0] * (n + 1)   # 1-based

    def add(self, i: int, delta: float) -> None:
        while i < len(self.tree):
            self.tree[i] += delta
            i += i & -i

    def find(self, y: float) -> int:
        pos, step = 0, 1 << len(self.tree).bit_length
'''

BLOCKS = """# Heading one
## Heading two
### Heading three
#### Heading four

A paragraph with **bold**, *italic*, ***both***, ~~struck~~, `inline code`, a [link]\
(https://example.org/path?q=1), a bare https://example.org/bare one, and a [bad one](vscode:x).

- [x] a task that is done
- [ ] a task that is open
- a bullet
  - nested once, with enough words to wrap onto a second line so that the hanging indent can be \
seen by whoever looks
    - nested twice

9. nine
10. ten
11. eleven

    with a second paragraph and code in the item:

    ```bash
    pip install belay-desktop  # a comment
    ```

> A quote with **bold** words.
>
> - a list in it
>
> > and a quote in the quote

---

```
no language, and one very long line that does not wrap but scrolls sideways: \
0123456789 0123456789 0123456789 0123456789 0123456789
```

```diff
- removed
+ added
```

$$
E = mc^2
$$
"""

SCRIPTS = """مرحبا بالعالم، هذه فقرة عربية مع **كلمة غليظة** و `code` في وسطها.

- عنصر أول
- عنصر ثان

שלום עולם, זו פסקה בעברית.

ไทย हिन्दी Ελληνικά Русский 👩‍👩‍👧 🏳️‍🌈 🇩🇪 ❤️
"""

CJK = """日本語の段落です。**太字**と`コード`、そして絵文字 👩‍👩‍👧 🏳️‍🌈 🇩🇪 ❤️ が混ざります。

中文段落：这是一段用于测试换行的文字，这是一段用于测试换行的文字，这是一段用于测试换行的文字。

한국어 단락입니다.
"""

WIDE = """| Country | Capital | Population | Area | Currency | Language | Calling code | Domain |
|:--|:--|--:|--:|:-:|:--|--:|:--|
| Luxembourg | Luxembourg City | 672,050 | 2,586 km² | Euro | Luxembourgish, French | +352 | .lu |
| Liechtenstein | Vaduz | 39,680 | 160 km² | Franc | German | +423 | .li |
"""
