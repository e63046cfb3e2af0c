"""The command line of benchmarks that take at most a few numbers."""

import argparse


def parse_counts(description: str | None, **defaults: int) -> list[int]:
    """Return the numbers given in this order, else their defaults. `--help` prints the description and exits."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in defaults.items():
        parser.add_argument(name, nargs="?", type=int, default=default, help=f"default: {default}")
    options = vars(parser.parse_args())
    return [options[name] for name in defaults]
