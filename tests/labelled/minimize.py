"""Minimize a smooth convex function with limited-memory BFGS, with the standard library alone."""

from collections.abc import Callable

MAX_STEPS = 150
MEMORY = 8
TOLERANCE = 1e-3
"""Largest slope at the minimum."""

SUFFICIENT = 1e-4
SMALLEST_STEP = 1e-10

Function = Callable[[list[float]], tuple[float, list[float]]]
"""Takes a point, returns the value there and its slope."""


def minimize(function: Function, start: list[float]) -> list[float]:
    """Return the point where a function is lowest."""
    point = list(start)
    value, slope = function(point)
    history: list[tuple[list[float], list[float], float]] = []
    for _ in range(MAX_STEPS):
        if max(map(abs, slope)) < TOLERANCE:
            break
        direction = _direction(slope, history)
        descent = _dot(direction, slope)
        step = 1.0 if history else 1.0 / max(1.0, _dot(slope, slope) ** 0.5)
        while step > SMALLEST_STEP:
            moved = [p + step * d for p, d in zip(point, direction, strict=True)]
            new_value, new_slope = function(moved)
            if new_value <= value + SUFFICIENT * step * descent:
                break
            step /= 2
        else:
            break
        change = [a - b for a, b in zip(moved, point, strict=True)]
        bend = [a - b for a, b in zip(new_slope, slope, strict=True)]
        curvature = _dot(change, bend)
        if curvature > 0:
            history = [*history[-MEMORY + 1 :], (change, bend, 1 / curvature)]
        point, value, slope = moved, new_value, new_slope
    return point


def _direction(slope: list[float], history: list[tuple[list[float], list[float], float]]) -> list[float]:
    """Return the direction of descent, bent by the last steps."""
    direction = [-value for value in slope]
    shares = []
    for change, bend, inverse in reversed(history):
        share = inverse * _dot(change, direction)
        shares.append(share)
        direction = [d - share * b for d, b in zip(direction, bend, strict=True)]
    if history:
        change, bend, _ = history[-1]
        scale = _dot(change, bend) / _dot(bend, bend)
        direction = [scale * d for d in direction]
    for (change, bend, inverse), share in zip(history, reversed(shares), strict=True):
        back = inverse * _dot(bend, direction)
        direction = [d + (share - back) * c for d, c in zip(direction, change, strict=True)]
    return direction


def _dot(first: list[float], second: list[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))
