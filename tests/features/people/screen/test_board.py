"""Which question is shown: nothing moves unless the person does."""

from handrail.features.people.cli.screen.board import MAX_ANSWERED, Board
from handrail.ports.prompt_entries import RequestEntry, ResponseEntry
from handrail.ports.prompt_queue import OWN_ORIGIN, QueuedPrompt
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import FileChangePrompt, Prompt, ResultPrompt


def asked(request_id: str, prompt: Prompt | None = None) -> QueuedPrompt:
    shown = prompt or FileChangePrompt(title=request_id)
    return QueuedPrompt(RequestEntry(ts="2026-01-01T00:00:00.000Z", request_id=request_id, prompt=shown), 0)


def answered(request_id: str, place: int = 1) -> QueuedPrompt:
    ok = ResponseEntry(ts="2026-01-01T00:00:01.000Z", request_id=request_id, response=PromptResponse(status="ok"))
    return QueuedPrompt(asked(request_id).request, 0, ok, place)


def board(*request_ids: str) -> Board:
    made = Board()
    made.load([asked(each) for each in request_ids])
    return made


def ids(made: Board) -> list[str]:
    return [row.id for row in made]


def test_the_oldest_is_shown_first_and_new_ones_are_added_at_the_end() -> None:
    made = board("a", "b")
    made.receive([asked("c")])
    assert (made.shown, ids(made)) == ("a", ["a", "b", "c"])


def test_a_question_answered_elsewhere_keeps_its_place_until_the_person_moves() -> None:
    made = board("a", "b", "c")
    made.receive([answered("a"), answered("b")])
    assert (made.shown, ids(made)) == ("a", ["a", "b", "c"])
    assert [row.is_settled for row in made] == [True, True, False]
    made.move_to("c")
    assert (made.shown, ids(made)) == ("c", ["c"])


def test_the_first_answer_counts() -> None:
    made = board("a")
    canceled = ResponseEntry(ts="", request_id="a", response=PromptResponse(status="canceled"))
    made.receive([answered("a"), QueuedPrompt(asked("a").request, 0, canceled, 2)])
    assert made["a"].answer == answered("a").answer


def test_moving_on_finds_the_next_one_that_waits_around_the_end() -> None:
    made = board("a", "b", "c")
    made.move_to("c")
    made.receive([answered("c")])
    made.move_on()
    assert (made.shown, ids(made)) == ("a", ["a", "b"])
    made.receive([answered("a"), answered("b")])
    made.move_on()
    assert (made.shown, ids(made)) == (None, [])
    made.receive([asked("d")])
    assert made.shown == "d"


def test_questions_missing_from_a_replaced_log_are_shown_as_withdrawn() -> None:
    made = board("a", "b")
    made.load([asked("b"), asked("c")])
    assert (made.shown, ids(made), made["a"].is_withdrawn) == ("a", ["a", "b", "c"], True)
    assert [row.id for row in made.waiting] == ["b", "c"]
    made.load([asked("c"), answered("b")])
    assert (made["b"].is_withdrawn, made["b"].answer) == (False, answered("b").answer)


def test_entries_added_while_the_log_is_read_are_not_missed() -> None:
    made = Board()
    made.load([asked("a"), asked("b"), answered("a")])
    made.receive([answered("a"), asked("b"), asked("c"), answered("d")])
    assert ids(made) == ["b", "c"]
    assert [row.id for row in made.waiting] == ["b", "c"]
    assert [row.id for row in made.answered] == ["d", "a"]
    assert made.shown == "b"


def test_the_history_has_the_newest_first_and_is_limited() -> None:
    made = Board()
    made.load([answered(str(at), at) for at in range(MAX_ANSWERED + 1)])
    assert [row.id for row in made.answered[:2]] == [str(MAX_ANSWERED), str(MAX_ANSWERED - 1)]
    assert len(made.answered) == MAX_ANSWERED
    made.set_answerers({str(MAX_ANSWERED): "console:ada"})
    assert made.answered[0].by == "console:ada"


def test_only_the_gates_own_questions_are_approvals() -> None:
    made = board("approval_1", "b")
    made.receive([asked("approval_2", ResultPrompt())])
    assert [row.is_approval for row in made] == [False, False, False]
    made.set_origins({"approval_1": OWN_ORIGIN, "b": OWN_ORIGIN, "approval_2": OWN_ORIGIN})
    assert [row.is_approval for row in made] == [True, False, False]
