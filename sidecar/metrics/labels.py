"""Labels stand in a measure's name, as in `passedThrough{reason=deadline}`. Pure."""

from collections.abc import Mapping


def labelled(name: str, **labels: str) -> str:
    """Gives the name of a measure with its labels, in their alphabetical order."""
    told = ",".join(f"{label}={value}" for label, value in sorted(labels.items()))
    return f"{name}{{{told}}}"


def name_and_labels(measure: str) -> tuple[str, dict[str, str]]:
    """Takes a measure's name apart; one without labels has none."""
    name, _, told = measure.partition("{")
    pairs = (pair.partition("=") for pair in told.removesuffix("}").split(",") if pair)
    return name, {label: value for label, _, value in pairs}


def by_label(measured: Mapping[str, float], name: str) -> dict[str, float]:
    """Gives what was measured under a name by the values of its labels, several of them with a space between."""
    found = ((name_and_labels(measure), total) for measure, total in measured.items())
    return {" ".join(labels.values()): total for (own, labels), total in found if own == name and labels}
