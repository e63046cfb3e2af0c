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
"""Number of top-ranked rows to learn from, besides the right ones."""


class Lesson(NamedTuple):
    """One question: each row's values, and which rows are right."""

    rows: Sequence[Sequence[float]]
    right: frozenset[int]


def hardest_rows(lesson: Lesson, weights: Sequence[float]) -> Lesson:
    """Return only the right rows and those that the weights rank first."""
    scores = [sum(map(mul, weights, row)) for row in lesson.rows]
    order = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
    chosen = sorted({*order[:HARD], *lesson.right})
    return Lesson([lesson.rows[index] for index in chosen], frozenset(chosen.index(index) for index in lesson.right))


def fit(lessons: Sequence[Lesson], size: int) -> list[float]:
    """Return the learned weights. Lessons without a right row are ignored."""
    weights, squares = [0.0] * size, [1e-3] * size
    average = [0.0] * size
    teaching = [lesson for lesson in lessons if lesson.right]
    order = random.Random(1)
    for epoch in range(EPOCHS):
        for lesson in order.sample(teaching, len(teaching)):
            for index, gradient in enumerate(_gradients(lesson, weights)):
                step = gradient + SHRINK * weights[index]
                if step:
                    squares[index] += step * step
                    weights[index] -= RATE * step / math.sqrt(squares[index])
        if epoch >= EPOCHS // 2:
            average = list(map(sum, zip(average, weights, strict=True)))
    return [value / (EPOCHS - EPOCHS // 2) for value in average]


def _gradients(lesson: Lesson, weights: Sequence[float]) -> list[float]:
    scores = [sum(map(mul, weights, row)) for row in lesson.rows]
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    whole, share = sum(powers), 1 / len(lesson.right)
    gradients = [0.0] * len(weights)
    for index, row in enumerate(lesson.rows):
        miss = powers[index] / whole - (share if index in lesson.right else 0.0)
        if abs(miss) > 1e-3:
            gradients = [step + miss * value for step, value in zip(gradients, row, strict=True)]
    return gradients
