"""The fields of every JSON document, as scripts rely on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run

REPORT = {
    "forgotten",
    "unrecorded",
    "sessions",
    "turns",
    "messages",
    "candidates",
    "accepted",
    "merged",
    "superseded",
    "rejected",
    "pruned",
    "facts",
    "rejected_by_reason",
    "unknown_kinds",
    "seconds",
}
FACT = {
    "id",
    "category",
    "content",
    "status",
    "pinned",
    "source",
    "confidence",
    "evidence_count",
    "created_at",
    "updated_at",
    "last_validated_at",
    "validation_command",
    "session",
    "message_id",
    "span",
    "speaker",
    "salience",
    "contradicts",
}
CANDIDATE = {
    "id",
    "decision",
    "reason",
    "rule",
    "detail",
    "category",
    "content",
    "role",
    "session",
    "turn",
    "message_id",
    "span",
    "fact_id",
    "created_at",
    "speaker",
    "salience",
}
EVENT = {"seq", "fact_id", "action", "cause", "before", "after", "at"}


def test_observe(run: Run, session: Path, tmp_path: Path) -> None:
    report = run("observe", session, "--db", tmp_path / "m.db", "--json").document
    assert set(report) == REPORT
    assert (report["sessions"], report["turns"], report["messages"]) == (1, 3, 5)
    outcomes = report["accepted"] + report["merged"] + report["superseded"] + report["rejected"]
    assert outcomes == report["candidates"] > 0
    assert sum(report["rejected_by_reason"].values()) == report["rejected"]
    assert report["seconds"] >= 0


def test_observing_again_changes_nothing(run: Run, session: Path, db: Path) -> None:
    before = run("export", "--db", db).out
    report = run("observe", session, "--db", db, "--json").document
    assert (report["candidates"], report["messages"]) == (0, 0)
    assert run("export", "--db", db).out == before


def test_facts(run: Run, db: Path) -> None:
    facts = run("facts", "--db", db, "--json").document
    assert facts
    for fact in facts:
        assert set(fact) == FACT
        assert set(fact["span"]) == {"start", "end"}
    only = run("facts", "--db", db, "--category", "instruction", "--status", "active", "--json").document
    assert [fact["id"] for fact in only] == [
        fact["id"] for fact in facts if (fact["category"], fact["status"]) == ("instruction", "active")
    ]


def test_remember_pin_unpin_forget(run: Run, tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    fact = run("remember", "The build writes to out/.", "--category", "note", "--db", db, "--json").document
    assert set(fact) == FACT
    assert (fact["content"], fact["category"], fact["source"]) == ("The build writes to out/.", "note", "user")
    assert fact["created_at"].endswith("Z")
    assert run("pin", fact["id"], "--db", db, "--json").document["pinned"] is True
    assert run("unpin", fact["id"], "--db", db, "--json").document["pinned"] is False
    assert run("forget", fact["id"], "--db", db, "--json").document["status"] == "forgotten"
    events = run("history", fact["id"], "--db", db, "--json").document
    assert all(set(event) == EVENT for event in events)
    assert [event["action"] for event in events] == ["create", "pin", "unpin", "forget"]


def test_remember_pinned(run: Run, tmp_path: Path) -> None:
    fact = run(
        "remember", "Use tabs.", "--category", "preference", "--pin", "--db", tmp_path / "m.db", "--json"
    ).document
    assert fact["pinned"] is True


def test_rollback_to_an_event(run: Run, tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    first = run("remember", "Use tabs.", "--category", "preference", "--db", db, "--json").document
    event = run("history", first["id"], "--db", db, "--json").document[-1]["seq"]
    run("remember", "Use spaces in YAML.", "--category", "preference", "--db", db)
    done = run("rollback", "--to", str(event), "--db", db, "--json").document
    assert set(done) == {"reverted", "facts"}
    assert done["reverted"] == 1
    active = run("facts", "--status", "active", "--db", db, "--json").document
    assert [fact["content"] for fact in active] == ["Use tabs."]


def test_audit(run: Run, db: Path) -> None:
    candidates = run("audit", "--db", db, "--json").document
    assert candidates
    for candidate in candidates:
        assert set(candidate) == CANDIDATE
        assert set(candidate["span"]) == {"start", "end"}
    rejected = run("audit", "--decision", "rejected", "--db", db, "--json").document
    assert {candidate["decision"] for candidate in rejected} == {"rejected"}
    assert len(run("audit", "--limit", "1", "--db", db, "--json").document) == 1


def test_audit_filters(run: Run, db: Path) -> None:
    rejected = run("audit", "--decision", "rejected", "--db", db, "--json").document
    reason = rejected[0]["reason"]
    same = run("audit", "--reason", reason, "--db", db, "--json").document
    assert {candidate["reason"] for candidate in same} == {reason}
    session = rejected[0]["session"]
    assert run("audit", "--session", session, "--db", db, "--json").document
    assert run("audit", "--session", "another", "--db", db, "--json").document == []


def test_audit_stats_agree_with_the_list(run: Run, db: Path) -> None:
    stats = run("audit", "stats", "--db", db, "--json").document
    assert set(stats) == {"by_decision", "by_reason", "by_category", "facts_by_status"}
    candidates = run("audit", "--db", db, "--json").document
    assert sum(stats["by_decision"].values()) == len(candidates)
    assert sum(sum(counts.values()) for counts in stats["by_category"].values()) == len(candidates)


def test_options_before_a_subcommand_of_audit_count_too(run: Run, db: Path) -> None:
    assert run("audit", "--db", db, "--json", "stats").out == run("audit", "stats", "--db", db, "--json").out


def test_audit_explain(run: Run, db: Path) -> None:
    for row in run("audit", "--db", db, "--json").document:
        story = run("audit", "explain", row["id"], "--db", db, "--json").document
        parts = {"candidate", "message", "quoted", "reason", "fact", "compared_with", "history", "story"}
        assert set(story) == parts | {"tool", "trust"}
        assert row.items() <= story["candidate"].items()
        assert story["reason"]["code"] == row["reason"]
        assert story["quoted"] == story["message"]["text"][row["span"]["start"] : row["span"]["end"]]
        assert (story["fact"] is None) == (row["decision"] == "rejected")


def test_audit_reasons(run: Run) -> None:
    reasons = run("audit", "reasons", "--json").document
    assert all(set(reason) == {"code", "sentence", "example", "counter_example"} for reason in reasons)
    assert {"negated", "secret", "hypothetical"} <= {reason["code"] for reason in reasons}


def test_a_reversed_rejection_becomes_a_fact_and_stays(run: Run, session: Path, db: Path) -> None:
    rejected = run("audit", "--decision", "rejected", "--db", db, "--json").document[0]
    fact = run("audit", "accept", rejected["id"], "--db", db, "--json").document
    assert set(fact) == FACT
    assert fact["status"] == "active"
    run("observe", session, "--db", db)
    story = run("audit", "explain", rejected["id"], "--db", db, "--json").document
    assert story["candidate"]["reviewed"] is True
    assert story["fact"]["status"] == "active"


def test_a_reversed_acceptance_forgets_the_fact(run: Run, db: Path) -> None:
    accepted = run("audit", "--decision", "accepted", "--db", db, "--json").document[0]
    candidate = run("audit", "reject", accepted["id"], "--db", db, "--json").document
    assert set(candidate) == CANDIDATE
    assert candidate["decision"] == "rejected"
    forgotten = run("facts", "--status", "forgotten", "--db", db, "--json").document
    assert accepted["fact_id"] in {fact["id"] for fact in forgotten}


def test_recall(run: Run, db: Path) -> None:
    found = run(
        "recall", "which port does staging use?", "-k", "3", "--max-tokens", "300", "--db", db, "--json"
    ).document
    assert set(found) == {"items", "block", "tokens", "fit", "abstain"}
    assert 0 < len(found["items"]) <= 3
    assert found["tokens"] <= 300
    assert 0 <= found["fit"] <= 1
    assert found["abstain"] is False
    for item in found["items"]:
        assert set(item) == {
            *("kind", "id", "text", "score", "why", "session", "message_id", "created_at", "speaker"),
            *("source", "quarantined"),
        }
        assert item["kind"] in {"fact", "turn"}


def test_export_and_import_give_the_same_memory(run: Run, db: Path, tmp_path: Path) -> None:
    exported = run("export", "--db", db).out
    file = tmp_path / "export.jsonl"
    written = run("export", "-o", file, "--db", db, "--json").document
    assert file.read_text(encoding="utf-8") == exported
    assert written == {"lines": len(exported.splitlines()), "file": str(file)}
    copy = tmp_path / "copy.db"
    assert run("import", file, "--db", copy, "--json").document["lines"] == written["lines"]
    assert run("export", "--db", copy).out == exported
    assert run("export", "--db", copy, "--json").document[0]


def test_import_from_standard_input(run: Run, db: Path, tmp_path: Path) -> None:
    exported = run("export", "--db", db).out
    copy = tmp_path / "copy.db"
    assert run("import", "-", "--db", copy, stdin=exported.encode()).code == 0
    assert run("export", "--db", copy).out == exported


def test_doctor(run: Run, db: Path) -> None:
    result = run("doctor", "--db", db, "--json")
    assert result.code == 0
    assert result.document["ok"] is True
    assert all(set(check) == {"name", "ok", "detail"} for check in result.document["checks"])


def test_undated_messages_stay_undated_unless_they_are_stamped(run: Run, session: Path, tmp_path: Path) -> None:
    run("observe", session, "--db", tmp_path / "plain.db")
    run("observe", session, "--stamp", "--db", tmp_path / "stamped.db")
    plain = run("facts", "--db", tmp_path / "plain.db", "--json").document
    stamped = run("facts", "--db", tmp_path / "stamped.db", "--json").document
    assert {fact["created_at"] for fact in plain} == {None}
    assert None not in {fact["created_at"] for fact in stamped}


def test_purge_deletes_rejected_candidates_only(run: Run, db: Path) -> None:
    before = run("audit", "stats", "--db", db, "--json").document["by_decision"]
    assert run("purge", "--keep-rejected", "1", "--db", db, "--json").document == {
        "purged": before["rejected"] - 1,
        "expired": 0,
    }
    after = run("audit", "stats", "--db", db, "--json").document["by_decision"]
    assert after == {**before, "rejected": 1}
    assert run("purge", "--db", db, "--json").document == {"purged": 0, "expired": 0}
