"""The table of names by the words that describe them."""

from generators.described_names import described_names


def test_each_word_lists_the_names_it_describes_by_root() -> None:
    table = described_names(["debounce: settle wait typing", "sleep: waits pause", "retries: retry attempt the"])
    assert table == "attempt: retry\npaus: sleep\nsettl: debounc\ntyp: debounc\nwait: debounc sleep\n"
