"""Parameters may be secrets: the audit holds a digest of them, and no text that quotes them."""

from collections.abc import Callable
from typing import Any

import pytest

from handrail.kernel.call import Call
from handrail.kernel.strict_json import NotJson
from handrail.ports.effect import Effect
from handrail.ports.errors import Conflict, InvalidParams
from tests.kernel.gate_rig import AGENT, GateRig, Params, echo, tool

Build = Callable[..., GateRig]

SECRET = "hunter2"


@pytest.mark.parametrize("params", [{"path": 1, "value": SECRET}, {"path": [SECRET]}, {SECRET: 1}, [SECRET]])
async def test_parameters_that_break_the_schema_leave_only_the_condition(build: Build, params: Any) -> None:
    rig = build(tool("look", echo))
    with pytest.raises(InvalidParams):
        await rig.gate.run(Call("look", params, AGENT))
    assert rig.last["error"] == {"condition": "InvalidParams"}
    assert SECRET not in rig.log.read_text()


@pytest.mark.parametrize("effect", [Effect.READ, Effect.WRITE])
@pytest.mark.parametrize("refusal", [InvalidParams, NotJson])
async def test_what_a_tool_refuses_in_its_parameters_goes_to_the_caller_alone(
    build: Build, effect: Effect, refusal: type[InvalidParams]
) -> None:
    async def work(call: Call, params: Params) -> None:
        raise refusal(f"{params.value!r} makes no sense.")

    rig = build(tool("try", work, effect))
    with pytest.raises(refusal, match=SECRET):
        await rig.call("try", SECRET)
    assert rig.last["error"] == {"condition": refusal.__name__}
    assert SECRET not in rig.log.read_text()


async def test_other_conditions_keep_their_message(build: Build) -> None:
    async def work(call: Call, params: Params) -> None:
        raise Conflict("a.txt was changed meanwhile.")

    rig = build(tool("try", work))
    with pytest.raises(Conflict):
        await rig.call("try", SECRET)
    assert rig.last["error"] == {"condition": "Conflict", "message": "a.txt was changed meanwhile."}
