"""Words by which rules are compared within and across ten languages: shared concepts, negations, function words. Pure.

A row of the tables lists what means much the same in English, Portuguese, Spanish, French, German, Italian, Dutch,
Russian, Japanese and Chinese. A word that ends with `*` stands for all words with that beginning. Accents are left out.
Words that look alike in two languages need no row.
"""

import unicodedata
from functools import lru_cache

GENERIC_ROWS = """
use* using usar usa usas usan use usem usamos uso utiliz* utilis* emple* verwend* benutz* nutz* nutze nimm gebruik* usiamo использ* 使用 使う 使って 使い 使わ 利用 用
always siempre sempre toujours immer stets altijd всегда 常に 必ず いつも 总是 始终 一直 永远 必须 務必 务必 一律 forever jederzeit permanent*
every each all everything everywhere whole entire todo todos toda todas cada tudo tout tous toute toutes chaque partout alle alles allen aller jede* ganze* uberall tutto tutti tutta tutte ogni ovunque elk elke ieder* overal все всё весь вся каждый каждая каждое каждого везде すべて 全て 全部 全体 全 毎回 毎 每 每个 所有 一切 都 整个 到处
only just solo solamente somente apenas unicamente seulement uniquement nur ausschliesslich lediglich soltanto alleen slechts enkel только лишь だけ のみ 只 仅 只能 只有
must should shall have_to need* necesit* precis* deb* dever* tem tiene* hay doit doivent faut muss mussen soll* deve devono moet* moeten нужно надо должн* следует べき 必要 必须 应该 應該 需要 要
want* wish* like* prefer* quer* quier* prefier* prefir* voulo* veux veut souhait* mocht* will bevorzug* lieber vogli* vorre* preferi* wil willen liever хоч* предпочит* 好む 優先 希望 想 喜欢 更喜欢 偏好 优先
make* do does done doing hacer haz haga* faz faze* faca* faire fais fait fasse mach* tun fare fai faccia doe doen сдела* делат* делай* する やる 做 进行
please bitte favor gentile svp pozhaluysta пожалуйста ください お願い 请
keep* maintain* stay* remain* mantener manten* mante* permane* gard* conserv* rest* behalt* bleib* beibehalt* halte* tien* mantie* houd* blijf* оставля* оставь* держ* сохран* 維持 保つ 保持 维持 保留
be is are was sein ist sind
agent agente user usuario utilizador utilisateur nutzer benutzer utente gebruiker пользовател* ユーザー ユーザ 用户 客户
way manner forma manera maneira modo facon maniere weise art maniera wijze manier способ* 方法 方式 仕方
"""
"""Words that carry a rule and say little about its subject."""

CONTENT_ROWS = """
test* prueba* prob* essai* tester* pruf* testen collaud* тест* протест* テスト 試験 测试
run* execut* ejecut* corr* lanc* exec* ausfuhr* laufen lauf* startet starte* esegui* avvia* uitvoer* draai* voer запус* выполн* 実行 走らせ 運行 运行 执行 跑
write* writing wrote written type typing typed tecle* tipp* escrib* escrev* ecri* redig* schreib* scriv* scritt* schrijf* schrev* пиш* писа* напиш* 書く 書き 書いて 書か 記載 记述 写 编写 书写 記述
read* leer lea leia* lire lis* lies lesen leggi* legge* lees* lezen чита* прочита* 読む 読み 読んで 读 阅读 看
commit* commite* committ* confirm* einche* коммит* закоммит* コミット 提交
push* empuj* envi* pouss* hochlad* пуш* プッシュ 推送
change* changing touch* toque* tocar toca* touche* anfass* tocca* aanrak* трог* modif* edit* alter* cambi* mud* chang* ander* geander* bearbeit* veränder* bewerk* aanpass* wijzig* adjust* ajust* anpass* измен* меня* правь* редактир* 変更 修正 編集 いじ 触 さわ 改 修改 更改 编辑 改动 调整 update* actualiz* atualiz* actualis* aktualis* aggiorn* bijwerk* обнов* 更新
delete* deleting remove* removing erase* drop* borr* elimin* suprim* remov* apag* exclu* delet* supprim* efface* enlev* retir* losch* entfern* cancell* rimuov* togli* verwijder* wis удал* убира* убрать 削除 消す 消さ 消し 取り除 删除 删掉 删 移除 去掉 清除
add* append* insert* anad* agreg* adicion* acrescent* ajout* inser* hinzu* erganz* einfug* aggiung* toevoeg* voeg добав* 追加 加える 添加 增加 加上
create* creating make making made mach* hacer haz faz faire generat* crea* criar* crie* cree* crear cre* generer gener* erzeug* erstell* anleg* genera* maak aanmak* maken созда* генерир* 作成 作る 作ら 作って 生成 創建 创建 新建 建立 build* constru* baut bauen
replace* reemplaz* substitu* remplac* ersetz* sostitu* vervang* замен* 置き換え 置換 替换 取代
answer* reply replies respond* respuesta* respost* repond* repons* antwort* rispond* rispost* antwoord* отвеча* ответ* 答え 回答 返答 返事 答复 回复
ask* question* pregunt* pergunt* demand* pose* frag* chied* domand* vraag* vrag* спрос* спраш* вопрос* 質問 聞く 聞いて 尋ね 問い 问 提问 问题 询问 征求 consult*
explain* descri* explic* expliq* erklar* beschreib* spieg* uitleg* beschrijf* объясн* опис* 説明 解释 说明 描述
show* display* mostr* exib* affich* montr* anzeig* zeig* visualizz* toon* weergeven показ* отобра* 表示 見せ 显示 展示
check* verif* comprob* revis* chequ* uberpruf* kontroll* controll* controleer* провер* 確認 検証 チェック 检查 确认 验证 核对 make_sure ensure* asegur* garant* assur* sicherstell* assicur* zorg* убед*
wait* esper* aguard* attend* wart* aspett* wacht* жд* подожд* 待つ 待って 待て 等待 等
stop* stopp* pare parar deten* arret* anhalt* ferm* останов* 止め 停止
allow* permit* permiso permission* approv* approb* aprob* aprov* genehm* erlaub* zustimm* erlaubnis consent* autoriz* autoris* permess* toestemm* goedkeur* разреш* одобр* 許可 承認 允许 批准 同意 许可
open* abiert* abert* abrir* ouvert* ouvr* offen* geoffnet offn* apert* apri* geopend* открыт* откры* 開く 開い 打开 开放
close* closed cerrad* fechad* ferme geschlossen chius* gesloten закры* 閉じ 关闭
file* archivo* arquivo* ficheiro* fichero* fichier* datei* bestand* файл* ファイル 文件
folder* director* carpeta* pasta* dossier* repertoire* ordner* verzeichn* cartell* map mappen папк* каталог* 目录 フォルダ ディレクトリ 文件夹 資料夾
code* codigo* kod* quellcode codice код* コード 代码 代碼 程序 coding program* programm* programac*
comment* comentar* commentair* kommentar* comment* commentaar opmerking* коммент* コメント 注释 註釋 注解
document* docs documentac* documentat* dokument* документ* ドキュメント 文書 文档 資料 文件資料 readme*
spec* especific* specific* spezifik* специфик* 仕様 规格 规范 規格
rule* regla* regra* regle* regel* regol* правил* ルール 规则 規則 convention* convenc* konvention*
name* naming nombre* nome* nom noms nomm* benenn* namen nomi naam benoem* имя имен* назван* 名前 命名 名称 名字 名
variable* variavel variaveis variab* переменн* 変数 变量
function* funcion* func* fonction* funktion* funzion* functie* функци* 関数 函数 機能 功能 feature* method* metod* метод* メソッド 方法
class* clase* classe* klass* класс* クラス 类
component* komponent* компонент* コンポーネント 组件 部件
button* boton* bota* botao* bouton* knopf schaltflach* taste* pulsant* bottone* knop* кнопк* ボタン 按钮
window* ventana* janela* fenetre* fenster* finestr* venster* окн* ウィンドウ 窗口
screen* pantalla* tela* ecran* bildschirm* scherm* schermat* экран* 画面 スクリーン 屏幕 界面
page* pagina* seite* страниц* ページ 页面 网页 页
table* tabla* tabela* tableau* tabell* tabelle* таблиц* テーブル 表 表格
database* db datos banco base* datenbank* baza* баз* данн* データベース データ 数据库 数据 資料庫 data dados daten dati donnee* gegevens
website* site* sitio* webseite* сайт* サイト 网站 网页
view* viewpoint* 目線 視点 视角 vista* vistas visao vue ansicht* weergave* вид представлени* ビュー 视图
color* colour* cor cores coul* farb* color* kleur* цвет* 色 カラー 颜色 配色
style* estil* stil* stijl* стил* スタイル 样式 风格
design* disen* entwurf gestalt* ontwerp* дизайн* デザイン 设计 layout*
font* fuente* fonte* police* schrift* caratter* lettertype* шрифт* フォント 字体
image* imagen* imagem bild* immagin* afbeelding* изображ* 画像 图片 图像
button* 按鈕
language* idioma* lingu* langue* sprach* taal языке язык* 言語 语言 語
english ingles* anglais* englisch* engels* английск* 英語 英语 英文
german aleman* alema* allemand* deutsch* tedesc* duits* немецк* ドイツ語 德语
spanish espanol* espanhol* espagnol* spanisch* spagnol* spaans* испанск* スペイン語 西班牙语
french frances* francais* franzos* frances* frans* французск* フランス語 法语
portuguese portugu* portugais* portugies* portoghes* португальск* ポルトガル語 葡萄牙语
italian italian* italien* italiaans* итальянск* イタリア語 意大利语
russian ruso russo russe russisch* русск* ロシア語 俄语 俄文
japanese japon* giappon* japans* японск* 日本語 日语
chinese chin* cines* китайск* 中国語 中文 汉语
tab tabs tabulador* tabula* tabulat* tabulaz* табуляц* タブ 制表符
space* espacio* espaco* espace* leerzeichen spazi* spatie* пробел* スペース 空白 空格
version* versao* versie* верси* バージョン 版本
library* librer* bibliot* biblioth* libreri* lib libs библиот* ライブラリ 库 函式庫
manag* gestion* gerenc* verwalt* beheer* управл* менеджер* 管理
package* paquete* pacote* paquet* paket* pacchett* pakket* пакет* パッケージ 包
tool* herramienta* ferramenta* outil* werkzeug* strument* gereedschap* hulpmiddel* инструмент* ツール 道具 工具
server* servidor* serveur* сервер* サーバ 服务器 伺服器
install* instal* installier* установ* インストール 安装
import* importac* импорт* インポート 导入
export* exportac* экспорт* エクスポート 导出
branch* rama* ramo* branche* zweig* ветк* ブランチ 分支
error* erro* erreur* fehler* fout* ошибк* エラー 错误 報錯 报错
log* logging registr* journal* protokoll* лог* журнал* ログ 日志 记录
print* imprim* druck* ausgeb* stamp* печат* вывод* 出力 打印 输出
message* mensaj* mensag* messag* nachricht* messagg* bericht* сообщен* メッセージ 消息 信息
problem* problema* probleme* проблем* 問題 问题 issue*
solution* solucion* soluc* losung* soluzion* oplossing* решени* 解決 解决 方案 solve* resolv* los*
work* trabaj* trabalh* travail* arbeit* funktionier* lavor* werk* funcion* fonctionn* работ* 動く 動作 工作 干活
task* tarea* tarefa* tache* aufgabe* compit* taak* taken задач* タスク 任务
plan* piano* plano* plans план* 計画 计划
step* paso* passo* etape* schritt* stap* шаг* ステップ 手順 步骤
project* proyecto* projeto* projet* projekt* progett* проект* プロジェクト 项目
repository repo repos repositor* depot* репозитор* リポジトリ 仓库
token* токен* トークン 令牌
secret* secreto* segredo* geheim* segret* секрет* 秘密 机密
password* contrasen* senha* passwort* kennwort mot_de_passe wachtwoord парол* パスワード 密码
key clave* chave* cle cles schlussel* chiav* sleutel* ключ* キー 密钥
folder_of mappe*
account* cuenta* conta compte* konto* account* аккаунт* учетн* アカウント 账号 账户
user_own personal* personlich* persoon* личн* 個人 个人 perso
customer* client* kund* cliente* klant* клиент* 顧客 客户
number* numero* nombre* zahl* nummer* getal* числ* номер* 数字 番号 号码 数
one single un una um uma uno une ein eine eine* einzig* unic* einem einen een enkele один одна одно одного единствен* 一つ 一個 一 一个 单个 1
two both dos dois duas deux zwei due twee два две 二つ 二 两 两个 2
three tres trois drei tre drie три 三 三个 3
five cinco cinq funf cinque vijf пять 五 5
ten diez dez dix zehn dieci tien десять 十 10
first primer* premier* erst* prim* eerst* перв* 最初 第一 首先 先
before antes avant bevor vor prima voordat voor перед прежде 前 之前 以前
after despues depois apres nach nachdem dopo nadat после 後 之后 以后
new nuev* nov* nouv* neu neue* nuov* nieuw* нов* 新しい 新 新的
old viej* antig* velh* ancien* alt alte* vecchi* oud* стар* 古い 旧 旧的
same mism* mesm* meme* gleich* dasselbe derselbe dieselbe selb* stess* zelfde одинак* тот_же 同じ 同一 相同 一样 同样
other* otr* outr* autr* ander* altr* друг* 他の 其他 别的
different* diferent* different* verschied* divers* verschillend* разн* 違う 異なる 不同
simple* simpl* einfach* semplic* eenvoudig* прост* シンプル 簡単 简单 简洁
possible posible* possivel possible* moglich* possibil* mogelijk* возможн* 可能 尽可能 尽量
small* pequen* petit* klein* piccol* маленьк* 小さい 小
big large* grand* gross* groess* groot* больш* 大きい 大 较大 greater mayor* maior* superieur* maggior*
light clar* clair* hell* chiar* licht* светл* ライト 浅色 亮
dark oscur* escur* sombre* dunk* scur* donker* темн* ダーク 深色 暗
green verde* vert* grun* groen* зелен* 緑 绿 绿色
blue azul* bleu* blau* blu blauw* син* 青 蓝 蓝色
orange naranja* laranja* arancion* oranje оранжев* オレンジ 橙
purple morad* rox* violet* lila viola paars фиолетов* 紫
black negr* pret* noir* schwarz* nero nera zwart* черн* 黒 黑
white blanc* branc* weiss* bianc* wit witte бел* 白
grey gray gris* cinza* grau* grigi* grijs* сер* 灰 グレー
pink rosa* rose* roze розов* ピンク 粉
red roj* vermelh* rouge* rot rote* ross* rood rode красн* 赤 红 红色
yellow amarill* amarel* jaune* gelb* giall* geel gele желт* 黄色 黄
primary primari* primair* hauptfarb* primar* основн* プライマリ 主要 主色
percent* porcent* pourcent* prozent* percentual* procent* процент* パーセント 百分比 %
decimal* dezimal* nachkomma* десятичн* 小数
bold negrit* gras fett* grassett* vet жирн* 太字 粗体
comma coma* virgul* komma* запят* カンマ 逗号
round* redond* arrond* rund* gerundet arroton* afgerond* afrond* округл* 丸め 四捨五入 圆角 取整
time* vez veces vezes fois volta keer раз 回 次 tiemp* temp* zeit* tijd* врем* 時間 时间
second* segund* sekund* secondi secondo seconde* секунд* 秒
day* dia* jour* tag tage giorn* dag дн* день 日 天
phase* fase* phase* фаз* этап* フェーズ 阶段
mobile movil* mobil* celular* telefono* telefon* handy smartphone* телефон* мобильн* 携帯 モバイル 手机 移动端
staff personal equipe personnel mitarbeiter* personale personeel сотрудник* スタッフ 员工
quick* fast rapid* schnell* veloc* snel* быстр* 速く 素早く 快速 快
permission_wait erlaub*
agree* concord* acord* akkoord соглас* 合意 达成
many much several viel* much* muit* beaucoup molt* veel много 多 たくさん 太多
thing* cosa* coisa* chose* ding* sache* вещ* 事 东西
limit* grenz* confin* лимит* предел* 制限 限制
general* allgemein* обще* 総じて 全般 总体 整体 全体的
relat* relacion* zugehor* связан* 関連 相关
object* objet* objekt* oggett* объект* オブジェクト 对象
think* pens* denk* дума* 考え 思考 想
shape* form formas formes formen forme vorm* форм* 形 図形 形状
position* posic* positi* posiz* позици* 位置
size* tamano* tamanh* taille* gross* groesse dimension* grootte размер* サイズ 大小 尺寸
memory memoria* memoire* speicher* gedachtnis geheugen памят* メモリ 记忆 内存
history historial* historic* histoire* historique* verlauf geschichte* storia* cronolog* geschiedenis истори* 履歴 历史
configuration config* konfig* einstellung* ajuste* instelling* конфиг* настро* 設定 配置 设置 setting*
detail* detalh* detall* einzelheit* dettagl* детал* подробн* 詳細 詳しく 细节 详细 細かく
product* produkt* prodott* продукт* 製品 产品
type* tipo* typ* типы тип* 型 タイプ 类型
parameter* parametr* param* параметр* 引数 パラメータ 参数
principle* princip* prinzip* принцип* 原則 原则
part* teil* deel част* 部分
separate* separ* getrennt* trenn* gescheiden scheid* разделя* отдельн* 分離 分ける 分开 分离 拆分
reuse* reutiliz* reutilis* wiederverwend* riutilizz* hergebruik* переиспольз* 再利用 复用 重用
clean* limpi* limp* nettoy* propre* sauber* puli* schoon* чист* きれい 清理 干净
clear* klar* clair* chiar* duidelijk* ясн* понятн* 明確 清楚 明确
help* ayud* ajud* aid* hilf* helf* aiut* help* помо* 手伝 帮助
send* envi* mand* envoy* send* schick* invi* stuur* отправ* 送る 送信 发送
save* guard* salv* sauvegard* enregistr* speicher* salva* opslaan bewaar* сохран* 保存 储存
call* llamad* chamad* appel* aufruf* chiamat* aanroep* вызов* 呼び出 调用
copy copi* kopier* kopi* копир* コピー 复制
move* mover* mov* deplac* verschieb* spost* verplaats* перемест* перенес* 移動 移动 移到
update_all 全更新
visible present* sichtbar anwesend visibil* zichtbaar видим* 表示 可见 显示
waste* desperdic* malgast* gaspill* verschwend* sprec* verspil* тратить 無駄 浪费
unsure uncertain* insegur* incert* unsicher* onzeker* dud* doubt* неуверен* 不明 不确定 unclear unklar*
intent* intenc* intenz* absicht* bedoeling* намерен* 意図 意图
shorter short* brief* kurz* cort* curt* court* kort* breve* коротк* 短く 短い 简短 简洁
work_around bypass* umgeh* evit* contorn* contourn* aggir* omzeil* обход* обойти 迂回 回避 绕过
migration* migrac* migraz* migrier* миграц* 移行 マイグレーション 迁移
destroy* destru* detrui* zerstor* distrugg* vernietig* уничтож* 破棄 销毁
rebuild* reconstru* neu_aufbau* ricostru* herbouw* пересозд* 再構築 重建
directly direct* direkt* diretta* rechtstreeks прям* 直接
correspond* entsprech* overeenkom* соответств* 対応 对应
suggest* suger* proponer vorschlag* vorschla* sugger* voorstel* предлаг* 提案 建议
note* nota* notiz* notit* appunt* заметк* メモ 笔记 备注
infra* infrastruct* infraestr* infrastrukt* инфраструкт* インフラ 基础设施
forbid* forbidden prohib* proib* interdit* verbot* vietat* verboden запре* 禁止
develop* desarroll* desenvolv* entwick* svilupp* ontwikk* разработ* 開発 开发
text* texto* testo* tekst* текст* テキスト 文本 文字
indent* sangr* recuo* einruck* rientr* inspring* отступ* インデント 字下げ 缩进
say* saying said state* decir* digas diga* dizer* dire dis dites sag* dice* dicendo zeg* сказ* говор* 言う 言わ 言って 说 说明
done finish* ready complet* listo lista termin* pronto pronta acab* fini* fertig abgeschloss* finit* klaar af готов* заверш* 完了 完成 終わ 做完
claim* afirm* affirm* behaupt* beweer* утвержд* 主張 声称
pass* passing pasa* passa* bestand* besteh* slagen geslaagd проход* パス 合格 通过
fail* falla* falha* echou* fehlschlag* fallisc* falen mislukt упа* 失敗 失败
review* revis* uberpruf* begutacht* relec* beoordeel* ревью レビュー 审查 评审
merge* fusion* mescl* zusammenfuhr* samenvoeg* слия* マージ 合并
deploy* despleg* implant* deploi* ausroll* bereitstell* distribu* uitrol* разверн* деплой デプロイ 部署 发布
release* lanzam* versao veroffentlich* uitgave релиз* リリース 发行
start* inicia* comenz* comec* demarr* commenc* beginn* anfang* iniz* start нач* 開始 始め 启动 开始
end* fin final* ende* beende* fine einde конец конц* 終了 最後 结束 最后
find* encontr* encontrar trouv* find* trova* vind* найд* найти 見つけ 探す 找 查找
fix* repar* arregl* corrig* consert* beheb* fehlerbeheb* sistem* ripar* repareer* исправ* почин* 直す 直し 修复 修好
break* romp* quebr* cass* kaputt* zerstor* romper rott* breek* stuk слома* лома* 壊 破坏 弄坏
existing current aktuell* actuel* huidig* 当前 exist* vorhanden* bestaand* существу* 既存 已有 现有
public publico* publique* offentlich* pubblic* openbaar публичн* 公開 公开
private privad* prive* privat* prive приватн* 非公開 私有 私人
team equipo* equipe* mannschaft gruppo squadra команд* チーム 团队
own propri* propio* propre* eigen* proprio свой свою своего свои собствен* 自分 自己
manual* manualmente handisch handmatig вручную 手動 手动
automatic* automat* автомат* 自動 自动
format* formatier* форматир* フォーマット 格式 格式化
lint* linter linters линт* リント 代码检查
review_time прежде_чем
line* linea* linha* ligne* zeile* riga righe regel* строк* 行
link* enlace* liga* lien* verknupf* collegament* koppeling* ссылк* リンク 链接
word* palabra* palavra* mot mots wort* worter parol* woord* слов* 単語 言葉 单词 词
title* titulo* titre* titel* titol* заголов* タイトル 标题
summary summar* resumen* resumo* resum* zusammenfass* riassunt* samenvat* резюме 要約 まとめ 总结 摘要
list* lista* liste* elenc* lijst* спис* リスト 一覧 列表 清单
field* campo* champ champs feld* veld* поле поля フィールド 字段
form_input formular* formulario* formulaire* modul* форма フォーム 表单
menu* menu* меню メニュー 菜单
dialog* modal* dialog* диалог* モーダル ダイアログ 对话框 弹窗
header* cabecera* encabez* cabecalho* en-tete kopfzeil* intestaz* koptekst* заголовок ヘッダー 页头
border* borde* borda* bordure* rand rahmen bordo rand границ* 枠 边框
date* fecha* data date* datum* дата даты 日付 日期
price* precio* preco* prix preis* prezz* prijs* цен* 価格 値段 价格
money dinero dinheiro argent geld soldi геld деньг* お金 钱 金额
currency moneda* moeda* devise* wahrung* valuta* валют* 通貨 货币
order* pedido* commande* bestell* ordin* bestelling* заказ* 注文 订单
guest* huesped* hospede* invite* gast gaste ospit* gast* гост* ゲスト 客人
product_item articulo* artigo* article* artikel* articol* товар* 商品 产品
session* sesion* sessao* seance* sitzung* sessione sessie* сесс* сеанс* セッション 会话
request* solicitud* pedido requete* anfrage* richiest* verzoek* запрос* リクエスト 请求
response* respuest* antwort* rispost* ответ* レスポンス 响应
frontend* 前端 フロントエンド
backend* 后端 後端 バックエンド
assum* suppos* annehm* 前提 假设
endpoint* api apis schnittstell* эндпоинт* エンドポイント 接口
cache* caching* кэш* キャッシュ 缓存
dependency dependenc* dependenci* abhangig* dipendenz* afhankelijk* зависимост* 依存 依赖
environment* entorno* ambiente* environnement* umgebung* omgeving* окружен* среда 環境 环境
production produccion produca* produktiv* produktion* produzione productie прод* 本番 生产环境
staging preproduc* стейдж* ステージング 预发
backup* respaldo* copia_seguridad sauvegard* sicher* резервн* бэкап* バックアップ 备份
script* guion* guion skript* скрипт* スクリプト 脚本
command* comando* commande befehl* comando opdracht* команда команды команду コマンド 命令
terminal* consola* console* konsole* терминал* консол* ターミナル コンソール 终端 控制台
network red redes rede* reseau* netzwerk* rete netwerk* сет* ネットワーク 网络
offline sin_conexion hors_ligne ohne_netz офлайн* オフライン 离线
security segur* seguranc* securit* sicherheit* sicurez* beveilig* безопасност* セキュリティ 安全
performance rendimiento* desempenho* leistung* prestaz* prestatie* производительн* 性能 パフォーマンス
readable legib* lisib* lesbar* leggibil* leesbaar* читаем* 読みやす 可读
short_name abbrev* abrev* abkurz* сокращ* 略 缩写
duplicate* duplic* doppel* verdoppel* dubbel* дубл* 重複 重复
example* ejemplo* exemplo* exemple* beispiel* esempi* voorbeeld* пример* 例 例子
reason* razon* motivo* raison* grund grunde ragione reden* причин* 理由 原因
decision* decid* decis* entscheid* entschied* beslis* решен* 決定 决定
opinion* opinion* avis meinung* parere mening* мнени* 意見 意见
idea* idee* vorstellung* идея 想法
instead* statt* anstatt вместо 代わり 代替
inside dentro dedans innerhalb binnen внутри 中に 里面
outside fuera fora dehors ausserhalb fuori buiten снаружи 外 外面
top arriba cima haut oben sopra alto boven сверху 上部 顶部
bottom abajo baixo bas unten sotto onder снизу 下部 底部
left izquierd* esquerd* gauche* links sinistr* лев* 左
right_side derech* direit* droit* rechts destr* прав* 右
center centro* centr* mitte zentr* midden центр* 中央 居中
rounded abgerundet* arredondad* arrondi* arrotondat* скругл* 角丸 圆角
hide* ocult* escond* cach* versteck* verberg* nascond* verberg* скры* 隠す 隐藏
click* clic* klick* клик* クリック 点击
select* seleccion* selecion* selectionn* auswahl* auswahlen selezion* selecteer* выбира* выбор* выбер* 選択 选择
enable* habilit* activ* aktivier* abilit* attiv* inschakel* включ* 有効 启用 打开
disable* deshabilit* desactiv* desativ* deaktivier* disabilit* disattiv* uitschakel* отключ* выключ* 無効 禁用 关闭
translate* traduc* traduz* tradui* ubersetz* traduc* vertaal* перевод* перевест* 翻訳 翻译
speak* talk* habl* falar* fale* parl* sprech* reden praat* spreek* говор* разговарив* 話す 话 讲
mention* mencion* mentionn* erwahn* menzion* vermeld* noem* упомин* 言及 提到
remember* recuerd* lembr* rappel* souvien* erinner* merk* ricord* onthoud* запомн* помн* 覚え 记住 记得
approach* enfoque* abordag* approche* ansatz* approcc* aanpak* подход* アプローチ 方式
style_guide leitfaden guia* guide* guideline* richtlinie* linee_guida richtlijn* руководств* ガイドライン 指南 准则
best mejor* melhor* meilleur* beste* migliore* miglior* лучш* 最良 最好 最佳
practice* practica* pratica* pratique* praxis praktik* praktij* практик* プラクティス 实践
open_source quelloffen* otwartozrodl* opensource открытым オープンソース 开源
goal* objetiv* objectif* ziel* obiettiv* doel* цель цели 目標 目标 目的
focus* enfoc* foc* konzentrier* concentr* focus* сосредоточ* 集中 专注
thorough* gründlich grundlich a_fondo fond approfond* grondig тщательн* 徹底 彻底
careful* cuidad* prudent* soigneus* vorsichtig* sorgfaltig* attent* voorzichtig* осторожн* аккуратн* 注意 慎重 小心
group* agrup* regroup* grupp* raggrupp* groepe* группир* グループ 分组 分類 分类
module* modul* модул* モジュール 模块 模組
progress* avanc* progres* fortschritt* voortgang* прогресс* 進捗 进度 进展
share* sharing compart* compartilh* partag* teil* geteilt* condivid* condivis* deel* делит* подел* 共有 共享 分享
custom* personaliz* personnalis* benutzerdefiniert* aangepast* кастомн* пользовательск* カスタム 自定义
default* predetermin* defecto padrao defaut* voreinstell* predefinit* standaard* умолчан* デフォルト 既定 默认
browser* naveg* navigateur* браузер* ブラウザ 浏览器
prompt* aufforder* промпт* プロンプト 提示
popup* emergent* fenster_pop всплывающ* ポップアップ 弹窗
system* sistem* systeem* систем* システム 系统
infer* guess* adivin* suppos* deduc* vermut* supposer ipotizz* raad* угадыв* предполага* 推測 推断 猜
invent* fabricat* make_up erfind* inventer bedenk* выдум* 捏造 杜撰 编造
source* fuente* fonte* quelle* bron* источник* ソース 来源 数据源
architecture* arquitect* arquitet* architekt* архитектур* アーキテクチャ 架构
framework* marco* rahmenwerk* фреймворк* フレームワーク 框架
category* categor* kategor* категори* カテゴリ 分类 类别
multiple* varios varias plusieurs mehrere vari* meerdere несколько 複数 多个 多种
bad* mal malo mala mauvais* schlecht* cattiv* slecht* плох* 悪い 坏 不好
switch* wechsel* cambiar basculer passer schakel* переключ* 切り替え 切换
truth verdad verdade verite* wahrheit* verita waarheid* правд* истин* 真実 真相
important* wichtig* belangrijk* важн* 重要
rename* renom* umbenenn* rinomin* hernoem* переимен* リネーム 改名 重命名
useful util* nutzlich* nuttig* полезн* 有用 useless
necessary necesar* necessar* notwendig* notig* noodzakelijk* необходим* 必要な 必需 unnecessary innecesari* desnecessar* inutile* unnotig* onnodig* лишн* 不要な
future* futur* zukunft* toekomst* будущ* 将来 未来
archive* archiv* arquiv* архив* アーカイブ 归档 存档
documentation doku* docu*
diagram* diagramm* схем* диаграмм* 図 图表
flow* flujo* fluxo* flux ablauf* fluss* flusso* stroom* поток* フロー 流程
increase* increment* aument* augment* erhoh* verhoog* увелич* 増 增加 bump*
upload* subir sub* televers* hochlad* carica* загру* アップロード 上传
download* descarg* baix* telecharg* herunterlad* scaric* скача* ダウンロード 下载
input* entrada* saisie eingab* inserim* invoer* ввод* 入力 输入
output* salida* saida* sortie* ausgab* uscit* uitvoer* вывод* 出力 输出
validate* valid* валид* バリデ 校验
string* cadena* chaine* zeichenkett* string* строк* 文字列 字符串
constant* konstant* costant* константн* 定数 常量
keyboard* teclado* clavier* tastatur* tastiera* toetsenbord* клавиатур* キーボード 键盘
shortcut* atajo* atalho* raccourci* tastenkurzel* tastenkombination* scorciatoi* sneltoets* ярлык* ショートカット 快捷键
property propied* propried* proprieti* eigenschaft* proprieta* eigenschap* свойств* プロパティ 属性
template* plantilla* gabarit* vorlage* modell* sjabloon* шаблон* テンプレート 模板
theme* tema temas thema* thema's тем* テーマ 主题
responsive adaptativ* adaptable* reaktionsfahig* адаптивн* レスポンシブ 响应式
modern* moderne* современн* モダン 现代
icon* icono* icone* symbol* иконк* アイコン 图标
emoji* emoticon* эмодзи 絵文字 表情
local* locaal* локальн* ローカル 本地
remote* remot* entfernt* distant* удален* リモート 远程
global* глобальн* グローバル 全局
hard_coded hardcod* fest_codiert codificad* хардкод* ハードコード 硬编码 写死
model* modelo* modele* modell* модел* モデル 模型
array* arreglo* tableau* массив* 配列 数组
loop* bucle* boucle* schleife* ciclo* lus* цикл* ループ 循环
async* asincron* asynchron* asincrono* асинхронн* 非同期 异步
wait_time delay* retard* retras* atras* verzoger* ritard* vertrag* задерж* 遅延 延迟
timeout* tiempo_limite тайм* タイムアウト 超时
event* evento* evenement* ereignis* gebeurtenis* событи* イベント 事件
state* estado* etat* zustand* stato* staat* состояни* 状態 状态
query* consulta* requet* abfrage* interrogaz* запрос* クエリ 查询
search* busc* busq* pesquis* recherch* such* cerc* ricerc* zoek* поиск* искать 検索 搜索
filter* filtr* фильтр* フィルタ 过滤 筛选
sort* ordena* tri* sortier* ordina* sorteer* сортир* 並べ替え 排序
login* anmeld* acced* connexion* inlog* вход* логин* ログイン 登录
student* estudiant* alumn* aluno* etudiant* schuler* student* ученик* студент* 学生
teacher* profesor* professor* enseign* lehrer* insegnant* docent* учител* преподавател* 先生 教师 老师
developer* desarrollador* desenvolvedor* developpeur* entwickler* sviluppator* ontwikkelaar* разработчик* 開発者 开发者
sentence* frase* oracion* phrase* satz* zin* предложени* 文章 句子
official* oficial* officiel* offiziell* ufficial* officieel* официальн* 公式 官方
correct* correc* richtig* corrett* juist* правильн* 正しい 正确
follow* segu* sig* suiv* folg* segui* volg* следу* 従う 従って 参照 遵循 按照
implement* umsetz* implementier* реализ* 実装 实现
organize* organiz* organis* ordn* организ* 整理 组织
prioritize* priorit* priorisier* приорит* 優先 优先
recent* reciente* neuest* neuer* recentement свеж* недавн* 最近 最新
attach* adjunt* anex* joindre joint* anhang* allega* bijlag* прикреп* приложи* 添付 附件
together junto* ensemble zusammen* insieme samen вместе 一緒に 一起
productive productiv* produtiv* produktiv* produttiv* продуктивн* 生産的
strict* estrict* estrit* streng* rigoros* strikt* строг* 厳格 严格
identif* kennung* идентифик* 識別 标识
apply* aplic* appliqu* anwend* applic* toepass* примен* 適用 应用
between entre zwischen tra fra tussen между 間 之间
extra* adicional* zusatzlich* supplement* aggiuntiv* дополнительн* 追加の 额外
refactor* refaktor* рефактор* リファクタ 重构
unit* unidad* unidade* unite* einheit* unita eenheid* единиц* юнит* 単体 单元
mock* simul* moque* мок* モック 模拟
real* echt* vrai* reale* реальн* настоящ* 本物 真实
fake* fals* faux fausse falsch* nep* поддельн* фейк* 偽 假的 假
placeholder* platzhalter* marcador* заглушк* プレースホルダ 占位
email* correo* courriel* mail* e-mail* почт* メール 邮件
chat* plauder* чат* チャット 聊天
website_url direccion* endereco* adress* indirizz* adres* адрес* アドレス 地址
week* semana* semaine* woche* settiman* неделя недел* 週 周
"""

NEGATIONS = frozenset(
    """
    not never no nothing nada nichts rien niente nulla niets ничего don't dont doesn't isn't aren't can't cannot won't shouldn't mustn't without avoid stop nor neither
    forbidden prohibited skip less fewer
    nao nunca jamais sem evitar evite pare nem proibido
    menos sin evita evitar tampoco ni prohibido ningun ninguna
    ne n' pas jamais sans eviter evitez aucun aucune ni interdit plus
    weniger nicht nie niemals kein keine keinen keinem keiner ohne vermeide vermeiden verboten nimmer
    meno non mai senza evita evitare nessun nessuna vietato niente
    minder niet nooit geen zonder vermijd vermijden verboden
    меньше не нет никогда без нельзя избегай избегать запрещено
    nie nigdy bez unikaj khong dung
    cancel cancela cancele annule annulez arrete arretez cesse smetti хватит прекрати
    """.split()
)
"""Words that deny what their clause states, without accents."""

NEGATION_BEGINNINGS = (
    "forbid", "prohib", "proib", "interdi", "verbot", "verbod", "verbiet", "vietat", "запре", "avoid", "evit", "vermeid",
    "vermij", "избега", "exclud",
)  # fmt: skip

NEGATIONS_AFTER = (
    "instead of", "rather than", "stay away from", "turn off", "get rid of", "prevents ", "prevent ", "preventing ", "no more", "no longer", "em vez d", "ao inves d",
    "en vez d", "en lugar d", "au lieu d", "plutot qu", "statt ", "anstelle ", "invece d", "anziche", "al posto d",
    "in plaats van", "вместо", "empeche", "verhinder", "impide", "impede", "impedisc", "voorkom",
)  # fmt: skip
UNSPACED_NEGATIONS = (
    "不要", "不许", "不能", "不可", "不准", "不用", "不得", "不需", "不", "别", "勿", "禁止", "没", "无需", "避免",
    "でなく", "ではなく", "じゃなく", "代わりに", "すぎ", "過ぎ", "太多", "しない", "ない", "せず", "ません", "禁止", "避け", "やめ", "さわるな", "触るな", "使うな", "するな", "ぬ", "ずに",
)  # fmt: skip

_FUNCTION_WORDS = {
    "en": """
    a an the and or but if then so than that this these those there here it its i me my we us our you your he him his
    she her they them their of in on at in to from by for with as is are was were be been being am do does did will
    would can could should shall must may might have has had not no nor never just also too very more most much
    many any some such own up out off over under again once about into onto through while when where which who
    myself yourself himself herself itself ourselves themselves what how why because since until let lets please try want like get got make sure though ever going now
    try remember think know really well vs via per etc e.g i.e instead rather whenever every each all both""",
    "pt": """
    o a os as um uma uns umas de do da dos das em no na nos nas por para com e ou mas se que como ao aos pelo pela este
    esta isso isto esse essa ele ela eles elas eu voce voces meu minha seu sua nao sim ser estar ter tem foi muito mais""",
    "es": """
    el la los las un una unos unas y o pero si del al en por para con su sus mi tu lo le les se que como este esta
    estos estas eso esto ese esa es son ser esta estan hay muy mas menos ya cuando donde porque quiero vamos ir va de
    no""",
    "fr": """
    le la les un une des du de et ou mais si que qui dans sur par pour avec ce cet cette ces il elle ils elles je tu
    nous vous on ne pas est sont etre avoir a ai au aux son sa ses leur y en se tres plus""",
    "de": """
    der die das den dem des ein eine einen einem einer und oder aber wenn dass in im an am auf aus bei mit nach von vor
    zu zum zur ist sind war sein haben hat wird werden ich du er sie es wir ihr man sich nicht auch noch nur so wie als
    fur bitte keine kein keinen uber unter""",
    "it": """
    il lo la i gli le un uno una e o ma se che di a da in con su per tra fra del della dei delle al alla ai nel nella
    e sono essere ha hanno si non piu come questo questa""",
    "nl": """
    de het een en of maar als dat die dit deze in op aan van voor met bij naar uit om te is zijn was worden wordt heeft
    hebben ik je jij u hij zij ze wij we niet ook nog alleen geen""",
    "ru": """
    и или но если что как в во на с со из к ко по для от до за о об при это этот эта эти тот та я ты он она мы вы они
    их его ее не же бы ли так""",
    "other": """
    i w na z do dla o jest sa sie nie to ten ta te oraz aby zeby jak
    toi ban la cua cho va mot nhung duoc khong the voi trong""",
}
FUNCTION_WORDS_OF = {language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()}
FUNCTION_WORDS = frozenset(word for words in FUNCTION_WORDS_OF.values() for word in words)

_EXACT_WORDS = """
    2 3 5 10 red green blue yellow orange purple black white grey pink light dark tab space left right_side top bottom
    english german spanish french portuguese italian russian japanese chinese enable disable public private
    more less last old
""".split()
"""Words in whose place another would be another rule: they must be the user's too, in any language."""

TOOL_NAMES = frozenset(
    """
    npm pnpm yarn bun node deno pip poetry uv conda cargo maven gradle make cmake bazel nx turbo brew apt docker podman
    kubernetes helm terraform ansible vagrant github gitlab bitbucket jenkins vercel netlify heroku aws azure gcp firebase
    supabase cloudflare nginx apache caddy postgres postgresql mysql mariadb sqlite mongodb mongo redis kafka rabbitmq
    elasticsearch qdrant pinecone prisma drizzle typeorm sequelize sqlalchemy hibernate react vue svelte angular next nuxt
    remix astro solid jquery alpine htmx tailwind bootstrap mui chakra shadcn daisyui sass less webpack vite rollup esbuild
    babel eslint prettier ruff black flake8 pylint mypy pyright jest vitest mocha cypress playwright selenium pytest unittest
    junit rspec storybook express fastify nest nestjs django flask fastapi rails laravel spring symfony phoenix python
    javascript typescript java kotlin swift rust golang ruby php perl scala elixir haskell lua bash zsh fish powershell sh
    html css json yaml toml xml markdown graphql grpc rest websocket websockets vim emacs vscode cursor copilot claude codex
    gemini openai anthropic slack discord jira linear notion figma sentry datadog grafana prometheus stripe paypal axios
    fetch lodash moment dayjs zod redux zustand mobx rxjs riverpod provider bloc flutter expo electron tauri unity unreal
    godot numpy pandas pytorch tensorflow opencv inter roboto poppins helvetica arial commonjs esm windows linux macos android
    ios chrome firefox safari edge sonner timber logcat
    """.split()
)
"""Names that are written in lower case too; a rule that names one is about that one."""

UNSPACED_FUNCTION = (
    "について", "に関して", "として", "ところ", "けど", "ので", "から", "まで", "より", "など", "こと", "もの", "という",
    "的", "了", "和", "在", "是", "我", "你", "他", "们", "把", "请", "吧", "呢", "也", "就", "将", "被", "给", "这", "那",
    "个", "着", "过", "与", "及", "或", "而", "并", "之", "其", "为", "以", "于", "对", "从", "到", "上", "下", "里", "中", "时", "後",
)  # fmt: skip
"""Particles of Chinese and Japanese; hiragana that no row lists says nothing either."""

LASTING = (
    "from now on", "going forward", "in future", "in the future", "always", "every time", "each time", "never again",
    "never", "remember", "as a rule", "make this a rule", "by default", "a partir de agora", "daqui em diante", "sempre",
    "lembre", "a partir de ahora", "de ahora en adelante", "siempre", "recuerda", "nunca", "désormais", "dorénavant",
    "à partir de maintenant", "toujours", "jamais", "ab jetzt", "von nun an", "künftig", "in zukunft", "immer", "nie wieder",
    "niemals", "merk dir", "d'ora in poi", "da ora in poi", "sempre", "mai più", "ricorda", "vanaf nu", "voortaan", "altijd",
    "nooit", "onthoud", "с этого момента", "впредь", "отныне", "всегда", "никогда", "запомни", "今後", "これから", "いつも", "常に",
    "必ず", "二度と", "覚えて", "从现在开始", "以后", "今后", "总是", "永远", "每次", "记住", "别再",
)  # fmt: skip
"""Words by which a user makes a statement lasting."""


def folded(word: str) -> str:
    """Return a word in lower case and without accents."""
    if word.isascii():
        return word.casefold()
    plain = unicodedata.normalize("NFKD", word.casefold())
    unmarked = "".join(char for char in plain if not unicodedata.combining(char) or "\u3099" <= char <= "\u309a")
    return unicodedata.normalize("NFC", unmarked.replace("đ", "d").replace("ł", "l").replace("ß", "ss"))


def is_unspaced(char: str) -> bool:
    """Whether a character belongs to a script without spaces between words."""
    return "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or char == "々"


class _Table:
    """Concepts by whole word, by beginning, and by word of an unspaced script."""

    def __init__(self) -> None:
        self.words: dict[str, frozenset[int]] = {}
        self.beginnings: dict[str, frozenset[int]] = {}
        self.unspaced: dict[str, frozenset[int]] = {}
        generic = [row for row in GENERIC_ROWS.splitlines() if row]
        self.generic_count = len(generic)
        for concept, row in enumerate((*generic, *filter(None, CONTENT_ROWS.splitlines()))):
            for word in row.split():
                target = self.unspaced if is_unspaced(word[0]) else self.beginnings if word[-1] == "*" else self.words
                key = folded(word.rstrip("*"))
                target[key] = target.get(key, frozenset()) | {concept}
        self.longest_unspaced = max(map(len, self.unspaced))


@lru_cache(maxsize=1)
def _table() -> _Table:
    return _Table()


@lru_cache(maxsize=4_096)
def concepts_of(word: str) -> frozenset[int]:
    """Return the concepts of a folded word; empty if no row lists it. The longest listed beginning wins."""
    table = _table()
    concepts = table.words.get(word, frozenset())
    for length in range(min(len(word), 14), 1, -1):
        if (listed := table.beginnings.get(word[:length])) is not None and len(word) - length <= 6:
            return concepts | listed
    return concepts


def is_generic(concepts: frozenset[int]) -> bool:
    """Whether concepts say nothing about a rule's subject."""
    return bool(concepts) and max(concepts) < _table().generic_count


@lru_cache(maxsize=1)
def exact_concepts() -> frozenset[int]:
    """Return the concepts that must occur: numbers, colours, languages, and words that have an opposite."""
    return frozenset(concept for word in _EXACT_WORDS for concept in _table().words.get(word, frozenset()))


def split_unspaced(run: str) -> list[tuple[str, frozenset[int]]]:
    """Split a run of Chinese or Japanese into listed words and the rest between them, which has no concepts."""
    table = _table()
    words: list[tuple[str, frozenset[int]]] = []
    rest = at = 0
    while at < len(run):
        for length in range(min(table.longest_unspaced, len(run) - at), 0, -1):
            word = run[at : at + length]
            concepts = table.unspaced.get(word)
            if concepts is not None or word in UNSPACED_FUNCTION:
                if rest < at:
                    words.append((run[rest:at], frozenset()))
                if concepts is not None:
                    words.append((word, concepts))
                at += length
                rest = at
                break
        else:
            at += 1
    if rest < at:
        words.append((run[rest:at], frozenset()))
    return words
