"""Patterns that sort the sentences of an agent's account of its work, in ten languages."""

import re
from typing import Literal

from sidecar.core.lazy_regex import lazy_regex

Section = Literal["problem", "cause", "change", "commit", "evidence", "open", "also"]

_DONE_EN = (
    r"fixed|added|updated|removed|replaced|created|implemented|changed|moved|renamed|refactored|converted|switched"
    r"|migrated|made|set|introduced|extracted|wired|integrated|configured|installed|enabled|disabled|improved"
    r"|simplified|cleaned|corrected|resolved|restored|reverted|rewrote|rewritten|wrote|written|built(?!-in)|modified"
    r"|adjusted|increased|reduced|deleted|dropped|split|merged|extended|optimi[sz]ed|documented|upgraded|downgraded"
    r"|pinned|bumped|handled|wrapped|exposed|ported|applied|consolidated|centrali[sz]ed|unified|limited|hid|hidden"
    r"|stopped|prevented|ensured|solved|found|identified|discovered|used|passed|registered|connected|aligned"
    r"|normali[sz]ed|reorgani[sz]ed|expanded|tightened|hardened|lowered|raised|separated|swapped|hooked|defined|kept"
    r"|translated|rebuilt|redesigned|repositioned|centered|cached|generated|undid|undone|patched|reintroduced"
    r"|completed|finished|reworked|restructured|streamlined|enhanced|mirrored|adapted|enforced|clarified|deduplicated"
    r"|relaxed|shortened|combined|styled|published|released"
)
_NOW = (
    r"^(?:i|we) now (?!know|see|have|need|understand|want|think|can|will|believe)\w+|^(?:i|we) (?!know|see|have|"
    r"need|am|was|were|are|think|will|can|could|should|want|understand|believe|would)\w+ (?:\S+ ){1,6}now\b|"
    r"^(?:ich|wir) (?!weiß|sehe|verstehe|muss|müssen|kann|können|habe|bin|werde|würde|schau|prüf|teste|brauch|"
    r"denk|glaub)\w+en? (?:jetzt|nun)\b|^(?:ahora|agora|ora|adesso) (?!necesito|puedo|veo|tengo|quiero|entiendo|"
    r"creo|preciso|posso|vejo|tenho|quero|entendo|devo|vedo|vado|voglio|capisco|provo|acho)\w{3,}o\b|^(?:j['’]|"
    r"je )(?!ai\b|ai |vais|dois|peux|vois|veux|comprends|pense|crois|suis)\w+ (?:maintenant|désormais)\b|^(?:ik|"
    r"we) (?!ga|moet|kan|zie|wil|begrijp|heb|ben|denk|zal)\w+ nu\b"
)
"""A change in the present: "I now …" and its counterparts."""
_DONE_ES_PT = (
    "agregué|añadí|corregí|actualicé|eliminé|modifiqué|creé|implementé|cambié|moví|reemplacé|arreglé|solucioné|quité"
    "|ajusté|adicionei|corrigi|atualizei|removi|criei|implementei|alterei|movi|substituí|ajustei|refatorei|modifiquei"
    "|troquei|mudei|resolvi|configurei|incluí|retirei"
)
CHANGE = lazy_regex(
    rf"^(?:(?:i|we)(?:['’]ve| have| had)?\s+)?(?:(?:also|now|just|then|successfully"
    rf"|\w+ly)\s+){{0,2}}(?:{_DONE_EN})\b(?!\s+(?:when|if|as long))"
    rf"|(?:^|[,;:.]\s|\band\s|^(?:now|so|here),?\s)(?:i|we)(?:['’]ve| have)?\s+(?:\w+ly |also |now ){{0,2}}"
    rf"(?:{_DONE_EN})\b"
    rf"|\b(?:has|have) been\s+(?:\w+ly )?(?:{_DONE_EN})\b|\b(?:is|are|was|were) now\b"
    r"|^(?!you\b|it should\b)[^,;:]{2,70}\bnow\s+(?:(?:also|only|no longer|\w+ly) )?(?!is\b|has to|needs?|does\b"
    r"|seems)[a-z]{2,}(?:s|ve)\b(?! to\b)|^(?!you\b)[^,;:]{2,70}s now\s+(?:(?:also|only|no longer|\w+ly) )?(?:follow"
    r"|use|support|show|handle|return|include|match|accept|respect|share|call|read|write|send|display|contain|start"
    r"|run|open|stay|appear|get|go)\b|^(?!you\b)[^,;:]{2,70}\bnow (?:also |only |no longer )?(?:show|turn|come|line"
    r"|end) up\b|^[^,;:]{3,70}\b(?:est|sont) (?:maintenant|désormais)\b|^[^,;:]{3,70}\b(?:ist|sind) (?:jetzt|nun)\b"
    r"|^(?!(?:ich|wir|du|sie|man|jetzt|nun)\b)[^,;:]{3,70}\b(?!müssen|sollten|seit|erst|nicht)[a-zäöü]{3,20}(?:t|en)"
    r" (?:jetzt|nun)\b|^(?!(?:je|j|tu|vous|il faut|maintenant)\b)[^,;:]{3,70}\b[a-zéè]{3,20}(?:e|ent|it) (?:maintenant"
    r"|désormais)\b|^(?!(?:ik|je|u|we|jij|nu)\b)[^,;:]{3,70}\b(?!moet|moeten|niet|tot)[a-z]{3,20}(?:t|en) nu\b"
    r"|^[^,;:]{3,70}\b(?:(?:está|están|es|son|se \w+) ahora|ahora (?:ya )?(?:no )?(?:se )?\w{2,}[aeáé]n?)\b|^(?:ahora"
    r"|agora),? (?:el|la|los|las|todas? l[ao]s?|todos los|cada|o|a|os|as)\b|^[^,;:]{3,70}\b(?:(?:está|estão|é"
    r"|são) agora|agora (?:não )?(?:se )?\w{2,}[aeáé]m?)\b|^[^,;:]{3,70}\b(?:(?:è|sono) ora|ora (?:è|sono))\b"
    r"|^[^,;:]{3,70}\b(?:is|zijn) nu\b|^[^,;:]{0,70}\bтеперь\b|^(?!you\b)[^,;:]{6,70}\b(?:[a-z]{3,}s|is \w+ed"
    r"|are \w+ed)\b[^,;:]{1,60}\bnow(?:\W*$|\s\()|^(?!you\b)[^,;:]{3,70}s (?:use|share|accept)\b[^,;:]{1,60}\bnow\W*$"
    rf"|\b(?:is|are|was|were)\s+(?:\w+ly )?(?:fixed|added|removed|replaced|renamed|moved|restored|reverted)\b"
    r"|\b(?:he|hemos|se han?|h[ea] sido|han sido)\s+(?:ya |también )?\w+(?:ado|ido|cho|sto|rto|elto)s?\b"
    rf"|\b(?:{_DONE_ES_PT})\b"
    r"|\b(?:foi|foram)\s+\w+(?:ad|id|íd|t)[oa]s?\b"
    rf"|{_NOW}|ように(?:し(?:まし)?た|変更|なりました)|^现在(?=[在由用从对]|使用|改|统一)[^，。]{{4,}}"
    r"|^(?:agregad|añadid|corregid|actualizad|eliminad|modificad|cread|implementad|adicionad|corrigid|atualizad"
    r"|removid|criad|alterad)[oa]s?\b|\b(?:j['’]ai|nous avons|on a|(?:a|ont) été)\s+(?:\w+(?:ment)? ){0,2}?\w{3,}(?:é"
    r"|i|u|it|is)(?:e|s|es)?\b|^(?:ajout|correction|suppression|mise à jour|création(?= d(?:e la|u|['’]une?) [^.]*`)"
    r"|remplacement|refonte)s?\b|^(?:ajouté|corrigé|supprimé|remplacé|créé)e?s?\b|\b(?:ich habe|wir haben|habe ich"
    r"|wurden?|ist jetzt|sind jetzt)\b.{2,160}(?:\bge\w+(?:t|en)|iert|hinzugefügt|behoben|entfernt|ersetzt|erstellt"
    r"|umbenannt|verschoben|eingebaut|angepasst|umgestellt|verwendet)\b|\w.{2,100}\b(?:hinzugefügt|behoben|entfernt"
    r"|ersetzt|erstellt|umbenannt|verschoben|angepasst|korrigiert)[.!]?$|\b(?:ho|abbiamo|è stat[oa]"
    r"|sono stat[ie])\s+(?:anche |ora )?(?!molt|tant|quant|spess|adess|soltant|quest|stess|tutt)\w+(?:at|it|ut"
    r"|[nlrst]t|es|os|us|[rs]s)[oaei]\b|^(?:creat[oai]|(?:aggiunt|corrett|rimoss|aggiornat|modificat"
    r"|sostituit)[oaei])\b|\b(?:ik heb|we hebben|is nu|zijn nu|is|zijn)\b.{2,160}\b(?:toegevoegd|verwijderd|aangepast"
    r"|opgelost|gewijzigd|vervangen|gemaakt|hernoemd|bijgewerkt|verplaatst|hersteld|omgezet)\b|^(?:toegevoegd"
    r"|verwijderd|aangepast|opgelost|gewijzigd|vervangen)\b|\b(?:добавил|исправил|удалил|обновил|заменил|создал"
    r"|изменил|переименовал|реализовал|убрал|перен[её]с|настроил|переписал|починил|сделал|вын[ео]с|устранил)(?:а"
    r"|и)?\b|\b(?:добавлен|исправлен|удал[её]н|обновл[её]н|замен[её]н|создан|измен[её]н|реализован|перенес[её]н"
    r"|устранен|переименован)[аоы]?\b|(?:追加|修正|更新|削除|変更|作成|実装|移動|改善|対応|解決|統一|分離|導入|統合|調整|設定|置換|復元|除去|改名"
    r"|最適化)(?:し(?:ました|た(?!い)|ています)|されました|済み|完了|いたしました)|(?:直し|外し|書き換え|置き換え|分け|入れ替え|切り替え|戻し|まとめ|揃え)(?:まし)?た|(?:修复|添加|更新"
    r"|删除|移除|修改|创建|实现|替换|重构|优化|调整|新增|增加|解决|迁移|合并|拆分|改用|改成|改为|完善|简化|恢复|统一|开发)(?:好|完成)?了|(?:[删去拿换]掉|[加补接]上|换成|挪到|移到|拆成"
    r"|抽成|写好)了|[里中上](?:加|改|删|换|写)了|(?:已经?|我已|均已|成功)(?:成功)?(?:将|把|为|在|从|被|全部|正确)?.{0,40}?(?:修复|添加|更新|删除|移除|修改|创建|实现|替换"
    r"|重构|优化|调整|新增|增加|解决|迁移|合并|拆分|改用|改成|改为|完善|简化|恢复|统一|开发|完成|移动|移到|提取)|^(?:修复|添加|更新|删除|移除|修改|创建|实现|替换|重构|优化|调整|新增|增加"
    r"|解决)[^，。]{3,}",
    re.IGNORECASE,
)  # fmt: skip
CAUSE = lazy_regex(
    r"\b(?:root cause|culprit|caused by|because|due to|turned out|stems? from|stemmed from|which (?:meant|broke|caused"
    r"|made|prevented)|(?<!if )(?<!whether )(?:the|this) (?:\w+ )?(?:problem|issue|bug|error|failure|reason|cause"
    r"|crash|panic|exception|regression|leak|deadlock|hang|timeout) (?:was|is|were|comes?|came|happen\w*|occur\w*)"
    r"|(?:el|este) (?:problema|error) (?:es|era|está|estaba|ocurr\w+|venía)|la causa|porque|debido a"
    r"|ya que|o (?:problema|erro) (?:é|era|está|estava|ocorr\w+|vinha)"
    r"|a causa|pois|devido ao?|le (?:problème|bug) (?:est|était|vient|venait)|l['’]erreur (?:est|était|vient|venait)"
    r"|parce que?|à cause d(?:es?|u)?|car|das problem (?:ist|war|lag|liegt)|der fehler (?:ist|war|lag|kam)|weil|ursache"
    r"|lag daran|il problema (?:è|era)|l['’]errore (?:è|era)|perché|a causa d|het probleem (?:is|was|zat)|omdat|doordat"
    r"|de fout (?:is|was|zat)|oorzaak|проблема (?:в|была|заключа\w+|состоя\w+)|ошибка (?:была|возника\w+)|причина"
    r"|потому что|из-за|так как|поскольку)\b|原因|因为|由于|导致|问题(?:是|在于|出在)|問題は|(?:た|ない|ている)ため"
    r"(?:に|、|で)|ので|だったから",
    re.IGNORECASE,
)  # fmt: skip
CAUSE_FIRST = lazy_regex(
    r"(?:the )?(?:(?:root )?cause|problem|issue|reason|culprit|bug) (?:was|is)\b|原因|问题(?:是|在于|出在)|問題は"
    r"|причина|(?:la|die|de) (?:causa|ursache|oorzaak|cause)\b|(?:o|el|il|le|das|het) (?:problem\w*|probleem"
    r"|problème) ",
    re.IGNORECASE,
)
EVIDENCE = lazy_regex(
    r"\b\d+(?:\s?/\s?\d+| of \d+)?\s+(?:unit |e2e |integration |new |existing )?(?:tests?|specs?|checks?|suites?"
    r"|assertions|examples|pruebas|testes|тест\w*)\b.{0,40}\b(?:pass\w*|ok|green|succe\w+|fail\w*|pasan|pasaron"
    r"|passam|passaram|passent|réussi\w*|bestanden|erfolgreich|superat\w+|slag\w+|geslaagd|прош\w+|проход\w+)"
    r"|\b\d+ (?:passed|failed|passing|failing)\b|\b\d+\s?/\s?\d+`?\W{0,3}(?:pass\w*|green|ok)\b|\b(?:all"
    r"|the) (?:\w+ )?(?:tests|checks|specs) (?:now )?(?:are )?(?:pass\w*|green|succeed\w*)|\b(?:tests?`? (?:now )?"
    r"|^everything )pass(?:es|ing|ed)?\b|\b(?:build|compil\w+|type-?check\w*|tsc|lint\w*|ruff|mypy"
    r"|eslint)\b.{0,40}\b(?:succe\w+|pass\w*|clean|no (?:\w+ )?(?:errors?|warnings?)|without errors?)"
    r"|\bno (?:\w+ )?(?:type|lint\w*|compil\w+|typescript) errors?\b|\b(?:from|de|von|da|van|с|от)\s+`?[\d.,]+\s?(?:%"
    r"|ms|s|x|[kmg]i?b)?`?\s+(?:to|a|à|auf|para|naar|до)\s+`?[\d.,]+\s?(?:%|(?:ms|s|x|[kmg]i?b)\b)"
    r"|\b\d+(?:[.,]\d+)?\s?(?:%|x)\s+(?:faster|slower|smaller|less memory|fewer|más rápid\w*|schneller|plus rapide\w*"
    r"|быстрее)|\b(?:compil\w+|build|tests?|pruebas|testes)\b.{0,40}\b(?:éxito|exitos\w+|correctamente|sin errores"
    r"|sucesso|sem erros|réussie?s?|sans erreur|erfolgreich|ohne fehler|senza errori|con successo|zonder fouten"
    r"|geslaagd)|\bтест\w{0,8}.{0,20}(?:проход\w+|прош\w+|зел[её]н\w+)|сборка.{0,20}(?:успешн\w+|прош\w+)|(?:テスト|ビルド"
    r"|コンパイル).{0,20}(?:成功|通過|パス|通り|通る|合格|グリーン|エラーなし)|(?:测试|编译|构建|检查|用例|pytest|jest|vitest).{0,16}(?:通过|成功|无错误)"
    r"|(?:\b(?:tests?|specs?|pruebas?|testes?|тест\w*)\b|テスト|测试).{0,60}(?:\b(?:fail|fall|falh|échou|schl|faal"
    r"|пада)\w*|失敗|失败).{0,60}(?:\b(?:pass\w*|pasan?|grün|green|slaagt|slagen|проход\w+)\b|通)|\b(?:pasan"
    r"|passam) .{0,24}\b(?:tests|pruebas|testes)\b|\b(?:tests?|pruebas|testes) (?:\S+ ){0,3}?(?:pasan|passa[mn]o?"
    r"|passent|slagen|en verde|verdi|au vert|groen)\b|\btests? .{0,24}\b(?:grün\b|bestehen\b|durch(?=[.!;,]|$))",
    re.IGNORECASE,
)  # fmt: skip
CONDITION = lazy_regex(
    r"(?i)\b(?:if|once|when|until|unless|whether|make|get|si|cuando|quando|als)\b[^,;]{0,60}\b(?:pass?|green|succe|slag)"
)
"""A condition or a plan that names passing tests, which is not evidence."""
TESTS_FIRST = lazy_regex(
    r"^(?:(?:now|all|the|both|every|our|my|\d+|ahora|el|la|las|los|les?|die|der|alle|tutti|il|i|de|os?|as"
    r"|все) ){0,3}(?:\w+ )?(?:tests?|specs?|build|compil\w+|pruebas?|testes?|тест\w*)\b"
    r"|^(?:新しい|新的?)?(?:テスト|ビルド|测试|编译|构建)",
    re.IGNORECASE,
)
OPEN = lazy_regex(
    r"^(?-i:TODO|FIXME)\b(?!\.\w)|\b(?:not yet|untested(?! (?:lines?|code|branch(?:es)?|paths?|functions?"
    r"|statements?)\b)|unverified|unresolved|not (?:been )?(?:tested|verified|covered|implemented|measured|benchmarked)"
    r"|(?:(?:have|has)(?:n['’]t| not) (?:been )?|did(?:n['’]t| not) )(?:re-?)?(?:run|tested|test|verif(?:ied|y)|checked"
    r"|check|measured?|updated? (?:the |any )?(?:docs?|documentation|readme|changelog))|still (?:fails?|failing|missing"
    r"|open|needs?|broken|have to"
    r"|to do)|remain(?:s|ing)? (?:to|open|fail\w*|unfix\w*|issue)|left (?:open|to do|for later)"
    r"|needs? to be (?:decided|confirmed|reviewed|done|fixed)|(?:have|has) not (?:\w+ )?(?:it |this |that )?yet"
    r"|not \w+ (?:it|this|that) yet|only an? (?:stub|placeholder|mock)|(?:is|are) (?:still )?unclear|stays? open"
    r"|must be \w+ later|nur ein (?:platzhalter|stub)|ist (?:noch )?unklar|bleibt offen|no está claro|queda pendiente"
    r"|n['’]est pas (?:encore )?clair|reste ouvert|não está claro|non è chiaro|is (?:nog )?onduidelijk|неясно"
    r"|noch nicht|noch offen|offen (?:ist|sind|bleib\w+)|steht noch aus|(?:nicht|un)\s?(?:getestet|geprüft|gemessen)"
    r"|ainda (?:não|falta)|pendentes?|falta(?:m|n)?|todavía (?:no|falta)|aún (?:no|falta)|pendientes?|pas encore"
    r"|reste à|non ancora|da fare|nog niet|no (?:he|hemos) (?:probado|ejecutado|medido|verificado)"
    r"|n['’](?:ai|avons) pas (?:testé|lancé|exécuté|mesuré|vérifié)|não (?:testei|executei|medi|verifiquei)"
    r"|non ho (?:testato|eseguito|misurato|verificato)|niet (?:getest|gemeten|gecontroleerd)"
    r"|ещё не|еще не|осталось|не проверен\w*)\b"
    r"|まだ|不明|スタブ|(?:実行|テスト|確認|計測)して(?:いません|いない)|没有?(?:测试|运行|验证)|未(?:確認|対応|テスト|完了"
    r"|测试|完成|验证|解决|实现|実装)|还没|尚未|不清楚|待(?:办|确认|处理|完成)",
    re.IGNORECASE,
)  # fmt: skip
NOTHING_OPEN = lazy_regex(
    r"\b(?:no|nothing|sin|no (?:hay|quedan?)|sem|não há|sans|aucune?|kein\w*|nessun\w*|niente|geen|niets|без"
    r"|нет)\s(?:\w+\s){0,3}(?:pending|remain\w*|left|open|todos?|pendientes?|pendentes?|falt\w+|restant\w*|offen\w*"
    r"|aperti|незаверш\w+)\b",
    re.IGNORECASE,
)
"""A report that nothing is open."""
NOT_WORK = lazy_regex(
    r"^(?:read file|tool call|the string to replace|apply failed|could not (?:find|resolve|apply))\b|[?？]\s*$"
    r"|^because\b[^,]{2,80},\s(?:re\w+|run|open|check|update|install|set|use)\b|^(?:(?:so|now|ok(?:ay)?|next|first|then"
    r"|and|but|perfect|great)[,!.]?\s+){0,2}(?:let me|let['’]s|i['’]ll|i will|i['’]m\b|i need|i should|i can|i could"
    r"|we (?:can|could|should|need)|please|try|you (?:can|could|should|need|may|might|will|['’]ll)|if (?:you|this|it"
    r"|that)|once you|when you|would you|do you|feel free|run |test |refresh|reload|restart|open |click|go to|check "
    r"|make sure|just |once |set (?:it|your|the api|an environment)\b|(?:verif|check|look|search|read|inspect|review"
    r"|clean|updat|fix|add|creat|remov|chang|apply|test|runn?|build)\w{0,4}ing\b|\w{3,}ez\b|remaining\b)|,\s(?:so |and "
    r"|now )?let(?:['’]s| me)\b|\b(?:becoming|getting) clear(?:er)?\b|^(?:i|we)(?:['’]ve| have)? found (?:the|it|where"
    r"|what)\b[^,;:`]{0,40}$|\b(?:we|you|i) (?:still )?need to\b|\b(?:we|you) must\b|^[A-Da-d](?:[.)]\s|、)"
    r"|^(?:navigate to|consider \w+ing|visit )|^(?:note|nota|hinweis|achtung|attention|opmerking|примечание)\b\W"
    r"|^(?:注意|补充|補足)|\b\w{3,}(?:aré|eré|iré|arei|erei|irei|erai|irai|erò|irò)\b|\b(?:let me know|would you like"
    r"|shall i|should i|want me to|if you (?:want|like|need|prefer)|you['’]ll see|vous verrez|tu verras|verás|verá"
    r"|du siehst|vedrai|увидите|i['’]d (?:suggest|recommend)|plan (?:now|is|to)|updated the plan)\b|\b(?:might|maybe"
    r"|perhaps|possibly|probably|could be|it seems|seems? to|likely|should|will now|would|sembl(?:e|ent|ait)|parecen?"
    r"|sembrano?|scheint|lijkt|кажется|похоже|necesitamos|tenemos que|nous devons|precisamos|dobbiamo|müssen wir"
    r"|wir müssen|we moeten|(?:deber|podr)[ií]a\w*|poderia\w*|pourrai\w+|könnten?|potrebb\w+|мо(?:жет|гут) быть"
    r"|zou(?:den)? kunnen|deveria\w*|devrai\w+|sollte\w*|dovrebb\w+|probablement\w*|wahrscheinlich|vermutlich"
    r"|probabilmente|waarschijnlijk|quizás|tal vez|peut-être|vielleicht|forse|misschien|talvez|вероятно|возможно"
    r"|zou(?:den)? moeten|должн[аоы]?)\b|はずです|おそらく|たぶん|かもしれ|可能性があ|ようです|似乎|应该|可能(?!性)"
    r"|^(?:ahora (?:voy|vamos|déjame|necesito|necesitamos|puedes)|(?:primero|ahora|también),? (?:déjame|voy)|voy a"
    r"|vamos a|déjame|veo |necesit|puedes|si (?:quieres|necesitas)|¿|quieres|por favor|prueba|(?:verifica|comprueba"
    r"|confirma|abre|haz|pega|selecciona|ejecuta|presiona|verifique|abra|clique|execute|teste|confirme) (?:que|la|el"
    r"|los|las|en|clic|o|a|os|as|em|una?|uma?)\b|agora (?:vou|vamos|preciso|você)|vou |vamos |deixe|você pode|preciso"
    r"|se (?:quiser|você)|je vais|maintenant,? (?:je|vous|il|nous|\w+ons)|laisse|je dois|\w{3,}ons(?:-(?:l[ae]s?|y|en)"
    r"|,? (?:à|aux?|ce(?:la|tte|s|t)?|d(?:e|es|u)|[dl]['’]\w+|en|l[ae]s?|maintenant|[nv]o(?:s|tre)|par|pour|que|sur"
    r"|tou(?:s|te?s?)|une?))|vous pouvez|tu peux|si (?:tu|vous)|parfait ?!? ?(?:je|il|main)|ich werde|lass mich"
    r"|jetzt (?:werde|muss|kannst|prüfe)|du kannst|sie können|wenn (?:du|sie)|bitte|möcht|ora (?:vado|vediamo|devo|puoi"
    r"|provo)|adesso|fammi|puoi|se (?:vuoi|hai)|prova|devo|vuoi|ik ga|laten we|laat me|nu (?:ga|moet)|je kunt|als je"
    r"|wil je|probeer|(?:я )?вижу|теперь (?:я (?!\w+[ая]ю\b)|вы |мы |можно|нужно|давай(?:те)?)|давай(?:те)?|сейчас я"
    r"|вы можете|если (?:вы|нужно|хот)|попробуй|хотите|нужно)\b|^(?:\S{1,20} ){0,3}(?:[—–-] )?\w{2,}(?:ить|ать|еть"
    r"|уть)\b|\b(?:проверю|приступлю|создам|добавлю|обновлю|сделаю|начну|исправлю|буду)\b|^如(?:仍|果|需|有)"
    r"|^第[一二三四五六七八九十\d]{1,2}(?:天|周|步|阶段)|^next: |^(?:benefits?|impact|advantages?|usage"
    r"|expected(?: \w{2,12})?|example|优势|好处|收益|影响)\s?[:：]|^\[[^\]]{1,12}\]\s?\d|^(?:接下来|随后|稍后"
    r"|现在(?:我(?!们?已)|让|来|需要|可以|你)|让我|我(?:来|将|会|需要|先|现在)|请|你可以|您可以|如果|建议|需要我|首先"
    r"|如需|是否)|^(?:检查|檢查|确认|確認|尝试|刷新|查看)(?!了)|^(?:次に|これから|まず|では|それでは|もし|必要(?:で"
    r"|なら)|以下)|(?:しましょう|してみます|していきます|してください"
    r"|できます(?:か)?|しましょうか|でしょうか|(?<!てい)(?<!でい)(?<!通り)ます)[。.]?$",
    re.IGNORECASE,
)  # fmt: skip
VAGUE_HEADING = lazy_regex(
    r"(?:(?:what|summary|résumé|resumen|resumo|riepilogo|zusammenfassung|samenvatting)\b|ce qu|lo que|o que|was |cosa"
    r"|wat |что |les |le |la |los |las |el |the (?:fix|changes?|solution)\b)|.{0,120}\b(?:que nous avons|que he|i made"
    r"|you requested|vs|versus)\b",
    re.IGNORECASE,
)
DONE_HEADING = lazy_regex(
    r"\b(?:implementad|solucionad|corregid|agregad|añadid|optimizad|actualizad|eliminad|adicionad|corrigid|removid"
    r"|criad|aggiunt|corrett|rimoss|ajouté|corrigé|supprimé|implémenté|remplacé)[eoas]{0,2}(?: (?:exitosamente"
    r"|con éxito|avec succès|com sucesso|definitivamente))?\W{0,4}$|\b(?:implemented|added|fixed|removed|replaced"
    r"|hinzugefügt|behoben|entfernt|umgesetzt|toegevoegd|verwijderd|реализован\w*|добавлен\w*|завершен\w*"
    r"|завершён\w*)(?: successfully)?\W{0,4}$",
    re.IGNORECASE,
)
"""A heading whose last word states what was done."""
GREETING = lazy_regex(
    r"^(?:(?:解决方案|解决方法|修复|方案|修正|対応)[:：]\s*)|^(?:[¡]?(?:perfect|great|excellent|awesome|done"
    r"|fixed(?=\s?[!.:])|all (?:done|set)|sure|of course|certainly|absolutely|thanks?|good|nice|success"
    r"|you['’]re (?:absolutely )?right|understood|entendido|entiendo|tienes (?:toda la )?razón|tens razão|(?:tu as"
    r"|vous avez) (?:\w+ )?raison|du hast (?:\w+ )?recht|hai ragione|je hebt gelijk|вы правы|ты прав|perfecto"
    r"|excelente|listo|genial|perfeito|ótimo|pronto|parfait|excellent|super|voilà|perfekt|fertig|erledigt|perfetto"
    r"|fatto|ottimo|klaar|готово|отлично|完成|好的|完璧(?:です)?|太好了)\b[^.!?:。！\n]{0,30}[!.:。！]+\s*)+",
    re.IGNORECASE,
)
BASIS = lazy_regex(
    r"^(?:(?:based on|after|following|according to)\b[^,]{5,160}|with (?:this|that|these)\b[^,]{0,40}|finally|overall"
    r"|in (?:summary|short|total)|to summari[sz]e|as a result),\s+(?=(?:i|we)(?:['’]ve|\s))"
    r"|^(?:[^，。]{2,40}，\s?(?:[现現]在)?(?=我[们們]?已)|完成了以下[^，。]{1,6}，)",
    re.IGNORECASE,
)
PERSON = lazy_regex(
    r"^(?:[现現]在[，,]\s?|作[为為][^，。]{2,40}，\s?我?[们們]?已?[经經]?(?:成功)?"
    r"|[现現]在我?[们們]?已[经經]?(?:成功)?|[为為]您(?!的)|(?:(?:now|ok(?:ay)?|so)[,!.]?\s)?(?:i|we)(?:['’]ve| have"
    r"| had|(?:['’](?:m|re)| am| are)(?= (?:\w+ )?\w+ing\b))?\s+(?:(?:also|now|just|successfully|already)\s+){0,2}"
    r"(?=[a-z])|j['’]ai (?:également |aussi |bien )?"
    r"|nous avons |he (?=\w+(?:ado|ido|cho|sto|rto|elto)\b)|hemos (?=\w)|ho |abbiamo |я |мы |我(?:已[经經]?"
    r"|[们們])?(?:成功地?)?(?=[\u4e00-\u9fff])|已(?:[经經](?:成功|圆满)?地?|成功地?)(?=[\u4e00-\u9fff])|(?:太好了|很好"
    r"|好的)[，,！!]\s?(?:我(?:已经?|们)?)?|成功地?(?=[\u4e00-\u9fff])|(?:通过以上修改"
    r"|基于\S{2,16})，我们?已经?(?:成功)?|successfully |also )",
    re.IGNORECASE,
)
SUMS_UP = lazy_regex(
    r"(?:(?:i|we)(?:['’]ve| have)|j['’]ai|nous avons|he|hemos|ho|abbiamo|ich habe|wir haben|ik heb|we hebben"
    rf"|(?:теперь я(?= \w+[ая]ю\b)|я|мы)|{_DONE_ES_PT})\b|我们?已|{_NOW}",
    re.IGNORECASE,
)
"""A sentence in the first person states the whole more often than an item of a list does."""
ALSO = lazy_regex(
    r"(?:(?:i|we)(?:['’]ve| have)?\s)?also\b|j['’]ai (?:également|aussi)\b|también|我们?还|ho anche|ik heb ook"
    r"|ich habe auch",
    re.IGNORECASE,
)
"""A statement of something beside what was named before."""
FINDING = lazy_regex(
    r"(?:i|we)(?:['’]ve| have)? (?:found|identified|discovered|noticed)\b|(?:found|identified|discovered)\b|我?发现"
    r"|the (?:(?:previous|last|command|important) ){0,2}(?:output|error|log|thing|result)s?\b|let me summarize",
    re.IGNORECASE,
)
"""A step towards the work; it names an entry only if nothing else does."""
TASK_NUMBER = lazy_regex(
    r"^(?:completed|finished|implemented|done with) (?:the )?(?:sub-?)?(?:task|ticket|step|phase|story"
    r"|issue)[\s#-]{1,2}[\w.#-]{1,12}?(?:\s?[:–—-]\s?(?=\S)|\s(?=[\"“(]))",
    re.IGNORECASE,
)
"""The number of a task before its name."""
BARE_OBJECT = lazy_regex(
    r"(?:modified|updated|improved|changed|adjusted|enhanced) (?:the |all )?`[^`]{1,80}`(?: \w+)?$"
    r"|.{0,120}\b(?:(?:several|various|multiple|some) (?:\w+ )?(?:improvements|changes|updates|fixes)|\w+\.md)\b",
    re.IGNORECASE,
)
"""A title that names where something changed and not what, or a document beside the work."""
PICTURE = lazy_regex(r"[\u2300-\u23ff\u2500-\u27bf\u2b00-\u2bff\ufe0f\u200d\ufffd\U0001f000-\U0001faff]+")
ITEM = lazy_regex(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[ \]\s+)?")
DONE_ITEM = lazy_regex(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+\[[xX-]\]\s")
EMPHASIS = lazy_regex(r"(`[^`]*`)|\*\*|(?<![\w`])__(?=\S)(?=[^\W_]*[^\w`\n])([^`_\n]+)__(?![\w.`(])")
"""Marks of bold text outside code; a name such as `__init__` has none."""
NUMBER = lazy_regex(r"^(?:step |fix |étape |paso )?\d{1,2}[.):]\s+", re.IGNORECASE)
BOLD_LINE = lazy_regex(r"^\*\*([^*]{2,120})\*\*[ \t]{0,4}:?[ \t]{0,4}$")
INLINE_LABEL = lazy_regex(
    r"^(?:\*\*|__)?([^*_:：]{2,50}?)\s*(?:(?:\*\*|__)\s*[:：]|[:：]\s*(?:\*\*|__)|[:：])(?:\s+|(?<=：))(?=\S)"
)
MINOR = lazy_regex(
    r"\b(?:readme|changelog|progress track\w{0,4}|task list|docstrings?|registered|list of|namespace|exports?|unused"
    r"|imports?|inutilisé\w*|inutiles|sin usar|no usad\w+|console\.log|logs?|cache|node_modules|restart\w*|linter|lint"
    r"|commit|comments?)\b|^(?:added|updated|created|wrote) (?:(?:the|detailed|comprehensive|all"
    r"|some) ){0,2}(?:documentation|docs)\b|日志|注释|ログ|^\w+ (?:it|them|this|that)\b|^(?:all|everything|several"
    r"|some|tou[st]e?s?|tod[oa]s?|alles?|все)\b",
    re.IGNORECASE,
)
"""Tidying beside the work, and sums of it: they name an entry only if nothing else does."""
FAULT = lazy_regex(
    r"\b(?:not|no|never|neither|without|nothing|only|instead|but|still|even though|although|wrong\w*|miss(?:ed|ing)"
    r"|fail\w*|err\w*|broke\w*|break\w*|crash\w*|cannot|unable|undefined|null|empty|stale|duplicate\w*|los[et]\w*"
    r"|overrid\w+|overw\w+|conflict\w*|incorrect\w*|invalid|too|caus\w+|was|were|had|did|didn|doesn|isn|wasn|can['’]t"
    r"|sin|nunca|solo|sólo|faltab?an?|fall[aóo]\w*|perd\w+|romp\w+|roto|incorrect\w*|vací[oa]|era|estaba|había|não|sem"
    r"|nunca|só|apenas|faltav\w+|falh\w+|quebr\w+|vazi[oa]|estava|ne|n['’]\w+|pas|jamais|aucune?|seulement|manqu\w+"
    r"|échou\w+|était|étaient|avait|mauvais\w*|nicht|kein\w*|nie|nur|fehl\w*|falsch\w*|leer\w*|kaputt|zu|war|waren"
    r"|hatte\w*|non|mai|senza|manca\w*|fall\w+|sbagliat\w+|vuot[oa]|era|erano|aveva|niet|geen|nooit|alleen|ontbr\w+"
    r"|mislukt\w*|verkeerd\w*|leeg|te|was|waren|had|не|нет|никогда|только|без|отсутств\w+|ошиб\w+|пада\w+|слома\w+"
    r"|неверн\w+|пуст\w+|был[аои]?)\b|n['’]t\b|ない|なかった|ません|無|欠|失敗|壊|誤|不|没|未|错|失败|缺|丢|空",
    re.IGNORECASE,
)
"""Words of which a statement of a fault or its cause has one; below a problem, others are remedies."""
ROUTINE = lazy_regex(
    r"^[\w.]{1,60} = \S|^(?:(?:i|we)(?:['’]ve)? |(?:the|all|el|la|los|las|le|les|der|die|das|il|i|de|het|os?|as?) |he "
    r"|j['’]ai |ho |ich habe |ik heb |я )?(?:\w+ ){0,3}(?:commit\w*|push\w*|branch\w*|branche|rama|ramo|ветк\w+"
    r"|коммит\w*|jar|build|(?:files?|fichiers?|archivos?|dateien|bestanden|arquivos?|файл\w*|материал\w*|materials?"
    r"|director(?:y|ies)|folders?))\b[^,;:`]{0,70}$|^(?:ディレクトリ|フォルダ|コミット|ファイル)(?:を|が)(?:作成|追加"
    r"|完了)[^`、]{0,20}$|^(?:文件|目录|提交)(?:已|创建|添加)[^`，]{0,20}$|\b(?:found|trouvé|encontr[éei]\w*|gefunden"
    r"|trovato|gevonden|нашел|нашёл|нашла) (?:(?:the|le|la|el|il|die|das|de|het|o|a) )?(?:\w+ )?(?:file|fichier"
    r"|archivo|datei|bestand|arquivo|problem\w*|problème|issue|solu\w+|lösung|oplossing|проблем\w*|решени\w*"
    r"|файл)\s?(?:`[^`]{1,80}`)?\W{0,4}$|^(?:找到|发现)了?(?:问题|文件|原因)\W{0,3}$|\bcommits? (?:se han|have been"
    r"|has been|ont été|wurden|sono stati|foram|zijn)\b|\b(?:implemented|fixed|done|complete\w*"
    r"|checked) and (?:verified|tested|ready)\b[^,;:`]{0,30}$|^(?:created|made|pushed) (?:(?:a|the|new|initial"
    r"|one) ){0,2}commit\b|^added (?:(?:the|a|git) ){0,2}remote\b|^set (?:the )?upstream\b|\b(?:se ha |ha sido "
    r"|he )re?cargado\b",
    re.IGNORECASE,
)
"""Steps of every work, without an object of their own: a commit, a branch, a build, a file found or created."""
PRONOUN = lazy_regex(
    r"^the (?:component|implementation|code|function|method|system|feature|script|page|file|fix|issue|problem"
    r"|change)s?\b(?! (?:of|for|in|from)\b)|^(?:it|they|this|these|that|those|your|he|ahora(?! \w{3,}o\b)|esto|isso"
    r"|isto|cela|ça|elles?|ils?|sie|es|das|dies\w*|questo|dit|dat|это|これ|それ|它|这)\b|^[a-z]{2,12}ed (?:(?:all"
    r"|both) (?:of )?)?(?:it|them|this|that|these|those)\b|^(?:これ|それ|它|这|所有|当前)",
    re.IGNORECASE,
)
"""A title that starts so names its object elsewhere."""
EXPECTED = lazy_regex(
    r"^(?!.*\b(?:i|we|let)\b).*(?:\b(?:should|would|(?:possible|likely) (?:causes?|reasons?)|expect\w*|deber[ií]an?"
    r"|deveriam?|devrai(?:t|ent)|sollte\w*|dovrebb\w+|zou(?:den)?|должн[аоы]?)\b|应该|應該|はず|可能的?原因|原因可能"
    r"|接下来|下一步|后续|将会|我们?[将会])|\b(?:i|we)(?:['’]ll| will)\b(?!.{0,40}\b(?:summ|list|recap|describ"
    r"|explain))|\b(?:voy a|je vais|ich werde|vou|ik (?:zal|ga)|vado a|я (?:буду|сделаю))\b(?!.{0,20}\b(?:res[uú]m"
    r"|zusammen|samenvat|riassu|подв))",
    re.IGNORECASE,
)
"""A line whose list says what is expected or planned, not what was done."""
SUMMARY = lazy_regex(r"(?i)\b(?:summ|recap|res[uú]m|riassu|zusammenf|samenvat|итог)|what |changes|following|以下|总结")
"""Words of a line whose list sums up what was done."""
STATUS = lazy_regex(
    r"^(?:sub)?(?:task|phase|step)s? [\d.]+.{0,120}\b(?:has been|have been|is|are) (?:now |\w{1,12}ly )?(?:completed?"
    r"|done|ready)\b|\b(?:next|following) (?:sub-?)?(?:task|phase|step)\b|\bproceed\w{0,12} (?:to"
    r"|with) (?:sub-?)?(?:task|phase|step)\b|\bstatus\w{0,12} (?:changed|set|updated) to\b|\b(?:hemos"
    r"|he) completado (?:el|la) (?:paso|fase|etapa|tarea)\b|(?:修改|任[务務]|工作|更新|重构|修复"
    r"|升级)[^，。：]{0,12}(?:完成|更新)[。！]?$|^.{0,12}已[经經]?(?:成功)?(?:完成|解决|更新)[。！]?$|(?:完成|实现"
    r"|达成)了?[^，。]{0,6}(?:交办|提出|要求|本[次轮]|所有|全部|主要的?|既定|重要)[^，。]{0,30}(?:任务|目标|要求"
    r"|里程碑|工作|需求|手术)|(?:功能|部分)(?:已经?|都)?(?:全部|都)完成|里程碑|圆满|根据您的|^the (?:core |main "
    r"|root )?(?:issue|problem|error)s? (?:is|are|has been|have been) (?:now )?(?:resolved|fixed|solved)\b"
    r"|статус\w{0,8} измен[её]н|(?:следующ\w{1,12}|próxim\w{1,12}|prochaine?|nächste\w{0,12}|prossim\w{1,12}"
    r"|volgende) (?:задач|этап|шаг|tarea|tarefa|paso|etapa|tâche|étape|aufgabe|phase|schritt|passo|attività|taak|stap)"
    r"|下一(?:个|步|項|项)|^(?:sub)?(?:task|ticket|phase|step|story)\b.{0,90}\b(?:has been|have been|is"
    r"|are) (?:\w{1,12}ly )?(?:implemented|completed?|done)\W{0,3}$|\bmarked as (?:\[?x\]? )?(?:completed?|done)\b"
    r"|\bready to (?:test|use|review|try)\W{0,3}$",
    re.IGNORECASE,
)
"""The progress of a task or what comes next."""
DOCUMENT = lazy_regex(r"[\w-]{0,40}\.(?:md|mdx|rst|adoc)\b|\breadme\b|(?:说明)?文档", re.IGNORECASE)

DOCUMENT_TERM = lazy_regex(r"readme|changelog|docs?|document\w{0,8}|mdx?|rst|adoc|文档|文件|說明|说明")

PART = lazy_regex(
    r"(?:(?:task|step|phase|part|ticket|story|tarea|tarefa|paso|passo|étape|tâche|schritt|aufgabe|fase|stap|taak"
    r"|задача|шаг|этап|任务|任務|步骤|阶段|タスク|ステップ)\s?#?\w{0,3}?\d+|[a-z]{1,5}-?\d+"
    r"|\d{1,2})(?:\.\d+)?\s?(?:[.):：、]|[–—-]\s)",
    re.IGNORECASE,
)
"""A heading that starts with the number of a step or a ticket."""
FILE_ITEM = lazy_regex(r"^`?[\w@./-]{0,120}\w(?:/|\.[a-z]{1,5})`?\s{0,2}[-–—:：]\s")
"""A file of a list, before what it contains."""
PATH = lazy_regex(r"`[^`\s]+\.\w{1,6}`")
BARE_FILE = lazy_regex(
    r"^`[^`]{1,160}`\W{1,4}(?:\w{2,20} ){0,3}(?:files?|components?|pages?|config\w{0,9}|modules?|scripts?|styles?"
    r"|types|tests?|exports?|director(?:y|ies)|folders?)\W{0,3}$|^(?:a |the )?new `[^`]{1,160}` (?:director(?:y|ies)"
    r"|folders?|files?)\b[^,;:]{0,60}$",
    re.IGNORECASE,
)
"""A name of a file and what kind of file it is."""

HOLLOW = lazy_regex(
    r"^(?:sub)?(?:task|phase|step|задача|этап|tarea|tarefa|étape|aufgabe|taak) [\d.]+ (?:is|are|готов\w*|заверш\w*)\b"
    r"|^已完成(?:修改|实现|工作)$|^(?:(?:已完成|完成)?的?(?:修改|实现|重构|更改|改动|工作|更新|变更)(?:内容"
    r"|成果)?(?:总结|说明|清单|概述)?|(?:已完成|实现|解决|修改)的?(?:核心)?(?:工作|修改|架构|问题|关键文件|内容)"
    r"|.{0,12}完成了?以下(?:工作|修改|任务))$|^(?:(?:now|ahora|agora|maintenant|jetzt|ora|nu),? )?(?:l['’](?=\w)|the"
    r"|all|every\w*|this|these|both|your|it|las?|los|el|le|les|tous|toutes|todo\w*|os|as|o|a|alle|das"
    r"|die)\b.{0,60}?\b(?:complete[dly]*|ready|working|works|available (?:for|in your)|in place|implemented|applied"
    r"|finished|done|success\w*|as requested|as you (?:asked|requested|wanted)|exitosa\w*|con éxito|correctamente"
    r"|correctement|com sucesso|avec succès|erfolgreich|complet[ao]s?|completad\w+|implementad\w+|terminé\w*|prêt\w*"
    r"|list[oa]s?|pront[oa]s?|fertig)\b[^,;:`]{0,60}$|^(?:here(?:['’]s| is| are)|aquí (?:está|tienes)|aqui está|voici"
    r"|hier ist|ecco)\b|^(?:(?:i|we)(?:['’]ve)? )?implemented (?:the|your) (?:\w+ )?plan\b(?! (?:for|to"
    r"|of)\b)[^,:]{0,30}$|\b(?:substantial|significant|good|great|more|some) progress\b|\bis now complete\b"
    r"|^(?:l['’]app\w*|la aplicación|o aplicativo|the app(?:lication)?|die (?:app|anwendung)"
    r"|приложение)\b[^,;:]{0,50}?\b(?:prête?|lancée?|fonctionn\w+|opérationn\w+|lista|funcion\w+|disponible|accessible"
    r"|running|pronto|bereit|läuft|работает|готово)\b|^(?:the|your) (?:[\w-]{1,30} ){1,4}(?:is"
    r"|are) (?:now )?(?:running|working|live|up|open|online|(?:\d+% |fully )?(?:connected|functional|complete))\b"
    r"|^[\w.’'-]+ est (?:maintenant )?(?:lancée?|prête?|accessible|opérationnelle?)\b|^(?:la|cette|esta|a|die"
    r"|diese) (?:fonctionnalité|funcionalidad\w*|funktion)\b[^`]*$|^(?:(?:i|we)(?:['’]ve| have)? )?(?:completed"
    r"|finished) (?:all )?(?:of )?(?:the |your )?(?:\w+ )?(?:tasks?|steps?|work|requests?|changes|implementation)\W*$"
    r"|^(?:[\w'’]+ ){0,3}made (?:\w+ ){0,3}(?:changes|improvements|updates|fixes|modifications)\b(?! (?:in|to) (?:`"
    r"|the (?!code\b|file\b|project\b)(?:[\w'’`-]+ ){2}))|^(?:\w+\s){0,3}both files\b|^(?:все|всё"
    r"|все необходимые)\b.{0,80}\b(?:создан\w*|готов\w*|заверш\w+|выполнен\w*|сохранен\w*)|^(?:すべて"
    r"|全て).{0,40}(?:完了|完成)|^(?:所有|全部).{0,40}(?:完成|完毕)|\bубедил(?:ся|ась)\b|\b(?:exactly|exactamente"
    r"|exactement) (?:what|as|what|lo que|el|comme|ce)\b",
    re.IGNORECASE,
)
"""Reports that all is well: they name nothing that was done."""

DANGLING = lazy_regex(
    r"[，,、]\s?(?:以下是|[让讓]我|接下来|主要|具体|而是|并且|并?进行了以下|包括|包含|其中)[^，。]{0,20}$"
    r"|[\s,;:：–—-]{0,4}(?:[;,]\s(?:and )?(?:now )?(?:i['’]m|i['’]ll|let['’]s|let me)\b.*|[,\s]\s?(?:including|such as"
    r"|like|e\.g\.|incluyendo|incluindo|notamment|darunter|with the following\b.*|con las siguientes\b.*"
    r"|com as seguintes\b.*|avec les \w+ suivant.*|mit folgenden\b.*)|\s(?:with|that|to|and|by|for|so|which|where"
    r"|because|in|at|of|from|into|on|using|que|porque|parce que|avec|dans|con|en|em|mit|von|aus|für|для|из|como|comme"
    r"|since|by making (?:these|the following|several|some) changes|(?:to|that|which) (?:features?|verif(?:y|ies)"
    r"|demonstrates?|includes?|covers?|lists?))|\s(?:only|the following|(?:and|to) (?:kept|keep) only)|,?\s(?:ensuring"
    r"|making|allowing|providing|resulting in|showing|outlining|including|covering|using|via))[\s:：]{0,4}$",
    re.IGNORECASE,
)
SUCCESS = lazy_regex(
    r"(?<!more )\b(?:comprehensive|completely|sophisticated|robust|impressive|stunning|beautiful(?:ly)?|elegant|sleek"
    r"|amazing|powerful|professional|polished|fully functional|fully-functional|production-ready"
    r"|visually appealing)\s(?=[\w`])|\s{1,3}(?:successfully|exitosamente|con éxito|completamente|com sucesso"
    r"|avec succès|erfolgreich|con successo|met succes|успешно)(?=\W{0,4}$)|\b(?:exitosamente|successfully|erfolgreich"
    r"|успешно|полностью|avec succès|con éxito|com sucesso|con successo)\s{1,3}",
    re.IGNORECASE,
)
REQUEST_REFERENCE = lazy_regex(
    r",?\s(?:exactly )?(?:as (?:you )?(?:requested|asked|specified|suggested|described|wanted)|(?:that "
    r"|which )?you(?:['’]ve| have| were| are)? (?:encountered|experienc(?:ed|ing)|seeing|having|facing|requested"
    r"|asked for|identified|mentioned|described|reported|wanted|specified|provided|shared)|for you|as (?:specified"
    r"|described|outlined) in the plan|(?:(?:tal )?(?:como|que)|según) (?:(?:me |lo )?(?:solicitaste|pediste"
    r"|indicaste)|(?:lo )?solicitado)|selon (?:votre|ta|vos|tes) \w+|согласно (?:ваши\w|твои\w|требовани\w+)(?: \w+)?"
    r"|de acordo com (?:o|a|seu|sua) \w+|secondo le tue \w+|volgens (?:je|uw) \w+|nach (?:deinen|ihren) \w+|для вас"
    r"|comme demandé|conforme solicitado|wie gewünscht|come richiesto|zoals gevraagd)(?=\W{0,3}$|,(?! which)|,? and\b)"
    r"|,?\s(?:according to|per|following) (?:the|your) (?:requirements|instructions|request|specifications"
    r"|plan)(?=\W{0,3}$)|\s(?:that|which) you can\b[^.;:`]{0,80}\.?$",
    re.IGNORECASE,
)
"""The end of a statement that points to the request."""

CUT_OFF = lazy_regex(
    r"\b(?:is|are|was|es|son|era|est|sont|é|são|ist|sind|è|sono|zijn|includes?|contains?|the following \w+|(?:is"
    r"|are) now|like this|as follows|now (?:\w{2,12}ly )?(?:explain|show|describe|support|provide|include|use|follow"
    r"|handle|contain|accept|return)s?)\W{0,3}$|\b(?:that|which) (?:will )?\w+(?: you| us)?\W{0,2}$|\b(?:to|that|and"
    r"|or|with|for|the|an?|your|including)\W{0,2}$|[是为為]\W{0,2}$|^(?://|#!|\[[A-Z]{3,}\]|Caused by:|at \w+\.)|;$",
    re.IGNORECASE,
)
"""A sentence without what it says of its subject, which a list or a block of code has, or a line of code or a log."""

YOUR = lazy_regex(r"\byour\b", re.IGNORECASE)

PRAISE_CLAUSE = lazy_regex(
    r",\s(?:thereby |thus )?(?:confirming|demonstrating|ensuring|providing|making|giving|creating|delivering|offering"
    r"|resulting|maintaining|which (?:makes?|ensures?|provides?|gives?))\b[^;:`]{0,120}?\b(?:robust|ready|professional"
    r"|seamless|polished|consisten|smooth|modern|experience|reliab|maintainab|usab|production|intuitive|clean|better"
    r"|easier|quality)\w{0,8}\b[^;:`]{0,80}$",
    re.IGNORECASE,
)
"""The end of a sentence that praises what it states."""

PRAISE = lazy_regex(
    r"\b(?:is|are|be|provides?|offers?|gives?|makes?|looks?)\b[^,;:]{0,60}\b(?:more|much|far|highly|fully"
    r"|now)(?: \w+)? (?:robust|secure|maintainable|reliable|consistent|professional|polished|modern|intuitive"
    r"|efficient|user-friendly|flexible|scalable|organized|clean(?:er)?|functional|operational|responsive"
    r"|production-ready)\b|\b(?:solid foundation|best practices|professional|seamless(?:ly)?|user experience"
    r"|easier to maintain)\b[^`]*$|\bin (?:an? )?(?:\w{2,12} )?(?:excellent|great|good|perfect|solid) (?:shape"
    r"|condition|state)\b|\bwill (?:provide|serve|help|guide|allow|enable|ensure|make|work|show)\b|\bready for (?:you"
    r"|production|use|testing|review)\b|\b(?:diseño|apariencia|aspecto|design|aparência|aussehen"
    r"|apparence) (?:\w{1,12} ){0,2}(?:profesional|professionnel|profissional|professionell|atractiv|attrayant|elegant"
    r"|modern)\w{0,4}\b|\b(?:premium|polished|cohesive|immersive|luxurious|professional) (?:feel|look|experience"
    r"|appearance)\b|\bfor (?:a )?(?:better|improved|enhanced) (?:\w+ )?(?:balance|look|appearance|aesthetics"
    r"|experience|hierarchy)\b|更加?(?:清晰|简洁|簡潔|美观|美觀|安全|高效|灵活|靈活|直观|直觀|现代|專業|专业|稳定|穩定"
    r"|友好|和谐|和諧)|(?:更高|更好|更强|流畅|良好)的|用户体验|用戶體驗|使用体验",
    re.IGNORECASE,
)
"""A sentence that praises the result."""

BARE_UPDATE = lazy_regex(
    r"^(?:(?:i|we)(?:['’]ve)? )?(?:also )?(?:updated?|modified|edited|changed|touched|created|added|new"
    r"|actualizad[oa]s?|modificad[oa]s?|atualizad[oa]s?|modifiée?s?|aktualisiert|更新了?"
    r"|修改了?)\W{0,4}(?:(?:the )?(?:files?|docs?|tests?)\W{0,4})?$",
    re.IGNORECASE,
)
"""A line without its names of files: all it says is that they changed."""

NO_STATEMENT = lazy_regex(
    r"\b(?!\w{1,24}ed\b)(?:\w{1,24} ){0,4}(?:tests?|specs?)(?: `\S{1,80})? (?:still )?fail(?:s|ed)?\b(?!.*\b(?:i"
    r"|we)\b.*\w+ed\b)|(?:also )?(?:added|removed|moved|included|saved|wired|registered|exported|applied|linked) (?:to"
    r"|from|into|in|on|for)\s|(?:utiliser|créer|ajouter|modifier|supprimer|lancer|ouvrir|vérifier|corriger|exécuter"
    r"|implémenter)\b|(?:les?|la|l['’]|the|las?|los|el)\s?[^,;:.]{2,50}?\s(?:que (?:j['’]ai|nous avons|vous|he|hemos)"
    r"|(?:that )?(?:i|we)(?:['’]ve| have)? (?:implemented|made|added))\b[^,;:]{0,40}$|(?:tou[st]e?s? |all |todos? "
    r"|alle )[^,;:.]{2,60}\b(?:ci-dessus|above|anteriores|oben)\b",
    re.IGNORECASE,
)
"""Failing tests, an instruction in the infinitive, or a noun with a relative clause: they only look like a change."""

UNFINISHED = lazy_regex(
    r"^(?:cancell?ed|aborted|interrupted|read file\b|tool call\b|searched\b)|(?:^|[.!]\s)(?:(?:now|next|first|then"
    r"|ok(?:ay)?|so|great|good|finally)[,!.]?\s)?(?:let me(?! know)|let['’]s|i['’]ll|i will|i need to|voy a|vamos a"
    r"|je vais|ich werde|vou|vado a|ik ga)\b(?:[^.?!]|\.(?=\w)){0,200}[.:]?$|(?:接下来|现在)?让我[^。]{0,80}[。：]?$",
    re.IGNORECASE,
)

CODE = lazy_regex(r"`[^`]*`|(?<!\S)(?=\S*?[/\\_=]|\S+?\.\w{1,4}\b)\S++")

PRESENT_AFTER_PAST = lazy_regex(
    r"^((?:\w+ed|made|wrote|rewrote|built|took|put|split|gave)\b(?:[^.;:—\n]|\.(?=\w)){2,160}?),? and "
    r"(?:(?:now|then) )?"
    r"(?:call|use|pass|return|write|check|run|import|apply|wrap|skip|ignore|keep|send|show|raise|throw|log|store|cache"
    r"|load|invoke|handle|reject|accept|validate|parse|strip|remove|reuse|add|compare|convert|render|test|register)s?"
    r" (?:it|them|both|that|this|its)\b(?:[^,.;:—`\n]|`[^`\n]*`|\.(?=\w))*",
    re.IGNORECASE,
)
"""A clause in the present after what was done, which "I" left without its subject: "added a helper and call it"."""

CUT = lazy_regex(
    r"\s[—–-]\s|[:;]\s|[；：]|,\s(?:so|which|because|since|using|with|while|including)\s|，|、(?=\S{8})|\.\s|。"
    r"|\s(?:because|porque|parce que|weil|perché|omdat|потому что)(?!\w)"
    r"|\s(?:that|which) (?:covers?|includes?|provides?|allows?|handles?|transforms?|will|can)\b"
)

LOOSE_CUT = lazy_regex(
    r",\s|\s(?:to(?=\s(?:support|match|handle|includ|use|allow|show|display|make|be|work|fix|prevent|improve|provide"
    r"|ensure|reflect|follow|remove|add|accept|avoid|align|enable|return|store|track|render)\w{0,2}\b)|for|matching"
    r"|based on|when|where|so|from|during|para|pour|afin de|qui|dont|mit|um|для|чтобы)\s"
)
"""Places where a title that no clause ends within its limit is cut."""

POINTS_BACK = lazy_regex(
    r"^(?:(?:this|that|these|those) (?!file\b|test\b)(?:\w+ )?(?:now )?(?:properly |correctly )?(?:follows?"
    r"|integrates?|supports?|is|was|will|ensures?|should|means?|makes?|allows?|gives?|helps?|provides?|keeps?"
    r"|changes?\b)|cela |ça |ceci |esto |isto |isso |das (?:ist|sollte) |dies |questo |это |эт[иао] |これ(?:は|に|で"
    r"|ら)|この(?:方法|修正|変更)|这(?:些|样|个|将|会)|以上|现在您|您可以|实现完全)",
    re.IGNORECASE,
)
"""A sentence whose subject is an earlier one: alone, it states nothing."""

REMEDY = lazy_regex(
    r"\b(?:no longer|no more|now|expected|eliminat\w+)\b|^(?:改进|改善|增强|优化)|不会再|会自动|不再|已[经經]?没有"
    r"|现在|编写了|提供了|可以|read file:",
    re.IGNORECASE,
)
"""Words of a remedy, which no statement of a fault or of its cause has."""

DONE_UNSPACED = lazy_regex(r"了|已|ました|完成|成功|^现在[在由用从对使改统]")

VAGUE_TITLE = lazy_regex(
    r"^(?:no|nothing|none|never|keine?|nessun\w?|aucune?|ning[uú]n\w?|nenhum\w?|geen|yes|sí|oui|ja|да|是的|同时"
    r"|はい)\b|现在.{0,4}开始|\b(?:ready|in place|prêt\w*|list[oa]s?|pront[oa]s?|fertig|готов\w*|as requested"
    r"|you requested|you asked|key (?:features|improvements)|plusieurs|vari[ao]s|vári[ao]s|divers[aeio]s?|mehrere"
    r"|verschillende|несколько|^(?:made|implemented|applied|completed|finished|added) (?:[\w-]+ ){0,4}(?:improvements"
    r"|fixes|enhancements|changes|updates|corrections|modifications)|several|various|some|multiple|following|(?:the"
    r"|all(?: the)?) (?:\w+ ){0,2}(?:needed|requested|specified|actionable|mentioned|suggested|recommended|proposed"
    r"|aforementioned) \w+|entire (?:\w+ )?(?:approach|logic|code)|^(?:implemented|applied|made"
    r"|added) (?:\w+ ){0,2}(?:solutions?|fixes|changes|improvements) to|(?:completed|made|performed) (?:an? "
    r"|the )?(?:\w+ ){0,2}(?:update|clean-?up|enhancement|overhaul|review|improvement|foundation)s?"
    r"|a (?:\w+ )?foundation for|address\w{0,3} .{0,30}feedback|with all (?:the )?(?:\w+ )?(?:features|functionality)"
    r"|all (?:the )?(?:\w+ )?sections for \w+|key (?:\w+ ){0,2}(?:features|improvements|optimi[sz]ations|changes)"
    r"|^(?:added|moved|changed|updated|applied) (?:to|in|for|from)|(?:исправил|решил|устранил)\w* (?:\d+|все"
    r"|критическ\w+|основн\w+)|^критическ\w+|today['’]s|this session|^(?:unit |integration )?tests? (?:have|has|were"
    r"|was) been\b|^(?:created|updated|rewritten|removed|cleaned)(?: \S+){0,8}? \S*(?:todo|progress|changelog|roadmap"
    r"|journal)\S*\.md|our (?:findings|learnings)|is now \d[\w.]*$|\d+ (?:критическ\w+ |основн\w+ )?(?:проблем|ошиб"
    r"|задач)\w*|(?:a|the) solution|requested (?:changes|updates|features|functionality)|both \w+$|all the (?:points"
    r"|changes)|the same (?:\S+ )?changes|(?:tasks?|tickets?|stories|items|requirements|steps?|phases?|paso|fase|faza"
    r"|étape)(?!.{0,22}: \w+ \w)|(?:both|two|three|four|five|\d+|these"
    r"|those) (?:of )?(?:the )?(?:\S+ ){0,3}(?:components|issues|enhancements|pages|files|problems|bugs|changes|fixes"
    r"|recommendations|requests|features)|all (?:the )?(?:sections|pages|components|places|instances)(?! (?:in|of|for"
    r"|to|across|throughout|with|from))|^(?:fixed|resolved|solved|corrected|updated?|modified|improved|adjusted"
    r"|enhanced|changed|revised|refined) (?:(?:the|an?|all) )?(?:[\w`./-]{1,40} ){0,5}(?:pages?|files?|components?"
    r"|modules?|issues?|problems?|bugs?|errors?|docs|documentation|code|functionality|feature"
    r"|system)(?: for (?:[\w-]{1,30} ){0,2}[\w-]{1,30})?$|\byou\b|\beverything\b|\boption \w{1,2}:|^(?:reviewed"
    r"|checked|verified|confirmed|analy[sz]ed)|^(?:also|también|également)|perfect\w*|parfait\w*|perfekt\w*|as you"
    r"|all (?:the |of the )?(?:\w+ ){0,2}(?:issues|problems|bugs|errors|files|tasks|fixes)|completed?(?=:))(?!\w)|您"
    r"|你|(?:所有|全部)(?:相关|相關|的|问题|問題|必要|要求|需要|请求|修改)|步[骤驟]|阶段|階段|主要的?(?:问题|問題|工作"
    r"|任务|任務|功能)|[关關][键鍵](?:性的?)?(?:问题|問題|错误|錯誤)|所有.{0,16}(?:任务|任務|错误|錯誤|工作|问题|問題)"
    r"|完全(?:匹配|符合)|両方の|以下の|已完成$|^(?:created|written|added|updated|creado|criado|créé|creato) (?:an? "
    r"|the |el |un |o |um |le )?(?:\S+ ){0,3}(?:document|documento|markdown file|summary|report|review|resumen|résumé"
    r"|archivo|fichier|arquivo)(?!\w)|^完成了?.{2,20}的?(?:修正|修改|修复|优化|改进|调整)(?:工作)?$|^(?:修改|更新|优化"
    r"|调整|改进|完善|解决|修复)(?:完成)?了?[^，,。；]{2,22}(?:页面|模块|文件|组件|功能|问题|代码|部分|错误)$"
    r"|多[项項](?:重要)?(?:修改|修复|改[进進]|优化|更新)|(?:优化|解决|改进|升级|整合|实现)方案(?!\w)|^(?:之前|此|该)"
    r"|(?:之前|上述|提到|刚才)的?(?:问题|错误)|以下.{0,4}工作|以下(?:主要)?.{2}|进行了[^，。]{0,6}(?:修改|改进|更新"
    r"|调整|优化|完善|修复)(?:[和与].{2})?$|进行了主要|\b(?:created|added|updated|fixed) (?:(?:the|a) )?(?:component"
    r"|issue|problem|page|file|function|feature|code)\b(?! (?:for|of|that|to))|(?:simpler|different|new|better|cleaner"
    r"|alternative|another) (?:approach|way|solution)$|^(?:found|identified) (?:the|an?) (?:\w+ )?(?:issue|problem|bug"
    r"|error)s?\b|^(?:(?:the|all)(?! [^,;:]{2,60}\bnow\b)|these|this|tou[st]e?s?|tod[oa]s?|(?:les?|las?|los|el|il|i|die"
    r"|der|das|de|het|o|os|as?)(?! [^,;:]{2,60}\b(?:ahora|agora|maintenant|désormais|jetzt|nun|ora|nu)\b)|it|now"
    r"|everything) |^(?:(?:ahora|agora|maintenant|jetzt|ora|nu) )?(?:when|cuando|quando|quand|lorsque|wenn|wanneer"
    r"|когда)\s|[,、，]\s?(?:but|pero|mas|mais|aber|ma|maar|но|但)?[^,、，]{0,40}(?:\b(?:errors|errores|erros|erreurs"
    r"|fehler|errori|fouten|ошибк\w+)\b|エラー|错误)[^,、，]{0,12}(?:occurred|appeared|remain|発生|出现)"
    r"|^(?:теперь(?! я )|所有|这|我|现在(?![在由用从对使改统])|已继续|遵命|根据|これ|この)",
    re.IGNORECASE,
)
"""A title that praises, counts or promises."""

FAULT_LABEL = lazy_regex(
    r"(?i)(?:the )?(?:(?:root )?cause|failure|problem|issue|error|bug|reason)\b[^.:]{0,30}:"
    r"|(?:the |el |le |o |das |il |het )?(?:problem[ea]?|problème|issue|error|erreur|erro|fehler|errore|bug)\b.{0,60}"
    r"\b(?:solved|resolved|fixed|solucionado|corregido|résolu|corrigée?|resolvido|corrigido|gelöst|behoben|risolto|corretto|opgelost)"
)
"""The beginning of a text on what was wrong, or on a solved problem: it names no work."""
