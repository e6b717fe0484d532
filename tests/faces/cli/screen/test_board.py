"""Which question is shown: nothing moves unless the person does."""

from msgspec import UNSET

from handrail.features.people.cli.screen.board import MOST_ANSWERED, Board
from handrail.ports.prompts import FileChangePrompt, PromptResponse, RequestEntry, ResponseEntry, ResultPrompt


def asked(request_id: str) -> RequestEntry:
    return RequestEntry(ts="2026-01-01T00:00:00.000Z", request_id=request_id, prompt=FileChangePrompt(title=request_id))


def answer(request_id: str) -> ResponseEntry:
    return ResponseEntry(ts="2026-01-01T00:00:01.000Z", request_id=request_id, response=PromptResponse(status="ok"))


def board(*request_ids: str) -> Board:
    made = Board()
    made.load([asked(each) for each in request_ids], [])
    return made


def ids(made: Board) -> list[str]:
    return [row.id for row in made]


def test_the_oldest_is_shown_first_and_news_queue_behind() -> None:
    made = board("a", "b")
    made.receive([asked("c")])
    assert (made.shown, ids(made)) == ("a", ["a", "b", "c"])


def test_what_is_answered_elsewhere_keeps_its_place_until_the_person_moves() -> None:
    made = board("a", "b", "c")
    made.receive([answer("a"), answer("b")])
    assert (made.shown, ids(made)) == ("a", ["a", "b", "c"])
    assert [row.is_settled for row in made] == [True, True, False]
    made.move_to("c")
    assert (made.shown, ids(made)) == ("c", ["c"])


def test_the_first_answer_counts() -> None:
    made = board("a")
    made.receive([answer("a"), ResponseEntry(ts="", request_id="a", response=PromptResponse(status="canceled"))])
    assert made["a"].answer == answer("a")


def test_moving_on_finds_the_next_one_that_waits_around_the_end() -> None:
    made = board("a", "b", "c")
    made.move_to("c")
    made.receive([answer("c")])
    made.move_on()
    assert (made.shown, ids(made)) == ("a", ["a", "b"])
    made.receive([answer("a"), answer("b")])
    made.move_on()
    assert (made.shown, ids(made)) == (None, [])
    made.receive([asked("d")])
    assert made.shown == "d"


def test_after_the_log_was_replaced_what_is_gone_from_it_is_withdrawn_in_its_place() -> None:
    made = board("a", "b")
    made.load([asked("b"), asked("c")], [])
    assert (made.shown, ids(made), made["a"].is_withdrawn) == ("a", ["a", "b", "c"], True)
    assert [row.id for row in made.waiting] == ["b", "c"]
    canceled = ResponseEntry(ts="", request_id="b", response=PromptResponse(status="canceled"))
    made.load([asked("c")], [asked("b"), answer("b"), canceled])
    assert (made["b"].is_withdrawn, made["b"].answer) == (False, answer("b"))


def test_what_was_asked_or_answered_while_the_log_was_read_is_not_missed() -> None:
    made = Board()
    made.load([asked("a"), asked("b")], [asked("a"), asked("b"), answer("a"), asked("c"), asked("d"), answer("d")])
    assert ids(made) == ["a", "b", "c"]
    assert [row.id for row in made.waiting] == ["b", "c"]
    assert made.shown == "b"


def test_the_history_has_the_newest_first_and_an_end() -> None:
    made = Board()
    entries = [entry for at in range(MOST_ANSWERED + 1) for entry in (asked(str(at)), answer(str(at)))]
    made.load([], entries)
    assert [row.id for row in made.answered[:2]] == [str(MOST_ANSWERED), str(MOST_ANSWERED - 1)]
    assert len(made.answered) == MOST_ANSWERED
    made.note_answerers({str(MOST_ANSWERED): "console:ada"})
    assert made.answered[0].by == "console:ada"


def test_only_the_gates_own_questions_are_approvals() -> None:
    made = board("approval_1", "b")
    made.receive([RequestEntry(ts="", request_id="approval_2", run_id=UNSET, prompt=ResultPrompt())])
    assert [row.is_approval for row in made] == [True, False, False]
