"""Lines that a machine wrote, by their shape: errors, logs, code, rows of data. What they mean is not its business."""

from __future__ import annotations

import re

from cfpm.model.patterns import lazy_pattern

ERROR_LINE = lazy_pattern(
    r"^\s*+(?:[\w./\\-]{1,120}:\d{1,9}(?::\d{1,9})?: \s{0,8})?"
    r"(?:(?:[\w.]+)?(?:Error|Exception|Warning)\b\s*(?::|\()|(?:error|fatal|panic|err|failed|failure)\s*(?:\[\w+\])?:|"
    r"Traceback \(most|(?<=\s)at [\w$.<>]+ ?\(|at [\w$.<>]+\([^\n]{0,200}\) in \S|thread '[^'\n]{1,80}' panicked|"
    r"goroutine \d+ \[|assertion failed\b|[Ss]egmentation fault|exit (?:status|code):? -?\d+\s*$|Abort trap|"
    r"--> \S+:\d+|Exception in thread|Caused by: |\.{3} \d+ more|panic: |ERROR \d+ \(\w+\):|error [A-Z]{1,6}-?\d{2,5}:|"
    r"(?:API|HTTP) [Ee]rror:? \d{3}\b|PHP (?:Fatal|Warning)|Fatal error: |"
    r"#\d+ \S+\(\d+\):|#\d+\s+0x[0-9a-f]+ in |from \S+:\d+:in |"
    r"make(?:\[\d+\])?: \*\*\*|Uncaught \w|Unhandled \w+|errno: -?\d|code: '[A-Z_]+'|(?<=\s)thrown in \S|"
    r"(?:ba|z|da|fi|k)?sh: [^\s:]{1,40}: \S|[a-z][\w.+-]{1,20}: (?:cannot|can['’]t|could not|no such|symbol|"
    r"undefined|unable|failed|permission|command not|"
    r"unrecogni[sz]ed|invalid|not found|unexpected|syntax)\b|[A-Z]\w*(?: [a-z]+){1,4} failed: \S|"
    r"npm ERR!|E\s{3,}|File \"[^\"]+\", line \d+|(?:错误|异常|报错)\w{0,6}\s{0,2}\d{0,6}[：:]|(?:CategoryInfo|"
    r"FullyQualifiedErrorId)\s*:)"
)
LOG_LINE = lazy_pattern(
    r"^\s*+(?:\[(?:stdout|stderr|info|debug|warn(?:ing)?|error|trace|\d{4}-\d\d-\d\d|\d\d:\d\d)[^\]]*\]|"
    r"\(?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d\S*\s+\S*\s*"
    r"(?:INFO|DEBUG|WARN|ERROR|TRACE)|\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d|"
    r"(?:INFO|DEBUG|WARN|WARNING|TRACE)\b\s*[:\[]|level=\w+|time=\S+ level|"
    r"[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d(?::\d\d | \S+ [\w./-]+(?:\[\d+\])?: )|"
    r"(?-i:INFO|DEBUG|WARN(?:ING)?|ERROR|TRACE|FATAL|NOTICE)\s{1,8}[\w./-]{2,30}: |"
    r"[IWEF]\d{4} \d\d:\d\d:\d\d|npm (?:WARN|notice|warn)\b|"
    r"\d{1,3}(?:\.\d{1,3}){3} - \S+ \[|- \[\d\d/[A-Z][a-z]{2}/\d{4}|"
    r"\[systemNotification|<[a-z_-]+>|\S+\[\d+\]: |\d\d:\d\d:\d\d\b|\(\d{4}-\d\d-\d\dT|run [\w./-]+(?:@v?\d|=)|"
    r"(?:[\w.]{1,20}=(?:\"[^\"\n]{0,200}\"|[^\s\"=]{1,80})(?:\s+|$)){3}|"
    r"(?:PASS|FAIL|not ok|remote:)\s+\S{1,60}[/:.(]\S|remote: |"
    r"\[(?!(?:urgent|important|notes?|reminder|rules?|todo|fyi|update|edit|wip)\])[a-z@][\w./@-]{2,20}\] \S|"
    r"(?:kernel|systemd|sshd|cron|nginx|postgres|dockerd?|kubelet|mysqld|redis|"
    r"sudo)(?:\[\d+\])?: |"
    r"(?:build|job|run|pipeline|tests?|step|stage|task|deploy\w*)\s#?\d+\S*\s(?:passed|failed|succeeded|finished|"
    r"started|queued|cancell?ed|skipped)\b|> [\w@./-]+@\d|(?:={3,}|-{3,}>?|\+{3,}) \S|ok\s+\S+/\S+\s+\(?[\d.]+m?s|"
    r"_\*\*\w+ \([^()\n]*\d\d:\d\d[^()\n]*\)\*\*_|【(?:警告|信息|错误|调试|提示|通知)】|"
    r"(?:[-*]\s+)?(?:[\w ]{1,30}: )?On branch \S+\s*$|Your branch (?:is (?:up to date|ahead|behind)|and )[^\n]{0,40}'|"
    r"HEAD detached (?:at|from) |"
    r"Changes (?:not staged for commit|to be committed):|no changes added to commit|nothing (?:added )?to commit|"
    r"\(use \"git |"  # what git says of a folder
    r"\[\d\d/\d\d/\d\d|\d+ rows? in set\b|\(\d+ rows?\)\s*$)",
    re.IGNORECASE,
)
_MODIFIERS = (
    "public|private|protected|static|final|const|let|var|val|auto|int|char|bool|boolean|double|float|long|string"
)
CODE_LINE = lazy_pattern(
    r"\s*+(?:"
    r"[\w.:>-]{1,80}\([^()\n]{0,120}\)\s*;?|"  # a call and nothing else
    rf"(?:{_MODIFIERS})\s+[\w<>\[\], ]{{1,60}}(?:\s*:\s*\w+)?\s*=\s*\S.{{0,300}}|"
    r"(?:export |async |pub |public |private |static )*(?:def|fn|func|function|class|struct|interface|namespace)\s+\w+"
    r"(?:\s*<[^>\n]{0,60}>)?\s*[({:].{0,300}[){};:,]|"
    r"(?:int|void|char|bool|double|float|long|auto|string|String) \w{1,60}\([^()\n]{0,120}\)\s*\{.{0,300}|"
    r"(?:if|while|for|switch|catch)\s*\([^\n]{1,200}[;{}]\s*|"
    r"for \w{1,40}(?:, ?\w{1,40})? in [^\n:]{1,100}:|"
    r"\.?[\w-]{1,40}(?:[:.][\w-]{1,40}){0,2}\s*\{[^{}\n]{0,200}:[^{}\n]{0,200};?\s*\}|"
    r"(?:import|from|using|include|require)\s+[\w.\"'<@/{]+(?:\s+import\b.{0,200}|\s*;)|"
    r"(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP)\s.{1,200}\b(?:FROM|INTO|SET|TABLE|WHERE|VALUES)\b.{0,300}|"
    r"(?:FROM|RUN|CMD|COPY|ENTRYPOINT|WORKDIR|EXPOSE) [a-z\[./\d].{0,300}|"
    r"[\w.\[\]\"'-]{1,60}\s*(?:[-+*/|&]?=|=>|:=)\s*\S.{0,300}[;{(\[,]|[\w.]{1,60}\s*=\s*\w[\w.]{0,60}\(.{0,200}\)|"
    r"[\w.]{1,60}\s*=\s*(?:[\"'].{0,200}[\"']|True|False|None|true|false|null)|"
    r"</?[A-Za-z][\w-]*(?:\s[^<>\n]{0,200})?/?>.{0,400}|"
    r"\$ [a-z./].{0,300}|export [A-Z_]+=.{0,200}|//(?!\s*$).{0,300}|/\*.{0,300})\s*(?://.*|\#.*)?"
)
DATA_LINE = lazy_pattern(
    r"\s*+(?:"
    r"[{\[].{0,40}[\"'][\w .-]{1,60}[\"']\s*:.*|"  # an object of JSON
    r"[\"'][\w .-]{1,60}[\"']\s*:\s*\S.*|"
    r"(?:[A-Z][A-Z0-9_]{1,15}[:=]?\s+[\d.,]{1,12}\s?(?:%|[A-Za-z]{1,3})?[\s,;|]*){3,20}|"  # 'CPU 97% MEM 41%'
    r"/?[\w.:/-]{2,40}(?:\s+[\d.,]{1,12}[%A-Za-z]{0,3}){4,20}\s*|"  # a name and its figures
    r"\+?(?:[-=]{3,60}[+|])+[-=]{0,60}\s*|"  # the border of a table
    # A row of values without spaces; Chinese sentences have none either.
    r"[^\s,;|\u3400-\u9fff]{1,40}(?:[,;|\t][^\s,;|\u3400-\u9fff]{0,40}){2,40})"
)


def by_machine(line: str) -> bool:
    """True for a line that nobody says: of an error, a log, code or data."""
    return bool(
        ERROR_LINE.match(line) or LOG_LINE.match(line) or CODE_LINE.fullmatch(line) or DATA_LINE.fullmatch(line)
    )
