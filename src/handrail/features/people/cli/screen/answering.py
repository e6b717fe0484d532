"""Sends a person's answer, from the key press to the log. It can only go to the question on the screen."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from handrail.features.people.cli.screen.page import PromptPage
from handrail.features.people.cli.screen.texts import Texts
from handrail.ports.approval_card import Scope
from handrail.ports.errors import Failure, InvalidParams, NotFound
from handrail.ports.presence import TerminalProof, WordNeeded
from handrail.ports.prompt_queue import PromptQueue

if TYPE_CHECKING:
    from handrail.features.people.cli.screen.app import PromptsApp

# A key pressed before the question appeared isn't an answer to it.
READING_SECONDS = 0.4


class Answering:
    def __init__(
        self,
        view: "PromptsApp",
        queue: PromptQueue,
        by: str,
        texts: Texts,
        clock: Callable[[], float],
    ) -> None:
        self._view = view
        self._queue = queue
        self._by = by
        self._texts = texts
        self._clock = clock

    async def say_yes(self, scope: Scope) -> None:
        if (page := self._open_page()) is None:
            return
        kind = page.row.kind
        if page.row.is_unseen and not page.row.is_warned:
            page.row.is_warned = True
            self._view.say(self._texts.unseen_yes, is_problem=True)
        elif scope != "once" and not page.row.offers(scope):
            self._view.say(self._texts.only_approvals)
        elif kind == "unreadable":
            self._view.say(self._texts.only_cancel)
        elif kind in ("kv", "choice"):
            page.enter()
            self._view.say(self._texts.fill_in)
        elif page.row.is_approval:
            await self._fill_and_send(page, scope=scope)
        else:
            await self._fill_and_send(page)

    async def say_yes_to_app(self) -> None:
        """Always allows all tools of the app that is being called."""
        if (page := self._open_page()) is None:
            return
        if page.row.is_app_call:
            await self._fill_and_send(page, scope="rule", covers="app")
        else:
            self._view.say(self._texts.only_apps)

    async def send(self) -> None:
        """Sends the form, wherever the cursor is in it."""
        if (page := self._open_page()) is None:
            return
        if page.is_denying:
            await self.deny()
        elif page.row.kind == "file_change_confirm":
            self._view.say(self._texts.no_yes_by_enter)
        elif page.row.kind == "unreadable":
            self._view.say(self._texts.only_cancel)
        else:
            await self._fill_and_send(page)

    async def say_no(self) -> None:
        if (page := self._open_page()) is None:
            return
        if not page.row.can_cancel:
            self._view.say(self._texts.must_answer)
        elif page.form.has_remark:
            page.start_denying()
        else:
            await self._respond(page, {"status": "canceled"})

    async def deny(self) -> None:
        if (page := self._open_page()) is not None:
            await self._respond(page, {"status": "canceled", **_remark(page)})

    def _open_page(self) -> PromptPage | None:
        """The page on the screen if it takes an answer; otherwise the person is told why not."""
        page = self._view.page
        if page is None or page.row.is_sending:
            return None
        if page.row.is_settled:
            self._view.say(self._texts.settled_already)
            return None
        if self._clock() - self._view.shown_since < READING_SECONDS:
            self._view.say(self._texts.just_appeared)
            return None
        return page

    async def _fill_and_send(self, page: PromptPage, **more: str) -> None:
        problems = page.form.problems()
        page.form.show_problems(problems)
        if problems:
            self._view.say(self._texts.fix, is_problem=True)
        else:
            await self._respond(page, {**page.form.answer(), **_remark(page), **more})

    async def _respond(
        self, page: PromptPage, response: dict[str, Any], confirmed: TerminalProof | None = None
    ) -> None:
        """Keeps everything that was typed if sending fails. If someone else answered first, the log shows it soon."""
        row, view = page.row, self._view
        row.is_sending = True
        view.say(self._texts.sending)
        try:
            receipt = await self._queue.respond(
                row.id, response, run_id=row.entry.run_id or None, by=self._by, proof=confirmed or "terminal"
            )
        except WordNeeded as needed:
            proof = needed.proof
            view.say("")
            view.ask_for_word(page, response, lambda: self._respond(page, response, proof))
        except InvalidParams as failure:
            page.form.show_problems({each["field"]: each["message"] for each in failure.details.get("fieldErrors", ())})
            view.say(failure.message, is_problem=True)
        except NotFound as failure:
            row.is_withdrawn = True
            view.say(failure.message, is_problem=True)
        except Failure as failure:
            view.say("\n".join(filter(None, (failure.message, failure.hint))), is_problem=True)
        else:
            row.is_mine, row.by = True, self._by
            view.say("\n".join([self._texts.sent, *receipt.warnings]))
        finally:
            row.is_sending = False
            view.changed()


def _remark(page: PromptPage) -> dict[str, str]:
    return {"remark": page.remark} if page.form.has_remark and page.remark else {}
