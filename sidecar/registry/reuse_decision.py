"""The reuse decision for an intent, REUSE before ADAPT before CREATE, and the reuse hint of a pre-run."""

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from sidecar.call import Process
from sidecar.core.clean_text import join_first, one_line
from sidecar.core.errors import SidecarError
from sidecar.language.message_intent import creation_request
from sidecar.registry.entities import ADAPT_FROM, REUSE_FROM, Entity, Registry, ReuseDecision
from sidecar.registry.impact import IMPACT_REQUIRED_BELOW, Impact, adaptability_level, impact_on
from sidecar.registry.project_registry import registry_for_workspace
from sidecar.registry.rerank_matches import REORDERED, likely_scores
from sidecar.registry.scoring import RegistryIndex, Score, intent_terms, scores
from sidecar.workspace import Workspace

NEAR_TIE = 2.0
"""Matches whose scores differ by less are equally likely."""

SHOWN_MISSING = 6
MAX_PURPOSE = 160
MAX_WORDS = 8


class Recommendation(NamedTuple):
    """The decision for one entity, and its reasons."""

    entity: Entity
    decision: ReuseDecision
    score: Score
    impact: Impact | None
    """Present if adapting it requires an impact analysis first."""
    reasons: tuple[str, ...]


class Match(NamedTuple):
    """The best matches of an intent."""

    recommendations: list[Recommendation]
    """Best first, hence REUSE before ADAPT before CREATE."""
    ambiguous: bool
    """Whether the second one is no part of the first, nor the other way round, and matches nearly as well."""


def match_intent(
    intent: str,
    registry: Registry,
    index: RegistryIndex,
    limit: int,
    type_: str | None = None,
    exists: Callable[[Entity], bool] = lambda _: True,
) -> Match:
    """Return the best matches among the entities whose file exists.

    Of a request to create something, its words from the verb on count, or what it asks for, whichever matches better.
    """
    matches = [_match(phrasing, registry, index, limit, type_, exists) for phrasing in _phrasings(intent)]
    return max(matches, key=lambda match: match.recommendations[0].score.score if match.recommendations else -1.0)


def _phrasings(intent: str) -> Sequence[str]:
    """Return the words of an intent that count: all, or those of a request and what it asks for.

    `Add days to a date` asks for something that adds.
    """
    request = creation_request(intent)
    if request is None:
        return (intent,)
    is_operation = request.text.casefold().startswith("add ") and " to " in request.subject
    return (request.text,) if is_operation else (request.text, request.subject)


def _match(
    intent: str,
    registry: Registry,
    index: RegistryIndex,
    limit: int,
    type_: str | None,
    exists: Callable[[Entity], bool],
) -> Match:
    terms = intent_terms(intent, index)
    best: list[Score] = []
    needed = max(limit, REORDERED)
    count = needed
    while True:
        ranked = scores(terms, index, count, type_)
        best = [score for score in ranked if exists(index.entities[score.number])]
        if len(best) >= needed or len(ranked) < count:
            break
        count *= 4
    likely = likely_scores(best[:needed], intent, terms, index)[: max(limit, 2)]
    recommendations = [_recommendation(score, index.entities[score.number], registry) for score in likely]
    return Match(recommendations[:limit], _is_ambiguous(recommendations))


def _is_ambiguous(recommendations: Sequence[Recommendation]) -> bool:
    if len(recommendations) < 2 or recommendations[1].decision == "CREATE":
        return False
    first, second = recommendations[:2]
    is_near = first.score.score - second.score.score < NEAR_TIE
    return is_near and not _is_part(first.entity, second.entity)


def _is_part(entity: Entity, other: Entity) -> bool:
    """Whether one of two is in the other: a definition in its file, a method in its class."""
    short, long = sorted((entity.key, other.key), key=len)
    return entity.path == other.path and long.startswith((f"{short}#", f"{short}."))


def exists_in(workspace: Workspace) -> Callable[[Entity], bool]:
    """Return whether an entity's file exists: in the worktree, or for a written one in the project."""
    in_project = workspace.cwd.is_relative_to(workspace.project)

    def exists(entity: Entity) -> bool:
        folders = [workspace.cwd]
        if entity.origin == "file" or in_project:
            folders.append(workspace.project)
        return any(os.path.lexists(os.path.join(folder, entity.path)) for folder in folders)

    return exists


def decision_of(score: float) -> ReuseDecision:
    """Return the decision for a score."""
    if score >= REUSE_FROM:
        return "REUSE"
    return "ADAPT" if score >= ADAPT_FROM else "CREATE"


def _recommendation(score: Score, entity: Entity, registry: Registry) -> Recommendation:
    decision = decision_of(score.score)
    needs_impact = decision == "ADAPT" and entity.adaptability < IMPACT_REQUIRED_BELOW
    impact = impact_on(registry, entity) if needs_impact else None
    return Recommendation(entity, decision, score, impact, tuple(_reasons(decision, entity, score, impact)))


def _reasons(decision: ReuseDecision, entity: Entity, score: Score, impact: Impact | None) -> Sequence[str]:
    covered = f"It covers {_join_words(score.matched)}."
    lacking = [f"It does not cover {_join_words(score.missing)}."] if score.missing else []
    match decision:
        case "REUSE":
            return [f"`{entity.key}` matches at {score.score:.1f} %: use it as it is.", covered, *lacking]
        case "ADAPT":
            return [
                f"`{entity.key}` is similar at {score.score:.1f} %.",
                covered,
                *lacking,
                _care_sentence(entity, impact),
            ]
        case "CREATE":
            return [f"`{entity.key}` matches at only {score.score:.1f} %.", covered, *lacking]


def _care_sentence(entity: Entity, impact: Impact | None) -> str:
    if impact is None:
        level = adaptability_level(entity.adaptability)
        care = "it is safe to adapt" if level == "high" else "check its dependents before adapting it"
        return f"Its adaptability is {level} ({entity.adaptability:g}): {care}."
    count = len(impact.dependents)
    who = "no entity depends" if not count else f"{count} {'entity depends' if count == 1 else 'entities depend'}"
    sentence = f"Its adaptability is {entity.adaptability:g}, below {IMPACT_REQUIRED_BELOW:g}: {who} on it"
    return f"{sentence}. Weigh that before you change it."


def _join_words(words: Sequence[str]) -> str:
    return join_first([f"`{word}`" for word in words], SHOWN_MISSING)


class Hint(NamedTuple):
    """One line about an existing entity, and its basis."""

    decision: str
    """REUSE or ADAPT."""
    entity_id: str
    path: str
    text: str
    """One line for the agent, safe inside a block."""
    why: str
    """The reason, for the user."""
    digest: str
    """Digest of the registry; part of the pack's cache key."""


def is_unread(workspace: Workspace, process: Process) -> bool:
    """Whether a project's registry is large and was not read by this process yet. Never raises."""
    try:
        return registry_for_workspace(workspace, process).is_unread()
    except SidecarError:  # `hint_for` logs it
        return False


def hint_for(workspace: Workspace, process: Process, intent: str, *, reads: bool = False) -> Hint | None:
    """Return the best REUSE or ADAPT for what a prompt asks to create.

    Never raises and records nothing: context never stops a run. Takes a few milliseconds with ten thousand entities, if
    they are in memory. With `reads` a registry that is not is read first; else it is read in the background, and hints
    are available from a later call on.
    """
    try:
        project_registry = registry_for_workspace(workspace, process)
        registry = project_registry.load().registry if reads else project_registry.if_ready()
        if registry is None:
            process.background.start(project_registry.warm_up)
            return None
        if not registry.entities:
            return None
        match = match_intent(intent, registry, project_registry.index(registry), 2, exists=exists_in(workspace))
    except SidecarError as error:
        process.log.warning("registry.hint.failed", reason=error.kind)
        return None
    best = match.recommendations
    if not best or best[0].decision == "CREATE":
        return None
    return _hint(best[0], registry.digest, best[1].entity if match.ambiguous else None)


def _hint(best: Recommendation, digest: str, other: Entity | None) -> Hint:
    entity = best.entity
    purpose = one_line(entity.purpose, MAX_PURPOSE).rstrip(".")
    name, path = one_line(entity.key, 200), one_line(entity.path, 300)
    advice = (
        "reuse it as it is" if best.decision == "REUSE" else f"adapt it instead of creating another{_care_phrase(best)}"
    )
    also = (
        f" `{one_line(other.key, 200)}` in {one_line(other.path, 300)} matches as well: compare both." if other else ""
    )
    words = ", ".join(one_line(word, 40) for word in best.score.matched[:MAX_WORDS])
    return Hint(
        decision=best.decision,
        entity_id=entity.id,
        path=entity.path,
        text=f"{entity.type.capitalize()} `{name}` already exists in {path} ({purpose}): {advice}.{also}",
        why=f"The prompt asks for something new, and this entity covers {best.score.score:.0f} % of it ({words}).",
        digest=digest,
    )


def _care_phrase(best: Recommendation) -> str:
    if best.impact is None or not best.impact.dependents:
        return ""
    count = len(best.impact.dependents)
    return f" after checking its {count} dependents" if count > 1 else " after checking its dependent"
