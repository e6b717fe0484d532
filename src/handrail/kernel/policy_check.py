"""Applies the policy to a call: to its target before it runs, and to what it reaches while it runs."""

from collections.abc import Awaitable, Callable
from functools import partial

from msgspec.structs import replace

from handrail.kernel.binding import digest_of
from handrail.kernel.call_state import CallState
from handrail.kernel.own_pages import refuse_own_pages
from handrail.kernel.policy import CLOSED_REASON, USER_RULE, Policy, Verdict
from handrail.kernel.questioner import Questioner
from handrail.kernel.target import Target
from handrail.kernel.tool import Preview
from handrail.ports.errors import Declined
from handrail.ports.paths import closed_secret_error
from handrail.ports.policy import Decision
from handrail.ports.secret_files import is_secret_path


class PolicyCheck:
    def __init__(self, policy: Callable[[], Awaitable[Policy]], questioner: Questioner) -> None:
        self._policy = policy
        self._questioner = questioner

    async def verdict(self, state: CallState, target: Target) -> Verdict:
        """The policy's verdict, without refusing what it denies. Declined: the target is a page of handrail itself."""
        assert state.effect is not None
        await refuse_own_pages(target)
        return (await self._policy()).decide(state.call.tool, state.effect, target, state.call.caller.agent)

    async def check_target(self, state: CallState, target: Target) -> Verdict:
        """Records the target and the verdict about it. Declined: the policy denies it, or it is handrail's own page."""
        call, effect = state.call, state.effect
        assert effect is not None
        state.set_target(target)
        await refuse_own_pages(target)
        policy = await self._policy()
        verdict = policy.decide(call.tool, effect, target, call.caller.agent)
        state.verdict, state.decision = verdict, str(verdict)
        _refuse_if_denied(verdict, call.tool, target, call.tool)
        state.allowed_targets |= {target, replace(target, path=None, steps=())} if target.place else {target}
        call.denied_pages = partial(policy.denied_pages, call.tool, effect, call.caller.agent)
        return verdict

    async def check_reached(self, state: CallState, target: Target, *, acts: bool = False) -> None:
        """`Call.check`: a permission for one place doesn't extend to another place that it leads to.

        A person who has approved the call is asked again only if a rule names that place, or if the call acts there
        and the person was not shown this call.
        """
        assert state.effect is not None
        if target in state.allowed_targets:
            return
        await refuse_own_pages(target)
        verdict = (await self._policy()).decide_again(state.call.tool, state.effect, target, state.call.caller.agent)
        state.reached[str(target)] = str(verdict)
        _refuse_if_denied(verdict, f"{state.call.tool} at {target}", target, state.call.tool)
        is_covered = state.is_approved and (state.call.is_shown or not acts)
        if verdict.decision is Decision.ASK and not (verdict.is_default and is_covered):
            summary = f"{state.entry.tool.title}: it {'also acts at' if acts else 'has led to'} {target}"
            preview = Preview(summary, path=target.path, place=target.place, app=target.app)
            assert state.deadline is not None
            async with state.deadline.paused():
                digest = digest_of(state.params, {"reached": str(target)})
                await self._questioner.ask(state, preview, digest, target, verdict)
        state.allowed_targets.add(target)


_USER_HINT = "A person finds the rule with `handrail rules` and can change it in `config.toml`."


def _refuse_if_denied(verdict: Verdict, what: str, target: Target, tool: str) -> None:
    if verdict.because == CLOSED_REASON and (secret := _secret_path(target)) is not None:
        raise closed_secret_error(secret, tool)
    if verdict.decision is Decision.DENY:
        raise Declined(
            f"The policy denies {what}: {verdict.because}.",
            hint=_USER_HINT
            if verdict.because.startswith(USER_RULE)
            else "A person can change the rule in the policy file.",
            reason="policy",
        )


def _secret_path(target: Target) -> str | None:
    paths = [target.path, *(step.target.path for step in target.steps)]
    return next((path for path in paths if path is not None and is_secret_path(path)), None)
