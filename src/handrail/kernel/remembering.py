"""What a person's "always" leaves behind: a consent for an app's tool, a rule for anything else."""

from handrail.kernel.approval import Question
from handrail.kernel.evidence import utc_now
from handrail.kernel.queue_approver import AllowAlways
from handrail.kernel.target import ANY_HOST
from handrail.ports.prompts import PromptResponse
from handrail.ports.stores import Stores


def remembering(stores: Stores) -> AllowAlways:
    async def allow_always(question: Question, response: PromptResponse, by: str) -> None:
        preview = question.preview
        if preview.consent is not None:
            await stores.consents.give(
                question.call.caller, preview.consent, is_for_app=response.covers == "app", by=by
            )
            return
        if preview.host == ANY_HOST:
            return  # what was shown has no name that a rule could hold
        members = {"tool": question.call.tool, "path": preview.path, "host": preview.host, "app": preview.app}
        known = {name: value for name, value in members.items() if value is not None}
        await stores.allow(f"allowed for good on {utc_now():%Y-%m-%d}", **known)

    return allow_always
