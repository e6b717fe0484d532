"""`handrail review`: shows what an agent changed in its cage, and takes or discards changes."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handrail.faces.cli.output import columns, local_time, one_line, print_json, say
from handrail.faces.cli.parameters import json_option, project_option, state_option
from handrail.ports.errors import Conflict, InvalidParams, NotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from handrail.features.review.commits import Commit
    from handrail.features.review.item import Item
    from handrail.features.review.reviews import ListedReview, Reviews
    from handrail.kernel.project import Project

EPILOG = """\b
Examples:
  handrail review                          go through the changes, hunk by hunk
  handrail review --take src --take a.txt  take these files and folders
  handrail review --take-all               take everything except what git ignores
  handrail review --commits                list commits that the agent made
  handrail review --take-commit 1a2b3c4    take a commit's changes
  handrail review --discard                delete what the agent left"""

_GROUPS = {
    "tracked": "Changed files",
    "new": "New files",
    "binary": "Binary files",
    "ignored": "Ignored by git (taken only by name)",
    "refused": "Can't be taken",
}
_SIGNS = {"added": "A", "modified": "M", "deleted": "D", "folder": "A", "folder deleted": "D", "other": "!"}
_NOTHING_TAKEN = "`handrail review {id} --list` shows what is left; without options, it lets you resolve conflicts."


@click.command(epilog=EPILOG)
@click.argument("id", required=False, help="Which run; needed only if several have pending changes.")
@click.option("--take", "paths", multiple=True, metavar="PATH", help="Take a file, or everything in a folder.")
@click.option("--take-all", is_flag=True, help="Take everything except what git ignores.")
@click.option("--discard", is_flag=True, help="Delete everything that the agent left. Can't be undone.")
@click.option("--commits", "with_commits", is_flag=True, help="List the commits that the agent made.")
@click.option("--take-commit", metavar="COMMIT", help="Take the changes of one of these commits.")
@click.option("--list", "only_list", is_flag=True, help="List runs with pending changes, or the changes of one.")
@project_option
@state_option
@json_option
def review(
    id: str | None,
    paths: tuple[str, ...],
    take_all: bool,
    discard: bool,
    with_commits: bool,
    take_commit: str | None,
    only_list: bool,
    project: Path,
    state: Path | None,
    as_json: bool,
) -> None:
    """Review what an agent changed in its cage.

    In a terminal, shows one change after the other and asks which to take. Your own edits since
    the start are merged; changes at the same place are shown as conflicts and left alone.
    `handrail undo` undoes a whole review.
    """
    from handrail.faces.cli.program import program
    from handrail.kernel.approval import CommandApprover

    if sum((bool(paths), take_all, discard, with_commits, take_commit is not None, only_list)) > 1:
        raise InvalidParams("Choose one of --take, --take-all, --discard, --commits, --take-commit and --list.")
    opened = program().open_project(project, state, CommandApprover())
    try:
        reviews: Reviews = opened.part("review")
        wants_commits = with_commits or take_commit is not None
        chosen = id or _choose_review(reviews, as_json=as_json, only_list=only_list, wants_commits=wants_commits)
        if chosen is None:
            return
        if paths or take_all or take_commit is not None:
            _take(opened, chosen, _selection(reviews, chosen, paths, take_commit), as_json=as_json)
        elif discard:
            _discard(opened, chosen, as_json=as_json)
        elif with_commits:
            _show_commits(chosen, reviews.commits(chosen).fetch(), as_json=as_json)
        elif only_list or as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            _show_items(reviews, chosen, as_json=as_json)
        else:
            _go_through(opened, reviews, chosen)
    finally:
        opened.close()


def _choose_review(reviews: "Reviews", *, as_json: bool, only_list: bool, wants_commits: bool) -> str | None:
    """The only run with pending changes; otherwise lists them and returns None.

    Commits stay when all changes to files have been taken, so without pending changes the newest run counts.
    """
    listed = reviews.listed()
    if len(listed) == 1 and not only_list:
        return listed[0].id
    if not listed and wants_commits and (newest := reviews.newest_repository()) is not None:
        return newest
    if as_json:
        print_json({"reviews": listed})
    elif not listed:
        say("No agent has left changes in this project. `handrail run -- COMMAND` runs one in a cage.")
    else:
        for line in columns([_row(each) for each in listed]):
            say(line)
        say("\n`handrail review ID` shows one.")
    return None


def _row(listed: "ListedReview") -> tuple[object, ...]:
    state = "running" if listed.is_running else "ended"
    count = listed.problem or ("1 change" if listed.changes == 1 else f"{listed.changes} changes")
    return (
        listed.id,
        local_time(listed.started_at),
        one_line(listed.client or listed.command[0]),
        state,
        one_line(count),
    )


def _selection(reviews: "Reviews", cage_id: str, paths: "Sequence[str]", commit: str | None) -> dict[str, Any]:
    if commit is not None:
        ids = [each.id for each in reviews.commits(cage_id).fetch() if each.id.startswith(commit)]
        if len(ids) != 1:
            raise InvalidParams(
                f"{'Several commits begin' if ids else 'No commit begins'} with {commit!r}.",
                hint="List them with `handrail review --commits`.",
            )
        return {"commit": ids[0]}
    return {"items": [{"path": path.rstrip("/")} for path in paths]} if paths else {}


def _take(opened: "Project", cage_id: str, wanted: dict[str, Any], *, as_json: bool) -> None:
    from handrail.faces.cli.presence import require_person

    require_person(opened.stores, "Taking an agent's changes")
    take_and_report(opened, cage_id, wanted, as_json=as_json)


def take_and_report(opened: "Project", cage_id: str, wanted: dict[str, Any], *, as_json: bool = False) -> None:
    """Takes the selected changes and prints the result. Conflict: nothing could be taken."""
    import msgspec

    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import run
    from handrail.kernel.call import Call

    call = Call("take_changes", {"cage": cage_id, **wanted}, caller())
    result = msgspec.to_builtins(run(opened.gate.run(call)).result)
    is_settled = any(item.get("settled") or "content" in item for item in wanted.get("items", ()))
    if as_json:
        print_json({**result, "executionId": call.execution_id})
    else:
        for line in result.get("left", ()):
            say(f"Not taken: {one_line(line).rstrip('.')}.")
    if not result["taken"] and not is_settled:
        raise Conflict("Nothing was taken.", hint=_NOTHING_TAKEN.format(id=cage_id))
    if as_json:
        return
    if not result["taken"]:
        say("Nothing was taken: your version stays.")
        return
    say(f"Took {result['taken']} {'change' if result['taken'] == 1 else 'changes'}.")
    say(f"To undo this: handrail undo {call.execution_id}")
    if commit := wanted.get("commit"):
        say(f"To commit it with the agent's message and author: git commit -a -C {commit[:12]}")


def _discard(opened: "Project", cage_id: str, *, as_json: bool) -> None:
    from handrail.faces.cli.person import caller
    from handrail.faces.cli.presence import require_person
    from handrail.faces.cli.program import run
    from handrail.kernel.call import Call

    require_person(opened.stores, "Discarding an agent's changes")
    run(opened.gate.run(Call("discard_changes", {"cage": cage_id}, caller())))
    if as_json:
        print_json({"discarded": cage_id})
    else:
        say(f"Discarded everything that {cage_id} left.")


def _show_items(reviews: "Reviews", cage_id: str, *, as_json: bool) -> None:
    opened = reviews.open(cage_id)
    try:
        items = opened.items
    finally:
        opened.close()
    if as_json:
        print_json({"id": cage_id, "items": items})
        return
    show_groups(items)
    if not items:
        say(f"{cage_id} has no pending changes.")


def show_groups(items: "Sequence[Item]") -> None:
    for group, title in _GROUPS.items():
        members = [item for item in items if item.group == group]
        if members:
            say(f"{title}:")
        for item in members:
            say(f"  {describe(item)}")


def describe(item: "Item") -> str:
    """One line with what a person should know about an item."""
    words = [_SIGNS[item.status], one_line(item.path) + ("/" if item.files or "folder" in item.status else "")]
    if item.link is not None:
        words.append(f"→ {one_line(item.link)}")
    if item.renamed_from:
        words.append(f"renamed from {one_line(item.renamed_from)}")
    if item.added or item.removed:
        words.append(f"+{item.added} −{item.removed}")
    if item.files:
        words.append(f"{item.files} file{'' if item.files == 1 else 's'}, {item.size} bytes")
    if item.mode:
        words.append(f"mode {item.mode}")
    notes = [item.runs_later and f"runs later: {item.runs_later}", item.conflict and f"conflict: {item.conflict}"]
    notes += [item.refused, *item.notes]
    return "  ".join(words) + "".join(f"  [{one_line(note)}]" for note in notes if note)


def _show_commits(cage_id: str, commits: "Sequence[Commit]", *, as_json: bool) -> None:
    from handrail.kernel.visible import visible

    if as_json:
        print_json({"id": cage_id, "commits": commits})
        return
    for commit in commits:
        say(f"{commit.id[:12]}  {one_line(commit.subject)}")
        say(f"    {one_line(commit.author)}, {one_line(commit.date)}")
        say("\n".join(f"    {line}" for line in visible(commit.stat).split("\n")))
        for each in commit.runs_later:
            say(f"    [runs later: {one_line(each)}]")
    take = "`git show COMMIT` shows one's diff, `handrail review --take-commit COMMIT` takes it."
    say(take if commits else "The agent made no commits.")


def _go_through(opened: "Project", reviews: "Reviews", cage_id: str) -> None:
    from handrail.features.review.cli.walk import choose

    own_review = reviews.open(cage_id)
    try:
        show_groups(own_review.items)
        opened.stores.presence.require_terminal("Taking an agent's changes")
        chosen = choose(own_review)
    finally:
        own_review.close()
    if not chosen:
        say("Nothing was taken. `handrail review --discard` deletes what the agent left.")
        return
    take_and_report(opened, cage_id, {"items": chosen})
    if remaining := _count_remaining(reviews, cage_id):
        changes, them = ("1 change is", "it") if remaining == 1 else (f"{remaining} changes are", "them")
        say(f"{changes} left: `handrail review {cage_id}` shows {them} again, with --discard it deletes {them}.")


def _count_remaining(reviews: "Reviews", cage_id: str) -> int:
    """How many of the remaining changes can be taken."""
    try:
        opened = reviews.open(cage_id)
    except NotFound:
        return 0
    try:
        return len(opened.takeable_paths())
    finally:
        opened.close()
