"""Phrases by which users state rules, preferences, choices and facts, or ask for work, in eleven languages.

Each concept lists its phrases, separated by commas; phrases of languages without spaces are in UNSPACED_TERMS.
English, Spanish, French, German, Portuguese, Italian, Dutch, Russian, Polish, then Vietnamese. The patterns below them
are the verbs, habits and contrasts of which `statement_forms` builds its forms.
"""

TERMS: dict[str, str] = {
    "always": """
        always, every time, each time, at all times, whenever, siempre, cada vez que, toujours, à chaque fois,
        chaque fois, systématiquement, immer, jedes mal, stets, grundsätzlich, sempre, toda vez, ogni volta,
        altijd, elke keer, telkens, всегда, каждый раз, zawsze, za każdym razem, luôn, luôn luôn, mỗi khi
    """,
    "never": """
        never, not ever, ever, under no circumstances, in no case, nunca, jamás, jamais, nie, niemals,
        auf keinen fall, keinesfalls, em hipótese alguma, mai, mai più, nooit, никогда, ни в коем случае, nigdy,
        không bao giờ, forbidden, prohibido, interdit, verboten, proibido, vietato, verboden, запрещено
    """,
    "from_now_on": """
        from now on, from now, going forward, moving forward, in future, in the future, for future,
        for the future, henceforth, next time, from here on, de ahora en adelante, a partir de ahora,
        desde ahora, en adelante, en el futuro, la próxima vez, dorénavant, désormais, à partir de maintenant,
        à l'avenir, la prochaine fois, ab jetzt, ab sofort, künftig, zukünftig, in zukunft, von nun an, fortan,
        nächstes mal, daqui em diante, de agora em diante, a partir de agora, daqui para frente,
        daqui pra frente, no futuro, da próxima vez, d'ora in poi, da ora in poi, d'ora in avanti, in futuro,
        la prossima volta, vanaf nu, voortaan, in het vervolg, с этого момента, впредь, отныне, в будущем,
        с сегодняшнего дня, od teraz, na przyszłość, w przyszłości, từ giờ, từ bây giờ, từ nay, forever,
        for good, permanently
    """,
    "remember": """
        remember, remeber, rember, keep in mind,
        bear in mind, don't forget, do not forget, note that, please note, memorize,
        recuerda, recordá, recuerde, ten en cuenta, tenga en cuenta, no olvides, no te olvides, souviens toi,
        souvenez vous, rappelle toi, rappelez vous, n'oublie pas, n'oubliez pas, retiens, retenez, garde en tête,
        merk dir, merke dir, bitte merken, merken, merke, à retenir, denk daran, denke daran, vergiss nicht, beachte,
        bitte beachten, lembre se, lembre,
        lembra, lembre-se, tenha em mente, não esqueça, não se esqueça, ricorda, ricordati, ricordate,
        tieni presente, tieni a mente, non dimenticare, onthoud, vergeet niet, denk eraan, houd er rekening mee,
        запомни, запомните, помни, помните, не забывай, не забудь, имей в виду, имейте в виду, учти, pamiętaj,
        pamiętać, zapamiętaj, miej na uwadze, hãy nhớ, ghi nhớ, nhớ rằng, nhớ là
    """,
    "prefer": """
        prefer, prefers, preferred, preferably, i'd rather, we'd rather, would rather, favor, favour, i like,
        we like, prefiero, preferimos, preferiría, préfère, préférons, je préférerais, de préférence, bevorzuge,
        bevorzugen, lieber, am liebsten, prefiro, preferência, preferisco, preferiamo, preferirei, liever,
        bij voorkeur, ik geef de voorkeur, предпочитаю, предпочитаем, предпочтительно, wolę, preferuję, thích,
        ưu tiên
    """,
    "use": """
        use, using, utilize, stick with, stick to, go with, rely on, usa, usar, usamos, utiliza, utilizar,
        utilizamos, utilise, utiliser, utilisez, utilisons, sers toi, nutze, nutzen, verwende, verwenden,
        benutze, benutzen, nimm, nehmen, usare, usiamo, utilizza, utilizzare, gebruik, gebruiken, gebruikt,
        используй, используйте, использовать, используем, применяй, użyj, używaj, używać, korzystać, wykorzystaj,
        używamy, dùng, sử dụng
    """,
    "instead": """
        instead, instead of, rather than, in place of, and not, not a, not the, en vez de, en lugar de, y no,
        au lieu de, au lieu d, plutôt que, plutôt qu, et pas, et non, statt, anstatt, anstelle, stattdessen,
        und nicht, em vez de, ao invés de, e não, invece di, al posto di, invece, e non, in plaats van, en niet,
        вместо, а не, zamiast, a nie, thay vì
    """,
    "we": """
        we, our, ours, we're, we've, we'll, us, let's, nosotros, nuestro, nuestra, nuestros, nuestras, nous,
        notre, nos, wir, unser, unsere, unserem, unseren, uns, nós, nosso, nossa, nossos, nossas, noi, nostro,
        nostra, nostri, nostre, wij, ons, onze, мы, наш, наша, наши, нас, у нас, my, nasz, nasze, nasza,
        chúng tôi, chúng ta
    """,
    "decided": """
        decided, we chose, chose, we've chosen, settled on, agreed, opted for, let's go with, let's use,
        let's stick, go with, going with, hemos decidido, decidimos, decidí, vamos a usar, vamos con, elegimos,
        on a décidé, nous avons décidé, j'ai décidé, on part sur, on va utiliser, choisi, entschieden,
        beschlossen, einigten uns, wir nehmen, decidi, vamos usar, vamos com, escolhemos, abbiamo deciso,
        ho deciso, usiamo, andiamo con, scelto, hebben besloten, besloten, we kiezen, gekozen, мы решили, решили,
        решено, выбрали, zdecydowaliśmy, wybraliśmy, quyết định
    """,
    "no_longer": """
        no longer, not anymore, anymore, any more, any longer, ya no, n'est plus, ne sont plus, n'utilise plus,
        n'utilisons plus, plus jamais, nicht mehr, não usamos mais, não é mais, não mais, non usiamo più,
        non più, niet meer, niet langer, больше не, уже не, już nie, nie jest już, không còn, no more,
        deprecated, obsolete, obsoleto, veraltet, obsolète
    """,
    "dropped": """
        dropped, got rid of, abandoned, switched, switched to, moved to, moved away, migrated, migrated to,
        replaced, removed, scrapped, abandonamos, dejamos de, migramos, cambiamos a, abandonné, migré, passé à,
        umgestellt, umgestiegen, gewechselt, verworfen, abgeschafft, mudamos para, abbandonato, migrato,
        passati a, overgestapt, отказались, перешли, перенесли, zrezygnowaliśmy
    """,
    "complaint": """
        told you, i told, i've told, i said, i've said, i asked you, asked you to, as i said, already said,
        already told, how many times, keep telling, you keep, why did you, why do you keep, why are you,
        why the hell, why on earth, why would you, you should have, you were supposed, you forgot, stop making,
        i repeat, i keep repeating, te dije, ya te dije, te he dicho, te pedí, cuántas veces, por qué hiciste,
        je t'ai dit, je t'ai déjà dit, j'ai déjà dit, j'ai dit, je t'ai demandé, combien de fois, pourquoi as tu,
        pourquoi tu, ich habe gesagt, ich sagte, habe ich gesagt, hatte ich gesagt, hab ich gesagt, wie oft,
        warum hast du, wieso hast du, já disse, eu disse, te falei, já falei, quantas vezes, por que você,
        ti ho detto, ho già detto, avevo detto, quante volte, perché hai, ik zei, heb ik gezegd, hoe vaak,
        waarom heb je, я же говорил, я говорил, я же сказал, я сказал, сколько раз, зачем ты, почему ты, mówiłem,
        zapomniałeś, nadal, ile razy, dlaczego
    """,
    "everywhere": """
        everywhere, every, all, each, any, whole, entire, across, throughout, global, globally, consistent,
        consistently, overall, everything, anything, todos, todas, todo, toda, cada, cualquier, demas, demás,
        partout, tous, toutes, toute, chaque, tout, alle, allen, jede, jeder, jedes, jeden, überall, sämtliche,
        durchgängig, qualquer, tutti, tutte, ogni, ovunque, dappertutto, elke, iedere, overal, все, всех, каждый,
        каждого, везде, всегда, любой, wszystkie, każdy, każdej, każdego, wszędzie, tất cả, mọi, mỗi
    """,
    "myself": """
        myself, i'll do, i will do, i do the, i will test, i'll test, i will run, i'll run, i handle,
        i will handle, by myself, on my own, manually, yo mismo, lo hago yo, yo lo hago, lo haré yo, manualmente,
        moi même, je le fais, je ferai, je m'en occupe, manuellement, selbst, mache ich, mach ich, manuell,
        eu mesmo, eu faço, deixa comigo, faccio io, lo faccio io, io stesso, doe ik zelf, ik doe, zelf, я сам,
        сделаю сам, сама, вручную, ręcznie, tự
    """,
    "must": """
        must, should, shall, need to, needs to, has to, have to, ought, supposed to, required, mandatory, debe,
        deben, debemos, deberia, debería, tiene que, tienen que, hay que, doit, doivent, il faut, devrait,
        devons, muss, müssen, soll, sollen, sollte, sollten, deve, devem, tem que, têm que, precisa, devono,
        bisogna, dovrebbe, moet, moeten, dient, должен, должна, должны, нужно, надо, следует, необходимо, musi,
        muszą, powinien, powinny, należy, phải, cần, nên
    """,
    "dont": """
        don't, dont, do not, doesn't, can't, cannot, won't, wont, not, no, mustn't, shouldn't, without, nor, sin,
        ne, pas, sans, nicht, kein, keine, keinen, keiner, ohne, não, nao, sem, non, senza, niet, geen, zonder,
        не, нет, без, nie, bez, không, đừng, chưa
    """,
    "stop": """
        stop, quit, avoid, refrain, stay away, get rid, cease, deja de, para de, evita, evitar, dejen de, arrête,
        arrêtez, évite, évitez, hör auf, vermeide, vermeiden, lass das, pare de, evite, smetti, smettila,
        evitare, stop met, vermijd, hou op, перестань, прекрати, избегай, хватит, przestań, unikaj, dừng, tránh
    """,
    "only": """
        only, just, solely, exclusively, solo, sólo, solamente, únicamente, seulement, uniquement, nur,
        ausschließlich, lediglich, apenas, somente, só, soltanto, alleen, enkel, uitsluitend, только, лишь,
        tylko, wyłącznie, chỉ
    """,
    "because": """
        because, since, as we, as it, so that, so we, so i, due to, otherwise, reason, reason is, that way,
        to avoid, in order to, porque, ya que, para que, puesto que, así, parce que, parce qu, puisque, afin de,
        sinon, weil, da wir, denn, damit, sonst, wegen, pois, já que, senão, perché, poiché, così, altrimenti,
        omdat, zodat, anders, потому что, так как, чтобы, иначе, поскольку, ponieważ, bo, żeby, aby, vì, để
    """,
    "goal": """
        goal, goals, aim, aiming, intention, purpose, objective, vision, target, targeting, mission, long term,
        idea is, plan is, priority, mvp, objetivo, intención, finalidad, meta, objectif, ziel, absicht, zweck,
        intenção, obiettivo, scopo, doel, bedoeling, цель, задача, cel, celem, mục tiêu, mục đích
    """,
    "convention": """
        convention, rule, rules, policy, standard, standards, principle, principles, guideline, guidelines,
        style guide, naming, format, pattern, patterns, architecture, source of truth, best practice,
        best practices, workflow, process, consistency, brand, branding, kebab case, camelcase, snake case,
        convención, regla, reglas, norma, principios, estándar, arquitectura, formato, règle, règles, norme,
        konvention, regel, regeln, vorgabe, richtlinie, convenção, regra, regras, padrão, convenzione, regola,
        regole, standaard, conventie, afspraak, правило, правила, соглашение, стандарт, zasada, reguła,
        konwencja, quy tắc, tiêu chuẩn
    """,
    "project": """
        project, projects, repo, repository, codebase, code base, app, apps, application, site, website, system,
        product, library, module, modules, package, packages, monorepo, proyecto, aplicación, sistema,
        repositorio, projet, dépôt, projekt, anwendung, projeto, aplicação, repositório, progetto, applicazione,
        проект, проекте, проекта, приложение, репозиторий, projekcie, projektu, aplikacja, dự án, ứng dụng
    """,
    "artifact": """
        tests, test, commit, commits, branch, pull request, documentation, docs, document, documents, comments,
        comment, readme, markdown, md, md files, migration, migrations, dependency, dependencies, libraries,
        framework, components, component, functions, classes, types, typescript, imports, secrets, env, seeds,
        files, mds, log, logs, summary, tokens, names, colors, colours, fonts, styles, pruebas, documentación,
        commentaires, documentazione, testy, dokumentacji, тесты
    """,
    "people": """
        user, users, customer, customers, client, clients, guest, guests, people, staff, team, company, business,
        player, players, accounting, friends, visitors, admin, law, laws, legal, usuario, usuarios, clientes,
        equipo, empresa, utilisateurs, équipe, entreprise, nutzer, kunden, benutzer, firma, usuários, equipe,
        utenti, clienti, azienda, gebruikers, klanten, пользователи, клиенты, команда, người dùng
    """,
    "environment": """
        production, prod, staging, server, servers, hosting, hosted, deploy, deployed, deployment, docker,
        container, windows, mac, macbook, linux, ubuntu, wsl, powershell, vercel, netlify, aws, azure, gcp,
        database, db, supabase, firebase, postgres, mysql, sqlite, account, accounts, port, locally, local,
        machine, laptop, ipad, phone, mobile, desktop, browser, chrome, safari, api, api key, vps, cloud,
        cloudflare, node, python, npm, pnpm, bun, yarn, package manager, github, gitlab, servidor, serveur,
        serwer, máy chủ, сервер, сервере
    """,
    "have": """
        i have, we have, i don't have, we don't have, i am using, i'm using, we are using, we're using, i use,
        we use, i'm on, we're on, i run, we run, i own, tengo, tenemos, estoy usando, uso, j'ai, nous avons,
        j'utilise, ich habe, wir haben, ich nutze, wir nutzen, wir verwenden, tenho, temos, estou usando, ho,
        abbiamo, sto usando, ik heb, we hebben, wij hebben, у меня, у нас, я использую, mam, mamy, tôi có,
        will have, there are, there is, there will be, will be
    """,
    "want": """
        i want, i'd like, i would like, i need, we need, we want, we'd like, i wish, i expect, i don't want,
        we don't want, i do not want, we don't need, no need, i don't need, not need, quiero, queremos, necesito,
        necesitamos, me gustaría, no quiero, no hace falta, je veux, je voudrais, on veut, nous voulons,
        j'ai besoin, pas besoin, ich will, ich möchte, wir wollen, wir brauchen, quero, preciso, gostaria,
        voglio, vogliamo, vorrei, ik wil, we willen, хочу, хотим, мне нужно, нам нужно, chcę, chcemy, potrzebuję,
        potrzebujemy, tôi muốn, muốn
    """,
    "now": """
        now, right now, for now, at the moment, yet, first, this time, currently, today, later, then, wait,
        before we, let me, once, after that, next, next step, continue, ahora, por ahora, todavía, primero,
        luego, después, hoy, esta vez, maintenant, pour l'instant, d'abord, ensuite, encore, aujourd'hui, jetzt,
        erstmal, zuerst, noch, vorerst, danach, heute, diesmal, agora, por enquanto, ainda, primeiro, depois,
        hoje, adesso, ora, per ora, ancora, prima, poi, oggi, nu, voorlopig, eerst, nog, straks, сейчас, пока,
        сначала, потом, сегодня, ещё, teraz, na razie, najpierw, bây giờ, trước
    """,
    "work": """
        fix, add, create, make, change, remove, move, update, check, show, implement, build, write, run, delete,
        rename, replace, generate, explain, look, review, test, analyze, help, tell, give, find, search, read,
        open, start, try, put, set, refactor, install, commit, push, merge, debug, verify, investigate, apply,
        arregla, agrega, crea, haz, cambia, elimina, corrige, revisa, muestra, implementa, genera, analiza, pon,
        añade, ajusta, ajoute, crée, fais, supprime, modifie, montre, affiche, vérifie, mets, modifier, ajouter,
        créer, behebe, füge, erstelle, mach, ändere, entferne, zeige, prüfe, lösche, corrija, adicione, crie,
        faça, mude, remova, mostre, aggiungi, fai, rimuovi, mostra, controlla, voeg, maak, verander, verwijder,
        toon, исправь, добавь, создай, сделай, измени, удали, покажи, проверь, napraw, dodaj, stwórz, zrób,
        zmień, usuń, pokaż, sprawdź, zaktualizuj, rozpocznij, sửa, thêm, tạo, làm, xóa, hãy
    """,
    "request": """
        please, can you, could you, would you, can we, could we, will you, help me, let's, lets, por favor,
        puedes, podrías, s'il te plaît, s'il vous plaît, peux tu, pouvez vous, bitte, kannst du, könntest du,
        pode, você pode, per favore, puoi, potresti, alsjeblieft, kun je, kan je, пожалуйста, можешь, proszę,
        czy możesz, bạn có thể
    """,
    "trouble": """
        error, errors, fails, failed, failing, crash, crashes, doesn't work, not working, isn't working,
        didn't work, broken, broke, bug, bugs, wrong, issue, issues, problem, exception, undefined, missing,
        stuck, still, again, warning, no funciona, falla, fallo, problema, sigue, erreur, marche pas,
        fonctionne pas, fehler, geht nicht, funktioniert nicht, kaputt, immer noch, erro, não funciona, falha,
        errore, non funziona, fout, werkt niet, ошибка, не работает, błąd, nie działa, lỗi, không hoạt động
    """,
    "pointing": """
        this, that, it, them, these, those, here, above, below, esto, esta, este, eso, ese, ello, estos, ce,
        cette, cela, ça, ces, ceci, dies, das, diese, dieser, dieses, isso, isto, essa, questo, questa, quello,
        dit, deze, het, это, этот, эту, его, их, tego, này, đó, nó
    """,
    "screen": """
        button, buttons, page, pages, header, footer, color, menu, left, right, top, bottom, modal, icon, icons,
        click, screen, row, column, text, font, padding, card, cards, tab, tabs, dropdown, sidebar, image,
        images, width, height, border, background, botón, boton, ventana, página, pantalla, bouton, fenêtre,
        seite, knopf, fenster, botão, tela, pulsante, schermo, knop, scherm, кнопка, страница, przycisk,
        màn hình, nút
    """,
    "likeness": """
        like everywhere, same as, just like, like we, as we do, like the other, like the rest, adhere, match the,
        in line with, consistent with, as usual, igual que, como en, comme partout, comme dans, wie überall,
        wie sonst, como em, come ovunque, come negli, zoals overal, как везде, как в, tak jak
    """,
    "permission": """
        permission, approval, approve, ask me, without asking, unless i, until i, before i, my consent,
        explicitly ask, explicitly asked, permiso, sin preguntar, sans demander, erlaubnis, ohne zu fragen,
        permissão, sem perguntar, permesso, toestemming, разрешения, bez pytania
    """,
    "tool": """
        npm, npx, pnpm, yarn, bun, uv, pip, poetry, conda, cargo, maven, gradle, homebrew, nvm, eslint, prettier,
        ruff, mypy, tailwind, bootstrap, sass, shadcn, daisyui, daisy ui, material ui, mui, sonner, chakra, radix,
        vitest, jest, pytest, junit, playwright, cypress, selenium, storybook, prisma, drizzle, sequelize,
        typeorm, sqlalchemy, entity framework, ef, hibernate, redux, zustand, pinia, axios, fetch, jquery, react,
        vue, svelte, angular, nextjs, next js, nuxt, astro, vite, webpack, remix, expo, flutter, riverpod, electron,
        tauri, django, flask, fastapi, express, nestjs, hono, rails, laravel, spring, typescript, javascript, js, ts,
        python, java, kotlin, swift, rust, golang, php, ruby, al code, sql, graphql, trpc, rest api, websocket,
        websockets, docker, docker compose, dockerfile, podman, kubernetes, terraform, nginx, nodemailer, resend,
        stripe, twilio, sendgrid, auth0, clerk, nextauth, qdrant, mem0, redis, kafka, celery, pandas, polars, numpy,
        pytorch, tensorflow, openai, anthropic, gemini, ollama, langchain, n8n, zod, pydantic, css, html, scss, sdk,
        cli, mcp, mcp server, orm, rls, ci, github actions, fetch api, css modules, inline styles, monorepo, pwa,
        yaml, json, toml, csv, postgres, postgresql, mysql, sqlite, mongodb, mongo, duckdb, dynamodb, elasticsearch
    """,
    "hosting": """
        vercel, netlify, railway, render, heroku, fly io, aws, ec2, s3, lambda, azure, gcp, google cloud, hetzner,
        digitalocean, coolify, cloudflare, vps, supabase, firebase, production, prod, staging, localhost, hosted,
        hosting, self host, selfhost, deployed, deploy, server runs, dev server, domain, dns, port, windows, macos,
        mac, macbook, linux, ubuntu, debian, wsl, powershell, raspberry pi, laptop, ipad, android, ios, license,
        free plan, free tier, open source, public repo, private repo, producción, produção, produktion, produzione,
        продакшн, hébergement, hospedaje
    """,
    "output": """
        md, mds, md file, md files, markdown, markdown file, markdown files, readme, readmes, summary, summaries,
        documentation, docs, report files, comments, comment, docstrings, emoji, emojis, emojies, commit, commits,
        git commit, commit message, commit messages, push, pushes, branch, branches, pull request, pull requests,
        pr, prs, script, scripts, test script, test scripts, sql script, mocks, mock data, placeholder,
        placeholders, dummy data, hardcode, hardcoded, hard coded, magic numbers, todo list, todos, to do,
        changelog, spec, specification, specifications, seeds, seed data, migrations, tokens, yap, yapping, verbose,
        explanations, code blocks, tables, dashes, em dashes, new files, quick fixes, workarounds, fallback,
        fallbacks, any types, console logs, tests, unit tests, documentación, comentarios, resumen, resúmenes,
        commentaires, documentation, résumé, kommentare, dokumentation, zusammenfassung, zusammenfassungen,
        comentários, documentação, resumo, commenti, documentazione, riassunto, commentaar, documentatie,
        комментарии, документацию, документацию, коммит, коммиты, коммитить, dokumentacji, dokumentację,
        pliki md, committing, commiting, committed, commité, tự code
    """,
    "language": """
        english, french, spanish, german, portuguese, italian, dutch, russian, japanese, chinese, polish, arabic,
        inglés, español, castellano, portugués, anglais, français, francais, espagnol, allemand, englisch, deutsch,
        französisch, spanisch, inglês, português, espanhol, inglese, italiano, francese, engels, nederlands,
        английском, русском, русский, английский, по русски, polsku, angielsku, tiếng việt, tiếng anh
    """,
    "agent": """
        you, your, yourself, agent, agents, the ai, an ai, llm, llms, cursor, claude, chatgpt, copilot, assistant,
        tú, usted, vous, tu, toi, du, dir, você, ты, тебе, вы, jij, bạn
    """,
    "ask": """
        ask, asking, clarify, clarification, clarifications, questions, confirm, confirmation, approve, approval,
        permission, consent, check with, tell me before, wait for my, pregunta, pregúntame, demande moi, frag mich,
        frage mich, pergunte, chiedimi, спрашивай, спроси
    """,
    "quality": """
        simple, simplicity, lean, minimal, minimalistic, clean, consistent, consistency, readable, maintainable,
        maintainability, responsive, modern, scalable, scale, robust, secure, privacy, production grade, reusable,
        modular, touch friendly, mobile friendly, user friendly, accessible, fast, lightweight, light weight,
        professional, sencillo, limpio, moderno, einfach, sauber, propre, simples, semplice, pulito
    """,
    "amount": """
        max, maximum, at most, no more than, at least, minimum, up to, limit, limits, limited, maximal, máximo,
        mínimo, höchstens, mindestens, au plus, au moins, al massimo, almeno, максимум, минимум
    """,
    "each_time": """
        every time, everytime, each time, whenever, after each, after every, before each, before every,
        before any, at the end of each, for every, when writing, when editing, when creating, when adding,
        when building, when implementing, before you start, before starting, before any coding, before coding,
        once you are done, as we go, as you go, along the way, all the time, constantly, keep in sync,
        cada vez que, cada vez, à chaque fois, chaque fois, jedes mal, bei jeder, toda vez, cada vez que, ogni volta,
        elke keer, каждый раз, za każdym razem, updated, up to date
    """,
    "self": """
        i am, i'm, im, i was, i have been, i've been, i do not know, i don't know how, my background, solo,
        solopreneur, alone, beginner, developer, student, designer, founder, freelancer, soy, estoy solo, je suis,
        ich bin, eu sou, sono un, ik ben, я один, jestem
    """,
    "domain": """
        guest, guests, booking, bookings, order, orders, invoice, invoices, payment, payments, product, products,
        price, prices, pricing, vendor, vendors, supplier, suppliers, account, accounts, policy, policies, member,
        members, patient, patients, student, students, course, courses, room, rooms, stock, tax, vat, currency,
        players, subscription, subscriptions, licence, factura, facturas, producto, productos, pedido, pedidos,
        facture, factures, produit, produits, rechnung, rechnungen, bestellung, pedidos, fattura, fatture
    """,
    "doubt": """
        don't understand, dont understand, do not understand, don't follow, don't get, not sure, not quite sure,
        unsure, confused, confusing, i thought, am i, wonder, no entiendo, je ne comprends pas, verstehe nicht,
        não entendi, non capisco, не понимаю, nie rozumiem
    """,
    "scope": """
        only change, only modify, only edit, only fix, only update, just change, just fix, just remove, just add,
        anything else, nothing else, everything else, other file, other files, other code, other parts, the rest,
        existing code, existing functionality, without breaking, without changing, without affecting, for now,
        at this stage, at the moment, at this point, nada más, rien d'autre, sonst nichts, nichts anderes
    """,
    "feeling": """
        great, awesome, excellent, perfect, nice, good job, well done, thanks, thank you, progress, fuck, fucking,
        shit, damn, gracias, merci, danke, obrigado, grazie, bedankt, спасибо, dzięki
    """,
    "hypothesis": """
        maybe, perhaps, might, could be, what if, i think, i guess, i wonder, possibly, probably, some day,
        someday, quizás, tal vez, creo que, peut être, je pense, vielleicht, ich glaube, talvez, acho que, forse,
        penso che, misschien, ik denk, возможно, может быть, думаю, może, có lẽ
    """,
    "condition": """
        if, when, unless, in case, si, cuando, quand, lorsque, wenn, falls, se, quando, als, indien, wanneer,
        если, когда, jeśli, jeżeli, gdy, nếu, khi
    """,
    "asking": """
        why, what, how, where, which, who, is it, are there, do you, does it, did you, should i, should we, qué,
        cómo, dónde, cuál, por qué, pourquoi, comment, quel, quelle, est ce que, warum, wieso, wie, welche, was,
        o que, como, onde, qual, perché, come, dove, quale, waarom, hoe, welke, почему, как, где, какой,
        dlaczego, jak, gdzie, czy, tại sao, như thế nào, sao
    """,
}  # fmt: skip

UNSPACED_TERMS: dict[str, str] = {
    "always": "总是, 始终, 一律, 永远, 每次, 一直, 统一, 常に, 必ず, いつも, 毎回",
    "never": """
        永远不, 绝不, 从不, 决不, 绝对不, 千万不要, 千万别, 不许, 禁止, 严禁, 不得, 絶対に, 決して, 二度と
    """,
    "from_now_on": """
        从现在开始, 从现在起, 以后, 今后, 往后, 下次, 从今以后, 今後, これから, 以後, 次から, 今度から,
        次回から
    """,
    "remember": """
        记住, 请记住, 记得, 牢记, 别忘了, 不要忘记, 注意, 覚えて, 覚えておいて, 忘れないで, 忘れずに, 留意
    """,
    "prefer": "偏好, 更喜欢, 最好, 优先, 希望, 好み, の方がいい, ほうがよい, 優先, 好きです",
    "use": "使用, 采用, 用, 使って, 使用し, 使う, 利用",
    "instead": "而不是, 代替, 而非, 不是, ではなく, じゃなく, の代わりに, より",
    "we": "我们, 咱们, 我们的, 私たち, 我々, うち, 弊社",
    "decided": "决定, 就用, 选择, 已确定, 定了, に決めた, に決めました, を採用, にしました",
    "no_longer": "不再, 已经不, 不用了, 废弃, もう使わない, もはや, なくなった, 廃止, やめました",
    "dropped": "弃用, 去掉, 换成, 已替换, 迁移到, 移行しました, 削除した",
    "complaint": """
        我说过, 说了多少次, 为什么又, 不是说, 你怎么, 跟你说过, 我不是让你, 言ったのに, 言いました, 何度も,
        なぜまた, 言ったはず
    """,
    "everywhere": """
        所有, 每个, 全部, 任何, 都, 整个, 各个, 每一个, すべて, 全て, 全体, 各, どこでも, 全ページ
    """,
    "myself": "我自己, 我来, 手动, 自分で, 私がやる, 手動",
    "must": "必须, 应该, 需要, 要求, 务必, 得, 要, べき, 必要, なければ, しなさい, こと",
    "dont": "不要, 别, 不能, 不用, 不, 没有, 没, 无需, 勿, ないで, しない, ません, ない, 不要",
    "stop": "停止, 避免, 少用, やめて, 避けて, 止めて",
    "only": "只, 仅, 仅仅, 只能, 就够了, だけ, のみ, しか",
    "because": "因为, 否则, 以便, 为了, 由于, 所以, 方便, から, ので, ため, 为此",
    "goal": "目标, 目的, 意图, 打算, ゴール, 目標, 方針",
    "convention": """
        规范, 规则, 约定, 标准, 原则, 风格, 格式, 架构, 模式, ルール, 規約, 原則, 方式, 形式, 命名
    """,
    "project": "项目, 工程, 系统, 应用, 代码库, 仓库, プロジェクト, アプリ, システム, リポジトリ",
    "artifact": """
        测试, 提交, 文档, 注释, 日志, 组件, 类, 文件, 数据库, テスト, コミット, コメント, ドキュメント,
        ファイル, コンポーネント
    """,
    "people": "用户, 客户, 团队, 公司, ユーザ, ユーザー, 顧客, チーム, 会社",
    "environment": """
        服务器, 生产环境, 部署, 端口, 环境, 账号, 本地, サーバー, 本番, 環境, デプロイ, ローカル
    """,
    "have": "我有, 我们有, 我用的是, 我是用, 我在用, 有, 使っています, があります, です",
    "want": """
        我要, 我想, 我希望, 我需要, 想要, 不需要, 不想, ほしい, 欲しい, したい, 不要です, 必要ない
    """,
    "now": """
        现在, 先, 暂时, 目前, 今天, 这次, 等下, 稍后, 接下来, 继续, 今は, まず, とりあえず, 今回, 次に,
        あとで
    """,
    "work": """
        修复, 添加, 增加, 创建, 修改, 删除, 改成, 检查, 显示, 实现, 生成, 优化, 解决, 看看, 分析, 写, 配置,
        修正, 追加, 作成, 変更, 実装, 確認, 進めて
    """,
    "request": "请, 帮我, 能不能, 可以, 麻烦, ください, お願い, 下さい, て。, ましょう",
    "trouble": """
        错误, 报错, 失败, 异常, 问题, 崩溃, 不行, 还是, 没有显示, 无法, エラー, 失敗, 不具合, 動かない,
        おかしい, バグ
    """,
    "pointing": "这个, 那个, 这里, 它, 这, 此, これ, それ, この, その, ここ",
    "screen": """
        按钮, 页面, 菜单, 颜色, 左边, 右边, 弹窗, 图标, 点击, 列表, 界面, ボタン, ページ, 画面, メニュー,
        アイコン
    """,
    "likeness": "和其他, 跟其他, 一样, 保持一致, と同じ, 同様に, 他と同じ",
    "permission": "征求我的, 经过我, 问我, 我的意见, 私自, 许可, 許可, 勝手に, 確認してから",
    "tool": "组件库, 框架, 依赖, 类库, 脚本, ライブラリ, フレームワーク, モジュール, コマンド",
    "output": "提交, 文档, 注释, 日志, 脚本, 总结, 测试, コミット, ドキュメント, コメント, スクリプト, テスト, 絵文字",
    "language": "中文, 英文, 英语, 汉语, 日文, 日语, 日本語, 英語, 中国語",
    "agent": "你, 您, あなた",
    "ask": "问我, 征求, 确认, 询问, 許可, 確認, 質問",
    "quality": "简洁, 简单, 美观, 现代, 规范, 可维护, 维护, シンプル, 簡潔, 統一",
    "amount": "最多, 最少, 至少, 不超过, 最大, 最小, 最低, 以上, 以下, まで",
    "each_time": "每次, 每当, 每一次, 的时候都, 毎回, たびに, 都度",
    "hosting": "服务器, 生产环境, 线上, 本地, 部署, 端口, 域名, サーバー, 本番, ローカル, デプロイ",
    "self": "我是, 私は, 僕は",
    "domain": "客户, 订单, 商品, 价格, 支付, 会员, 数据, 顧客, 注文, 料金",
    "doubt": "不明白, 不懂, 忽悠, 分からない, わからない",
    "scope": "其他文件, 其他的文件, 其他代码, 其他的代码, 其他框架, 只需要修改, 只修改, 只改, 先别, 先不, 他のファイル",
    "feeling": "谢谢, 很好, 太好了, 不错, ありがとう",
    "hypothesis": "也许, 可能, 我觉得, 应该是, 是不是, かもしれ, たぶん, と思う",
    "condition": "如果, 当, 的时候, 若, 場合, とき, なら, たら",
    "asking": "为什么, 什么, 怎么, 如何, 哪, 吗, 呢, なぜ, どう, 何, どこ, ですか, ますか",
}
"""Phrases of Chinese and Japanese, found anywhere in a sentence."""

DO_ES = (
    r"(?:escrib(?:e|as)|us(?:a|es)|utili(?:za|ces)|ejecut(?:a|es)|ha(?:z|gas)|pon(?:gas)?|cre(?:a|es)|añad(?:e|as)"
    r"|responde|corre|agrega|mantén|revisa|pregunta|toques|modifiques|cambies|borres|subas|commitees|instales|edites"
    r"|evita|nombra|llama|tom(?:a|es)|prefiere|metas|guardes?|valid[ae]s?|importes?|mezcles?|expongas?|devuelvas?"
    r"|comentes?|lances?|llames?|dejes?|registres?|imprimas?|confíes?|compartas?|dupliques?|supongas?|inventes?"
    r"|elimines?|quites?|ignores?|loguees?|(?:te )?saltes|desactives?|rompas?)"
)
DO_PT = (
    r"(?:escrev(?:as?|e)|uses?|utilizes?|rodes?|execute|faças?|coloques?|responda|cries?|mantenha|pergunte|verifique"
    r"|mexas?|toques?|apagues?|comm?ites?|instales?|alteres?|modifiques?|edites?|evite|nomeie|chame|prefira|pegue|deixe"
    r"|ponha|valide|guarde|salve|importe|misture|exponha|devolva|retorne|comente|lance|registre|imprima|confie"
    r"|compartilhe|duplique|suponha|invente|remova|delete|exclua|suba|mude|ignore|logue|pule|desative|quebre"
    r"|d(?:ê|á|ar) (?:force )?push|force push)"
)
DO_FR = (
    r"(?:écri(?:s|vez|re)|utilis(?:e|ez|er)|lanc(?:e|ez|er)|fai(?:s|tes|re)|met(?:s|tez|tre)|répond(?:s|ez|re)"
    r"|pren(?:ds|ez|dre)|(?:gard|vérifi|demand|ajout|cré|évit|touch|modifi|chang|supprim|nomm|plac|rang)(?:e|ez|er)"
    r"|appel(?:le|ez|er)|préf[éè]r(?:e|ez|er))"
)
DO_DE = (
    r"(?:schreibe?|verwende|nutze?|benutze|mache?|führe?|antworte|frage?|prüfe|teste|halte?|nimm|fasse?|rühre?|lege?"
    r"|nenne?|benenne|vermeide|ändere|lösche?|packe?|lass|committe|pushe?|importiere|bevorzuge)"
)
TO_DO_DE = (
    r"(?:(?:schreib|verwend|nutz|benutz|mach|ausführ|antwort|frag|prüf|test|halt|committ|push|hinzufüg|anleg|lösch|anfass"
    r"|anrühr|laufen lass|nehm|benenn|nenn|ableg|vermeid|einrück|importier|mock|logg|angeb|installier|ignorier|schick"
    r"|vertrau|erfind|merg|batch|hardcod|deaktivier|abschalt)en|ändern|speichern)"
)
DO_IT = (
    r"(?:(?:us|utilizz|evit|modific|cambi|cre)a(?:re)?|(?:install|ignor|logg|salt|invent)are|tocca(?:re)?(?! sempre)"
    r"|chiama|(?:scriv|mett|prend|aggiung)(?:i|ere)|preferisci|cancellare|tieni|committare|espo(?:ni|rre))"
)
DO_NL = (
    r"(?:gebruik|schrijf|zet|voer|draai|commit|push|doe|houd?|vraag|test|voeg|werk|neem|noem|raak|vermijd|laat|plaats"
    r"|wijzig|verander|verwijder|kies)"
)
DO_RU = (
    r"(?:используй|пиши|бери|трогай|называй|клади|избегай|меняй|удаляй|добавляй|коммить|держи|запускай|правь)(?:те)?"
)
NOT_AT_HAND = (
    r"(?![^.?!\n]{0,40}\b(?:falsch|verkehrt|alte[nrsm]?\b|gleich|selbe|diese|erste|zweite|dritte|letzte|drei|zwei"
    r"|premi[eè]re? \w|deuxi|dernier|mauvais|même|ancien|deux\b|trois|(?:el|la|los|las|os?|as?|il|i|le) prim\w+|segund"
    r"|tercer|últim|equivocad|mism|viej|errad|mesm|velh|est[ea]s?\b|dos\b|tres|ultim|sbagliat|stess|quest|vecchi"
    r"|eerste|tweede|laatste|verkeerd|zelfde|oude|deze|перв|втор|последн|неправильн|стар|эт[оаи]"
    r"|sichtbar|visib|visív|видим|zien\b|noch\b|weiter\b))"
)
"""No word by which a sentence is about one choice, or reports one that is wrong."""

USE = (
    r"(?:use|usa|utiliza|utilise[zr]?|prends|prenez|nimm|nutze?|verwende|benutze|utilize|utilizza|gebruik|neem"
    r"|используй(?:те)?|бери)"
)
DEFINITE = (
    r"(?:the|this|that|these|those|it|my|die|der|das|den|diese\w?|le|la|les|ce\w*|el|los|las|est\w+|os?|as?|il|lo|i|gli"
    r"|quest\w|de|het|dit|dat|эт\w+|тот)(?=\s)"
)
REPOSITORY = r"(?:repo(?:sitory)?|project|code ?-?base|monorepo)"
EVERYWHERE = (
    r"(?:everywhere|überall|partout|en tod(?:as partes|os lados)|em tod(?:o lugar|a parte|os os lugares)|ovunque"
    r"|dappertutto|overal|везде|повсюду)"
)
CONTRAST = (
    r"(?:instead of|rather than|(?:and )?not|statt|anstatt|au lieu d[e'’]|plutôt qu[e'’]|en (?:vez|lugar) de"
    r"|em vez d[eo]|invece d\w+|al posto d\w+|in plaats van|вместо|а не)"
)
CLOSE = rf"(?: in (?:this|our|the) {REPOSITORY})?,?(?: (?:please|pls|bitte|por favor|per favore|alsjeblieft))?[.!\s]*$"
WE_USE = (
    r"(?:wir (?:benutzen|nutzen|verwenden|schreiben|nehmen)|(?:benutzen|nutzen|verwenden|schreiben|nehmen) wir|(?:on"
    r"|nous) (?:n['’])?(?:utilis|écri|pren)\w+|usamos|utilizamos|escribimos|a gente usa|escrevemos|usiamo|utilizziamo"
    r"|scriviamo|(?:wij|we) (?:gebruiken|schrijven)|(?:gebruiken|schrijven) (?:wij|we)|(?:мы )?(?:используем|пишем))"
)
HERE = r"(?:hier|bei uns|ici|aquí|aqui|qui|здесь|тут|у нас)"
ONLY = (
    r"(?:nur|immer|nie(?:mals)?|ausschließlich|toujours|jamais|uniquement|que|solo|sólo|só|siempre|nunca|sempre|mai"
    r"|apenas|soltanto|alleen|altijd|nooit|uitsluitend|только|всегда)"
)
HERE_WE = (
    rf"(?:^|[,;:.!] |\b(?:und|aber|weil|denn|et|mais|car|y|e|porque|pero|en|want|и) ){NOT_AT_HAND}"
    rf"(?:{HERE},? (?:{ONLY} {WE_USE}|{WE_USE} {ONLY})|{WE_USE} (?:{HERE} {ONLY}|{ONLY} {HERE})) \S"
    rf"|(?:^|[，,。])(?:我们(?:这里|这边|项目)?|这里)(?:只|一律|统一|一直都?)用(?!这|那|第|了|一|两|三|来|到|过|于|改|加|做|写|看|传|管)\S"
    rf"|^(?:不[对是]?[，,、\s]{{1,3}})?(?:我们)?(?:这里|这边)(?:都|只)?用(?!这|那|第|了|哪|完|到|过)[^。，,？\n]{{1,20}}[，,]"
    rf"(?:不用|不要用|别用|而不是)(?!这|那|改|管|再|了|担心|其)[^。，,？\n]{{1,20}}[。！!]?$"
)


STATING_VERBS = frozenset(
    """
    is are was happen happens run runs live lives go goes belong belongs start starts end ends listen listens called
    named takes costs stay stays target targets ist sind heisst heissen lauft laufen liegt liegen gehort gehoren kommt
    kommen beginnt endet steht stehen est sont appelle appellent nomme tourne tournent va vont commence son esta estan
    llama llaman corre corren van vive queda quedan sao fica ficam chama chamam roda rodam vai vao estao sono chiama
    chiamano gira girano vanno sta stanno zijn heet heten draait draaien gaat gaan staat es lieu
    """.split()
)
"""Verbs by which a sentence says what, where or when its subject is; folded, as all words below."""
INVERTED_VERBS = frozenset("ist sind heisst heissen lauft laufen liegt liegen steht heet heten draait staat".split())
"""Those that may stand before their subject."""
LINKING_WORDS = frozenset(
    """
    on in into to at with as under next via by from of am im auf mit um unter nach als zu bei ins au aux dans sur avec
    en con sobre por em no na as nas nos com pelo pela su al nel nella op met om naar в на по с со
    """.split()
)
MANNER_VERBS = frozenset(
    """
    write name call put place store keep save format document deploy publish release schedule indent schreib schreibe
    schreiben nenne nennen lege legen speichere speichern ecris ecrire ecrivez nomme mets range stocke formate escribe
    escribir nombra llama pon guarda formatea escreva escreve nomeie coloque guarde ponha salve scrivi nomina metti
    salva schrijf schrijven noem zet bewaar пиши называй клади храни
    """.split()
)
"""Verbs of a demand whose value is how or where its object is done."""
NAMING_VERBS = frozenset("name call nenne nennen nomme nombra llama nomeie nomina noem называй".split())
USE_WORDS = frozenset("use uses using nutze nutzen verwende verwenden utilise usa utiliza utilize gebruik".split())
PURPOSE_WORDS = frozenset("for to as fur zum zur als pour para como per come voor для как".split())
TASK_VERBS = frozenset(
    """
    reviews approves owns maintains handles manages leads decides merges pruft reviewt genehmigt verantwortet betreut
    relit valide approuve gere revisa aprueba aprova gestiona gerencia rivede approva gestisce beoordeelt beheert
    проверяет утверждает
    """.split()
)
TASK_ROLES = frozenset(
    """
    contact reviewer owner maintainer lead responsible zustandig verantwortlich ansprechpartner responsable encargado
    responsavel responsabile verantwoordelijk
    """.split()
)
PLAIN_WORDS = frozenset(
    """
    a an the our all always now please just currently der die das dem den des ein eine einen einem einer immer stets
    jetzt nun bitte le la les l un une d nos notre toujours maintenant el los las una lo siempre ahora o os um uma
    sempre agora il i gli uno ora adesso de het een altijd nu всегда сейчас теперь s se qu que dass
    """.split()
)
"""Articles and adverbs, without which a statement says the same."""
PRONOUNS = frozenset(
    "it this that there he she we they you i es er sie wir ihr ce cela on nous eso isso hij wij".split()
)
MEASURES = tuple(
    """
    port version length size width height timeout limit level max min depth threshold interval rate lange grosse breite
    grenze longueur taille largeur hauteur niveau longitud tamano ancho nivel puerto comprimento porta длин порт размер
    长 度 过 于 为 是 到 用 在 を は が に 限 小 大 数 ト
    """.split()
)
"""Parts of words after which a number is a value and names no object."""
