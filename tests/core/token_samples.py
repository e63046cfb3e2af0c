"""Texts in many scripts, written for this project, and pieces of code: what the token estimate is judged by."""

CJK = ("Chinese", "traditional Chinese", "Japanese", "Korean", "rare Chinese", "code with Chinese comments")

SAMPLES = {
    "English prose": (
        "The sidecar keeps a coding agent's context continuous: it decides before a run what the agent is told, and "
        "keeps after a run what was learned. When the window fills up, less is injected; the constitution and the "
        "mode are always there. A source that fails becomes a named omission, and a run is never stopped by it.\n"
    ),
    "Markdown list": (
        "# Rules\n\n- Never log a customer's card number.\n- Amounts are integers of cents, always.\n"
        "- Run `pytest -q` before every commit; see [CONTRIBUTING](docs/CONTRIBUTING.md).\n"
        "1. Read `.chati/session.yaml`\n2. Read the handoff of the previous agent (score >= 95%)\n"
    ),
    "Python": (
        "def discounted_price(cents: int, percent: int) -> int:\n"
        '    """Gives the price after a discount; raises ValueError below zero."""\n'
        '    if not 0 <= percent <= 100:\n        raise ValueError(f"no such discount: {percent}%")\n'
        "    return cents * (100 - percent) // 100\n\n\nclass CartLine(NamedTuple):\n    sku: str\n    quantity: int\n"
    ),
    "TypeScript": (
        "export async function fetchCart(id: string, options?: RequestInit): Promise<Cart> {\n"
        "  const response = await fetch(`/api/carts/${encodeURIComponent(id)}`, { ...options })\n"
        "  if (!response.ok) throw new HttpError(response.status, await response.text())\n"
        "  return (await response.json()) as Cart\n}\n"
    ),
    "JSON": (
        '{\n  "name": "till",\n  "version": "1.4.2",\n  "scripts": {\n    "test": "vitest run",\n'
        '    "build": "tsc -p tsconfig.json"\n  },\n  "dependencies": { "zod": "^3.22.4" }\n}\n'
    ),
    "YAML": (
        "project:\n  name: till\n  type: greenfield\n  state: build\nagents:\n  brief:\n    status: completed\n"
        '    score: 96\n    completed_at: "2026-02-10T10:15:00Z"\n  detail:\n    status: in_progress\n    score: 45\n'
    ),
    "log": (
        "2026-03-01T09:30:00.123Z ERROR [worker-7] 10.0.0.12:5432 connection refused (attempt 3/5, 1500 ms)\n"
        "FAILED tests/test_cart.py::test_total - AssertionError: assert 1099 == 1100\n1 failed, 212 passed in 4.31s\n"
    ),
    "Portuguese": (
        "A ferramenta mantém o contexto do trabalho entre sessões diferentes. Quando a janela fica cheia, ela decide "
        "o que o agente precisa saber antes de cada execução; não há exceções à decisão já tomada.\n"
    ),
    "French": (
        "L’outil conserve le contexte du travail d’une session à l’autre. Lorsque la fenêtre est presque pleine, il "
        "décide ce que l’agent doit savoir avant chaque exécution — déjà résumé, à côté.\n"
    ),
    "Vietnamese": (
        "Công cụ này giữ ngữ cảnh công việc giữa các phiên khác nhau. Khi cửa sổ ngữ cảnh gần đầy, nó quyết định tác "
        "nhân cần biết điều gì trước mỗi lần chạy và có thể bỏ qua điều gì.\n"
    ),
    "Russian": (
        "Этот инструмент сохраняет контекст работы между разными сеансами. Когда окно контекста заполняется, он "
        "решает, что агент должен узнать перед каждым запуском и что можно опустить.\n"
    ),
    "Greek": (
        "Το εργαλείο αυτό διατηρεί το πλαίσιο της εργασίας ανάμεσα στις συνεδρίες. Όταν το παράθυρο γεμίζει, "
        "αποφασίζει τι πρέπει να γνωρίζει ο πράκτορας πριν από κάθε εκτέλεση.\n"
    ),
    "Arabic": (
        "تحتفظ هذه الأداة بسياق العمل بين الجلسات المختلفة. عندما يمتلئ السياق، تقرر ما الذي يجب أن يعرفه الوكيل "
        "قبل كل تشغيل وما الذي يمكن حذفه دون خسارة.\n"
    ),
    "Hebrew": (
        "הכלי הזה שומר על ההקשר של העבודה בין הפעלות שונות. כאשר חלון ההקשר מתמלא, הוא מחליט מה הסוכן צריך לדעת "
        "לפני כל הרצה ומה אפשר להשמיט.\n"
    ),
    "Hindi": (
        "यह उपकरण अलग-अलग सत्रों के बीच काम का संदर्भ बनाए रखता है। जब संदर्भ भर जाता है, तो यह तय करता है कि प्रत्येक "
        "रन से पहले एजेंट को क्या बताया जाए और क्या छोड़ा जा सकता है।\n"
    ),
    "Bengali": "এই সরঞ্জামটি বিভিন্ন অধিবেশনের মধ্যে কাজের প্রসঙ্গ বজায় রাখে এবং কিছুই হারায় না।\n",
    "Tamil": "இந்தக் கருவி வெவ்வேறு அமர்வுகளுக்கு இடையே பணியின் சூழலைப் பாதுகாக்கிறது.\n",
    "Thai": (
        "เครื่องมือนี้เก็บบริบทของงานระหว่างเซสชันต่าง ๆ เมื่อบริบทใกล้เต็ม ระบบจะตัดสินใจว่าเอเจนต์ควรได้รับข้อมูลใด"
        "ก่อนการทำงานแต่ละครั้ง และข้อมูลใดสามารถตัดออกได้\n"
    ),
    "Georgian": "ეს ინსტრუმენტი ინარჩუნებს სამუშაოს კონტექსტს სხვადასხვა სესიებს შორის.\n",
    "Armenian": "Այս գործիքը պահպանում է աշխատանքի համատեքստը տարբեր նիստերի միջև։\n",
    "Chinese": (
        "这个工具在不同的会话之间保持工作上下文的连续性。当上下文窗口快要填满时，它会决定在每次运行之前应该告诉代理什么，"
        "以及可以省略哪些内容。数据永远不会离开用户的计算机。\n"
    ),
    "traditional Chinese": (
        "這個工具在不同的工作階段之間保持上下文的連續性。當視窗快要填滿時，系統會決定應該告訴代理什麼，並且省略哪些內容。"
        "資料永遠不會離開使用者的電腦，這是鐵則。\n"
    ),
    "rare Chinese": "龘靐齉爩鱻麤龗灪吁龖厵滟爨癵籱饢驫鲡鹂鸾𠀀𠀁𠀂𠀃𠮷野家𡈽\n",
    "Japanese": (
        "このツールは、異なるセッションの間で作業の文脈を保ちます。コンテキストが埋まってくると、実行の前にエージェントへ"
        "何を伝えるべきか、何を省けるかを決めます。データが端末の外に出ることはありません。\n"
    ),
    "Korean": (
        "이 도구는 서로 다른 세션 사이에서 작업의 맥락을 유지합니다. 컨텍스트 창이 가득 차면 실행하기 전에 "
        "에이전트에게 무엇을 알려야 하는지, 무엇을 생략할 수 있는지 결정합니다.\n"
    ),
    "code with Chinese comments": (
        "# 计算购物车的总价，折扣以百分比表示\ndef total(lines, percent):\n    # 金额总是以分为单位的整数\n"
        "    return sum(line.cents for line in lines) * (100 - percent) // 100\n"
    ),
    "emoji": "🚀 Release day 🎉 tests ✅ lint ❌ 🔥 hot 💡 ideas 🧪📦 👍🏽 done\n",
    "a tree in boxes": "├── src\n│   ├── cart.py\n│   └── prices.py\n└── tests → “quoted” … ≥ 2 ≤ 5 ×\n",
}
