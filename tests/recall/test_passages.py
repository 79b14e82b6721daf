"""A block shows the sentences that answer, what was said on one subject in one line, and old words never alone."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from cfpm import Memory
from cfpm.model import Category, Fact, Source
from cfpm.recall.items import RecallItem
from cfpm.recall.passages import how_surely_rules
from cfpm.settings import Settings

FIRST_DAY = datetime(2026, 1, 5, 9, tzinfo=UTC)

LONG = (
    "Sorry for the silence, the harbour office kept me busy all week. The slipway winch needs a new cable before June. "
    "My neighbour bought a parrot that whistles at night. "
    "The spare anchor lies under the tarpaulin behind the boathouse. "
    "Lunch was herring again, and nobody complained about it this time."
)


@pytest.fixture
def memory() -> Iterator[Memory]:
    """Without the encoder that links statements: a link may be missed."""
    with Memory.open("sqlite://", settings=Settings(max_pairs_per_turn=0)) as opened:
        yield opened


def told(memory: Memory, *texts: str) -> None:
    """Each a session of its own, ten days after the one before; `agent: ` before a text says who spoke."""
    for number, text in enumerate(texts):
        role = "assistant" if text.startswith("agent: ") else "user"
        at = (FIRST_DAY + timedelta(days=10 * number)).isoformat()
        said = {"id": f"m{number}", "role": role, "content": text.removeprefix("agent: "), "created_at": at}
        memory.observe([said], session=f"s{number}")


def line_with(memory: Memory, words: str, query: str, budget: int = 600) -> str:
    return next(line for line in memory.recall(query, max_tokens=budget).lines if words in line)


class TestSentences:
    def test_of_a_long_message_the_sentence_that_answers_is_shown(self, memory: Memory) -> None:
        told(memory, f"agent: {LONG}", "The ferry to Tarn leaves at noon.")
        shown = memory.recall("Where is the spare anchor?", max_tokens=90).block
        assert "The spare anchor lies under the tarpaulin behind the boathouse." in shown
        assert "parrot" not in shown

    def test_an_agents_word_of_assent_is_no_answer(self, memory: Memory) -> None:
        told(memory, "The kiosk page uses double quotes.", "agent: Noted.", "agent: Got it, will do.", "agent: 8081.")
        shown = memory.recall("Got it, which quotes does the kiosk page use, noted 8081?").block
        assert "double quotes" in shown
        assert "8081" in shown
        assert "Noted" not in shown
        assert "will do" not in shown

    def test_what_is_left_out_is_marked(self, memory: Memory) -> None:
        told(memory, f"agent: {LONG}")
        line = line_with(memory, "spare anchor", "Where is the spare anchor?", 90)
        assert "… The spare anchor" in line
        assert "boathouse. …" in line

    def test_sentences_of_one_message_share_a_line(self, memory: Memory) -> None:
        told(memory, f"agent: {LONG}")
        lines = [line for line in memory.recall("What about the winch and the spare anchor?").lines if "[turn]" in line]
        assert len(lines) == 1
        assert "slipway winch" in lines[0]
        assert "spare anchor" in lines[0]

    def test_what_an_assistant_took_note_of_is_not_shown_twice(self, memory: Memory) -> None:
        messages = [
            {"role": "user", "content": "The choir rehearses on Thursdays at 19:30 in the old chapel."},
            {"role": "assistant", "content": "Noted: the choir rehearses Thursdays at 19:30 in the old chapel."},
        ]
        memory.observe(messages, session="s")
        assert memory.recall("When does the choir rehearse?").block.count("19:30") == 1

    def test_another_number_is_no_repetition(self, memory: Memory) -> None:
        messages = [
            {"role": "user", "content": "The choir rehearses on Thursdays at 19:30 in the old chapel."},
            {"role": "assistant", "content": "Noted: the choir rehearses Thursdays at 18:30 in the old chapel."},
        ]
        memory.observe(messages, session="s")
        shown = memory.recall("When does the choir rehearse?").block
        assert "19:30" in shown
        assert "18:30" in shown


class TestOneSubject:
    OLD = "The bread van calls at the mill on Mondays at 07:15."
    NEW = "From April on the bread van comes by the mill on Fridays at 09:40."

    def test_an_older_value_stands_behind_the_newer_one_in_its_line(self, memory: Memory) -> None:
        told(memory, self.OLD, "My sister plays the oboe.", self.NEW)
        line = line_with(memory, "Fridays", "When does the bread van call at the mill?")
        assert line.index("Fridays") < line.index("[maybe outdated]") < line.index("Mondays")

    def test_each_keeps_its_id_and_day(self, memory: Memory) -> None:
        told(memory, self.OLD, self.NEW)
        line = line_with(memory, "Fridays", "When does the bread van call at the mill?")
        assert "Jan 5" in line
        assert "Jan 15" in line

    def test_another_subject_has_a_line_of_its_own(self, memory: Memory) -> None:
        told(memory, self.OLD, "The oboe needs new reeds before the recital.")
        lines = memory.recall("When does the bread van call at the mill?").lines
        assert not any("Mondays" in line and "oboe" in line for line in lines)

    def test_a_question_is_no_newer_value(self, memory: Memory) -> None:
        told(memory, self.OLD, "agent: Shall the bread van come by the mill on Fridays at 09:40?")
        line = line_with(memory, "Mondays", "When does the bread van call at the mill?")
        assert "[maybe outdated]" not in line

    def test_the_facts_of_a_shared_line_are_all_told_to_the_host(self, memory: Memory) -> None:
        told(memory, self.OLD, self.NEW)
        contents = memory.recall("When does the bread van call at the mill?").contents
        assert {self.OLD, self.NEW} <= set(contents)

    def test_what_was_said_last_stands_first(self, memory: Memory) -> None:
        told(memory, "The loom has a broken pedal.", "The loom has a new pedal since noon.")
        block = memory.recall("What about the pedal of the loom?").block
        assert block.index("new pedal") < block.index("broken pedal")


class TestRoom:
    RULES = tuple(
        f"Always write the {thing} in {colour} ink, never in pencil."
        for thing, colour in (("ledger", "black"), ("diary", "blue"), ("log", "green"), ("roster", "red"))
    )
    ROOMS = tuple(
        f"The {room} of the lighthouse was painted {colour} by the keeper's cousin, who mixed the {colour} himself."
        for room in ("kitchen", "cellar", "lamp room", "pantry", "landing", "washroom")
        for colour in ("ochre", "teal", "grey")
    )

    def test_a_question_leaves_more_room_for_answers_than_an_order(self, memory: Memory) -> None:
        told(memory, *self.RULES, *self.ROOMS)
        asked = memory.recall("Which colour was the kitchen of the lighthouse painted?", max_tokens=400)
        ordered = memory.recall("Paint the kitchen of the lighthouse again.", max_tokens=400)
        assert asked.block.count("painted") > ordered.block.count("painted")
        assert asked.block.count("ink") < ordered.block.count("ink")

    def test_rules_come_in_where_answers_leave_room(self, memory: Memory) -> None:
        told(memory, *self.RULES, *self.ROOMS)
        shown = memory.recall("Which colour was the kitchen of the lighthouse painted?", max_tokens=2_400).block
        assert all(rule in shown for rule in self.RULES)

    @pytest.mark.parametrize("budget", [60, 90, 140, 220, 400])
    def test_the_budget_holds_with_shared_lines(self, memory: Memory, budget: int) -> None:
        told(memory, TestOneSubject.OLD, f"agent: {LONG}", TestOneSubject.NEW, *self.RULES)
        found = memory.recall("When does the bread van call, and where is the anchor?", max_tokens=budget)
        assert found.tokens <= budget


def test_an_order_brings_the_rule_that_concerns_it(memory: Memory) -> None:
    rules = [
        f"Never lend the {thing} to strangers." for thing in ("rowing boat", "ladder", "trailer", "chainsaw", "tent")
    ]
    chatter = [f"The rowing boat was at the {place} again yesterday." for place in ("pier", "island", "lock", "weir")]
    told(memory, *rules, *chatter)
    assert rules[0] in memory.recall("Get the rowing boat ready for the guests.", max_tokens=180).block


def test_a_shown_text_marks_every_part_that_is_left_out() -> None:
    text = "One here. Two here. Three here. Four here."
    item = RecallItem("turn", "m", text, 1.0, {}, "s", "m", None, None, role="user", spans=((10, 19), (32, 42)))  # type: ignore[arg-type]
    assert item.shown == "… Two here. … Four here."


def test_files_and_results_of_tools_take_nothings_place(memory: Memory) -> None:
    for number, name in enumerate(("ramp", "curve")):
        path = f"/srv/kiln/oven/{name}.py"
        at = (FIRST_DAY + timedelta(days=10 * number)).isoformat()
        call = {"id": f"c{number}", "name": "Write", "arguments": {"file_path": path, "content": "x = 1\n"}}
        check = {"id": f"t{number}", "name": "Bash", "arguments": {"command": "pytest -q oven"}}
        memory.observe(
            [
                {"role": "user", "content": f"Write the {name} of the oven.", "created_at": at},
                {"role": "assistant", "content": None, "tool_calls": [call], "created_at": at},
                {"role": "tool", "tool_call_id": f"c{number}", "content": f"File created: {path}", "created_at": at},
                {"role": "assistant", "content": None, "tool_calls": [check], "created_at": at},
                {"role": "tool", "tool_call_id": f"t{number}", "content": f"{number + 6} passed", "created_at": at},
            ],
            session=f"s{number}",
        )
    shown = memory.recall("Which files of the oven were written?", max_tokens=600)
    assert "/srv/kiln/oven/curve.py" in shown.block
    assert not any("[maybe outdated]" in line for line in shown.lines if line.startswith("- [artifact]"))
    assert "outdated] /srv" not in shown.block
    assert not any(line.startswith("- [verified_action]") for line in shown.lines)


def test_what_was_done_stands_behind_what_is_said_later_on_its_subject(memory: Memory) -> None:
    call = {"id": "c1", "name": "Bash", "arguments": {"command": "ls /srv/kiln/firing-logs"}}
    early, late = ((FIRST_DAY + timedelta(days=days)).isoformat() for days in (0, 20))
    memory.observe(
        [
            {"role": "user", "content": "In which folder do the firing logs of the kiln lie?", "created_at": early},
            {"role": "assistant", "content": None, "tool_calls": [call], "created_at": early},
            {"role": "tool", "tool_call_id": "c1", "content": "monday.log\ntuesday.log", "created_at": early},
        ],
        session="s0",
    )
    said = "We keep the firing logs of the kiln in the folder /mnt/oven/logs."
    memory.observe([{"role": "user", "content": said, "created_at": late}], session="s1")
    line = line_with(memory, said, "In which folder are the firing logs of the kiln?")
    assert line.index("/mnt/oven/logs") < line.index("[maybe outdated]") < line.index("/srv/kiln/firing-logs")


class TestWhatAnswers:
    def test_a_number_is_wanted_where_one_is_asked_for(self, memory: Memory) -> None:
        told(memory, "The kiln is fired by Bruno on market days.", "Some 40 mugs fit into the kiln.", "The kiln hums.")
        [line] = memory.recall("How many mugs does the kiln take?", max_tokens=90).lines
        assert "40 mugs" in line

    def test_what_the_message_before_names_helps_its_answer(self, memory: Memory) -> None:
        said = [("assistant", "Which vet does the ferret go to?"), ("user", "Dr Oduya, on Larch Street.")]
        told(memory, "The vet bill of the ferret was steep.", "Nobody likes the vet on Elm Street.")
        memory.observe([{"role": role, "content": text} for role, text in said], session="vet")
        block = memory.recall("Who is the vet of the ferret?", max_tokens=140).block
        assert "Oduya" in block

    def test_a_question_is_no_earlier_value(self, memory: Memory) -> None:
        told(memory, "agent: When does the bread van call at the mill on Mondays?", TestOneSubject.NEW)
        assert "[maybe outdated]" not in line_with(memory, "Fridays", "When does the bread van call at the mill?")

    def test_an_order_brings_the_rule_that_it_concerns(self, memory: Memory) -> None:
        rules = [
            f"Always paint the {thing} before noon." for thing in ("gate", "shed", "fence", "porch", "bench", "door")
        ]
        told(memory, "Never commit without a ticket number.", *rules, *TestRoom.ROOMS)
        block = memory.recall("Commit the change of the invoices.", max_tokens=260).block
        assert "ticket number" in block

    def test_what_came_later_than_several_is_told_once(self, memory: Memory) -> None:
        told(memory, *TestRoom.RULES, *TestRoom.ROOMS)
        block = memory.recall("Paint the kitchen of the lighthouse again.", max_tokens=600).block
        lines = [line.split(" (fact_")[0] for line in block.splitlines()]
        assert len(lines) == len(set(lines))


TOLD_IN_OTHER_WORDS = [
    "The kids' course holds 12 children.",
    "I'm off meat since summer, find something veggie for the team dinner.",
    "Pulse please, at seven, we're nine people",
    "We moved to a box at Scaleway, its name is crimp.",
    "My brother plays the trombone.",
]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Where do we eat?", "Pulse"),
        ("Which server hosts the site?", "Scaleway"),
        ("Which instrument does he have?", "trombone"),
    ],
)
def test_what_shares_no_word_with_the_question_is_shown_where_there_is_room(asked: str, answer: str) -> None:
    with Memory.open(":memory:") as memory:
        for number, text in enumerate(TOLD_IN_OTHER_WORDS):
            memory.observe([{"role": "user", "content": text}], session=f"s{number}")
        assert answer in memory.recall(asked, max_tokens=600).block


def test_what_shares_no_word_with_the_prompt_is_not_told_unasked() -> None:
    with Memory.open(":memory:") as memory:
        for number, text in enumerate(TOLD_IN_OTHER_WORDS):
            memory.observe([{"role": "user", "content": text}], session=f"s{number}")
        assert "Scaleway" not in memory.recall("Which server hosts the site?", max_tokens=600, near=0.6).block


def test_what_is_kept_and_not_searched_fills_no_room() -> None:
    with Memory.open(":memory:") as memory:
        memory.observe([{"role": "system", "content": "You are the agent of a bakery."}], session="s0")
        for number, text in enumerate(TOLD_IN_OTHER_WORDS):
            memory.observe([{"role": "user", "content": text}], session=f"s{number}")
        memory.rewind("s4", 0)
        block = memory.recall("Where do we eat?", max_tokens=600).block
    assert "Pulse" in block
    assert "bakery" not in block
    assert "trombone" not in block


def test_an_order_finds_its_rule_among_more_rules_than_a_block_lists(memory: Memory) -> None:
    things = (
        "lamps kites boats wells drums gates ovens mills ropes sails forks tents doors pumps belts wires tiles hooks"
    )
    others = (f"Always keep the notes about {thing} in their own folder." for thing in things.split())
    told(memory, "Always write invoices in Danish.", *others)
    lines = memory.recall("Write the invoice for the boatyard.", max_tokens=300).lines
    assert any("Danish" in line for line in lines[:3])


def test_rules_are_told_from_what_only_became_one_and_what_a_person_wrote_down_is_sure() -> None:
    said = ["Never translate a letter unless I say so.", "The gardener came back."]
    facts = [Fact(f"fact_{place}", "n", Category.INSTRUCTION, text, text) for place, text in enumerate(said)]
    given = replace(facts[1], id="fact_2", source=Source.USER)
    sure = how_surely_rules([*facts, given])
    assert sure["fact_0"] >= 0.9
    assert sure["fact_1"] <= 0.7
    assert sure["fact_2"] == 1.0


def test_an_order_of_long_ago_stands_beside_a_question_and_not_beside_another_order(memory: Memory) -> None:
    asked = "Write to Jorunn and ask whether the crane would be possible for the barge."
    told(memory, f"The quay has a gate at the north end, Jorunn has the key. {asked}", "The crane lifts nine tonnes.")
    assert asked in memory.recall("What did I want you to ask Jorunn about the crane?", max_tokens=400).block
    ordered = memory.recall("Draft a mail to Jorunn about the crane and the gate.", max_tokens=400).block
    assert "Jorunn has the key" in ordered
    assert asked not in ordered


def test_the_opening_of_a_letter_is_no_line_of_a_block(memory: Memory) -> None:
    told(
        memory,
        "agent: Here is the draft:\n\nDear Mr Whitlock,\nthe mast is ready on Friday.",
        "Mr Whitlock owns two cutters.",
    )
    block = memory.recall("Write to Mr Whitlock about the mast.", max_tokens=400).block
    assert "the mast is ready on Friday" in block
    assert "Dear Mr Whitlock" not in block


HOUSE_RULES = [
    "Anything over 300 euros I decide myself.",
    "Never lend the rowing boat to strangers.",
    "Letters to the parish always end with my full name.",
    "Prices in the shop window always with tax, please.",
    "No phone calls while the kiln is firing, ever.",
    "Always write dates with the day first.",
    "Never promise anybody a delivery before Friday.",
    "Recipes for glazes always in grams, not in spoons.",
    "Answer pupils in English, always, even if they write Dutch.",
    "Never name other customers in a mail.",
    "Lists for the market always sorted by size.",
    "Always two people when the lid of the big kiln is lifted.",
    "Never throw away a broken pot before I have seen it.",
    "Drafts of mails always without greetings, I add them.",
    "Always ask the landlord before anything is drilled into a wall.",
    "Course texts never longer than half a page.",
    "Always round hours up to the next quarter on bills.",
    "Never book anything on my brother's birthday weekend, the second one in May.",
    "Always put the weight on parcels that go abroad.",
    "Never post a picture in which a child can be seen.",
    "Always keep two bags of white clay in stock.",
    "Numbers of firings always go into the red book.",
]


@pytest.mark.parametrize(
    ("order", "rule"),
    [
        ("Buy us the bigger wheel, the one for 1,150.", 0),
        ("Let the boy from Jan's course know what went wrong with his mug.", 8),
        ("Send the twelve cups to Oslo.", 18),
        ("Show last Saturday's family workshop on our page.", 19),
    ],
)
def test_the_rule_that_concerns_an_order_has_room_in_whatever_words(memory: Memory, order: str, rule: int) -> None:
    told(memory, *HOUSE_RULES)
    assert HOUSE_RULES[rule] in memory.recall(order, max_tokens=160).block
