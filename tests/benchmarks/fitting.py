"""Learns a linear ranking from questions with right answers: listwise softmax, in plain Python.

Adagrad over the questions in a fixed order: the same questions give the same weights.
"""

import math
import random
from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

EPOCHS = 6
RATE = 0.35
SHRINK = 1e-5
HARD = 60
"""So many of the rows that came first so far are learnt from, beside the right ones."""


class Lesson(NamedTuple):
    """One question: each row's values, and which rows are right."""

    rows: Sequence[Sequence[float]]
    right: frozenset[int]


def hard(lesson: Lesson, weights: Sequence[float]) -> Lesson:
    """Keeps the right rows and those that some weights put first."""
    scores = [sum(map(mul, weights, row)) for row in lesson.rows]
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    kept = sorted({*order[:HARD], *lesson.right})
    return Lesson([lesson.rows[at] for at in kept], frozenset(kept.index(at) for at in lesson.right))


def fit(lessons: Sequence[Lesson], size: int) -> list[float]:
    """Gives the weights of the values; lessons without a right row teach nothing."""
    weights, squares = [0.0] * size, [1e-3] * size
    average = [0.0] * size
    teaching = [lesson for lesson in lessons if lesson.right]
    order = random.Random(1)
    for epoch in range(EPOCHS):
        for lesson in order.sample(teaching, len(teaching)):
            for at, pulled in enumerate(_slopes(lesson, weights)):
                slope = pulled + SHRINK * weights[at]
                if slope:
                    squares[at] += slope * slope
                    weights[at] -= RATE * slope / math.sqrt(squares[at])
        if epoch >= EPOCHS // 2:
            average = list(map(sum, zip(average, weights, strict=True)))
    return [value / (EPOCHS - EPOCHS // 2) for value in average]


def _slopes(lesson: Lesson, weights: Sequence[float]) -> list[float]:
    scores = [sum(map(mul, weights, row)) for row in lesson.rows]
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    whole, share = sum(powers), 1 / len(lesson.right)
    slopes = [0.0] * len(weights)
    for at, row in enumerate(lesson.rows):
        miss = powers[at] / whole - (share if at in lesson.right else 0.0)
        if abs(miss) > 1e-3:
            slopes = [slope + miss * value for slope, value in zip(slopes, row, strict=True)]
    return slopes
