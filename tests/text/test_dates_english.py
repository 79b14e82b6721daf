"""English time expressions, said on Monday 8 May 2023 in the early afternoon."""

from __future__ import annotations

import pytest

from cfpm.text.dates import Grain, TimeKind, event_span, find_times
from tests.text.times import MONDAY, only, short

DAYS = [
    ("I went to the choir yesterday", "yesterday", "2023-05-07"),
    ("Today I quit", "Today", "2023-05-08"),
    ("She comes tomorrow.", "tomorrow", "2023-05-09"),
    ("The day before yesterday we ate out", "The day before yesterday", "2023-05-06"),
    ("We meet the day after tomorrow", "the day after tomorrow", "2023-05-10"),
    ("It rained last night", "last night", "2023-05-07T18:00..00:00"),
    ("I cook tonight", "tonight", "2023-05-08T18:00..00:00"),
    ("I ran this morning", "this morning", "2023-05-08T05:00..12:00"),
    ("I saw her yesterday evening", "yesterday evening", "2023-05-07T17:00..00:00"),
    ("I leave tomorrow in the afternoon", "tomorrow in the afternoon", "2023-05-09T12:00..18:00"),
    ("Call me tomorrow at 3 pm", "tomorrow at 3 pm", "2023-05-09T15:00..16:00"),
    ("Call me tomorrow at 3:30pm", "tomorrow at 3:30pm", "2023-05-09T15:30..16:30"),
    ("Call me tomorrow at 15:00", "tomorrow at 15:00", "2023-05-09T15:00..16:00"),
    ("Call me tomorrow at noon", "tomorrow at noon", "2023-05-09T12:00..13:00"),
    ("Be there at 9 a.m. on Friday", "9 a.m. on Friday", "2023-05-12T09:00..10:00"),
    ("I found it the other day", "the other day", "2023-05-02..2023-05-07"),
    ("It's Monday, so the shop is shut", "Monday", "2023-05-08"),
    ("It's Tuesday, so the shop is shut", "Tuesday", "2023-05-09"),
    ("The party is on Monday", "Monday", "2023-05-15"),
    ("two days ago we won", "two days ago", "2023-05-06"),
    ("In three days I fly", "In three days", "2023-05-11"),
    ("a few days ago I fell", "a few days ago", "2023-05-04..2023-05-06"),
    ("several days ago I fell", "several days ago", "2023-05-01..2023-05-05"),
    ("a couple of days ago I fell", "a couple of days ago", "2023-05-06"),
    ("ten days from now I fly", "ten days from now", "2023-05-18"),
    ("5 hours ago it broke", "5 hours ago", "2023-05-08T08:00..09:00"),
]

WEEKDAYS = [
    ("I met him last Tuesday", "last Tuesday", "2023-05-02"),
    ("I met him last Monday", "last Monday", "2023-05-01"),
    ("See you next Tuesday", "next Tuesday", "2023-05-16"),
    ("See you this Friday", "this Friday", "2023-05-12"),
    ("I won a prize this Friday", "this Friday", "2023-05-05"),
    ("I went there on Friday", "Friday", "2023-05-05"),
    ("I'm going there on Friday", "Friday", "2023-05-12"),
    ("The parcel is due by Friday", "Friday", "2023-05-12"),
    ("We danced last Friday night", "last Friday night", "2023-05-05T18:00..00:00"),
    ("We danced on Saturday evening", "Saturday evening", "2023-05-06T17:00..00:00"),
    ("I called on Monday", "Monday", "2023-05-01"),
    ("Wanna come next Fri?", "next Fri", "2023-05-19"),
    ("I have time on Sat", "Sat", "2023-05-13"),
    ("two Fridays ago we met", "two Fridays ago", "2023-04-28"),
    ("Tuesday of next week suits me", "Tuesday of next week", "2023-05-16"),
    ("last week on Thursday it rained", "last week on Thursday", "2023-05-04"),
    ("a week from Friday we fly", "a week from Friday", "2023-05-19"),
    ("this past Saturday was fun", "this past Saturday", "2023-05-06"),
    ("this coming Saturday is fun", "this coming Saturday", "2023-05-13"),
    ("a party on the coming Tuesday", "the coming Tuesday", "2023-05-09"),
    ("See you the Friday after next", "the Friday after next", "2023-05-26"),
]

WEEKS = [
    ("I started last week", "last week", "2023-05-01..2023-05-07"),
    ("This week is busy", "This week", "2023-05-08..2023-05-14"),
    ("next week I rest", "next week", "2023-05-15..2023-05-21"),
    ("the week before last I was ill", "the week before last", "2023-04-24..2023-04-30"),
    ("the week after next I fly", "the week after next", "2023-05-22..2023-05-28"),
    ("two weeks ago I fell", "two weeks ago", "2023-04-24..2023-04-30"),
    ("in two weeks I fly", "in two weeks", "2023-05-22..2023-05-28"),
    ("in a week's time I fly", "in a week", "2023-05-15..2023-05-21"),
    ("a few weeks back I fell", "a few weeks back", "2023-04-10..2023-04-30"),
    ("later? no, early next week", "early next week", "2023-05-15..2023-05-16"),
    ("by the end of the week of May 1", "the end of the week of May 1", "2023-05-05..2023-05-07"),
    ("last weekend I hiked", "last weekend", "2023-05-06..2023-05-07"),
    ("this weekend I hike", "this weekend", "2023-05-13..2023-05-14"),
    ("I hiked this weekend", "this weekend", "2023-05-06..2023-05-07"),
    ("next weekend I hike", "next weekend", "2023-05-20..2023-05-21"),
    ("over the weekend we hiked", "weekend", "2023-05-06..2023-05-07"),
    ("any plans for the weekend?", "weekend", "2023-05-13..2023-05-14"),
    ("the weekend before last I hiked", "the weekend before last", "2023-04-29..2023-04-30"),
    ("two weekends ago I hiked", "two weekends ago", "2023-04-29..2023-04-30"),
    ("the weekend of 15 July 2023", "the weekend of 15 July 2023", "2023-07-15..2023-07-16"),
    ("the first weekend of September 2023", "the first weekend of September 2023", "2023-09-02..2023-09-03"),
    ("the last week of August 2023", "the last week of August 2023", "2023-08-25..2023-08-31"),
    ("the first week of last month", "the first week of last month", "2023-04-01..2023-04-07"),
    ("the second Friday of June 2023", "the second Friday of June 2023", "2023-06-09"),
]

MONTHS = [
    ("I moved last month", "last month", "2023-04"),
    ("I move next month", "next month", "2023-06"),
    ("I lost my job this month", "this month", "2023-05"),
    ("due by end of month", "end of month", "2023-05-31"),
    ("the last day of the month", "the last day of the month", "2023-05-31"),
    ("a couple of months ago I moved", "a couple of months ago", "2023-03"),
    ("six months ago I moved", "six months ago", "2022-11"),
    ("half a year ago I moved", "half a year ago", "2022-11"),
    ("due by the end of next month", "the end of next month", "2023-06-30"),
    ("at the beginning of this month I moved", "the beginning of this month", "2023-05-01..2023-05-07"),
    ("early May was cold", "early May", "2023-05-01..2023-05-10"),
    ("in mid-April it rained", "mid-April", "2023-04-11..2023-04-20"),
    ("we will fly in late June", "late June", "2023-06-21..2023-06-30"),
    ("I was in Rome in March", "March", "2023-03"),
    ("I was in Rome in June", "June", "2022-06"),
    ("I'll be in Rome in June", "June", "2023-06"),
    ("I'll be in Rome in March", "March", "2024-03"),
    ("in may it rained", "may", "2023-05"),
    ("I was there last June", "last June", "2022-06"),
    ("It all began August last year", "August last year", "2022-08"),
    ("in January of this year I moved", "January of this year", "2023-01"),
    ("We met in May 2021", "May 2021", "2021-05"),
    ("We met in Sept 2021.", "Sept 2021", "2021-09"),
    ("the third quarter of 2022 was good", "the third quarter of 2022", "2022-07-01..2022-09-30"),
    ("Q1 2024 looks good", "Q1 2024", "2024-01-01..2024-03-31"),
    ("last quarter was good", "last quarter", "2023-01-01..2023-03-31"),
]

YEARS = [
    ("I moved last year", "last year", "2022"),
    ("This year I move", "This year", "2023"),
    ("next year I move", "next year", "2024"),
    ("the year before last I moved", "the year before last", "2021"),
    ("10 years ago I moved", "10 years ago", "2013"),
    ("twenty-five years ago I moved", "twenty-five years ago", "1998"),
    ("a decade ago I moved", "a decade ago", "2013"),
    ("around 4 years ago I moved", "around 4 years ago", "2019"),
    ("two and a half years ago I moved", "two and a half years ago", "2020-11"),
    ("a year and a half ago I moved", "a year and a half ago", "2021-11"),
    ("back in 2019 I moved", "2019", "2019"),
    ("in early 2020 I moved", "early 2020", "2020-01-01..2020-03-31"),
    ("at the end of last year I moved", "the end of last year", "2022-11-01..2022-12-31"),
    ("a map from the 1900s", "the 1900s", "1900-01-01..1909-12-31"),
    ("music of the '90s", "the '90s", "1990-01-01..1999-12-31"),
    ("last summer I sailed", "last summer", "2022-06-01..2022-08-31"),
    ("next summer I sail", "next summer", "2023-06-01..2023-08-31"),
    ("this fall I'll sail", "this fall", "2023-09-01..2023-11-30"),
    ("in the summer of 2019 I sailed", "the summer of 2019", "2019-06-01..2019-08-31"),
    ("I sailed over the winter", "winter", "2022-12-01..2023-02-28"),
]

DATES = [
    ("I was born on 7 May 2023", "7 May 2023", "2023-05-07"),
    ("May 7, 2023 was a Sunday", "May 7, 2023", "2023-05-07"),
    ("the 7th of May, 2023", "the 7th of May, 2023", "2023-05-07"),
    ("On May 7th I ran", "May 7th", "2023-05-07"),
    ("We've booked the ferry for June 3", "June 3", "2023-06-03"),
    ("They asked about the fair on June 3, I said yes", "June 3", "2023-06-03"),
    ("On May 9th I ran", "May 9th", "2023-05-09"),
    ("On May 9th I will run", "May 9th", "2023-05-09"),
    ("I return on July 24", "July 24", "2023-07-24"),
    ("I returned on Dec. 20", "Dec. 20", "2022-12-20"),
    ("released 2023-05-07", "2023-05-07", "2023-05-07"),
    ("released 2023/5/7", "2023/5/7", "2023-05-07"),
    ("at 2023-05-07T10:30:00Z it failed", "2023-05-07T10:30:00Z", "2023-05-07T10:30..11:30"),
    ("on 5/7/2023 I ran", "5/7/2023", "?"),
    ("on 13/7/2023 I ran", "13/7/2023", "2023-07-13"),
    ("on 7/13/2023 I ran", "7/13/2023", "2023-07-13"),
    ("on 5/5/2023 I ran", "5/5/2023", "2023-05-05"),
    ("on 31.12.2022 I ran", "31.12.2022", "2022-12-31"),
    ("It came out on the 3rd and sold well", "3rd", "2023-05-03"),
    ("It came out on the 11th.", "11th", "2023-04-11"),
    ("I'll pay on the 11th.", "11th", "2023-05-11"),
    ("the morning of May 7, 2023", "the morning of May 7, 2023", "2023-05-07T05:00..12:00"),
    ("the week before 9 June 2023", "the week before 9 June 2023", "2023-06-02..2023-06-08"),
    ("the Friday before 29 August 2023", "the Friday before 29 August 2023", "2023-08-25"),
    ("the weekend after 3 June 2022", "the weekend after 3 June 2022", "2022-06-04..2022-06-05"),
    ("on Sunday, 7 May 2023 at 10am", "Sunday, 7 May 2023 at 10am", "2023-05-07T10:00..11:00"),
    ("Tuesday, May 9 suits me", "Tuesday, May 9", "2023-05-09"),
    ("on 30 February 2023", "30 February 2023", "?"),
]

HOLIDAYS = [
    ("I met her on Christmas", "Christmas", "2022-12-25"),
    ("We come for Christmas", "Christmas", "2023-12-25"),
    ("last Christmas I was ill", "last Christmas", "2022-12-25"),
    ("on New Year's Eve we danced", "New Year's Eve", "2022-12-31"),
    ("since New Year’s I have run", "since New Year’s", "2023-01-01..2023-05-08T13:56"),
    ("two days after Christmas 2022", "two days after Christmas 2022", "2022-12-27"),
    ("We had fun on Halloween", "Halloween", "2022-10-31"),
    ("We met at Easter", "Easter", "2023-04-09"),
    ("We'll meet on Easter Monday", "Easter Monday", "2024-04-01"),
    ("I'll cook for Thanksgiving", "Thanksgiving", "2023-11-23"),
    ("I bought it on Black Friday", "Black Friday", "2022-11-25"),
    ("on Thanksgiving 1950 it snowed", "Thanksgiving 1950", "?"),
]

DURATIONS = [
    ("I've lived here for three years", "for three years", "2020-05-08T13:56..2023-05-08T13:56"),
    ("I've had them for 3 years now", "for 3 years now", "2020-05-08T13:56..2023-05-08T13:56"),
    ("I stayed for three years", "for three years", "?"),
    ("I'm going for two weeks", "for two weeks", "?"),
    ("I wrote it in two weeks", "in two weeks", "?"),
    ("I have worked here since 2016", "since 2016", "2016-01-01..2023-05-08T13:56"),
    ("I have worked here since last May", "since last May", "2022-05-01..2023-05-08T13:56"),
    ("since Friday it hurts", "since Friday", "2023-05-05..2023-05-08T13:56"),
    ("since Friday it hurt", "since Friday", "2023-05-05..2023-05-08T13:56"),
    ("over the last two weeks I slept badly", "over the last two weeks", "2023-04-24T13:56..2023-05-08T13:56"),
    ("in the past week I read a lot", "in the past week", "2023-05-01T13:56..2023-05-08T13:56"),
    ("in the next few months I travel", "in the next few months", "2023-05-08T13:56..2023-09-08T13:56"),
]

# What is due, planned or over, by the words of its clause.
TENSES = [
    ("The report is due on the 7th.", "7th", "2023-06-07"),
    ("The report was due on the 7th.", "7th", "2023-05-07"),
    ("I lost the key, but the rent is due on the 7th.", "7th", "2023-06-07"),
    ("The meeting was moved to Friday", "Friday", "2023-05-12"),
    ("The deadline got pushed back to the 5th.", "5th", "2023-06-05"),
    ("She promised to send it by Friday", "Friday", "2023-05-12"),
    ("It was supposed to arrive on Friday", "Friday", "2023-05-05"),
    ("You should have told me on Friday", "Friday", "2023-05-05"),
    ("I had a dentist appointment on Friday", "Friday", "2023-05-05"),
    ("She quit on Friday", "Friday", "2023-05-05"),
    ("The advanced course starts on Friday", "Friday", "2023-05-12"),
    ("Chris walked home on Friday", "Friday", "2023-05-05"),
    ("The parcel is sent on Friday", "Friday", "2023-05-12"),
    ("The meeting on Friday has been cancelled", "Friday", "2023-05-12"),
    ("The client gave us until June 4", "June 4", "2023-06-04"),
    ("We chose 9 June for the wedding", "9 June", "2023-06-09"),
    ("I told my boss I'd be leaving in June", "June", "2023-06"),
    ("The backup failed, so on Friday I'll do it by hand", "Friday", "2023-05-12"),
    ("The kiln room is closed on Mondays from November", "November", "2023-11"),
]

ORDINALS = [
    ("My exam is on Friday the 16th.", "Friday the 16th", "2023-06-16"),
    ("I fell on Friday the 21st.", "Friday the 21st", "2023-04-21"),
    ("Friday the 17th works for me.", "Friday the 17th", "?"),
    ("The 16th (Friday) suits me", "16th (Friday)", "2023-06-16"),
    ("I'm free on the 16th, a Friday.", "16th, a Friday", "2023-06-16"),
    ("The rent is paid on the 5th of next month", "the 5th of next month", "2023-06-05"),
    ("Let's say Friday, 12 May", "Friday, 12 May", "2023-05-12"),
    ("Let's say Tuesday, 12 May", "Tuesday, 12 May", "?"),
]

RANGES = [
    ("I'm away from 24 to 31 October", "24 to 31 October", "2023-10-24..2023-10-31"),
    ("I'm away October 24-31", "October 24-31", "2023-10-24..2023-10-31"),
    ("I'm away 24–31 October 2023", "24–31 October 2023", "2023-10-24..2023-10-31"),
    ("Between May 10 and May 20 I'm away", "Between May 10 and May 20", "2023-05-10..2023-05-20"),
    ("I'm away from December 18 until January 4", "December 18 until January 4", "2023-12-18..2024-01-04"),
    ("I was away from December 18 until January 4", "December 18 until January 4", "2022-12-18..2023-01-04"),
    ("We sail from Friday to Sunday", "Friday to Sunday", "2023-05-12..2023-05-14"),
    ("We sailed from Friday to Sunday", "Friday to Sunday", "2023-05-05..2023-05-07"),
    ("We'll sail Monday to Wednesday next week", "Monday to Wednesday next week", "2023-05-15..2023-05-17"),
    ("It runs from the 20th to the 3rd.", "the 20th to the 3rd", "2023-05-20..2023-06-03"),
    ("I worked there from 2015 to 2019", "2015 to 2019", "2015-01-01..2019-12-31"),
    ("The course goes from September to December", "September to December", "2023-09-01..2023-12-31"),
    ("On May 20 or 21 I'll call", "May 20 or 21", "?"),
    ("I'm off Saturday and Sunday", "Saturday and Sunday", "2023-05-13..2023-05-14"),
    ("I'm on duty on Tuesday and Wednesday next week", "Tuesday and Wednesday next week", "2023-05-16..2023-05-17"),
    ("It takes place on 6, 7 and 8 June", "6, 7 and 8 June", "2023-06-06..2023-06-08"),
    ("The pool is open between the 20th and the 25th.", "between the 20th and the 25th", "2023-05-20..2023-05-25"),
]

MOMENTS = [*DAYS, *WEEKDAYS, *WEEKS, *MONTHS, *YEARS, *DATES, *HOLIDAYS, *TENSES, *ORDINALS, *RANGES]


@pytest.mark.parametrize(("text", "said", "time"), MOMENTS)
def test_moment(text: str, said: str, time: str) -> None:
    span = only(text)
    assert (span.said, short(span)) == (said, time)


@pytest.mark.parametrize(("text", "said", "time"), DURATIONS)
def test_duration(text: str, said: str, time: str) -> None:
    span = only(text)
    assert (span.said, short(span), span.kind) == (said, time, TimeKind.DURATION)


@pytest.mark.parametrize(
    "text",
    [
        "I may go",
        "You may march on",
        "This may be wrong",
        "march on to the sea",
        "We sat in the sun",
        "Wait a second",
        "the second one",
        "the third time was worst",
        "I fall asleep",
        "My last fall hurt",
        "a spring in the mattress",
        "Who wed whom?",
        "a mon ami",
        "every Friday we dance",
        "every other Friday we dance",
        "We dance on the first Monday of each month",
        "I pay on the 1st of every month",
        "My birthday is on 17 July every year",
        "I usually run on Saturday",
        "The weekly call is on Thursday",
        "The next week we left",
        "June told me so",
        "we were back in a minute",
        "on Fridays we dance",
        "Friday nights are fun",
        "some Mondays are hard",
        "each summer we sail",
        "one day I will be rich",
        "Have a nice day!",
        "all day long",
        "the days of old",
        "a long week",
        "my birthday cake",
        "last minute changes",
        "The last one was best",
        "the next step",
        "Next, run the tests",
        "at last",
        "Christmas songs are nice",
        "the shop with Christmas lights",
        "it costs 2016 dollars",
        "in 2048 bytes",
        "line 2019 of the file",
        "version 2.0.1",
        "the ratio is 5/7",
        "port 8080",
        "src/2023/05",
        "room 3 pm-2",
        "The date is set",
        "over the moon",
        "an hour-long talk",
        "quarter of the cake",
        "the early bird",
        "the end of the line",
        "Augusta and Junebug and Mayor Friedman",
        "",
    ],
)
def test_no_time(text: str) -> None:
    assert find_times(text, MONDAY) == []


@pytest.mark.parametrize("text", ["years ago I sang", "a long time ago", "I sang ages ago", "it was many years ago"])
def test_a_vague_time_is_found_and_not_resolved(text: str) -> None:
    assert short(only(text)) == "?"


@pytest.mark.parametrize(
    ("text", "grain", "approximate"),
    [
        ("yesterday", Grain.DAY, False),
        ("last week", Grain.WEEK, False),
        ("last weekend", Grain.WEEKEND, False),
        ("a couple of months ago", Grain.MONTH, True),
        ("about two months ago", Grain.MONTH, True),
        ("nearly two months ago", Grain.MONTH, True),
        ("last quarter", Grain.QUARTER, False),
        ("last summer", Grain.SEASON, False),
        ("10 years ago", Grain.YEAR, False),
        ("early next month", Grain.WEEK, True),
        ("tomorrow at 3 pm", Grain.HOUR, False),
    ],
)
def test_grain_and_roughness(text: str, grain: Grain, approximate: bool) -> None:
    span = only(text)
    assert (span.grain, span.approximate) == (grain, approximate)


def test_several_times_in_one_text() -> None:
    found = find_times("I quit on Friday. Next month I start, on 3 July 2023 at the latest.", MONDAY)
    assert [span.said for span in found] == ["Friday", "Next month", "3 July 2023"]


def test_a_choice_is_left_as_said() -> None:
    assert [short(span) for span in find_times("Maybe Monday, maybe Tuesday", MONDAY)] == ["?", "?"]


def test_of_several_times_none_is_told() -> None:
    assert [short(span) for span in find_times("We report in April and October.", MONDAY)] == ["?", "?"]


@pytest.mark.parametrize("text", ["We work Monday to Friday", "The pool is open from May to September"])
def test_days_and_months_that_come_every_time_are_no_stretch(text: str) -> None:
    assert find_times(text, MONDAY) == []


def test_what_was_moved_holds_no_longer() -> None:
    before, after = find_times("The call moved from Tuesday to Friday", MONDAY)
    assert (before.withdrawn, after.withdrawn, short(after)) == (True, False, "2023-05-12")


def test_the_day_of_a_named_month_stays_in_it() -> None:
    _, day = find_times("I'm in Rome in June. My talk is on the 22nd.", MONDAY)
    assert short(day) == "2023-06-22"
    _, back = find_times("I leave on 28 May and come home on the 3rd.", MONDAY)
    assert short(back) == "2023-06-03"


def test_the_tense_is_that_of_the_sentence() -> None:
    past, future = find_times("I ran on Friday. I will rest on Friday.", MONDAY)
    assert (short(past), short(future)) == ("2023-05-05", "2023-05-12")


@pytest.mark.parametrize(
    ("text", "relative"),
    [("yesterday", True), ("in May", True), ("May 7", True), ("May 7, 2023", False), ("in 2019", False)],
)
def test_relative_means_another_time_on_another_day(text: str, relative: bool) -> None:
    assert only(text).relative is relative


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("the fair of 2019 was wet", "2019"),
        ("we meet on the 5th, as ever", "5th"),
        ("I moved on 5jan", "5jan"),
        ("they sang hits of the 90s", "the 90s"),
        ("it was planned for q3", "q3"),
    ],
)
def test_a_number_is_a_time_without_any_other_word(text: str, said: str) -> None:
    assert [span.said for span in find_times(text, MONDAY)] == [said]


def test_most_numbers_are_no_times() -> None:
    assert find_times("the 3 mills grind 250 sacks, 12.5 of them white, on 4 stones", MONDAY) == []


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("A week today is her last day", "2023-05-15"),
        ("The flight is on 13/11 at six", "2023-11-13"),
        ("Easter Sunday lunch is at ours", "2024-03-31"),
        ("NYE we're at my brother's", "2023-12-31"),
        ("The office is closed from 22 December to 2 January", "2023-12-22..2024-01-02"),
    ],
)
def test_short_and_festive_days(text: str, time: str) -> None:
    assert short(only(text)) == time


@pytest.mark.parametrize(
    "text",
    [
        "We were going to launch on 3 June, and now Sam swears it's the 14th of June.",
        "Scrap Monday, the van comes on 14 June.",
        "We'd said 3 June for the handover but that slid, it's 14 June now.",
    ],
)
def test_of_what_was_said_first_and_holds_no_longer_the_newer_day(text: str) -> None:
    span = event_span(text, MONDAY)
    assert span is not None
    assert short(span) == "2023-06-14"


def test_a_birthday_is_no_single_day() -> None:
    assert event_span("My dad's birthday is 9 August, I forget it again and again.", MONDAY) is None
