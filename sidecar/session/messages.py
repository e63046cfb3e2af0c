"""Messages to the user in the session's language. Pure."""

from collections.abc import Mapping
from typing import Literal

Language = Literal["en", "pt", "es", "fr"]


SESSION_SAVED: Mapping[Language, str] = {
    "en": "Session saved. Type /chati to resume.",
    "pt": "Sessão salva. Digite /chati para retomar.",
    "es": "Sesión guardada. Escribe /chati para reanudar.",
    "fr": "Session enregistrée. Tapez /chati pour reprendre.",
}
NOT_ACTIVE: Mapping[Language, str] = {
    "en": "No session is active. Type /chati to start or resume.",
    "pt": "Nenhuma sessão está ativa. Digite /chati para começar ou retomar.",
    "es": "Ninguna sesión está activa. Escribe /chati para empezar o reanudar.",
    "fr": "Aucune session n'est active. Tapez /chati pour commencer ou reprendre.",
}
HOW_TO_EXIT: Mapping[Language, str] = {
    "en": "To exit the session, type /chati exit.",
    "pt": "Para sair da sessão, digite /chati exit.",
    "es": "Para salir de la sesión, escribe /chati exit.",
    "fr": "Pour quitter la session, tapez /chati exit.",
}
