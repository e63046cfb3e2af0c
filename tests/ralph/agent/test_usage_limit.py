"""Messages of harnesses at a usage limit, with their reset times."""

import time
import zoneinfo
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.ralph.agent import find_usage_limit
from sidecar.ralph.agent.output_lines import AnsiStripper
from tests.support.cases import together

NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)  # a Sunday
NOW_MS = int(NOW.timestamp() * 1000)


@pytest.fixture(autouse=True)
def in_new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set the local time zone to one five hours behind UTC."""
    if not hasattr(time, "tzset"):
        pytest.skip("the zone cannot be set here")
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def at(year: int, month: int, day: int, hour: int, minute: int = 0) -> int:
    """Return the end of that minute."""
    return int(datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp() * 1000) + 60_000


@together(
    ("text", "resets_at_ms"),
    [
        ("Claude AI usage limit reached|1760000400", 1_760_000_400_000),
        ("Claude usage limit reached|1760000400123", 1_760_000_400_123),
        ("Claude usage limit reached. Your limit will reset at 3pm (America/Bogota).", at(2026, 3, 1, 20)),
        ("You've hit your limit · resets 11pm (Europe/Warsaw)", at(2026, 3, 1, 22)),
        ("You've hit your session limit · resets 4:50am (Europe/Rome)\n/upgrade to go on", at(2026, 3, 2, 3, 50)),
        ("You've hit your session limit · resets 12:50am (America/Los_Angeles)", at(2026, 3, 1, 8, 50)),
        ("You've hit your weekly limit · resets Sep 15 at 7pm", at(2026, 9, 15, 23)),
        ("You've hit your weekly limit · resets Jan 12, 10:59am (America/New_York)", at(2027, 1, 12, 15, 59)),
        ("Weekly limit reached · resets 10am (Asia/Seoul) · /upgrade to Max", at(2026, 3, 2, 1)),
        ("5-hour limit reached ∙ resets 3pm", at(2026, 3, 1, 20)),
        ("Opus weekly limit reached ∙ resets Tue 5pm (UTC)", at(2026, 3, 3, 17)),
        ("You've hit your usage limit. To get more access now, or try again at 12:16 PM.", at(2026, 3, 1, 17, 16)),
        ("You've hit your usage limit. Try again at Nov 24th, 2026 3:14 PM.", at(2026, 11, 24, 20, 14)),
        (
            "You've hit your usage limit. Upgrade to Pro or try again in 2 days 17 hours 14 minutes.",
            NOW_MS + ((2 * 24 + 17) * 60 + 14) * 60_000,
        ),
        ("You've hit your usage limit. Try again later.", None),
        ("You’ve hit your usage limit. Visit https://example.org or try again at 3:06 PM.", at(2026, 3, 1, 20, 6)),
        (
            '{"type":"usage_limit_reached","resets_at":1777936568}',
            1_777_936_568_000,
        ),
        (
            "You have exhausted your capacity on this model. Your quota will reset after 21h53m56s.",
            NOW_MS + ((21 * 60 + 53) * 60 + 56) * 1000,
        ),
        ("Quota exceeded for quota metric 'Gemini requests'", None),
        ("You've hit your limit · resets 25pm (Europe/Warsaw)", None),
        ("You've hit your limit · resets 3pm (Middle/Earth)", None),
        ("You've hit your limit · resets Feb 31 at 3pm", None),
        ("Error: Weekly limit reached", None),
        ("Usage limit reached.", None),
        ("\x1b[31mERROR: You've hit your usage limit for GPT-5.3-Codex. Switch to another model now.\x1b[0m", None),
        ("■ You've hit your usage limit. Upgrade to Pro or try again in 3 hours.", NOW_MS + 3 * 3_600_000),
        ("You've reached your Fable 5 limit. Run /usage-credits or wait.", None),
        (
            "[API Error: You have exhausted your daily quota on this model. Your quota will reset after 2h.]",
            NOW_MS + 2 * 3_600_000,
        ),
        (
            'unexpected status 429 Too Many Requests: {"error":{"type":"usage_limit_reached","resets_at":1777936568}}',
            1_777_936_568_000,
        ),
    ],
)
def test_limit_is_parsed_with_its_reset_time(text: str, resets_at_ms: int | None) -> None:
    limit = find_usage_limit(f"Some words before.\n{text}", NOW_MS)
    assert limit is not None
    assert limit.resets_at_ms == resets_at_ms
    assert limit.text == " ".join(AnsiStripper().strip(text).split())


@together(
    "text",
    [
        "",
        "I added a limit to the upload size.",
        "The rate limiter resets after 3 seconds.",
        "Credit balance is too low",
        "Error: ENOENT: no such file",
        "The retry is tried again at 3pm.",
        "Turn limit reached",
        "RecursionError: you have exceeded the maximum recursion limit",
        "error: the file size limit reached its end",
        "FAILED tests/test_billing.py::test_usage_limit_reached",
        "AssertionError: usage limit reached",
        "I test the message 'usage limit reached' next.",
        "usage limit reached in tests/test_billing.py",
        "It prints: You've hit your usage limit. Try again later.",
        "The quota exceeded what we planned.",
        "    ✖ usage limit reached",
        "✖ usage limit reached",
        "  - usage limit reached",
        "1) usage limit reached",
        "> usage limit reached",
        "E   usage limit reached",
        "usage limit reached (12 ms)",
        "Quota exceeded: expected 3 to equal 4",
        "session limit reached (session 5 of 5 in test)",
        "Your quota is not reset: expected 3 to equal 4",
        "You have exceeded your disk quota",
        "You have exceeded your GitHub API rate limit",
        '{"type": "usage_limit_reached"} was in the fixture',
        'assert error == {"type": "usage_limit_reached"}',
        'AssertionError: {"type": "usage_limit_reached"}',
        "Usage limit reached.\nin test_limits.py",
    ],
)
def test_other_sentences_are_not_a_limit(text: str) -> None:
    assert find_usage_limit(text, NOW_MS) is None


def test_without_data_on_zones_a_zone_is_the_local_one() -> None:
    """As on Windows, which has none."""
    zoneinfo.reset_tzpath(to=())
    zoneinfo.ZoneInfo.clear_cache()
    try:
        for zone, hour in (("America/New_York", 22), ("UTC", 17)):
            limit = find_usage_limit(f"Opus weekly limit reached ∙ resets 5pm ({zone})", NOW_MS)
            assert limit is not None
            assert limit.resets_at_ms == at(2026, 3, 1, hour)
    finally:
        zoneinfo.reset_tzpath()


def test_hour_that_has_just_passed_means_today() -> None:
    limit = find_usage_limit("You've hit your limit · resets 9am (UTC)", NOW_MS)
    assert limit is not None
    assert limit.resets_at_ms == at(2026, 3, 1, 9)


@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=80))
def test_any_text_is_parsed_without_an_error(text: str) -> None:
    limit = find_usage_limit(f"You've hit your session limit · resets {text}", NOW_MS)
    assert limit is not None
    assert len(limit.text) <= 300
