"""Texts compared word by word, as speech recognition is measured."""


def words(text: str) -> list[str]:
    """List the words alone, without case and marks."""
    return "".join(c if c.isalnum() else " " for c in text.casefold()).split()


def errors(heard: list[str], said: list[str]) -> int:
    """Count the words to change, by edit distance."""
    row = list(range(len(said) + 1))
    for i, word in enumerate(heard, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(said, 1):
            change = before + (word != other)
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, change)
    return row[-1]
