"""Messages that only thank, agree, praise or greet, in ten languages."""

from sidecar.language.message_intent import is_courtesy
from tests.support.cases import together


@together(
    "message",
    [
        "thanks, that is clear",
        "ok",
        "looks good!",
        "perfect, thank you",
        "Good morning",
        "no worries, let us stop here",
        "That’s great, thanks a lot for your help",
        "Danke, alles klar",
        "gracias, está claro",
        "obrigado, está tudo claro",
        "merci beaucoup, c'est clair",
        "grazie mille, tutto chiaro",
        "bedankt, dat is duidelijk",
        "Спасибо, всё понятно",
        "ありがとうございます、了解です",
        "谢谢，明白了！",
        "ok then leave it. good night",
        "gut, dann lass es. Gute Nacht",
        "vale, entonces déjalo así, buenas noches",
        "beleza, então deixa assim. boa noite",
        "super, alors laisse ça. bonne nuit",
        "va bene, allora lascia così. buona notte",
        "goed, laat maar. welterusten",
        "хорошо, тогда оставь это. спокойной ночи",
        "了解です、そのままでいいです。おやすみなさい",
        "好的，那就这样吧，晚安",
    ],
)
def test_a_message_of_courtesy_has_no_request(message: str) -> None:
    assert is_courtesy(message)


@together(
    "message",
    [
        "",
        "what is that",
        "great, now commit it",
        "thanks, now fix the zsh completions",
        "ok, see `clear`",
        "thanks, look at src/clear.py",
        "good, but 2 tests fail",
        "perfect the layout of the header",
        "danke, jetzt noch die Tests",
        "谢谢，修复登录",
        "ありがとう、テストを直して",
        "the cart is empty",
    ],
)
def test_a_message_with_more_than_courtesy_may_have_a_request(message: str) -> None:
    assert not is_courtesy(message)
