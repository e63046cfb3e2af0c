"""Two standing instructions are rivals, or both hold: pairs in ten languages.

Each pair is an earlier and a later statement. `REVIEWED`, `WRITTEN_BEFORE` and `UNRELATED` were written before the
comparison, the others after its first version; `OTHER_VALUES` and `BOTH_HOLD` before values were compared by their
place in the sentence.
"""

import pytest

from sidecar.language.message_intent import forgets, is_reversal
from sidecar.memory.capture.extract_notes import split_withdrawal
from sidecar.memory.contradictions import claim_of, relation
from tests.support.cases import together

REVIEWED = (
    ("Use pnpm instead of npm from now on.", "No, use npm again, we dropped pnpm last week."),
    ("From now on use pnpm, not npm.", "Use npm again, not pnpm."),
    ("Always use pnpm.", "Don't use pnpm any more, use npm."),
    (
        "From now on always write commit messages in German.",
        "From now on always write commit messages in English.",
    ),
    ("Always run the tests with tox.", "Never run the tests with tox, use pytest directly."),
    ("From now on, use tabs for indentation.", "We switched back to spaces for indentation, always use spaces."),
    (
        "Remember: the API base URL is https://a.example.com",
        "Remember: the API base URL is https://b.example.com",
    ),
    ("Never commit without asking me.", "From now on you may commit without asking me."),
    ("Ab jetzt immer pnpm statt npm verwenden.", "Ab jetzt wieder npm statt pnpm verwenden."),
    ("今後は npm の代わりに pnpm を使ってください。", "今後は pnpm ではなく npm を使ってください。"),
    ("Use pnpm instead of npm from now on.", "Forget what I said about pnpm."),
    ("Always answer in German.", "Answer in English from now on."),
)
"""Pairs that a user tried."""

WRITTEN_BEFORE = (
    ("From now on use 4 spaces for indentation.", "From now on use 2 spaces for indentation."),
    ("Always put new migrations in db/migrations.", "From now on put new migrations in database/changes."),
    ("Never push to origin without my approval.", "From now on you may push to origin without my approval."),
    ("Remember: we deploy with Ansible.", "We no longer deploy with Ansible, always use Terraform."),
    ("De agora em diante, use sempre yarn em vez de npm.", "A partir de agora volte a usar npm em vez de yarn."),
    ("Responda sempre em português.", "A partir de agora responda sempre em inglês."),
    (
        "A partir de ahora escribe siempre los mensajes de commit en español.",
        "A partir de ahora escribe siempre los mensajes de commit en inglés.",
    ),
    ("Nunca hagas commit sin preguntarme.", "A partir de ahora puedes hacer commit sin preguntarme."),
    ("Désormais, utilise toujours poetry au lieu de pip.", "Désormais, n'utilise plus poetry, utilise pip."),
    ("Réponds toujours en français.", "À partir de maintenant, réponds toujours en anglais."),
    ("Ab jetzt immer auf Deutsch antworten.", "Ab jetzt immer auf Englisch antworten."),
    ("Committe nie, ohne mich zu fragen.", "Ab jetzt darfst du committen, ohne mich zu fragen."),
    (
        "D'ora in poi usa sempre pytest invece di unittest.",
        "D'ora in poi usa di nuovo unittest invece di pytest.",
    ),
    ("Rispondi sempre in italiano.", "D'ora in poi rispondi sempre in inglese."),
    ("Gebruik voortaan altijd pnpm in plaats van npm.", "Gebruik voortaan weer npm in plaats van pnpm."),
    ("Commit nooit zonder het mij te vragen.", "Vanaf nu mag je committen zonder het mij te vragen."),
    ("Отныне всегда используй yarn вместо npm.", "Отныне снова используй npm вместо yarn."),
    ("Всегда отвечай на русском.", "Отныне всегда отвечай на английском."),
    ("今後は必ず日本語で回答してください。", "今後は必ず英語で回答してください。"),
    ("以后请始终使用 pnpm 而不是 npm。", "以后请改回使用 npm，不要再用 pnpm。"),
)
"""One pair for each language and kind of value."""

WRITTEN_AFTER = (
    ("Always use jest for tests.", "From now on use vitest for tests."),
    ("Never merge without my review.", "You can merge without my review from now on."),
    ("Use poetry for dependencies from now on.", "We're going back to pip for dependencies."),
    ("Always run prettier before committing.", "Don't run prettier before committing any more."),
    ("Keep lines below 100 characters.", "Keep lines below 120 characters."),
    ("From now on reply in French.", "Please speak German with me from now on."),
    ("Immer pytest verwenden.", "Ab sofort kein pytest mehr verwenden, sondern unittest."),
    (
        "Ab jetzt zwei Leerzeichen zur Einrückung verwenden.",
        "Ab jetzt vier Leerzeichen zur Einrückung verwenden.",
    ),
    ("Usa siempre jest para los tests.", "Ya no uses jest para los tests, usa vitest."),
    ("Nunca faças push sem me perguntar.", "A partir de agora podes fazer push sem me perguntar."),
    ("Écris toujours les commentaires en français.", "Désormais écris les commentaires en anglais."),
    ("Scrivi sempre i commenti in italiano.", "D'ora in poi scrivi i commenti in inglese."),
    ("Gebruik altijd tabs.", "Gebruik voortaan weer spaties."),
    ("Всегда пиши комментарии на русском.", "Отныне пиши комментарии на английском."),
    ("コミットメッセージは必ず英語で書いてください。", "今後はコミットメッセージを日本語で書いてください。"),
    ("以后都用 tab 缩进。", "以后改用空格缩进。"),
    ("Never add comments.", "From now on always add comments."),
    ("Always deploy with Heroku.", "We no longer use Heroku, deploy with Vercel."),
    ("Use MySQL.", "We moved back to Postgres."),
    ("私に聞かずにコミットしないでください。", "今後は私に聞かずにコミットしてもいいです。"),
)
"""Rivals that the first version found in 16 of 22 cases; two of 22 are still missed."""

OF_A_TYPE = (
    ("Nunca use any", "Pode usar any a partir de agora"),
    ("Nunca uses any", "Puedes usar any de ahora en adelante"),
    ("别用 any", "以后可以用 any"),
)
"""The word is a function word in English and a type in these."""

WITHDRAWALS = (
    ("Always answer in German.", "Forget the rule about German."),
    ("Use `trio` only in new tests, never asyncio.", "Forget trio-only, I changed my mind"),
    ("Use `trio` only in new tests, never asyncio.", "Vergiss trio, ich hab's mir anders überlegt"),
    ("Use `trio` only in new tests, never asyncio.", "Olvida trio, cambié de opinión"),
    ("Use `trio` only in new tests, never asyncio.", "Esquece trio, mudei de ideia"),
    ("Use `trio` only in new tests, never asyncio.", "Oublie trio, j'ai changé d'avis"),
    ("Use `trio` only in new tests, never asyncio.", "Dimentica trio, ho cambiato idea"),
    ("Use `trio` only in new tests, never asyncio.", "Vergeet trio, ik ben van gedachten veranderd"),
    ("Use `trio` only in new tests, never asyncio.", "Забудь про trio, я передумал"),
    ("Use `trio` only in new tests, never asyncio.", "忘掉 trio，我改主意了"),
    ("Use `trio` only in new tests, never asyncio.", "trioは忘れて、気が変わりました。"),
    ("Immer Decimal für Preise, nie float.", "Das mit Decimal nehme ich zurück"),
    ("Immer Decimal für Preise, nie float.", "Ho cambiato idea su Decimal"),
    ("Immer Decimal für Preise, nie float.", "J'ai changé d'avis sur Decimal."),
    ("Immer Decimal für Preise, nie float.", "Mudei de ideia sobre Decimal"),
    ("Immer Decimal für Preise, nie float.", "Cambié de opinión sobre Decimal"),
    ("Immer Decimal für Preise, nie float.", "Dat met Decimal neem ik terug"),
    ("Immer Decimal für Preise, nie float.", "Я передумал насчёт Decimal"),
    ("Immer Decimal für Preise, nie float.", "关于 Decimal，我改主意了。"),
    ("Use pnpm instead of npm.", "Vergiss, was ich über pnpm gesagt habe."),
    ("Use pnpm instead of npm.", "Olvida lo que dije sobre pnpm."),
    ("Use pnpm instead of npm.", "Esquece o que eu disse sobre o pnpm."),
    ("Use pnpm instead of npm.", "Oublie ce que j'ai dit sur pnpm."),
    ("Use pnpm instead of npm.", "Dimentica quello che ho detto su pnpm."),
    ("Use pnpm instead of npm.", "Vergeet wat ik over pnpm zei."),
    ("Use pnpm instead of npm.", "Забудь, что я говорил про pnpm."),
    ("Use pnpm instead of npm.", "pnpm について言ったことは忘れてください。"),
    ("Use pnpm instead of npm.", "忘记我说的关于 pnpm 的话。"),
    ("Never commit without asking me.", "Forget what I said about committing."),
    ("Use pnpm instead of npm.", "Ignore the pnpm rule."),
    ("Never filter in Python, always do it in the SQL statement.", "Forget that SQL rule."),
    ("Always write tests first.", "Drop the rule about tests first."),
    ("Never use classes, only functions.", "Scrap the rule about classes."),
    ("Never use classes, only functions.", "That rule about classes is obsolete."),
    ("Never touch files in legacy/.", "The rule about legacy/ no longer applies."),
    ("Never touch files in legacy/.", "Ignore my earlier rule about legacy/."),
    ("Use pnpm instead of npm.", "ok forget the pnpm thing"),
    ("Use pnpm instead of npm.", "The pnpm thing is over."),
    ("Always use the logger, never print.", "I changed my mind about print."),
    ("Nie ohne Rückfrage committen.", "Vergiss die Regel mit dem Committen."),
    ("Use pnpm instead of npm.", "Die Regel mit pnpm gilt nicht mehr."),
    ("Use pnpm instead of npm.", "La règle sur pnpm ne s'applique plus."),
    ("Use pnpm instead of npm.", "Olvida la regla de pnpm."),
    ("Vitest verwenden und nicht Jest", "Vitest-Regel kannst du vergessen"),
    ("Kommentare im Code auf Deutsch", "Vergiss das mit den Kommentaren auf Deutsch"),
    ("Préférer les composants fonctionnels", "Laisse tomber la règle des composants fonctionnels"),
    ("Ne pas modifier le dossier `legacy/`", "Oublie ce que j'ai dit sur legacy"),
    ("No toques los archivos de `migrations/`", "Olvida lo de migrations"),
    ("Use pnpm e não npm", "pode esquecer aquilo do pnpm"),
    ("Valores são inteiros em centavos", "Esquece a regra dos centavos"),
    ("npm ではなく pnpm を使う", "pnpmの件は忘れて"),
    ("コメントは日本語で書く", "コメントを日本語で書くルールはもうなしで"),
    ("所有接口都要返回统一的错误码", "忘掉统一错误码那条规则。"),
    ("所有接口都要返回统一的错误码", "错误码的规则不用管了"),
    ("不要改 `vendor/` 目录", "取消 vendor 目录的规则"),
    ("Always add docstrings to every function.", "Skip the docstring rule from now on."),
    ("Always run the linter.", "You can drop the linter rule."),
    ("Always run the linter.", "Please ignore the linter rule from now on."),
    ("Always run the linter.", "The linter rule is gone."),
    ("Always add a changelog line.", "Cancel the changelog rule, please."),
    ("Immer den Linter ausführen.", "Die Linter-Regel gilt nicht mehr."),
    ("Immer den Linter ausführen.", "Lass die Linter-Regel weg."),
)
"""The later sentence takes back the earlier one and states nothing."""

RELEASES = (
    ("Never filter in Python, always do it in the SQL statement.", "Filtering in Python is fine from now on."),
    ("Never use classes, only functions.", "Classes are allowed now."),
    ("Use feature branches, never push to main.", "Pushing to main is okay now."),
    ("Always write tests first.", "You don't need to write tests first anymore."),
    ("Always add a changelog entry.", "No more changelog entries please."),
    ("Always add a changelog entry.", "Changelog entries are no longer needed."),
    ("Always add a changelog entry.", "Stop adding changelog entries."),
    ("Always run make lint before finishing.", "You can skip make lint from now on."),
    ("Always answer in German.", "Stop answering in German."),
    ("Immer einen Changelog-Eintrag schreiben.", "Changelog-Einträge sind nicht mehr nötig."),
    ("Añade siempre una entrada al changelog.", "Ya no hace falta una entrada al changelog."),
    ("Never add comments to the code.", "You can add comments again."),
    ("Never use emojis in answers.", "We can use emojis again."),
    ("Keine Kommentare in den Code schreiben.", "Du darfst wieder Kommentare schreiben."),
    ("Ab jetzt immer die README.md aktualisieren.", "Die Readme musst du nicht mehr aktualisieren."),
    ("今後は必ずコミットの前にprettierを実行してください", "prettierはもう実行しなくていいです"),
)
"""The later sentence ends what the earlier one demands, or allows what it forbids."""

FILES_BY_THEIR_WORDS = (
    ("Always add a line to CHANGELOG.md for every change.", "Forget the changelog rule."),
    ("Always add a changelog entry.", "Forget the rule about CHANGELOG.md."),
    ("Never touch makefiles.", "Forget what I said about the Makefile."),
    ("Never edit the Dockerfile.", "Forget the rule about Dockerfiles."),
    ("Keep docs/api-reference.md current.", "Forget the API reference rule."),
    ("Always update README.md when an endpoint changes.", "You no longer have to update the readme."),
    ("From now on update openapi.yaml with every endpoint.", "You don't have to update the openapi file any more."),
    ("Never edit CHANGELOG.md by hand.", "From now on you may edit the changelog by hand."),
    ("Ab jetzt immer eine Zeile in CHANGELOG.md ergänzen.", "Vergiss die Changelog-Regel."),
    ("Ajoute toujours une ligne dans CHANGELOG.md.", "Oublie la règle du changelog."),
    ("Añade siempre una línea en CHANGELOG.md.", "Olvida la regla del changelog."),
)
"""The later sentence names a file by the words of its name, or one of many."""

LIMITED = (
    ("Always add a changelog line", "only add changelog lines for user facing changes from now on"),
    ("Always write tests for every change", "only write tests for bug fixes from now on"),
    ("Always use tabs for indentation", "from now on use tabs only in Go files"),
    (
        "Always run the integration tests before you finish",
        "from now on run the integration tests only when the api changes",
    ),
    ("Ab jetzt für jede Änderung Tests schreiben", "ab jetzt nur noch für Bugfixes Tests schreiben"),
    ("Always use prettier for formatting", "only use prettier in web/ from now on"),
    ("Use pnpm.", "From now on use pnpm only in apps/web."),
    ("Always commit after each step", "from now on only commit when I say so"),
    ("Always explain your changes", "from now on explain changes only if I ask"),
    ("Always add comments", "only add comments for complex algorithms from now on"),
    ("Always run the linter", "run the linter for python files only from now on"),
    ("Only write tests for bug fixes from now on", "From now on always write tests for every change"),
    ("Immer Tests schreiben", "Ab jetzt Tests nur noch für Bugfixes schreiben"),
    ("Nach jeder Änderung committen", "Ab jetzt nur noch committen, wenn ich es sage"),
    ("Lance toujours les tests", "Désormais, lance les tests seulement si le code change"),
    ("Ajoute toujours des commentaires", "Désormais, n'ajoute des commentaires que pour les algorithmes complexes"),
    ("Ejecuta siempre los tests", "A partir de ahora ejecuta los tests solo cuando cambie el código"),
    ("Sempre rode os testes", "A partir de agora rode os testes apenas quando o código mudar"),
    ("Scrivi sempre i test", "D'ora in poi scrivi i test solo per le correzioni"),
    ("Schrijf altijd tests", "Schrijf voortaan alleen tests voor bugfixes"),
    ("Всегда пиши тесты", "Отныне пиши тесты только для исправлений"),
    ("毎回テストを書いてください", "今後はバグ修正のときだけテストを書いてください"),
    ("以后每次修改都要写测试", "以后只在修复bug时写测试"),
    ("Always add docstrings to every function", "from now on only add docstrings to public functions"),
    ("Always run the linter on everything", "from now on only run the linter on changed files"),
    ("For every change, add a changelog line", "only add a changelog line for breaking changes from now on"),
    ("Always update README.md when an endpoint changes", "only update the readme for releases from now on"),
)
"""The later sentence demands only for something what the earlier one demands always, or always what was limited."""

LIMITED_OTHERWISE = (
    ("Always write tests for every change", "only write integration tests for api changes from now on"),
    ("Always write tests with pytest", "only write tests for bug fixes from now on"),
    ("Always run the tests before you commit", "only write tests for bug fixes from now on"),
    ("Never write tests for generated code", "only write tests for bug fixes from now on"),
    ("Always run the tests before you commit", "from now on run the tests only in docker"),
    ("Always write tests for every change", "from now on put tests only in tests/unit"),
    (
        "Always add a line to CHANGELOG.md for every change",
        "only add a line to README.md for breaking changes from now on",
    ),
    ("Always answer in German", "only answer in English when I write in English"),
    ("Only write tests for bug fixes from now on", "From now on always write tests for new endpoints"),
    ("Always log errors", "Only log warnings in debug builds from now on"),
    ("Always use type hints", "From now on use only built-in types for type hints"),
    ("Use only named exports", "Always use named exports"),
    ("Always ask before you push", "Only push to feature branches from now on"),
    ("Always write commit messages in English", "From now on only commit when tests pass"),
    ("Always update README.md when an endpoint changes", "Only update the docs site for releases from now on"),
    ("Always run prettier before every commit", "From now on only run prettier with the --check flag"),
    ("Always run prettier before every commit", "From now on only commit after prettier has passed"),
    ("Always commit after each step", "Only commit to feature branches from now on"),
    ("Always answer in German", "Please only answer in German from now on"),
    ("Always push tags after a release", "only push tags to origin from now on"),
    ("Always add the ticket to the branch name", "only add labels to issues from now on"),
    ("Always squash commits before merging", "From now on only squash commits with my approval"),
    ("Always write unit tests", "Only unit tests count for coverage"),
    ("Always log errors", "Only log errors to stderr from now on"),
    ("Always use pnpm", "Use only pnpm, in all packages"),
    ("Always use pnpm", "pnpm only, for everything"),
)
"""Sentences with "only" that demand another thing, or say how or where, not when."""

UNRELATED = (
    (
        "From now on always write commit messages in German.",
        "From now on always write code comments in English.",
    ),
    ("From now on use pnpm in web/.", "From now on use npm in tools/."),
    ("Never commit to main.", "Always squash before merging."),
    ("Always run the tests with pytest.", "Always run the linter with ruff."),
    ("Always answer in German.", "From now on always write commit messages in English."),
    ("Never commit without asking me.", "From now on you may run the tests without asking me."),
    ("Never push without asking me.", "From now on you may commit without asking me."),
    (
        "From now on use tabs for indentation in Makefiles.",
        "From now on use spaces for indentation in Python files.",
    ),
    ("Always use pnpm.", "Always use TypeScript."),
    ("Use pnpm instead of npm from now on.", "From now on use vitest instead of jest."),
    ("Remember: the API base URL is https://a.example.com", "Remember: the docs URL is https://b.example.com"),
    ("Remember: the staging database is on port 5433.", "Remember: the dev server is on port 3001."),
    ("Always use Python 3.12.", "Always use Node 22."),
    ("Never edit files in vendor/.", "Always edit the schema in proto/."),
    ("Never use any in TypeScript.", "Never use print in Python."),
    ("Always write a test for every bug fix.", "Never write a test for generated code."),
    ("Never use mocks in integration tests.", "Always use mocks in unit tests."),
    ("From now on put migrations in db/migrations.", "From now on put fixtures in tests/fixtures."),
    ("Always run make lint before you commit.", "Always run make test before you push."),
    ("From now on keep functions below 40 lines.", "From now on keep files below 400 lines."),
    (
        "Ab jetzt Commit-Nachrichten immer auf Deutsch schreiben.",
        "Ab jetzt Code-Kommentare immer auf Englisch schreiben.",
    ),
    ("Ab jetzt immer pnpm statt npm verwenden.", "Ab jetzt immer Vitest statt Jest verwenden."),
    ("今後はコミットメッセージを日本語で書いてください。", "今後はコードのコメントを英語で書いてください。"),
    ("Réponds toujours en français.", "Désormais, écris toujours les commentaires du code en anglais."),
    ("Responde siempre en español.", "A partir de ahora escribe siempre los mensajes de commit en inglés."),
    ("Responda sempre em português.", "A partir de agora use sempre yarn em vez de npm."),
    ("Никогда не коммить без моего разрешения.", "Отныне всегда запускай тесты перед коммитом."),
    ("以后请始终用中文回答。", "以后提交信息请始终用英文写。"),
    (
        "Gebruik voortaan altijd pnpm in plaats van npm.",
        "Schrijf commitberichten voortaan altijd in het Engels.",
    ),
    ("Never deploy on Fridays.", "From now on you may deploy to staging without asking."),
    ("Always use jest for unit tests.", "From now on use cypress for browser tests."),
    ("Never merge without my review.", "You can push without my review from now on."),
    ("Use poetry for the backend.", "Use pnpm for the frontend."),
    ("Keep lines below 100 characters.", "Keep commit subjects below 72 characters."),
    ("From now on reply in French.", "The website texts must always be in English."),
    ("Always format with prettier.", "Always lint with eslint."),
    ("Never use var in JavaScript.", "Always use const in JavaScript."),
    ("Never touch the file config.yml.", "Never touch the file secrets.yml."),
    ("Always add a changelog entry.", "Never add dependencies."),
    ("Use Postgres in production.", "Use SQLite in tests."),
    ("Immer die Tests ausführen, bevor du committest.", "Nie auf main committen."),
    ("Usa siempre jest para los tests.", "Usa siempre pnpm para instalar paquetes."),
    ("Nunca faças push sem me perguntar.", "A partir de agora podes correr os testes sem me perguntar."),
    ("Écris toujours les commentaires en français.", "Écris toujours les messages de commit en anglais."),
    ("Scrivi sempre i test.", "Non scrivere mai commenti."),
    ("Всегда пиши тесты.", "Никогда не меняй схему базы данных."),
    ("コメントは必ず日本語で書いてください。", "変数名は必ず英語で書いてください。"),
    ("以后都用 tab 缩进。", "以后提交信息用英文写。"),
    ("Always squash before merging.", "Always rebase before pushing."),
    ("Remember: staging runs on port 8080.", "Remember: production runs on port 80."),
    ("Use dark mode in screenshots.", "Use light colours in the docs."),
    ("Never log passwords.", "Always log errors."),
    ("Nunca use any", "Nunca use console.log"),
    ("Never use any mocks.", "You may use any from now on."),
    ("Don't change any of these files.", "You may use any from now on."),
    ("提交信息用英文写", "注释用中文写"),
)
"""Both hold, whichever comes first."""

NO_REVERSAL = (
    ("Use pnpm instead of npm.", "Don't forget what I said about pnpm."),
    ("Use pnpm instead of npm.", "Forget what I said about yarn."),
    ("Use pnpm instead of npm.", "Did you forget to run the tests with pnpm?"),
    ("Use pnpm instead of npm.", "Run the tests again with pnpm."),
    ("Use pnpm instead of npm.", "You can run pnpm install now."),
    ("Always answer in German.", "Translate the README to English again."),
    ("Never commit without asking me.", "Run the tests again and commit."),
    ("Never commit without asking me.", "You can commit now."),
    ("Never push to main.", "You may push to main."),
    ("Never commit without asking me.", "Forget the commit, just show me the diff."),
    ("Never filter in Python.", "Filtering in JavaScript is fine from now on."),
    ("Never filter in Python.", "Filtering in Python is fine for small tables from now on."),
    ("Never touch files in legacy/.", "Editing legacy/docs is fine now."),
    ("Never edit package.json.", "Forget the rule about package-lock.json."),
    ("Never edit package-lock.json.", "Forget the rule about package.json."),
    ("Always update docs/api.md.", "Forget the docs rule."),
    ("Always update CHANGELOG.md.", "Forget the rule about the changelog page."),
    ("Never edit CHANGELOG.md by hand.", "From now on you may edit the changelog page by hand."),
    ("Never touch files in legacy/.", "The rule about vendor/ no longer applies."),
    ("Always add a changelog entry.", "The changelog entry is fine."),
    ("Always add a changelog entry.", "No more changes to the parser please."),
    ("Always run make lint before finishing.", "You can skip make lint."),
    ("Always write tests first.", "Remove the rule about tests from nginx.conf."),
    ("Always write tests first.", "The tests are fine now."),
    ("Always write tests first.", "Remove the old policy tests."),
    ("Always write tests first.", "Remove the test rule from the Makefile."),
    ("Always write tests first.", "The rule for tests is gone from the Makefile!"),
    ("Always write tests first.", "The test rule is gone from the Makefile."),
    ("Always run the linter.", "Skip the linter rule no-console in this file."),
    ("Always run the linter.", "Ignore the linter rule that complains about line length."),
    ("Always run the linter.", "Remove the linter rule no-console."),
    ("Immer den Linter ausführen.", "Die Linter-Regel no-console gilt nicht mehr."),
    ("Always write tests first.", "The tests are no longer needed."),
    ("Never skip tests.", "The tests are fine now."),
    ("Never skip tests.", "Tests are ok again."),
    ("Never add comments to the code.", "You can add comments to the tests again."),
    ("Never add comments to the code.", "Can you add comments again?"),
    ("Never add comments to the code.", "You can read the comments of the reviewer again."),
    ("From now on update openapi.yaml with every endpoint.", "You don't have to update the schema file any more."),
    ("Ab jetzt immer die README.md aktualisieren.", "Die Readme ist nicht mehr aktuell."),
    ("Always add a changelog entry.", "This changelog entry is no longer needed."),
    ("Use pnpm instead of npm.", "Forget that bug, look at the pnpm lockfile instead."),
    ("Use pnpm instead of npm.", "Vergiss das mit dem Fehler, schau ins pnpm-Lockfile."),
    ("Use pnpm e não npm", "esquece aquele bug do pnpm"),
    ("Ne pas modifier le dossier `legacy/`", "oublie la règle sur vendor"),
    ("No toques los archivos de `migrations/`", "olvida lo del login"),
    ("所有接口都要返回统一的错误码", "取消订单的规则要返回错误码"),
    ("不要改 `vendor/` 目录", "你忘了改 vendor 目录"),
    ("コメントは日本語で書く", "コメントの件を忘れずに確認して"),
    ("金額はすべて整数の円で扱う", "ルール違反の金額は取り消しできるようにして"),
)
"""Sentences with words of reversal that take nothing back."""


OTHER_VALUES = (
    ("remember: the standup is at 9:30", "remember: the standup is at 10:00"),
    ("from now on the cache lives in redis", "from now on the cache lives in memcached"),
    ("the default branch is called master", "no the default branch is called develop"),
    ("remember: carla approves all schema changes", "remember: deniz approves all schema changes"),
    ("from now on timestamps are stored as strings", "from now on timestamps are stored as integers"),
    ("always write diagrams with plantuml", "always write diagrams with mermaid"),
    ("from now on name branches fix/<id>", "from now on name branches <user>/<id>"),
    ("max function length is 40 lines", "functions may have 60 lines"),
    ("always ask me before you delete files", "you don't have to ask before you delete files any more"),
    ("never push without my approval", "alright so from now on you can push without my approval"),
    (
        "never install packages without asking",
        "sure, from now on you may install packages without asking, but never upgrade them",
    ),
    ("we always use moment for dates", "no we use luxon here"),
    ("from now on use poetry instead of pip", "i take back what i said about poetry"),
    ("Immer pnpm statt npm verwenden", "Bitte die pnpm-Regel wieder streichen"),
    ("siempre usa pnpm en vez de npm", "retiro lo que dije sobre pnpm"),
    ("use sempre pnpm em vez de npm", "retiro o que eu disse sobre o pnpm"),
    ("以后用 pnpm", "把关于 pnpm 的规则从记忆里删掉"),
    ("we support python 3.9", "we no longer support python 3.9, update the classifiers"),
    ("merk dir: Releases sind immer am Montag", "merk dir: Releases sind immer am Donnerstag"),
    ("Der Hauptbranch heißt trunk", "nein der Hauptbranch heißt main"),
    ("Ab jetzt ist die maximale Zeilenlänge 100", "Ab jetzt ist die maximale Zeilenlänge 120"),
    ("désormais les déploiements ont lieu le jeudi", "désormais les déploiements ont lieu le mardi"),
    ("désormais la documentation est écrite en markdown", "désormais la documentation est écrite en asciidoc"),
    ("a partir de ahora los despliegues son los jueves", "a partir de ahora los despliegues son los martes"),
    ("a partir de ahora el nivel de log es debug", "a partir de ahora el nivel de log es warn"),
    ("a partir de agora os deploys são às quintas", "a partir de agora os deploys são às terças"),
    ("a branch principal se chama trunk", "não, a branch principal se chama main"),
    ("今後デプロイは木曜日に行ってください", "今後デプロイは火曜日に行ってください"),
    ("今後ドキュメントはmarkdownで書いてください", "今後ドキュメントはasciidocで書いてください"),
    ("记住：主分支叫 trunk", "记住：主分支叫 main"),
    ("d'ora in poi il livello di log è debug", "d'ora in poi il livello di log è warn"),
    ("запомни: деплой по четвергам", "запомни: деплой по вторникам"),
    ("the staging db is called shop_stage", "the staging db is called shop_test"),
    ("remember: the retro is on wednesdays", "remember: the retro is on mondays now"),
    ("from now on write the changelog in english", "from now on write the changelog in french"),
    ("from now on integration tests go into spec/", "from now on integration tests go into tests/integration"),
    ("use node 18 for the build", "the build runs on node 20 now"),
    ("never merge without asking me", "okay from now on you may merge without asking me"),
    ("from now on the session timeout is 15 minutes", "nah the session timeout is 30 minutes"),
    ("always write commit messages in german", "delete the rule about commit messages from your memory"),
    ("utilise toujours pnpm au lieu de npm", "je retire ce que j'ai dit sur pnpm"),
    ("usa sempre pnpm invece di npm", "ritiro quello che ho detto su pnpm"),
    ("ab jetzt läuft Staging auf host1", "ab jetzt läuft Staging auf host2"),
    ("Nie committen, ohne mich zu fragen", "ok ab jetzt darfst du committen, ohne zu fragen"),
    ("retiens : Léa valide toutes les migrations", "retiens : Hugo valide toutes les migrations"),
    ("recuerda: Marta revisa todos los cambios del API", "recuerda: Pablo revisa todos los cambios del API"),
    ("a partir de agora o nível de log é debug", "a partir de agora o nível de log é warn"),
    ("以后部署都在星期四", "以后部署都在星期二"),
    ("onthoud: deploys zijn op donderdag", "onthoud: deploys zijn op dinsdag"),
    ("all prices are net", "no, all prices are gross"),
    ("remember: the nightly build starts at 2:00", "remember: the nightly build starts at 3:30"),
    ("from now on money is stored as floats", "from now on money is stored as decimals"),
    ("we always target java 17", "we always target java 21 now"),
    ("always ask before deleting branches", "don't ask before deleting branches any more"),
    ("use tabs for indentation", "delete the rule about tabs from your notes"),
    ("Merk dir: Petra genehmigt alle Releases", "Merk dir: Ali genehmigt alle Releases"),
    ("désormais les sauvegardes sont à minuit", "désormais les sauvegardes sont à midi"),
    ("lembre: o servidor de testes se chama plutão", "lembre: o servidor de testes se chama netuno"),
    ("今後リリースは月曜日に行ってください", "今後リリースは水曜日に行ってください"),
    ("d'ora in poi il server di test si chiama plutone", "d'ora in poi il server di test si chiama nettuno"),
)
"""One statement with another value, its denial, permission, end or withdrawal; missed in four of five cases before."""

BOTH_HOLD = (
    ("Always use pnpm, never npm.", "Use npm for the docs site, it has its own lockfile."),
    ("Use vitest for unit tests.", "Use playwright for the checkout flow, vitest can't open a browser."),
    ("Write comments in English.", "Write the changelog in German, customers read it."),
    ("Always use tabs.", "Use spaces in YAML, tabs are invalid there."),
    ("Keep lines below 100 characters.", "Keep titles below 50 characters, GitHub cuts them."),
    ("Use Postgres for the orders service.", "Use SQLite for the tills, they are offline."),
    ("Always run the tests before you commit.", "Run the linter before you push, CI is slow."),
    ("Answer in German.", "Write code comments in English, the team is mixed."),
    ("Always use pnpm.", "Use npx for one-off tools, pnpm dlx is slow."),
    ("Never use lodash.", "Use lodash-es in the legacy app, it is already there."),
    ("Always answer briefly.", "Explain architecture decisions in detail, I want to learn."),
    ("Use jest for tests.", "Use mocha in packages/cli, it predates jest."),
    ("Keep answers short.", "Write long docstrings, short ones help nobody."),
    ("Keep commit messages short.", "Keep pull request descriptions detailed, reviewers need them."),
    ("Always use yarn.", "yarn is slow, but keep it."),
    ("Use npm, the CI image has no pnpm.", "Use docker, the CI image has no podman."),
    ("Never mock the database.", "In tests/unit always mock the database."),
    ("Never use print.", "Except in scripts/, never use print."),
    ("Always answer in German.", "Write commit messages in English, the team is mixed."),
    ("Use 2 spaces.", "Use 4 spaces in Python files, black wants it."),
    ("Never push to main.", "Push hotfix branches directly, they are reviewed later."),
    ("Always use axios.", "Use fetch in the worker, axios needs XMLHttpRequest."),
    ("Keep functions short.", "Explain in more detail from now on."),
    ("Always answer briefly.", "Always write detailed commit messages."),
    ("Keep commit messages short.", "Answer in more detail from now on."),
    ("never touch table 12", "never touch table 15"),
    ("never reuse error number 3", "never reuse error number 4"),
    ("always use ruff instead of flake8 in all packages", "always use pyright instead of mypy in all packages"),
    ("remember: exit code 2 means bad arguments", "remember: exit code 3 means no network"),
    ("remember: port 5432 is the database", "remember: port 6379 is the cache"),
    ("never write to the audit table", "never write to the users table"),
    ("remember: staging runs on host alpha", "remember: production runs on host beta"),
    ("remember: anna reviews all api changes", "remember: anna reviews all schema changes"),
    ("use redis for sessions", "use redis for rate limits"),
    ("write docs in markdown", "write commit messages in english"),
    ("always add a test for bug fixes", "always add a test for new endpoints"),
    ("the release branch is called stable", "the main branch is called trunk"),
    ("always run lint before committing", "always run lint before pushing"),
    ("always check types with mypy", "always check links with lychee"),
    ("never commit without asking me", "ok commit it"),
    ("always ask before you push", "okay push it now"),
    ("from now on use pnpm instead of npm", "remove pnpm from the ci image"),
    ("from now on use pnpm instead of npm", "remove the rule about pnpm from renovate.json"),
    ("the api port is 8080", "no the admin port is 8081"),
    ("deploys happen on thursdays", "the demo happens on tuesdays now"),
    ("never use more than 3 levels of nesting", "never use more than 2 database calls"),
    ("merk dir: Kunde 17 bekommt 5 Prozent Rabatt", "merk dir: Kunde 23 bekommt 10 Prozent Rabatt"),
    ("Immer oxlint statt eslint verwenden", "Immer biome statt prettier verwenden"),
    ("ab jetzt Tests mit Vitest schreiben", "ab jetzt Skripte mit Bun schreiben"),
    ("ne supprime jamais la migration 12", "ne supprime jamais la migration 13"),
    ("désormais les dates sont au format long", "désormais les heures sont au format court"),
    ("nunca borres la migración 12", "nunca borres la migración 13"),
    ("el puerto del API es 8080", "el puerto del admin es 8081"),
    ("lembre: o cliente 17 tem 5 por cento", "lembre: o cliente 23 tem 10 por cento"),
    ("マイグレーション12は削除しないでください", "マイグレーション13は削除しないでください"),
    ("今後コメントは英語で書いてください", "今後ドキュメントは日本語で書いてください"),
    ("记住：客户 17 打 95 折", "记住：客户 23 打 9 折"),
    ("non cancellare mai la migrazione 12", "non cancellare mai la migrazione 13"),
    ("remember: tenant 4 pays 20 euros", "remember: tenant 9 pays 35 euros"),
    (
        "always use vitest instead of jest in the whole repo",
        "always use playwright instead of cypress in the whole repo",
    ),
    ("never deploy on fridays", "never deploy on holidays"),
    ("remember: anna reviews all api changes", "remember: bob reviews all css changes"),
    ("use postgres for orders", "use sqlite for the local cache"),
    ("from now on the header is blue", "from now on the footer is green"),
    ("always log errors", "always log warnings"),
    ("never commit without asking me", "ok you can commit this one without asking"),
    ("from now on use pnpm instead of npm", "i take back the change to the lockfile"),
    ("the api port is 8080", "the api port is wrong in the readme"),
    ("never rename column 7", "never rename column 8"),
    ("merk dir: Staging läuft auf host1", "merk dir: Produktion läuft auf host2"),
    ("retiens : le client 17 a 5 pour cent", "retiens : le client 23 a 10 pour cent"),
    ("recuerda: el cliente 17 tiene 5 por ciento", "recuerda: el cliente 23 tiene 10 por ciento"),
    ("a partir de agora comentários em inglês", "a partir de agora commits em português"),
    ("不要删除迁移 12", "不要删除迁移 13"),
    ("verwijder nooit migratie 12", "verwijder nooit migratie 13"),
    ("never archive project 4", "never archive project 5"),
    ("use biome instead of eslint", "use deno instead of node"),
    ("the nightly build starts at 2:00", "the weekly report starts at 3:30"),
    ("sam is the owner of billing", "sam is the owner of search"),
    ("use zod for forms", "use joi for configs"),
    ("never commit without asking", "yes commit"),
    ("use pnpm instead of npm", "delete the pnpm rule from the makefile"),
    ("from now on errors are logged as json", "from now on metrics are stored as json"),
    ("merk dir: Raum 101 ist das Labor", "merk dir: Raum 102 ist das Büro"),
    ("Nie ohne Rückfrage pushen", "ok, dann push das jetzt"),
    ("les prix sont en euros", "les poids sont en grammes"),
    ("usa redis para sesiones", "usa redis para colas"),
    ("章7は触らないでください", "章8は触らないでください"),
    ("价格用人民币", "重量用克"),
    ("i prezzi sono in euro", "i pesi sono in grammi"),
)
"""Statements about other objects, places or purposes, and words for the task at hand."""


GENERAL = "Use pnpm, not npm."
NARROWER = (
    "Use npm in `tools/`, not pnpm",
    "Use npm instead of pnpm in `tools/`.",
    "In `tools/` we use npm, never pnpm",
    "In `tools\\` we use npm, never pnpm",
    "In tools/ use npm instead of pnpm from now on",
    "Always use npm in `tools/`.",
    "We keep npm in tools/, not pnpm",
    "Within `scripts/` never use pnpm, use npm.",
    "Use npm, not pnpm, in `apps/web`.",
    "Switch from pnpm to npm in `tools/`.",
    "Don't use pnpm in tools/, use npm there.",
    "Use npm instead of pnpm when working in the tools folder.",
    "tools/: use npm, not pnpm",
    "From now on `tools/` is on npm, not pnpm",
    "In the tests use npm, not pnpm.",
    "On the frontend use npm, not pnpm",
    "In CI we use npm, never pnpm",
    "Use npm rather than pnpm for `*.sh` files.",
    "For shell scripts use npm, not pnpm",
    "In `package.json` scripts, call npm, not pnpm",
    "For the docs package use npm, not pnpm.",
    "Inside the legacy package, use npm instead of pnpm",
    "Use npm not pnpm in package tools",
    "In `tools/` nutzen wir npm statt pnpm.",
    "Dans tools/ utilise npm au lieu de pnpm.",
    "En tools/ usa npm en vez de pnpm",
    "Em tools/ use npm em vez de pnpm",
    "В tools/ используй npm вместо pnpm",
    "`tools/` では pnpm ではなく npm を使う",
    "在 tools/ 里用 npm，不要用 pnpm",
)
"""Statements about a part of the project, in which they choose another tool than the general one."""
EVERYWHERE = (
    "Use npm, not pnpm, in this project.",
    "In the whole repo use npm instead of pnpm",
    "Use npm instead of pnpm in all packages",
    "From now on use npm in place of pnpm",
    "Use npm for installing packages, not pnpm",
    "Use npm instead of pnpm for consistency",
    "In general use npm, not pnpm",
    "Use npm, not pnpm, in future sessions",
    "In unserem Projekt npm statt pnpm verwenden",
    "Utilise npm au lieu de pnpm dans tout le projet",
)
SAME_PART = (
    ("Use pnpm, not npm, in `tools/`.", "Use npm in `tools/`, not pnpm"),
    ("In `tools/` use pnpm, never npm", "In the tools folder use npm instead of pnpm"),
    ("In tools/release use pnpm, not npm", "In tools/ use npm, not pnpm"),
    ("Use pnpm, not npm, for the tests", "In the tests use npm, not pnpm"),
    ("For `*.py` files use tabs, not spaces.", "For `*.py` files use spaces, not tabs"),
    ("Use Node 20 in tools/", "Use Node 22 in tools/, not Node 20"),
    ("Put migrations in db/migrations", "Put migrations in database/changes, not db/migrations"),
    ("Use unittest.", "Use pytest for the tests, not unittest"),
)
OTHER_PARTS = (
    ("Use npm in tools/", "Use pnpm in web/"),
    ("Use Node 20 in web/", "Use Node 22 in tools/, not Node 20"),
    ("Use tabs, not spaces.", "Use spaces, not tabs, in `*.yml` files"),
    ("Always use German", "In comments use English, not German"),
)


WITH_A_REASON = (
    ("Always use pnpm, never npm.", "Use npm, the CI image has no pnpm."),
    ("Always use jest.", "From now on use vitest, jest is too slow."),
    ("Immer pnpm, nie npm.", "Ab jetzt npm verwenden, das CI-Image hat kein pnpm."),
    ("Usa siempre pnpm, nunca npm.", "Usa npm, la imagen de CI no tiene pnpm."),
    ("Use sempre pnpm, nunca npm.", "Use npm, a imagem do CI não tem pnpm."),
    ("Utilise toujours pnpm, jamais npm.", "Utilise npm, l'image CI n'a pas pnpm."),
    ("Always answer briefly.", "Explain in more detail from now on, your answers are too short."),
    ("Antworte immer kurz.", "Erkläre ab jetzt ausführlicher."),
    ("Responde siempre breve.", "A partir de ahora responde con más detalle."),
    ("Réponds toujours brièvement.", "Désormais réponds plus en détail."),
    ("Rispondi sempre in breve.", "D'ora in poi rispondi in modo più dettagliato."),
    ("Antwoord altijd kort.", "Antwoord voortaan uitgebreider."),
    ("Отвечай всегда кратко.", "Отныне отвечай подробно."),
    ("常に短く答えてください。", "これからは詳しく答えてください。"),
    ("总是简短回答。", "以后回答要详细。"),
)
"""Another value with its reason, and another length of answers."""


@together(
    ("former", "later"),
    [*WITH_A_REASON, *REVIEWED, *WRITTEN_BEFORE, *WRITTEN_AFTER, *OF_A_TYPE, *WITHDRAWALS, *RELEASES, *OTHER_VALUES,
     *FILES_BY_THEIR_WORDS, *LIMITED],
)  # fmt: skip
def test_the_later_of_two_rival_statements_takes_the_place_of_the_former(former: str, later: str) -> None:
    assert relation(claim_of(later), claim_of(former)) is not None


@together(("first", "second"), UNRELATED)
def test_statements_about_different_things_both_hold(first: str, second: str) -> None:
    assert relation(claim_of(second), claim_of(first)) is None
    assert relation(claim_of(first), claim_of(second)) is None


@together(("former", "later"), [*BOTH_HOLD, *LIMITED_OTHERWISE])
def test_the_same_words_about_another_object_or_for_this_task_replace_nothing(former: str, later: str) -> None:
    assert relation(claim_of(later), claim_of(former)) is None


@together(("former", "later"), NO_REVERSAL)
def test_a_word_such_as_again_takes_nothing_back_by_itself(former: str, later: str) -> None:
    assert relation(claim_of(later), claim_of(former)) is None


@together("later", [later for _, later in WITHDRAWALS])
def test_a_withdrawal_is_known_as_one_in_ten_languages(later: str) -> None:
    assert forgets(later)
    assert is_reversal(later)


@together("later", [later for _, later in RELEASES])
def test_a_release_is_known_as_a_reversal(later: str) -> None:
    assert is_reversal(later)
    assert not forgets(later)


@pytest.mark.parametrize(
    ("text", "withdrawn", "rest"),
    [
        ("Forget the pnpm rule, we're back on npm.", "Forget the pnpm rule", "we're back on npm."),
        (
            "Forget trio-only, I changed my mind: new tests use `anyio`.",
            "Forget trio-only, I changed my mind",
            "new tests use `anyio`.",
        ),
        (
            "Das mit Decimal nehme ich zurück, wir rechnen in Cent.",
            "Das mit Decimal nehme ich zurück",
            "wir rechnen in Cent.",
        ),
        ("Use npm, the pnpm thing is over.", "the pnpm thing is over.", "Use npm"),
        ("Forget what I said about tabs and spaces.", "Forget what I said about tabs and spaces.", ""),
        ("Use npm again, we dropped pnpm.", "", "Use npm again, we dropped pnpm."),
        ("Forget the pnpm rule, we don't care", "Forget the pnpm rule", ""),
        ("Forget what I said about tabs, it only slows us down", "Forget what I said about tabs", ""),
        ("Forget what I said about tabs, it's two spaces", "Forget what I said about tabs", "it's two spaces"),
        ("Forget what I said about merges, we squash them", "Forget what I said about merges", "we squash them"),
        ("Vergiss die Regel mit pnpm, wir machen das nicht mehr", "Vergiss die Regel mit pnpm", ""),
        ("Olvida lo que dije sobre los tabs, nunca lo usamos", "Olvida lo que dije sobre los tabs", ""),
        ("Esquece o que eu disse sobre tabs, não precisa mais", "Esquece o que eu disse sobre tabs", ""),
        ("Oublie ce que j'ai dit sur les tabs, on s'en fiche", "Oublie ce que j'ai dit sur les tabs", ""),
    ],
)
def test_a_sentence_that_withdraws_and_states_something_has_two_parts(text: str, withdrawn: str, rest: str) -> None:
    assert split_withdrawal(text) == (withdrawn, rest)


def test_a_narrower_rule_leaves_the_general_one_alone() -> None:
    general, narrow = claim_of("Always use pnpm."), claim_of("From now on never use pnpm in tools/.")
    assert relation(narrow, general) is None
    assert relation(claim_of("Don't use pnpm any more."), claim_of("Use pnpm in web/.")) == "contradicts"


@together(
    ("later", "expected"),
    [
        ("lang/en and lang/de may be edited by hand; the other lang/ folders come from Crowdin", "contradicts"),
        ("lang/de is edited by hand too, like lang/en", "contradicts"),
        ("lang/de may be edited by hand too", "contradicts"),
        ("You may edit lang/de by hand, too", "contradicts"),
        ("lang/de may not be edited, too", None),
        ("You may edit lang/de", None),
        ("lang/de has a glossary, too", None),
        ("src/de may be edited, too", None),
    ],
)
def test_a_permission_for_a_further_path_contradicts_a_ban_with_exceptions(later: str, expected: str | None) -> None:
    ban = "Never touch lang/ folders other than lang/en; the rest comes from Crowdin"
    assert relation(claim_of(later), claim_of(ban)) == expected


@together("narrower", NARROWER)
def test_a_statement_about_a_part_of_the_project_leaves_the_general_one_alone(narrower: str) -> None:
    assert relation(claim_of(narrower), claim_of(GENERAL)) is None


@together(("former", "later"), [*((GENERAL, later) for later in EVERYWHERE), *SAME_PART])
def test_a_statement_about_the_same_part_or_the_whole_project_is_a_rival(former: str, later: str) -> None:
    assert relation(claim_of(later), claim_of(former)) is not None


@pytest.mark.parametrize(("former", "later"), OTHER_PARTS)
def test_statements_about_different_parts_both_hold(former: str, later: str) -> None:
    assert relation(claim_of(later), claim_of(former)) is None
