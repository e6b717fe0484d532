"""Mails of a real maildir are listed and read; drafts and outgoing mails are put where mailers look for them."""

import asyncio
import json
import mailbox
import os
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from mail_app import app


@pytest.fixture(autouse=True)
def maildir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> mailbox.Maildir:
    monkeypatch.setenv("MAILDIR", str(tmp_path / "Maildir"))
    monkeypatch.setenv("EMAIL", "Me <me@example.com>")
    return mailbox.Maildir(tmp_path / "Maildir")


def ask(tool: str, **params: Any) -> Any:
    request = {"version": "1.0", "tool": tool, "params": params, "request_id": "1"}
    answer = json.loads(asyncio.run(app.answer(json.dumps(request))))
    return answer.get("result") or answer["error"]["code"]


def deliver(box: "mailbox.Maildir", subject: str, *, age: int, flags: str = "") -> str:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Ada <ada@example.com>", "me@example.com", subject
    message.set_content(f"Body of {subject}")
    message.add_attachment(b"\0\1", maintype="application", subtype="pdf", filename="plan.pdf")
    stored = mailbox.MaildirMessage(message)
    if flags:
        stored.set_subdir("cur")
        stored.set_flags(flags)
    id = box.add(stored)
    (path,) = Path(os.environ["MAILDIR"]).glob(f"*/{id}*")
    os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    return id


def test_mails_are_listed_the_newest_first_and_read_without_being_marked(maildir: mailbox.Maildir) -> None:
    old = deliver(maildir, "Old", age=50, flags="S")
    new = deliver(maildir, "新年", age=10)
    listed = ask("list_messages")
    assert [(mail["id"], mail["subject"], mail["is_read"]) for mail in listed["messages"]] == [
        (new, "新年", False),
        (old, "Old", True),
    ]
    assert [mail["id"] for mail in ask("list_messages", unread_only=True)["messages"]] == [new]
    letter = ask("read_message", id=new)
    assert letter["body"] == "Body of 新年\n"
    assert (letter["sender"], letter["attachments"], letter["is_whole"]) == (
        "Ada <ada@example.com>",
        ["plan.pdf"],
        True,
    )
    assert ask("list_messages", unread_only=True)["total"] == 1


@pytest.mark.parametrize(("tool", "folder", "flags"), [("write_draft", "Drafts", "D"), ("send", "Outbox", "S")])
def test_a_mail_is_put_where_mailers_look_for_it(maildir: mailbox.Maildir, tool: str, folder: str, flags: str) -> None:
    stored = ask(
        tool, to=["Ada Łovelace <ada@example.com>", "bob@example.com"], subject="Grüße", body="Zeile 1\n第二行\n"
    )
    assert stored["folder"] == folder
    assert folder in ask("list_folders")["folders"]
    message = maildir.get_folder(folder).get_message(stored["id"])
    assert message.get_flags() == flags
    parsed: Any = message_from_bytes(message.as_bytes(), policy=policy.default)
    assert parsed["Subject"] == "Grüße"
    assert [address.addr_spec for address in parsed["To"].addresses] == ["ada@example.com", "bob@example.com"]
    assert parsed["From"] == "Me <me@example.com>"
    assert parsed["Message-ID"] == stored["message_id"]
    assert ask("read_message", id=stored["id"], folder=folder)["body"] == "Zeile 1\n第二行\n"


@pytest.mark.parametrize(
    ("tool", "params", "code"),
    [
        ("send", {"to": ["nobody"], "subject": "x", "body": ""}, "INVALID_RECIPIENT"),
        ("send", {"to": ["a@b.example, c@d.example"], "subject": "x", "body": ""}, "INVALID_RECIPIENT"),
        ("send", {"to": [], "subject": "x", "body": ""}, "INVALID_PARAMS"),
        ("send", {"to": ["a@b.example"], "subject": "x\nBcc: c@d.example", "body": ""}, "INVALID_PARAMS"),
        ("send", {"to": ["a@b.example\nBcc: c@d.example"], "subject": "x", "body": ""}, "INVALID_PARAMS"),
        ("read_message", {"id": "../../etc/passwd"}, "NO_SUCH_MAIL"),
        ("list_messages", {"folder": "../x"}, "INVALID_PARAMS"),
        ("list_messages", {"folder": "None"}, "NO_SUCH_FOLDER"),
    ],
)
def test_bad_input_has_a_code_and_stores_nothing(maildir: mailbox.Maildir, tool: str, params: Any, code: str) -> None:
    assert ask(tool, **params) == code
    assert maildir.list_folders() == []


def test_a_machine_without_a_maildir_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MAILDIR", str(tmp_path / "none"))
    assert ask("list_messages") == "NO_MAILDIR"
    assert ask("write_draft", to=[], subject="", body="") == "NO_MAILDIR"
    assert not (tmp_path / "none").exists()
