"""Synonyms in software terminology: a request for a *folder* matches a *directory*. Pure.

Each row is a group, and a word may be in several. Words of a group are similar, not equal: a synonym counts less than
the word itself.
"""

from collections.abc import Mapping

from sidecar.registry.stemming import intent_words

_GROUPS = """
ask prompt question
confirm acknowledge approve
print echo output emit display show
write save store persist
color colour tint
style format theme look
folder directory dir
setting config option preference
merge combine join concat concatenate compose unite
split divide partition chunk
cancel abort stop interrupt kill terminate
quit exit leave close
start begin launch
run execute invoke call perform
fetch retrieve load obtain
read load parse
delete remove drop erase clear purge
update change modify edit alter
convert transform turn translate
decode parse deserialize
encode serialize dump stringify
check validate verify ensure assert
compare diff equal match
find search lookup locate
filter select pick choose choice
sort order rank
number int integer float numeric
range interval limit bound
minimum min lowest
maximum max highest
limit throttle restrict cap
often frequency freq
wait pause sleep delay
timeout deadline
retry repeat
send post deliver transmit dispatch submit
receive accept
response reply answer
intercept hook middleware
hook listener observer subscriber callback
event signal
text string
print log
log record trace
message text notification
user account member
auth login signin
password secret credential
error exception failure fault
url uri link address
address host
image picture photo
list array sequence collection
dict dictionary map mapping
key identifier id name
date time datetime timestamp
day date
width size length
wrap fold
strip trim
escape quote
duplicate copy clone
cache memoize
compress zip gzip deflate
decompress unzip inflate
process task job worker
parent base
base root
subcommand group
terminal console tty shell
flag option switch
parameter argument option
field attribute property column
group category
alert notification
browser client
buffer bytes binary blob
stream pipe
permission access right
price cost amount
customer buyer client
cart basket
product item article
order purchase
invoice bill
receipt invoice
mail email
path filename file
random arbitrary
unique distinct
temporary temp
visible shown
hidden hide invisible
mask redact censor
enable activate
disable deactivate
install setup
mock stub fake
test unittest
capture record
press key
raw plain
type kind
"""


def _build() -> Mapping[str, tuple[str, ...]]:
    synonyms: dict[str, dict[str, None]] = {}
    for line in _GROUPS.strip().splitlines():
        roots = [root for word in line.split() for root in intent_words(word)]
        for first in roots:
            synonyms.setdefault(first, {}).update((other, None) for other in roots if other != first)
    return {root: tuple(others) for root, others in synonyms.items()}


_SYNONYMS = _build()


def synonyms_of(root: str) -> tuple[str, ...]:
    """Return the roots of synonyms."""
    return _SYNONYMS.get(root, ())
