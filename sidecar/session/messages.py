"""The languages a user is answered in."""

from collections.abc import Mapping
from typing import Literal

Language = Literal["en", "pt", "es", "fr"]


# What the user is told in the session's language. Pure.


SAVED: Mapping[Language, str] = {
    "en": "Session saved. Type /chati to resume.",
    "pt": "Sessão salva. Digite /chati para retomar.",
    "es": "Sesión guardada. Escribe /chati para reanudar.",
    "fr": "Session enregistrée. Tapez /chati pour reprendre.",
}
NOT_ACTIVE: Mapping[Language, str] = {
    "en": "No session is active. Type /chati to begin or resume.",
    "pt": "Nenhuma sessão está ativa. Digite /chati para começar ou retomar.",
    "es": "Ninguna sesión está activa. Escribe /chati para empezar o reanudar.",
    "fr": "Aucune session n'est active. Tapez /chati pour commencer ou reprendre.",
}
HOW_TO_LEAVE: Mapping[Language, str] = {
    "en": "To leave the session, type /chati exit.",
    "pt": "Para sair da sessão, digite /chati exit.",
    "es": "Para salir de la sesión, escribe /chati exit.",
    "fr": "Pour quitter la session, tapez /chati exit.",
}
