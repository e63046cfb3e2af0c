"""The table of names and the words that describe them, from our own descriptions.

Each line of `build/name_descriptions.txt` is a word in names and a colon, then words by which a developer who does not
know the name asks for it. Every word occurs in at least three of 708 public packages of PyPI and npm.
"""

from collections.abc import Iterable

from sidecar.registry.stemming_and_synonyms import intent_words, is_function_word


def described_names(lines: Iterable[str]) -> str:
    """Return the table: for each root that describes others, those in alphabetical order."""
    names: dict[str, set[str]] = {}
    for line in lines:
        name, _, words = line.partition(":")
        for described in intent_words(name):
            for root in intent_words(words):
                if root != described and not is_function_word(root):
                    names.setdefault(root, set()).add(described)
    return "".join(f"{root}: {' '.join(sorted(names[root]))}\n" for root in sorted(names))
