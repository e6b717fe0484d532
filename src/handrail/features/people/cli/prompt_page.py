"""What `handrail prompts show` prints of a prompt, as text and as JSON."""

from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from handrail.faces.cli.output import local_time, one_line

if TYPE_CHECKING:
    from handrail.ports.prompt_entries import RequestEntry
    from handrail.ports.prompt_queue import CallerState, Origin

_CALLERS = {
    "waiting": "waiting for the answer",
    "gone": "gone; it stopped waiting",
    "unknown": "unknown; it reads the log, so handrail can't tell whether it is still waiting",
}
_GONE_APPROVAL = "gone; if you allow the call, the agent's next try goes through"


def source_of(entry: "RequestEntry", origin: "Origin | None") -> str:
    """The source of handrail's own prompts; for others, who posted the prompt and what it claims to be."""
    from handrail.kernel.prompts.foreign_prompts import origin_members

    sender, source = origin_members(entry.prompt, origin), entry.prompt.source or ""
    if sender["isOwn"]:
        return source
    if "claimedSource" in sender:
        return f"{sender['postedBy']}, which calls itself {sender['claimedSource']} (not handrail)"
    return f"{source} · {sender['postedBy']} (not handrail)" if source else f"{sender['postedBy']} (not handrail)"


def as_json_of(entry: "RequestEntry", caller: "CallerState", origin: "Origin | None") -> dict[str, Any]:
    from handrail.kernel.prompts.foreign_prompts import client_members, origin_members

    fields: dict[str, Any] = to_builtins(entry)
    return (
        fields
        | {"caller": caller, "prompt": client_members(entry.prompt, origin)}
        | origin_members(entry.prompt, origin)
    )


def page_of(entry: "RequestEntry", caller: "CallerState", origin: "Origin | None") -> list[str]:
    import msgspec

    from handrail.kernel.prompts.foreign_prompts import client_members
    from handrail.kernel.queue_approver import APPROVAL_PREFIX
    from handrail.ports.prompts import KvPrompt

    prompt = client_members(entry.prompt, origin)
    lines = [f"{prompt.pop('kind')}  {entry.request_id}  {local_time(entry.ts)}", f"from: {source_of(entry, origin)}"]
    if isinstance(entry.run_id, str):
        lines.append(f"run: {one_line(entry.run_id)}")
    is_approval = entry.request_id.startswith(APPROVAL_PREFIX) and origin is not None and origin.is_own
    lines.append(f"caller: {_GONE_APPROVAL if is_approval and caller == 'gone' else _CALLERS[caller]}")
    if caller != "waiting" and isinstance(entry.prompt, KvPrompt) and entry.prompt.secret_keys:
        keys = ", ".join(sorted(entry.prompt.secret_keys))
        lines.append(
            f"not deliverable: secret values ({one_line(keys)}) would be discarded, because no program is waiting"
        )
    offers = prompt.pop("offers", ())
    for name in ("source", "card", "bundle"):  # for programs; `message` says the same
        prompt.pop(name, None)
    if prompt.pop("parts", None):
        from handrail.kernel.prompts.part_numbers import number_parts
        from handrail.ports.prompts import FileChangePrompt

        assert isinstance(entry.prompt, FileChangePrompt)
        parts = number_parts(entry.prompt.parts or ())
        prompt["parts, each for --part N"] = "\n".join(map(str, parts)) + "\n" if len(parts) > 1 else None
        prompt = {name: value for name, value in prompt.items() if value is not None}
    for name, value in prompt.items():
        if isinstance(value, str) and "\n" in value:
            lines += [f"{name}:", *(f"  {line}" for line in value.rstrip("\n").split("\n"))]
        elif isinstance(value, list | tuple):
            lines += [f"{name}:", *(f"  {one_line(msgspec.json.encode(item).decode())}" for item in value)]
        else:
            lines.append(f"{name}: {value}")
    for offer in offers:
        if "grant" in offer:
            lines.append(f"--for {offer['scope']} would allow:")
            lines += [f"  {name}: {offer[name]}" for name in ("what", "where", "who", "until")]
    return lines
