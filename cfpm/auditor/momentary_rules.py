"""Rules for what is said of the work at hand: this draft, line 12, the answer above. Nobody understands it a day later.

They hold for what a user tells an agent; two people who chat tell each other news.
"""

from __future__ import annotations

import re

from cfpm.auditor.context import TOLD, AuditContext, only_tells
from cfpm.model import CONTRAST, Draft, Role
from cfpm.model.patterns import lazy_pattern
from cfpm.text import content_words

_OPENERS = (
    r"[\s\"'“”*_(-]*(?:(?:so|and|but|also|ok|okay|well|now|then|hmm+|oh|i think|i guess|looks like|seems like|"
    r"still|again|actually|sorry|in|on|at|for|from)\b[\s,]*)*"
)
_PART = (
    r"(?:lines?|rows?|columns?|cells?|pages?|paragraphs?|sections?|head(?:ing|line|er)s?|(?:sub)?titles?|sentences?|"
    r"bullets?|"
    r"answers?|repl(?:y|ies)|responses?|outputs?|results?|versions?|drafts?|snippets?|examples?|tables?|charts?|"
    r"graphs?|"
    r"lists?|captions?|footers?|intro(?:duction)?|conclusion|summary|wording|phrasing|tone|layout|formatting|spacing|"
    r"diagrams?|slides?|steps?|items?|points?|suggestions?|bits?|parts?|ones?|verses?|stanzas?|endings?|"
    r"code|function|block|formula|equation|picture|image|screenshot|link|chapter)"
)
"""Parts of a text or of a screen."""
_LACKS = (
    r"\b(?:too \w+|wrong|off|ugly|missing|misses|incomplete|broken|better|worse|weird|odd|strange|boring|unclear|"
    r"confusing|messy|clumsy|redundant|repetitive|wordy|stiff|vague|generic|cluttered|crooked|empty|blank|good|bad|"
    r"great|"
    r"fine|nice|lovely|perfect|awful|terrible|(?:isn['’]t|is not|aren['’]t|are not) (?:good|right|quite|lovely|great|"
    r"helpful|nice|clear|ideal|working|there|enough)|"
    r"(?:should|must|could|needs? to|ought to) (?:be|have|come|go|say|start|end|mention|use|explain|include|read)|"
    r"(?:needs?|could use|lacks?|wants) (?:a|an|more|less|some|another|the)|not (?:what i|quite|right|there)|"
    r"all bad|doesn['’]t (?:look|sound|read|feel|fit|work|make sense)|do(?:n['’]t|es not) (?:look|sound|read|match))\b"
)
_ANY = r"(?: of (?:the|them|these|those|your|my|its) ?\w*)?"
_OF_THE_WORK = lazy_pattern(
    rf"{_OPENERS}(?:"
    # What can only be found on the screen.
    rf"(?:the |your |that |this )?(?:lines?|rows?|columns?|cells?|pages?|paragraphs?|sections?|slides?|steps?|points?|"
    rf"items?|bullets?|questions?|options?|observations?|issues?|examples?) #?\d+\b(?! of (?:our|my)\b)|"
    rf"(?:the|that|this|those|these) (?:\w+ ){{0,2}}{_PART} (?:above|below|you (?:just )?\w+)\b|"
    rf"your (?:\w+ ){{0,2}}{_PART}\b|"
    rf"(?:this|that|these|those) (?:\w+ ){{0,2}}{_PART} (?:is|are|was|were|looks?|seems?|reads?|sounds?|feels?|has|"
    rf"have|should|needs?|could|must|doesn['’]t|don['’]t|isn['’]t)\b|"
    rf"(?:each|every|both|all|none|most|some|any|either|neither)(?: one)?{_ANY} (?:should|needs?|must|could|has to|"
    rf"have to)\b|"
    rf"the (?:\w+ ){{0,2}}{_PART}\b(?! of (?:our|my)\b)(?: (?:sounds?|reads?|feels?|looks?) |.{{0,40}}?{_LACKS})|"
    rf"the (?:(?:last|first|next|second|third|final|other|previous|latter|same|whole) ){{1,2}}(?:\w+ )?{_PART}\b"
    rf"(?! of (?:our|my)\b)|i meant (?:the|that|this|these|those|something|it)\b|"
    rf"(?:it|that|this)(?:['’]s| is| looks| seems| reads| sounds| feels) (?:still |a bit |a little |way |far |much |"
    rf"just )*{_LACKS}|"
    # A want or an order with nothing but a pronoun for its object.
    r"(?:i |we )?needs? (?:it|this|that|them|these|those) |just the \w+, |see (?:the|how|what|also|below|above|"
    r"other)\b|"
    rf"the (?:\w+ ){{0,2}}{_PART}, (?:\w+ )?(?:move|make|put|add|change|use|remove|drop|swap|replace|fix|write|set)\b"
    r")",
    re.IGNORECASE,
)
_CHINESE_WORK = lazy_pattern(
    r"\s*(?:第[一二三四五六七八九十\d]{1,3}(?:行|段|句|页|条|列|张|步|节|栏)|"
    r"(?:最后|开头|结尾|中间|倒数)(?:第)?[一二两三几]?(?:段|行|句|页|条|列|张|个?部分)|(?:这|那)(?:一|几)?(?:段|行|"
    r"句|版|页|张图|个(?:版本|部分|标题|答案|图|表格?|句子|段落|例子|函数))|"
    r"(?:上面|下面|前面|刚才|你(?:写|给|说|列|画)?|最后)的?(?:这|那)?(?:个|段|句|版|些)?"
    r"(?:答案|回答|版本|标题|代码|表格?|图|例子|句子|段落|内容|结果|列表|公式)|每(?:一)?(?:段|句|个|条)都?(?:要|应该|"
    r"得|需要)|你(?:又)?(?:漏|写错|忘|弄错|搞错|理解错|重复)了?)"
)
_BY_NUMBER = lazy_pattern(
    r"\s*(?:(?:for|on|re|about|regarding|as for|to|ad)?\s?#?\d{1,2}(?: and \d{1,2})?\s?[,:)]\s+\S|#\d{1,2} |"
    r"(?:for|on|re|regarding|as for) (?:number|point|item|question|no\.?|option)\s?#?\d{1,2}\b)",
    re.IGNORECASE,
)
"""An answer to a numbered point: 'for 3, keep ours'."""
_NO_SUBJECT = lazy_pattern(
    r"[\s\"'“”*_(-]*(?:(?:so|and|but|well|oh|ah|aha|ooh|ok|okay|hmm+|ha|now|then|yes|no|yep|yup|nope|nah|right|"
    r"alright)\b[\s,.!]*)*"
    r"(?:(?:it|that|this|these|those|they)(?:['’](?:s|re|ll|d|ve))?\b(?! (?:\w+ )?(?:my|our|project|repo|app|company|"
    r"year|month|summer|winter|spring|autumn|days)\b)|"
    r"(?:still|same|not|just|almost|nearly|barely|hardly|another|again|more|less|no luck|no idea|no change|sounds|"
    r"looks|seems|"
    r"works|worked|feels|makes|made|means|would|could|might|should|can['’]t|cannot|can not|couldn['’]t|don['’]t|"
    r"doesn['’]t|"
    r"didn['’]t|won['’]t|isn['’]t|wasn['’]t|got|done|tried|trying|hope|hoping|hopefully|thought|guess|guessing|glad|"
    r"happy|sorry|thinking|wondering|typing|waiting|looking|finally|sweet|cheers|clever|neat|cool|nice|great|lovely|"
    r"awesome|wow|ugh|yikes|damn|oops|phew|weird|strange|funny|interesting|fair|true|exactly|totally|love it|loving|"
    r"can[’']?t wait|one more|next one|last one|here(?:['’]s| is| are| goes| you)|there(?:['’]s| is| are| it)|"
    r"better|worse|much better|way better|perfect|brilliant)\b)",
    re.IGNORECASE,
)
"""What opens a remark that names nothing of which it is said: a pronoun, or no subject at all."""
_NAMES_SOMETHING = lazy_pattern(
    r"\d|(?<=[a-z,;:] )[A-Z][A-Za-z]{2,}|[`\"“_/@]|\b(?:[Ii]|[Ww]e|[Mm]y|[Oo]ur|us|me)\b|[a-z][A-Z]|[\u3400-\u9fff]",
)
_MAX_REMARK = 14
"""Words; a longer statement mostly names somewhere what it is about."""
_GREETS = lazy_pattern(
    r"[\s\"'“”*_(-]*(?:(?:hi|hiya|hello|hey|heya|howdy|greetings|yo|morning|evening|good (?:morning|afternoon|evening|"
    r"day))\b(?! (?:is|are|was|to)\b)|.{0,40}\b(?:good night|nighty? night|bye|goodbye|see (?:you|ya)|ttyl|cheers|"
    r"off to bed)[\s.!]*\Z)",
    re.IGNORECASE,
)
_CHINESE_GREETS = lazy_pattern(
    r"\s*(?:在吗|在不在|你好|您好|哈喽|嗨|打扰|请教|[早晚]上好|下午好)[，,！!。呀啊 ]?.{0,14}$"
)
_TELLS_OF_SELF = lazy_pattern(r"\b(?:i|we|my|our)\b|我[^想要]|\d", re.IGNORECASE)
_MAX_GREETING = 9
_MAX_ANSWER = 3
"""Words of a greeting, and of an answer that is no sentence."""
_FINITE = lazy_pattern(
    r"\b(?:i|we|my|our|is|are|am|was|were|be|has|have|had|do|does|did|can|will|must|should|may|no|never|always|only|"
    r"not)\b|['’]|[a-z]{2,}(?:s|ed)\b|[A-Z]|\d|[^\x00-\x7f]|[`_/:]"
)
_BRACKETED = lazy_pattern(r"\s*(?:\[[^\[\]]{2,200}\]|【[^【】]{2,60}】)[\s.!。]*(?P<rest>.{0,60})")
_OF_THE_HOST = lazy_pattern(
    r"\s*[（(](?:[^（）()]{0,12})(?:对话|用户|会话|消息|上下文|interrupted|truncated|omitted|attached|attachment)"
)


def of_the_work_at_hand(draft: Draft, _: AuditContext) -> str | None:
    """A remark on a part of what lies before both, or an answer to one of its numbers."""
    if not only_tells(draft) or draft.role is not Role.USER or draft.speaker:
        return None
    if _OF_THE_WORK.match(draft.content) or _CHINESE_WORK.match(draft.content):
        return "it is about a part of the work at hand"
    return "it answers a point by its number" if _BY_NUMBER.match(draft.content) else None


def of_no_subject(draft: Draft, _: AuditContext) -> str | None:
    """A short remark about 'it', or about nothing that is named: it was understood only where it was said."""
    if draft.category not in TOLD or draft.role is not Role.USER or draft.speaker:
        return None
    text = draft.content
    words = len(text.split())
    if words > _MAX_REMARK or draft.rule == CONTRAST:
        # What corrects something is refused later, where nothing is known that it could correct.
        return None
    if _CHINESE_GREETS.match(text) or (words <= _MAX_GREETING and _GREETS.match(text)):
        return None if _TELLS_OF_SELF.search(text) else "a greeting"
    # A capital at the head of a sentence names nothing.
    bare = text[:1].lower() + text[1:]
    if words <= _MAX_ANSWER and not _FINITE.search(bare):
        return "an answer of a few words"
    return (
        "it names nothing of which it is said"
        if _NO_SUBJECT.match(text) and not _NAMES_SOMETHING.search(bare)
        else None
    )


def in_brackets(draft: Draft, _: AuditContext) -> str | None:
    """What stands in brackets of its own, with nothing behind that says anything: the notice of a host."""
    if draft.role is Role.TOOL or not only_tells(draft):
        return None
    text = draft.line if draft.content in draft.line else draft.content
    if _OF_THE_HOST.match(text):
        return "a notice of the host"
    match = _BRACKETED.fullmatch(text)
    return "a notice in brackets" if match and len(content_words(match["rest"])) < 2 else None
