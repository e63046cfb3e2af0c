"""Judge `is_correction` on labelled messages: how many that it finds correct the agent, and how many it finds.

    python -m tests.labelled.evaluate_corrections CLONES [--half learning|judging]

A correction says, in the user's own words, that what the agent did, built or stated before is wrong, fails, is
incomplete or is not what was requested: "still the same error", "nothing shows up", "not X, I meant Y", "undo that".
New wishes, tweaks, answers to the agent's questions, praise and questions for information are none. An error pasted
without words, and an interruption without a reason, are unclear and do not count. Labels were given by one reader who
saw the message and the end of the agent's text before it, mixed and without the program's answer.

`corrections.tsv` is a random sample of messages after the first of a conversation; recall is counted in it. Of the
other messages, `corrections_found.tsv` has found ones: in the judging half all of them, in the learning half 45, found
before the forms were extended on this half.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sidecar.language.message_intent import is_correction
from tests.labelled.corpus import LabelledMessage, MissingClones, labelled_messages
from tests.labelled.evaluate import figures_of

SAMPLED = Path(__file__).parent / "corrections.tsv"
FOUND = Path(__file__).parent / "corrections_found.tsv"


def judged_of(messages: Sequence[LabelledMessage]) -> list[tuple[bool, bool]]:
    """Return for each clear message whether it is a correction, and whether it is found."""
    clear = [message for message in messages if not message.label.is_unclear]
    return [(message.label.label == "correction", is_correction(message.text)) for message in clear]


def main(arguments: Sequence[str] | None = None, sampled: Path = SAMPLED, found: Path = FOUND) -> int:
    """Print the figures of a half."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("clones", type=Path, help="folder of clones, each named <owner>+<name>")
    parser.add_argument("--half", default="learning", help="half of the labels")
    chosen = parser.parse_args(arguments)
    try:
        sample = judged_of(list(labelled_messages(chosen.clones, chosen.half, sampled)))
        others = judged_of(list(labelled_messages(chosen.clones, chosen.half, found)))
    except MissingClones as missing:
        print(missing, file=sys.stderr)
        return 1
    print(f"random sample: {len(sample)} messages, {figures_of(sample)}")
    print(f"with all that was found: {len(sample) + len(others)} messages, {figures_of(sample + others)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
