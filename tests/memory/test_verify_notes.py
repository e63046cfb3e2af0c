"""Rules of a notes block are verified against what the user typed: words, values, denials, and nothing else."""

from functools import partial

from sidecar.memory import TypedMessage, repeats_one_task, verify_rule
from tests.support.cases import together
from tests.support.growth import Work, takes_linear_time

SUPPORTED = [
    ("and please use pnpm in web/, not npm, the lockfile is pnpm's", "Use pnpm, not npm, in web/"),
    ("why did you commit again? i said i do the commits myself", "The user does the commits himself"),
    ("pls stop writing summery .md files after every change", "Do not write summary .md files after every change"),
    ("Never touch `legacy/billing.py`, another team owns it.", "Don't ever change legacy/billing.py"),
    ("Never touch `src/legacy/`.", "Never touch src\\legacy\\ again!"),
    ("dates always as DD.MM.YYYY, also in the exports", "Dates are always DD.MM.YYYY, also in exports"),
    ("we target Node 22 from now on", "Target Node 22"),
    ("a partir de ahora ejecuta los tests antes de decir que está listo", "Run the tests before saying it is done"),
    ("Bitte immer auf Deutsch antworten, Code-Kommentare aber englisch", "Answer in German, code comments in English"),
    ("tous les messages d'erreur en français", "All error messages are in French"),
    ("Você nunca deve fazer commit sem rodar os testes", "Never commit without running the tests"),
    ("以后不要改 generated 目录", "Never change the generated folder"),
    ("コメントは必ず英語で書いて", "Always write comments in English"),
    ("Никогда не удаляй файлы без разрешения", "Never delete files without permission"),
    ("use tabs for indentation everywhere", "Für Einrückungen überall Tabs benutzen"),
    ("why are we not running the linter before each commit?", "Run the linter before each commit"),
    ("arrête de faire des commits quand les tests échouent", "Stop making commits when the tests fail"),
    ("只写 UI/UX 相关的代码在 ui 目录", "The ui folder has only UI/UX code"),
    ("/views 下应该按模块分组", "Group everything under /views by module"),
    ("no quiero que uses las ventanas emergentes del navegador", "Don't use the browser's popups"),
    ("以后也能不能说同步到Git，你帮我自动pnpm deploy上线", "以后说“同步到Git”，就自动 pnpm deploy 上线"),
]

ADDED = [
    ("never commit generated files", "Never edit generated files"),
    ("never rename public functions", "Never document public functions"),
    ("always cache API responses", "Always log API responses"),
    ("use snake_case for JSON keys", "Use snake_case for JSON values"),
    ("keep the public API stable", "Keep the public API documented"),
    ("the price tables need a header row in the export", "The stock tables need a header row in the export"),
    ("every screen gets a loading spinner", "Every screen gets a loading spinner and an error banner"),
    ("log keys are always snake_case", "Log keys are always snake_case, except in error logs"),
    ("Die Fixtures dürfen keine Kundendaten enthalten", "Die Logs dürfen keine Kundendaten enthalten"),
    ("on ne supprime jamais les migrations", "On ne renomme jamais les migrations"),
    ("no borres nunca las migraciones", "No renombres nunca las migraciones"),
]
"""Rules that are the user's statement but for a word or an exception, which makes them another demand."""

OTHERWISE_WORDED = [
    ("every img needs alt text", "All images must have alt text"),
    ("we dont bump major versions of deps in feature PRs", "Don't bump major versions of dependencies in feature PRs"),
    ("let Marta review each PR", "Let Marta review each pull request"),
    ("no autoincrement ints for new tables", "New tables get no auto-increment ints"),
    ("no literals in jsx", "Literals in JSX are not allowed"),
    ("dont ever trigger a prod deploy on fridays or after 4pm", "Never trigger a prod deploy on Fridays or after 4 pm"),
    ("every container needs cpu+memory limits", "Every container needs CPU and memory limits"),
    ("never add an npm dependency without asking me", "Never add an npm package without asking the user"),
    ("outbound calls always get a timeout", "All outgoing calls must have a timeout"),
]
"""Rules in which a word of the user's has another form, or that need a word more to be a sentence."""

EXCHANGED = [
    ("switch from yarn to bun", "Switch from bun to yarn"),
    ("replace moment with dayjs everywhere", "Replace dayjs with moment everywhere"),
    ("move tests from src to tests", "Move tests from tests to src"),
    ("we use Postgres for data and Redis for sessions", "Use Redis for data and Postgres for sessions"),
    ("always run lint before tests", "Always run tests before lint"),
    ("code comments in English, answers in German", "Code comments in German, answers in English"),
    ("dark text on light background", "Light text on dark background"),
    ("stop using axios and use fetch", "Stop using fetch and use axios"),
    ("use double quotes and no single quotes", "Use single quotes and no double quotes"),
    ("spaces, not tabs", "tabs, not spaces"),
    ("de yarn a bun siempre", "de bun a yarn siempre"),
    ("npmをpnpmに置き換えて", "pnpmをnpmに置き換えて"),
    ("把npm换成pnpm", "把pnpm换成npm"),
]

REORDERED = [
    ("code comments in English, answers in German", "Answers in German, code comments in English"),
    ("before a commit always run the tests", "Always run the tests before a commit"),
    ("in web/ please use pnpm, not npm", "Use pnpm in web/, not npm"),
    ("for sessions we use Redis and for data Postgres", "Redis for sessions, Postgres for data"),
    ("tests go to tests/unit, written with pytest", "Write tests with pytest and put them into tests/unit"),
    ("dates in the exports always as DD.MM.YYYY", "Always use DD.MM.YYYY for dates in exports"),
    ("never push to main without asking me", "Without asking never push to main"),
    ("npmとpnpmは使わないで", "pnpmとnpmは使わないで"),
    (
        "make sure to use the shadcn npx cli to install the needed shadcn components",
        "Install shadcn components with the shadcn npx cli",
    ),
    (
        "check off the tasks you think are complete along the way, so we can review together",
        "Check off completed tasks along the way so they can be reviewed",
    ),
    (
        "if an item has two badges, let's put an extra line between the two badges",
        "Put an extra line between the two badges of an item",
    ),
]

PART = "## Part\n\nThe goal of this part is:\n- never use Redis\n- keep it small"

UNSUPPORTED = [
    (
        "fix the map\n\nNominatim usage policy\nNo heavy uses. Never call the geocoder more than once per second.",
        "Never call the geocoder more than once per second.",
    ),
    ("submit the job\n\nRivanna docs:\n* Jobs of 72 hours must use `standard`.", "Jobs of 72 hours must use standard."),
    ("部署一下\n\nVite 文档：环境变量必须以 VITE_ 开头才能读取，其余变量不会暴露。", "环境变量必须以 VITE_ 开头。"),
    ("we target Node 22 from now on", "Target Node 20"),
    ("Never touch `legacy/billing.py`, another team owns it.", "Never touch legacy/orders.py"),
    ("Never touch `legacy/billing.py`, another team owns it.", "Always change legacy/billing.py first"),
    ("and please use pnpm in web/, not npm", "Use npm in web/, not pnpm"),
    ("Make the login button green and add a spinner.", "Always run the linter before a commit"),
    ("continue", "Use functional components"),
    ("ok", "Never commit to main"),
    ("Fix the failing cart tests please.", "Write a cart test for every bug"),
    ("use tabs for indentation", "Use spaces for indentation"),
    ("以后不要改 generated 目录", "Always change the generated folder"),
    ("Why does it fail?\n\n```\nAlways use pnpm instead of npm\n```", "Always use pnpm instead of npm"),
    ("The wiki has this:\n\n> Never commit to main\n\nis that still so", "Never commit to main"),
    ("2026-01-02 10:00:01 WARN policy: never commit to main\n2026-01-02 10:00:02 ERROR exit 1", "Never commit to main"),
    ("Look at it again.", ""),
    ("框架是 kivy，语言用 Python", "框架用 tkinter，语言用 Python"),
    ("if a row has two badges, put an extra line between the badges", "Put a comma between the badges"),
    ("why are we not running the linter before each commit?", "Don't run the linter before each commit"),
]


SUPPORTED += [
    (
        "dont forget src/till/ssr.ts is experimental, breaking changes there are ok",
        "src/till/ssr.ts is experimental, breaking changes there are ok",
    ),
    (
        "get_prices should be cached. I want functools.lru_cache for stuff like this, not globals",
        "functools.lru_cache for caching, not globals",
    ),
    ("vergiss nicht, dass die Kasse zwei Drucker hat", "Die Kasse hat zwei Drucker"),
]


SUPPORTED += [
    (
        "receipts.ts is generated by the build so we can't edit it by hand...it is the source of truth for the till",
        "receipts.ts is generated by the build, so don't edit it by hand",
    ),
    ('Just a reminder, the label is "Paid", not "paid"', 'The label is "Paid", not "paid"'),
    ("Só lembra que a loja roda em tablet antigo, android 8", "A loja roda em tablet antigo, Android 8"),
    ("本地http://127.0.0.1:6006/ 还跑着收银台，不要和它冲突", "本地 http://127.0.0.1:6006/ 还跑着收银台，不要和它冲突"),
    ("all tills deploy to vercal, never to our own server", "All tills deploy to Vercel, never to our own server"),
    ("no emojis on receipts pls", "Receipts have to stay free of emojis"),
    (
        "oh je vois les tickets sont en svg non, les tickets doivent être des png",
        "Les tickets sont des png, pas des svg",
    ),
    ("knoppen zijn bij ons nooit rood behalve bij verwijderen", "Knoppen zijn nooit rood, behalve bij verwijderen"),
    (
        "we keep two repos: one for the Mac till and one for the Windows till",
        "The Mac and the Windows till each have their own repo",
    ),
    (
        "please put all of it into TILL.md and making it short is not necessary, i like explanations",
        "Making it short is not necessary, because I like explanations",
    ),
    ("der alte drucker wird nicht mehr benutzt", "Der alte Drucker ist abgeschafft"),
]


UNSUPPORTED += [
    ("use `make receipts` for tests, never pytest directly", "Use `make checks` for tests, never pytest directly"),
    ("never push to main directly", "Never push to main directly, except for small renames"),
    ("never apply the default VAT to tenant hansa", "Never apply the default VAT to any tenant but hansa"),
    ("make sure the till works before you claim it", "You may claim the till works before it does"),
    ("the mac till and the windows till have separate repos", "The Mac till and the Windows till have the same repo"),
    ("keep answers about the till short", "Keep answers about the till long"),
]


SUPPORTED += [
    ("Don't touch the till unless I ask for it, it is patched by hand", "Leave the till alone unless the user asks"),
    ("Lass den Ordner kasse bitte in Ruhe", "Den Ordner kasse nicht anfassen"),
    ("para los recibos usamos plantillas, nada de imágenes", "Para los recibos usar plantillas, sin imágenes"),
    ("make sure that prices use the theme and that nothing is hardcoded", "Prices use the theme and are not hardcoded"),
    ("get rid of global state in the till", "No global state in the till"),
    ("please use sqlite instead of redis if possible", "Where possible, prefer sqlite to redis"),
    ("toutes les dates sont au format JJ/MM/AAAA", "Show all dates as DD/MM/YYYY"),
    ("alle Daten im Format TT.MM.JJJJ anzeigen", "Show all dates as DD.MM.YYYY"),
    ("所有接口都要写文档", "All APIs must have documentation"),
    ("不要在前端暴露数据库名称", "Do not expose the database name in the frontend"),
    ("We don't need to keep the old receipts in the till;", "We don't need to keep the old receipts in the till"),
    (
        "please add a rule to this file that shows the total at the end of each receipt",
        "Show the total at the end of each receipt",
    ),
    (
        "never run multiple commands in one line of the terminal",
        "Run each terminal command alone, never several commands in one line",
    ),
    ("drop the sorrys and the praise, prices are in cents. where were we?", "Prices are in cents"),
    ("keep both tills, the old one and the new one", "Mantener las dos cajas, la antigua y la nueva"),
    ("keep the receipt beside the invoice", "Keep the receipt next to the invoice"),
    ("create a rule in my .cursor/rules that receipts are printed in Dutch", "Receipts are printed in Dutch"),
    ("añade una regla nueva: los recibos se imprimen en holandés", "Los recibos se imprimen en holandés"),
    (
        "customer ids are strings and must never be cast to int",
        "Kunden-IDs sind Strings und dürfen nie in int gecastet werden",
    ),
    (
        "prices are stored as integer cents in the ledger, never as floats",
        "Store prices of the ledger in integer cents; floats are not wanted for money amounts",
    ),
]

UNSUPPORTED += [
    ("use sqlite instead of redis if possible", "Never use redis"),
    ("wenn möglich sqlite statt redis verwenden", "Niemals redis verwenden"),
    ("Ne fais pas de commit à chaque fois que je te demande quelque chose", "Ne jamais faire de commit"),
    ("don't run the whole suite after every change", "Never run the whole suite"),
    ("no hagas commit cada vez que cambias algo", "Nunca hacer commit"),
    ("we must not call the ledger without a currency", "Do not call the ledger"),
    ("never run multiple commands in the same line of a terminal", "Never run commands in the terminal"),
    ("all deeper levels must hide their logs behind a flag", "All levels must hide their logs behind a flag"),
    ("Analizza il componente Cassa e spiegami il funzionamento", "Analizzare sempre il componente Cassa"),
    ("never commit without running the tests", "Do not run the tests"),
    ("Bons bitte auf Englisch, maximal 40 Zeichen in der ersten Zeile", "Bons dürfen höchstens 40 Zeichen haben"),
    ("create a rule engine for the till", "The till has a rule engine"),
    ("when the clerk taps an amount, add it without need to click the save button", "Never use a save button"),
    ("use the dark shade for the panels, the lighter shade for buttons", "Use the dark shade for buttons"),
    (
        "we don't show the tax rate in the receipt; the ledger has it in the export",
        "Never show the tax rate in the export",
    ),
    ("The receipts look good. Please translate the price list to Polish.", "Always translate the price list to Polish"),
    ("const total = sum(prices) for the till;", "The total is the sum of prices for the till"),
]


REVERSED = [
    ("We need to spread the props first before applying the styles.", "Apply the styles first, then spread the props"),
    ("Study the API closely before you write any adapter.", "Write the adapter, then study the API closely"),
    ("After each migration, restart the till.", "Restart the till, then run each migration"),
    ("Erst die Tests schreiben, dann den Adapter bauen.", "Erst den Adapter bauen, dann die Tests schreiben"),
    ("提交之前先跑通测试。", "先提交，然后跑通测试"),
    ("Build the till one step at a time.", "Build the till all at once"),
    ("Migriere die Kasse Schritt für Schritt.", "Migriere die Kasse auf einmal"),
]

SAME_ORDER = [
    ("We need to spread the props first before applying the styles.", "Spread the props first, then apply the styles"),
    ("Study the API closely before you write any adapter.", "Before you write any adapter, study the API closely"),
    ("After each migration, restart the till.", "Restart the till after each migration"),
    ("提交之前先跑通测试。", "先跑通测试，然后提交"),
    ("Build the till one step at a time.", "Build the till step by step"),
]

OTHER_OBJECT = [
    ("Instead of strings in many places use CONSTANTS for engine names.", "Use an enum for engine names"),
    ("Use the Poppins font for everything", "Use the Inter font for everything"),
    ("Please put all markdown files into docs/notes.", "Put all markdown files into docs/archive"),
    ("功能代码拆开放到 functions 文件夹，ui 文件夹只写界面代码", "功能代码都放到 ui 文件夹"),
]


WITHOUT_THE_USERS_LIMIT = [
    ("The README says always use yarn. thats wrong, isnt it?", "Always use yarn"),
    ("the readme says 'always use yarn'", "Always use yarn"),
    ("Im Readme steht 'immer yarn verwenden', stimmt das noch?", "Immer yarn verwenden"),
    ("le readme dit « toujours utiliser yarn », c'est faux non ?", "Toujours utiliser yarn"),
    ("o readme diz 'sempre use yarn', isso está errado né?", "Sempre use yarn"),
    ("READMEに「必ずyarnを使う」と書いてあるけど、間違いですよね？", "必ずyarnを使う"),
    ("README里写着“必须用yarn”，这不对吧？", "必须用yarn"),
    ("translate 'never give up' to french", "Never give up"),
    ("my lead says never use sqlite but i think it's fine", "Never use sqlite"),
    ("until monday, don't merge anything", "Don't merge anything"),
    ("until friday use the old api", "Use the old API"),
    ("don't merge until the tests pass", "Don't merge"),
    ("never use mocks, except in e2e", "Always avoid using mocks"),
    ("this week please use the old endpoint", "Use the old endpoint"),
    ("bis Freitag bitte nichts mergen", "Nichts mergen"),
    ("hasta el lunes no subas nada a main", "No subir nada a main"),
    ("até sexta não faça merge", "Não fazer merge"),
    ("jusqu'à lundi, ne touche pas au schéma", "Ne pas toucher au schéma"),
    ("しばらくはmainに直接pushしないで", "Never push to main directly"),
    ("周五之前不要合并", "不要合并"),
    ("in the tests always use fixtures, elsewhere whatever", "Always use fixtures"),
    ("in den Tests immer Fixtures benutzen, sonst egal", "Immer Fixtures benutzen"),
    ("テストでは必ずフィクスチャを使って、他はどうでもいい", "必ずフィクスチャを使う"),
    ("only in web/: no semicolons please, always", "No semicolons"),
    ("what if we never cached anything?", "Never cache anything"),
    ("was wäre, wenn wir nie cachen würden?", "Nie cachen"),
    ("¿y si nunca usáramos caché?", "Nunca usar caché"),
    ("如果我们从不缓存会怎样？", "从不缓存"),
    ("can you use postgres for the test db?", "Use Postgres for the test database"),
    ("i don't like tabs but whatever", "Never use tabs"),
    ("why did you use moment again?? we decided on dayjs weeks ago", "Use moment, not dayjs"),
    ("fix this test", "Fix this test"),
    ("please fix the login bug in web/app.ts", "Fix the login bug in web/app.ts"),
    ("rename Cart to Basket", "Rename Cart to Basket"),
    ("commit and push", "Commit and push"),
    ("run the linter", "Run the linter"),
    ("delete the old fixtures", "Delete the old fixtures"),
    ("add a dark mode", "The app has a dark mode"),
    ("füg einen Dark Mode hinzu", "Die App hat einen Dark Mode"),
    ("corrige le bug de connexion", "Corriger le bug de connexion"),
    ("ダークモードを追加して", "アプリにはダークモードがある"),
    ("この関数以外は変更しないで", "この関数以外は変更しない"),
]

WITHOUT_THE_USERS_LIMIT += [
    ("There is a customer overview and a customer list.", "Merge the customer overview and the customer list"),
    ("I'm still seeing a lot of failing tests.", "Record the failing tests"),
]

WITH_THE_USERS_LIMIT = [
    ("in the tests always use fixtures", "Always use fixtures in tests"),
    ("the readme is right: always use yarn", "Always use yarn"),
    ("the readme says npm. Always use yarn in this repo", "Always use yarn"),
    ("don't touch main until the CI is green", "Don't touch main until CI is green"),
    ("no hagas merge hasta que pasen los tests", "No hacer merge hasta que pasen los tests"),
    ("测试通过之前不要合并", "测试通过之前不要合并"),
    ("can you please always use postgres for the test db?", "Always use Postgres for the test database"),
    ("i don't like tabs, use spaces", "Use spaces, not tabs"),
    ("after each fix run the linter", "Run the linter after each fix"),
    ("please fix the login bug. and never rename anything without asking", "Never rename anything without asking"),
    ("make a note: receipts are printed in dutch", "Receipts are printed in Dutch"),
    ("use 'pnpm', not 'npm'", "Use pnpm, not npm"),
    ("why did you use moment again?? we decided on dayjs weeks ago", "Use dayjs, not moment"),
    ("warum schon wieder moment? wir haben uns für dayjs entschieden", "dayjs verwenden, nicht moment"),
]


PARAPHRASED = [
    ("the receipts page should work on firefox and edge only", "Only Firefox and Edge need to be supported"),
    (
        "prices are stored as integers in cents, never floats",
        "Store prices as whole cents (int), not as floating-point",
    ),
    ("always update docs/api.md whenever an endpoint changes", "Keep docs/api.md current when endpoints are modified"),
    ("replace every use of moment with dayjs in the whole app", "Dates use dayjs rather than moment"),
    ("handing raw sql strings around in the views is bad practice", "Don't pass raw SQL strings around in views"),
    (
        "a booked room can't be edited unless the clerk released it",
        "A booked room may be edited only after the clerk released it",
    ),
    ("keep the functions under 40 lines from now on", "Functions should not exceed 40 lines"),
    (
        "if no other printer is chosen, use till_a as default on all pages",
        "till_a is the default printer on every page",
    ),
    ("leave the legacy importer as it is", "The legacy importer must stay unchanged"),
    (
        "los textos van en los ficheros de i18n, no los pongas en los componentes",
        "Los textos van en los ficheros de i18n y no en los componentes",
    ),
    (
        "Wir nehmen die Preisliste als Quelle, Preise nie schätzen",
        "Prices come from the price list; never estimate them",
    ),
    ("keep the receipts.md updated as we go", "receipts.md has to be kept up to date"),
    ("die Beträge werden immer in Cent gespeichert", "Amounts are always stored in cents"),
    ("les prix sont toujours enregistrés en centimes", "Prices are always saved in cents"),
    ("we won't be using docker", "This project does without Docker"),
    ("never push the ledger to production without asking me", "Ask before pushing the ledger to production"),
    ("never push the ledger to production without asking me", "Push the ledger to production only with approval"),
    ("没我同意不要删除账本数据", "删除账本数据前必须征得用户同意"),
    ("geen nieuwe kassa's toevoegen zonder het eerst te vragen", "Eerst overleggen voordat je kassa's toevoegt"),
    ("не принимаю код без тестов для кассы", "Код для кассы принимается только с тестами"),
    ("make sure that we dont print receipts without the tax rate", "Every printed receipt has the tax rate"),
    ("A receipt must never be smaller than 32px", "Minimum size of a receipt: 32px"),
    ("please never request more than 2 printers per till", "Tills have at most 2 printers"),
    ("the price list is the source of truth to avoid rounding bugs", "The price list is the single source of truth"),
    ("the printer is better than trying to calculate positions", "Don't calculate positions, the printer has them"),
    ("nomi delle casse solo in inglese, scontrini invece in italiano", "Casse con nomi inglesi, scontrini in italiano"),
    ("los clientes no acepten duplicados en las cajas", "No permitir clientes duplicados en las cajas"),
    ("keep the light theme forever", "Always keep the light theme"),
    ("Não rode migrations em produção sem me avisar antes", "Em produção, só rodar migrations depois de avisar"),
    ("não mexer na pasta caixa, ela é de outro time", "A pasta caixa pertence a outro time e não deve ser alterada"),
    (
        "we don't persist the sqlite ledger; if it is recreated after a cold start, i don't care",
        "The sqlite ledger isn't persisted; it may be recreated after a cold start",
    ),
    ("solo se abre desde el botón verde, te parece?", "Solo se abre desde el botón verde"),
    ("数据库字段一律用下划线命名", "Database columns are always snake_case"),
]
"""Rules as agents reword them: other verbs and nouns, what is denied put the other way round, a plural, a slip.

"Never A without B", "ask before A" and "A only with B" are one demand; so are "never more than 2" and "at most 2".
"""

DISTORTED = [
    ("sort imports always", "Trigger imports always"),
    ("always keep the comments", "Always restore the comments"),
    ("sort the list always", "Always trim the list"),
    ("always use the data", "Usernames are always the data"),
    ("no sleep in the e2e tests, always wait for an element", "Use sleep in the e2e tests"),
    ("keep the functions under 40 lines", "Keep the functions over 40 lines"),
    ("pass the settings as immutable records", "Pass the settings as mutable records"),
    ("don't use ui libraries. then build the contact page", "Don't use ui libraries only in the contact page"),
    ("clerks can change only custom amounts of an order", "Clerks may change the amounts of an order"),
    ("Explain the function in checkout.py to me", "Always explain the function in checkout.py"),
    ("answers in German, but write comments in English", "Write comments in German"),
    ("ask in German. The logs can be English", "Logs in German, ask in English"),
    (
        "parse_row is not called now, but should not be removed",
        "parse_row is not called and should therefore be removed",
    ),
    ("we don't need to persist the sqlite database", "No database has to be persisted"),
    ("we never deploy on fridays", "Never deploy on Thursdays or Fridays"),
    ("テストではvitestを使って。jestは使わないで", "テストではjestを使う"),
    ("never push the ledger to production without asking me", "Push the ledger to production without asking"),
    ("没我同意不要删除账本数据", "可以不经同意删除账本数据"),
    ("nie ohne Rückfrage in die Kasse buchen", "Ohne Rückfrage in die Kasse buchen"),
    ("A receipt must never be smaller than 32px", "A receipt must never be larger than 32px"),
    ("please never request more than 2 printers per till", "Tills have at least 2 printers"),
    ("make sure that we dont print receipts without the tax rate", "Receipts are printed without the tax rate"),
    ("why do we use delays in the till now?", "Use delays in the till"),
    ("use the ledger for receipts instead of plain files", "Never use the ledger for receipts instead of plain files"),
    ("please never request more than 2 printers per till", "request more than 2 printers per till"),
    ("Don't touch the till unless I ask for it explicitly", "touch the till unless I ask for it explicitly"),
    ("keep receipts under 400 lines", "Receipts should exceed 400 lines"),
    ("When you edit a customer remember to edit the supplier", "When you edit a supplier, do not edit the customer"),
    (
        "use sqlite instead of redis for the till",
        "Use sqlite instead of redis for the till. Every receipt has a barcode and a logo.",
    ),
]
"""Rules of which the user states most words, but another bound, value, scope or the contrary."""

PARAPHRASED += [
    (
        "ask me whether or not a receipt should be printed twice",
        "Ask the user whether a receipt should be printed twice",
    ),
    (
        "remove vat_id from the till api and always use the tax table of the shop",
        "Always use the shop's tax table; no vat_id",
    ),
    (
        "as long as the import runs delete all temporary receipts from now on",
        "As long as the import runs, delete all temporary receipts",
    ),
    ("for now, keep the receipts in the drawer table", "For now, keep the receipts in the drawer table"),
    ("領収書はセキュリティの観点から、画面に表示しないでください", "領収書はセキュリティの観点から画面に表示しない"),
    ("列名に略語は使わないで、英語にしてください", "列名に略語は使わず、英語にすること"),
    ("blank lines in the receipt should be skipped", "The receipt must skip blank lines"),
    (
        "stop mocking the printer in the till tests, we have a real one",
        "Deja de simular la impresora en los tests de la caja, tenemos una real",
    ),
    (
        "timeout of the printer is 8s everywhere, 30 only for the scanner",
        "The printer times out after 8 seconds, the scanner alone after 30",
    ),
    ("den Bon höchstens 24h aufheben", "Den Bon höchstens 24 Stunden aufheben"),
    ("i dont want any dataframe operations in the till", "The till must be free of dataframe operations"),
    ("don't touch anything in till/ unless i say so", "Non toccare nulla sotto till/ a meno che non lo dica io"),
    ("store the prices without VAT", "Guardar los precios sin IVA"),
]

DISTORTED += [
    ("the price and the name should always be visible", "The price and the name should be hidden"),
    ("dont touch the till unless i say so", "Don't touch the till, even if the user says so"),
    ("列名に略語は使わないで、英語にしてください", "列名は英語ではなく略語にすること"),
    ("ask me before printing any new receipt", "Print new receipts without asking and tell the user afterwards"),
    (
        'the receipt says "total" not "sum", everywhere. the sidebar is too wide',
        'The receipt says "total", not "sum", in the sidebar only',
    ),
    (
        "when you add a column, add it to the export too. i just lost an hour",
        "When you add a column, put it in the export only if it is a price",
    ),
    (
        "whenever you change the schema also print the client list",
        "Whenever you print the client list, also change the schema",
    ),
]

AS_PEOPLE_TYPE = [
    ("just merge it when green you dont need to wait for me", "Merge it when green; you don't need to wait for me."),
    (
        "log errors with structlog you should not print anything",
        "Errors are logged with structlog, nothing is printed.",
    ),
    (
        'the heading is "Orders" not "Purchases" on every page the customer sees',
        'The heading is "Orders", not "Purchases", on every page the customer sees.',
    ),
    ("yeah no we deploy with helm now", "We deploy with helm now."),
    (
        "i told you before we dont mock the db in tests, use the container",
        "Tests use the container, the db is not mocked.",
    ),
    ("all timestamps are UTC. format them in the client, never on the server", "Format timestamps in the client only."),
    ("you forgot the tests again. every bugfix needs a regression test", "Add a regression test for every bug fix."),
    ("chez nous on écrit les tests avec vitest et jamais avec jest", "Les tests s'écrivent avec vitest, pas jest."),
    ("évite les classes, on préfère les fonctions", "Préférer les fonctions aux classes."),
    ("テストはjestじゃなくてvitestで書いて", "テストは vitest で書き、jest は使わない。"),
    ("commit messages graag volgens conventional commits", "Commit messages volgen conventional commits."),
    ("Deploye nichts, das mache immer ich.", "Deploying is always done by the user."),
    (
        "don't put business logic into controllers pls, that belongs in services",
        "Business logic belongs in services, not in controllers.",
    ),
    (
        "i want to know anything you dont have! dont start coding",
        "Tell me anything you don't have, don't start coding.",
    ),
    ("replace all @use-modal.ts calls with dialog from ui", "Use dialog from ui instead of @use-modal.ts."),
    ("long explanations are not necessary", "Inutile de faire de longues explications."),
    ("/router 就不用分组了，一个文件就够了", "/router needs no grouping, one file is enough."),
    ("que siempre se muestre si estoy en móvil de lo contrario no", "En móvil se muestra siempre."),
    ("for the whole project we store money in integer cents", "Money is stored in integer cents."),
    ("the mac build lives in its own repository", "The macOS build lives in its own repository."),
    ("lists over 1000 rows are paged", "Lists over 1,000 rows are paged."),
    (
        "Error texts must not be hardcoded. They always come from i18n/errors.json",
        "Error texts always come from i18n/errors.json and are not hardcoded.",
    ),
    ("no it has to be Postgres 16 everywhere", "It has to be Postgres 16 everywhere."),
    ("nein wir nutzen pnpm im ganzen Projekt", "We use pnpm in the whole project."),
    (
        "@https://docs.acme.io/api\nalways check this before using the api",
        "Always check https://docs.acme.io/api before using the api.",
    ),
    ("the trial is 14 days for everyone", "Everyone has a 14-day trial."),
    (
        "errors must be thrown as `throw new AppError(code, { cause: err })` everywhere",
        "Errors must be thrown everywhere as `throw new AppError(code, { cause: err })`.",
    ),
    ('use "make check" for everything', 'Use "make check" for everything.'),
    ("EVERY ENDPIONT NEEDS A TEST!!", "Every endpoint needs a test."),
    ("about the forms, can you please not put labels inside the fields?", "Don't put labels inside the fields."),
    ("peux-tu ne plus écrire de commentaires évidents ?", "Don't write obvious comments."),
    ("nobody reads the changelog, stop writing it", "Schreib kein Changelog mehr, niemand liest es."),
    ("敬語はいらないので結論から書いて。", "結論から敬語なしで書く。"),
    ("i'd rather have three small prs than one big pr", "Three small PRs rather than one big PR."),
    ("ich nehme lieber eine Funktion mehr als eine lange Funktion", "Prefer one more function over a long function."),
    ("du schreibst die Tests und sonst nichts", "You only write the tests."),
    ("we dont include package metadata in the project file", "Packagemetadata hoort niet in het projectbestand."),
    (
        "oye, antes de que sigas: nada de librerías nuevas sin preguntarme. ya tenemos bastantes",
        "No new libraries without asking me first.",
    ),
    (
        "I want bun for package management. Clone the repo first. Before any action at all, ask the memory server",
        "Ask the memory server before any action; bun is for package management.",
    ),
]

TURNED_FROM_TYPED = [
    ("just merge it when green you dont need to wait for me", "Wait for me before merging."),
    ("put new helpers into utils/ we do not use common/ anymore", "Put new helpers into common/."),
    ("use tabs not spaces in makefiles", "In makefiles use spaces, not tabs."),
    ("use tabs not spaces in makefiles", "Don't use tabs in makefiles."),
    ("yeah no we deploy with helm now", "Don't deploy with helm."),
    ("no redux in this project please", "Use redux in this project."),
    ("i told you before we dont mock the db in tests, use the container", "Mock the db in tests."),
    ("you forgot the tests again. every bugfix needs a regression test", "Every feature needs a regression test."),
    ("non voglio che tu faccia push, quello lo faccio sempre io", "Fai sempre tu il push."),
    ("comments are unnecessary for experts", "Write comments for experts."),
    (
        "Error texts must not be hardcoded. They always come from i18n/errors.json",
        "Error texts are hardcoded in i18n/errors.json.",
    ),
    ("the trial is 14 days for everyone", "Everyone has a 30-day trial."),
    (
        "the linter prints `never use any here, prefer unknown types instead` in cart.ts",
        "Never use any, prefer unknown types.",
    ),
    ("STOP ADDING CONSOLE LOGS EVERYWHERE", "Add console logs everywhere."),
    ("can you not reach the database?", "Don't reach the database."),
    ("can you explain why we do not use redux?", "Don't use redux."),
    ("i'd rather have three small prs than one big pr", "One big PR rather than three small PRs."),
    ("コメントなしで書いて", "コメントをつけて書く。"),
    (
        "yeah no we use vitest, jest is gone since last year",
        "Vitest is used for unit tests while Jest remains for integration tests.",
    ),
    ("i test li lancio io, tu scrivili e basta", "I test li scrive l'utente; tu lanciali e basta."),
]

FOR_NOW = [
    ("looks good. don't commit yet", "Don't commit yet"),
    ("bitte noch nicht committen", "Noch nicht committen"),
    ("まだコミットしないで", "まだコミットしない"),
    ("fix the login. don't touch sessions.py", "Don't touch sessions.py"),
    ("refactor the auth module but don't touch sessions.py", "Don't touch sessions.py"),
]
FOR_GOOD = [
    ("fix the login. Don't touch sessions.py, another team owns it", "Don't touch sessions.py"),
    ("fix the login. never touch sessions.py", "Don't touch sessions.py"),
    ("don't commit, I do it myself", "Don't commit"),
]
"""Bans with a reason or for good, beside a task or without one."""


TURNED = [
    ("do not deploy until I say so", "Deploy until the user says so"),
    ("don't merge until CI is green", "Merge until CI is green"),
    ("don't push until I approve", "Push until the user approves"),
    ("do not deploy until I say so, and never skip the tests", "Deploy until the user says so, never skip the tests"),
    ("nicht deployen bis ich es sage", "Deployen bis der Nutzer es sagt"),
    ("no hagas deploy hasta que yo lo diga", "Haz deploy hasta que el usuario lo diga"),
    ("ne déploie pas jusqu'à ce que je le dise", "Déploie jusqu'à ce que l'utilisateur le dise"),
    ("não faça deploy até que eu diga", "Faça deploy até que o usuário diga"),
    ("non fare deploy finché non lo dico io", "Fai deploy finché non lo dice l'utente"),
    ("niet deployen totdat ik het zeg", "Deployen totdat de gebruiker het zegt"),
    ("не деплой, пока я не скажу", "Деплой, пока пользователь не скажет"),
    ("在我确认之前不要部署", "部署直到用户确认"),
    ("私が確認するまでデプロイしないで", "ユーザーが確認するまでデプロイする"),
    ("use yarn before 2027, then pnpm", "Use pnpm before 2027"),
    ("use npm before v5, then pnpm", "Use pnpm before v5"),
    ("staging before noon, production after", "Production before noon, staging after"),
    ("lint before build, test after", "test before build, lint after"),
    ("lint antes de build, después test", "test antes de build, después lint"),
    ("run tests before merge, then deploy", "Deploy before merge"),
    ("only push when I ask", "Push always"),
    ("only deploy when CI is green", "Deploy always"),
    ("if tests fail, do not commit", "Never commit"),
    ("do not commit if tests fail", "Never commit"),
    ("wenn Tests fehlschlagen, nicht committen", "Nie committen"),
    ("si fallan los tests, no hagas commit", "Nunca hagas commit"),
    ("si les tests échouent, ne commite pas", "Ne commite jamais"),
    ("Jamais de commit sans tests.", "Jamais de commit."),
    ("se i test falliscono, non fare commit", "Non fare mai commit"),
    ("als tests falen, niet committen", "Nooit committen"),
    ("если тесты падают, не коммить", "Никогда не коммить"),
]
NOT_TURNED = [
    ("do not deploy until I say so", "Deploy only after the user says so"),
    ("don't push until I approve", "Get the user's approval before pushing"),
    ("don't merge until CI is green", "Require green CI before each merge"),
    ("私が確認するまでデプロイしないで", "ユーザーが確認するまでデプロイしない"),
    ("use npm before v5, then pnpm", "Use npm before v5"),
    ("lint before build, test after", "Test after the build, lint before it"),
    ("staging before noon, production after", "Production after noon, staging before"),
    ("deploy before 8am", "Deploy before 8am"),
    ("only push when I ask", "Never push unless the user asks"),
    ("if tests fail, do not commit", "Do not commit failing tests"),
    ("do not commit if tests fail", "Never commit with failing tests"),
]
"""Ends, times, orders and conditions, which a rule turns or drops, or states in other words."""


OF_PARTS_AND_REASONS = [
    ("we review in the evening so don't open more than one PR per day", "Don't open more than one PR per day"),
    ("two things: (1) never run jobs at night because it is busy (2) what is the lock?", "Never run jobs at night"),
    ("i prefer fish over bash btw so give me snippets for fish", "Give snippets for fish"),
    ("fixtures live in tests/data, remember?", "Fixtures live in tests/data."),
    ("moment is deprecated. use dayjs, always", "Use dayjs instead of moment."),
    ('stop writing "I hope this helps you" at the end', 'Stop writing "I hope this helps you" at the end.'),
    ("Never edit src/legacy again!", "Never edit `src/legacy/`."),
]
"""Rules beside an enumeration, a reason, a reminder or what the agent is not to write."""

OF_ANOTHER_PATH_OR_DEMAND = [
    ("Never edit src/legacy again!", "Never edit `src/other/`"),
    ("tests always go into tests/integration", "Tests go into tests/unit."),
    ("when you touch the parser, bump the revision", "When you touch the parser, clear the cache by hand"),
    ("table headers always stick to the top of the table", "Table headers must show the sort order of the table."),
]
"""Rules with another path, or another demand on the same condition, than the user's."""


@together(("message", "rule"), OF_PARTS_AND_REASONS)
def test_a_rule_beside_an_enumeration_a_reason_or_a_reminder_has_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is not None


@together(("message", "rule"), OF_ANOTHER_PATH_OR_DEMAND)
def test_a_rule_with_another_path_or_demand_than_the_users_has_no_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is None


OF_BOUNDS_EXCEPTIONS_AND_QUESTIONS = [
    (
        "don't open more than one PR per day, and keep it under 400 changed lines",
        "At most one PR a day, with fewer than 400 changed lines.",
    ),
    (
        "commit messages: lowercase, no scope, max 60 chars",
        "Write commit messages in lowercase with no scope and no more than 60 chars.",
    ),
    ("no console.log in committed code", "Keep console.log out of committed code."),
    (
        "je veux que le dossier .cache ne soit pas inclus dans ce qui part sur GitHub",
        "Garder .cache hors de ce qui part sur GitHub.",
    ),
    (
        "all testing is done with mstest, not xunit or nunit",
        "MSTest is for all testing; xUnit and NUnit are ruled out.",
    ),
    (
        "les dates on les stocke en UTC, jamais en heure locale, et on convertit à l'affichage",
        "Stocker les dates en UTC, jamais en heure locale, et ne les convertir qu'à l'affichage.",
    ),
    (
        "los turnos se pueden cancelar hasta 24 horas antes, menos los de kinesiología que son 48",
        "Los turnos se pueden cancelar hasta 24 horas antes; en kinesiología, hasta 48.",
    ),
    ("the frontend is a separate service, so should we deploy it to railway?", "The frontend is a separate service."),
    ("我们的布局统一用一个主框架页面，你看现在用的是哪个？", "布局统一用一个主框架页面。"),
    ("尽可能传递多的messages但也不能超过128k上限", "尽可能多地传递 messages，但不能超过 128k 上限。"),
    (
        "it should be possible to press the button and create an impossible combination, mark it red",
        "Let the button create an impossible combination and mark it red.",
    ),
    (
        "why do we use delays now? we never had such patterns. that is a bad design since it forces a wait",
        "why do we use delays now? we never had such patterns. that is a bad design since it forces a wait",
    ),
]
"""Rules with the user's bound, exception or place in another form, a statement before a question, and whole texts."""

WITHOUT_THE_USERS_BOUND_OR_EXCEPTION = [
    (
        "los turnos se pueden cancelar hasta 24 horas antes, menos los de kinesiología que son 48",
        "Los turnos se pueden cancelar hasta 24 horas antes, también los de kinesiología.",
    ),
    ("keep secrets out of the log", "Keep secrets in the log."),
    ("keep pull requests to fewer than 400 lines", "Keep pull requests to more than 400 lines."),
    ("should we deploy the frontend to railway, what do you think?", "Deploy the frontend to railway."),
    ("ne lance les tests e2e qu'en CI", "Ne lance jamais les tests e2e en CI."),
    ("if the tests fail, do not commit", "do not commit"),
    (
        "另一个模型的方案回复如下\n完成列表应该一直使用下载器的获取方式，不要移动列表数据\n用 LiveData 合并两个列表",
        "完成列表应该一直使用下载器的获取方式，不要移动列表数据。",
    ),
]
"""Rules that turn such a bound, exception or place, only asked for, or in an answer that the user pastes."""


@together(("message", "rule"), OF_BOUNDS_EXCEPTIONS_AND_QUESTIONS)
def test_a_rule_with_the_users_bound_or_exception_or_beside_a_question_has_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is not None


@together(("message", "rule"), WITHOUT_THE_USERS_BOUND_OR_EXCEPTION)
def test_a_rule_that_turns_a_bound_or_exception_or_is_only_a_question_has_no_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is None


def test_an_option_that_the_user_picks_for_good_supports_a_rule() -> None:
    proposal = "Two ways: (a) keep the tokens in Redis, (b) store them in a signed cookie. Which one?"
    rule = "Store the tokens in a signed cookie."
    assert verify_rule(rule, [TypedMessage("b please, and always do it like that", proposal)]) is not None
    assert verify_rule(rule, [TypedMessage("a, and keep it that way for all tokens", proposal)]) is None
    assert verify_rule(rule, [TypedMessage("b", proposal)]) is None


@together(("message", "rule"), WITHOUT_THE_USERS_LIMIT)
def test_a_quotation_a_limit_a_supposition_or_a_task_supports_no_rule(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is None


@together(("message", "rule"), WITH_THE_USERS_LIMIT)
def test_a_rule_with_the_users_limit_or_beside_a_task_is_verified(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is not None


@together(("message", "rule"), SUPPORTED)
def test_what_the_user_typed_supports_a_rule_in_any_wording_and_language(message: str, rule: str) -> None:
    support = verify_rule(rule, [TypedMessage(message)])
    assert support is not None
    assert support.evidence.strip() in message


@together(("message", "rule"), UNSUPPORTED)
def test_other_values_denials_pasted_and_invented_rules_have_no_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is None


@together(("message", "rule"), EXCHANGED)
def test_a_rule_that_exchanges_two_of_the_users_words_has_no_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is None
    assert verify_rule(message, [TypedMessage(message)]) is not None


@together(("message", "rule"), ADDED)
def test_a_statement_with_another_word_or_an_exception_has_no_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is None
    assert verify_rule(message, [TypedMessage(message)]) is not None


@together(("message", "rule"), OTHERWISE_WORDED)
def test_a_statement_with_another_form_of_a_word_has_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is not None


@together(("message", "rule"), [*REVERSED, *OTHER_OBJECT])
def test_a_rule_with_another_order_pace_or_object_than_the_users_has_no_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is None
    assert verify_rule(message, [TypedMessage(message)]) is not None


@together(("message", "rule"), TURNED)
def test_a_rule_that_turns_or_drops_the_users_end_time_order_or_condition_has_no_support(
    message: str, rule: str
) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is None


@together(("message", "rule"), NOT_TURNED)
def test_a_rule_with_the_users_end_time_order_or_condition_has_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is not None


@together(("message", "rule"), SAME_ORDER)
def test_a_rule_that_states_the_users_order_or_pace_in_other_words_has_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is not None


@together(("message", "rule"), REORDERED)
def test_a_rule_in_another_order_of_words_has_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is not None


def test_an_explanation_in_parentheses_that_the_user_did_not_write_is_left_out() -> None:
    messages = [TypedMessage("But we shouldn't remove it, just use it as a stub")]
    support = verify_rule("We shouldn't remove it (the language parameter), use it as a stub", messages)
    assert support is not None
    assert support.rule == "We shouldn't remove it, use it as a stub"
    whole = verify_rule("Dates are DD.MM (also in exports)", [TypedMessage("dates are DD.MM, also in exports")])
    assert whole is not None
    assert whole.rule == "Dates are DD.MM (also in exports)"


def test_an_example_at_a_rules_end_is_left_out_where_it_keeps_the_rule_from_support() -> None:
    typed = (
        TypedMessage("commit. the subject line always starts with the crate, like `axum: accept owned locations`"),
    )
    for example in (
        ", e.g. `axum: accept owned locations`",
        " (like `axum: add foo`)",
        ", like `hyper: drop the timer`",
    ):
        support = verify_rule(f"Commit subjects start with the crate{example}", typed)
        assert support is not None
        assert support.rule == "Commit subjects start with the crate"
    assert verify_rule("Use pnpm, e.g. `axum: accept owned locations`", typed) is None


@together(
    ("message", "rule"),
    [
        ("always use prefixes such as `app_`, not `tmp_`", "Always use prefixes such as `tmp_`"),
        ("use names like `fooBar`, never like `foo_bar`", "Use names like `foo_bar`"),
    ],
)
def test_an_example_that_the_user_rejects_is_no_rule(message: str, rule: str) -> None:
    assert verify_rule(rule, (TypedMessage(message),)) is None


def test_the_agents_text_supports_a_rule_only_if_the_user_accepts_it_as_lasting() -> None:
    proposal = "All tests pass. Shall I run `make lint` before every commit from now on?"
    rule = "Run `make lint` before every commit"
    assert verify_rule(rule, [TypedMessage("Yes, do that from now on.", proposal)]) is not None
    assert verify_rule(rule, [TypedMessage("ja, ab jetzt immer", proposal)]) is not None
    assert verify_rule(rule, [TypedMessage("はい、今後はそれで", proposal)]) is not None
    assert verify_rule(rule, [TypedMessage("Yes.", proposal)]) is None
    assert verify_rule(rule, [TypedMessage("Now fix the cart.", proposal)]) is None
    quoted = "The README says:\n\n> run `make lint` before every commit\n\nThe cart is fixed now."
    assert verify_rule(rule, [TypedMessage("Great, always like this.", quoted)]) is None


def test_each_message_is_judged_alone_and_the_latest_supports() -> None:
    parts = [TypedMessage("use pnpm please"), TypedMessage("the folder is web/"), TypedMessage("use pnpm in web/")]
    rule = "Use pnpm in web/"
    assert verify_rule(rule, parts[:2]) is None
    support = verify_rule(rule, parts)
    assert support is not None
    assert support.message == 2


def test_a_long_document_supports_nothing_but_its_frame_does() -> None:
    sections = "\n\n".join(PART for _ in range(9))
    message = f"Never add a dependency without asking me.\n\n{sections}"
    assert verify_rule("Never use Redis", [TypedMessage(message)]) is None
    assert verify_rule("Never add a dependency without asking", [TypedMessage(message)]) is not None


@together("unit", ["use pnpm ", "never, ", "不要改", "a/b.c ", "don't ", "\n- x:", "`a` ", ", not "])
def test_verification_takes_linear_time(unit: str) -> None:
    def work_of(size: int) -> Work:
        message = unit * (size // len(unit))
        return partial(verify_rule, f"Never use {unit}", [TypedMessage(message, message)])

    assert takes_linear_time(work_of, 50_000)


@together("message, rule", PARAPHRASED)
def test_a_rule_in_other_words_of_the_same_meaning_has_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is not None


@together("message, rule", DISTORTED)
def test_a_rule_with_another_bound_value_or_scope_has_no_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is None


@together("message, rule", FOR_NOW)
def test_a_ban_for_the_task_at_hand_is_no_rule(message: str, rule: str) -> None:
    typed = [TypedMessage(message)]
    assert verify_rule(rule, typed) is None
    assert repeats_one_task(rule, typed)


@together("message, rule", FOR_GOOD)
def test_a_ban_with_a_reason_or_for_good_is_a_rule_beside_a_task(message: str, rule: str) -> None:
    typed = [TypedMessage(message)]
    assert verify_rule(rule, typed) is not None
    assert not repeats_one_task(rule, typed)


def test_a_line_without_words_beside_the_rule_changes_nothing() -> None:
    message = "never touch the legacy folder\n...\n}"
    assert verify_rule("Never touch the legacy folder.", [TypedMessage(message)]) is not None


@together("message, rule", AS_PEOPLE_TYPE)
def test_a_rule_has_support_in_text_without_commas_with_objections_names_and_capitals(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is not None


@together("message, rule", TURNED_FROM_TYPED)
def test_a_rule_that_turns_such_a_text_has_no_support(message: str, rule: str) -> None:
    assert verify_rule(rule, [TypedMessage(message)]) is None


CARDS, QUERIES = "Use the existing Card component for lists.", "Queries must go through the repository layer."


@together(
    ("request", "is_handed_over"),
    [
        ("add reviews to the product page", False),
        ("the feedback tickets list is slow", False),
        ("load the rows from the reviews table", False),
        ("bob left this on my PR", True),
        ("here is the ticket", True),
        ("fix the tabs from the review:", True),
    ],
)
def test_rules_below_a_request_are_the_users_unless_it_hands_them_over(request: str, is_handed_over: bool) -> None:
    message = TypedMessage(f"{request}\n\n{CARDS} {QUERIES}")
    assert [verify_rule(rule, [message]) is None for rule in (CARDS, QUERIES)] == [is_handed_over] * 2
    assert is_handed_over or verify_rule(QUERIES, [TypedMessage(f"{request}\n\n{QUERIES}")]) is not None
