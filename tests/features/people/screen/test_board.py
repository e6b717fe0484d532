"""Which question is shown: nothing moves unless the person does."""

from handrail.features.people.cli.screen.board import MAX_ANSWERED, Board
from handrail.ports.prompt_entries import RequestEntry, ResponseEntry
from handrail.ports.prompt_queue import OWN_ORIGIN, QueuedPrompt
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import FileChangePrompt, Prompt, ResultPrompt


def asked(request_id: str, prompt: Prompt | None = None) -> QueuedPrompt:
    file_prompt = prompt or FileChangePrompt(title=request_id)
    return QueuedPrompt(RequestEntry(ts="2026-01-01T00:00:00.000Z", request_id=request_id, prompt=file_prompt), 0)


def answered(request_id: str, place: int = 1) -> QueuedPrompt:
    ok = ResponseEntry(ts="2026-01-01T00:00:01.000Z", request_id=request_id, response=PromptResponse(status="ok"))
    return QueuedPrompt(asked(request_id).request, 0, ok, place)


def board(*request_ids: str) -> Board:
    the_board = Board()
    the_board.load([asked(each) for each in request_ids])
    return the_board


def ids(board: Board) -> list[str]:
    return [row.id for row in board]


def test_the_oldest_is_shown_first_and_new_ones_are_added_at_the_end() -> None:
    the_board = board("a", "b")
    the_board.receive([asked("c")])
    assert (the_board.shown, ids(the_board)) == ("a", ["a", "b", "c"])


def test_a_question_answered_elsewhere_keeps_its_place_until_the_person_moves() -> None:
    the_board = board("a", "b", "c")
    the_board.receive([answered("a"), answered("b")])
    assert (the_board.shown, ids(the_board)) == ("a", ["a", "b", "c"])
    assert [row.is_settled for row in the_board] == [True, True, False]
    the_board.move_to("c")
    assert (the_board.shown, ids(the_board)) == ("c", ["c"])


def test_the_first_answer_counts() -> None:
    the_board = board("a")
    canceled = ResponseEntry(ts="", request_id="a", response=PromptResponse(status="canceled"))
    the_board.receive([answered("a"), QueuedPrompt(asked("a").request, 0, canceled, 2)])
    assert the_board["a"].answer == answered("a").answer


def test_moving_to_the_next_pending_prompt_wraps_around() -> None:
    the_board = board("a", "b", "c")
    the_board.move_to("c")
    the_board.receive([answered("c")])
    the_board.move_on()
    assert (the_board.shown, ids(the_board)) == ("a", ["a", "b"])
    the_board.receive([answered("a"), answered("b")])
    the_board.move_on()
    assert (the_board.shown, ids(the_board)) == (None, [])
    the_board.receive([asked("d")])
    assert the_board.shown == "d"


def test_questions_missing_from_a_replaced_log_are_shown_as_withdrawn() -> None:
    the_board = board("a", "b")
    the_board.load([asked("b"), asked("c")])
    assert (the_board.shown, ids(the_board), the_board["a"].is_withdrawn) == ("a", ["a", "b", "c"], True)
    assert [row.id for row in the_board.waiting] == ["b", "c"]
    the_board.load([asked("c"), answered("b")])
    assert (the_board["b"].is_withdrawn, the_board["b"].answer) == (False, answered("b").answer)


def test_entries_added_while_the_log_is_read_are_not_missed() -> None:
    board = Board()
    board.load([asked("a"), asked("b"), answered("a")])
    board.receive([answered("a"), asked("b"), asked("c"), answered("d")])
    assert ids(board) == ["b", "c"]
    assert [row.id for row in board.waiting] == ["b", "c"]
    assert [row.id for row in board.answered] == ["d", "a"]
    assert board.shown == "b"


def test_the_history_has_the_newest_first_and_is_limited() -> None:
    board = Board()
    board.load([answered(str(at), at) for at in range(MAX_ANSWERED + 1)])
    assert [row.id for row in board.answered[:2]] == [str(MAX_ANSWERED), str(MAX_ANSWERED - 1)]
    assert len(board.answered) == MAX_ANSWERED
    board.set_answerers({str(MAX_ANSWERED): "console:ada"})
    assert board.answered[0].by == "console:ada"


def test_only_the_gates_own_questions_are_approvals() -> None:
    the_board = board("approval_1", "b")
    the_board.receive([asked("approval_2", ResultPrompt())])
    assert [row.is_approval for row in the_board] == [False, False, False]
    the_board.set_origins({"approval_1": OWN_ORIGIN, "b": OWN_ORIGIN, "approval_2": OWN_ORIGIN})
    assert [row.is_approval for row in the_board] == [True, False, False]
