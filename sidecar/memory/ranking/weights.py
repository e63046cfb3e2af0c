"""The weights of the features, by how memories are kept: as entries of a group, or each by itself. Pure."""

from collections.abc import Mapping
from typing import NamedTuple

from sidecar.memory.ranking.features import NAMES


class Profile(NamedTuple):
    """The weight of each feature, in the order of `NAMES`, and what is added to their sum."""

    weights: tuple[float, ...]
    bias: float


def profile(weights: Mapping[str, float], bias: float) -> Profile:
    """Makes a profile of weights by name; a feature that is not named weighs nothing."""
    unknown = weights.keys() - set(NAMES)
    if unknown:
        raise KeyError(f"no such feature: {', '.join(sorted(unknown))}")
    return Profile(tuple(float(weights.get(name, 0.0)) for name in NAMES), bias)


GROUPED_WEIGHTS: Mapping[str, float] = {
    "words": -2.02, "share": 2.81, "around": 4.25, "before": -1.82, "after": -0.53, "twoBefore": 0.92,
    "twoAfter": -0.17, "group": 3.26, "pairs": 0.23, "forms": 6.32, "formsAround": 1.77, "rank": 0.69,
    "rankAround": 1.97, "author": 1.08, "inTime": 3.35, "onDay": 1.58, "soonAfter": 2.25, "answers": 2.83,
    "afterQuestion": 0.52, "asks": -0.23, "endsAsking": -0.67, "opens": 0.89, "length": 0.45, "tellsWhen": 2.0,
    "tellsNumber": 1.35, "tellsName": 1.11, "tellsNames": 0.54, "tellsTitle": 1.49, "tellsWhy": 0.89,
    "tellsWhere": 1.54,
}  # fmt: skip
ALONE_WEIGHTS: Mapping[str, float] = {
    "words": 6.0, "share": 4.0, "pairs": 1.0, "forms": 3.0, "rank": 2.0, "inTime": 1.0, "onDay": 1.0, "author": 0.5,
}  # fmt: skip

GROUPED = profile(GROUPED_WEIGHTS, -9.0)
ALONE = profile(ALONE_WEIGHTS, -9.0)
