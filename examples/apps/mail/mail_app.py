"""Mail in a local maildir, `$MAILDIR` or `~/Maildir`: reads mails, writes drafts, puts mails into the outbox.

This app sends nothing itself: the user's own mailer sends what is in `Outbox`.
"""

import mailbox
import os
from datetime import UTC, datetime
from email import message_from_binary_file, policy
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import make_msgid
from pathlib import Path
from typing import Annotated, cast

import msgspec

from handrail.aai import App

app = App("com.example.mail", name="Mail", description="The user's mail in a local maildir.", version="1.0.0")

Folder = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64}){0,8}$(?!\n)")]
Line = Annotated[str, msgspec.Meta(pattern=r"^[^\x00-\x1f\x7f]*$(?!\n)", max_length=900)]
INBOX = "INBOX"
_LONGEST_BODY = 200_000


class Head(msgspec.Struct, kw_only=True):
    id: str
    sender: str
    to: str
    subject: str
    date: str
    is_read: bool


class Listing(msgspec.Struct):
    messages: list[Head]
    total: int


class Letter(Head, kw_only=True):
    body: str
    is_whole: bool
    attachments: list[str]


class Folders(msgspec.Struct):
    folders: list[str]


class Stored(msgspec.Struct):
    id: str
    folder: str
    message_id: str


@app.tool(idempotent=True, examples=[{}])
def list_folders() -> Folders:
    """List the mail folders."""
    return Folders([INBOX, *sorted(_mailbox().list_folders())])


@app.tool(idempotent=True, examples=[{}, {"limit": 5, "unread_only": True}])
def list_messages(
    folder: Folder = INBOX, unread_only: bool = False, limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 20
) -> Listing:
    """List the mails of a folder, newest first.

    Args:
        folder: A name from `list_folders`.
        unread_only: Leave out mails that are read.
        limit: The maximum number.
    """
    files = _files(folder)
    chosen = [id for id, file in files.items() if not (unread_only and _is_read(file))]
    chosen.sort(key=lambda id: (files[id].stat().st_mtime_ns, id), reverse=True)
    return Listing([_head(id, files[id], _parse(files[id])) for id in chosen[:limit]], len(chosen))


@app.tool(idempotent=True)
def read_message(id: str, folder: Folder = INBOX) -> Letter:
    """Read a mail, without marking it as read.

    Args:
        id: An id from `list_messages`.
        folder: Its folder.
    """
    file = _files(folder).get(id)
    if file is None:
        raise app.Error("NO_SUCH_MAIL", f"There is no mail {id} in {folder}.")
    message = _parse(file)
    head = _head(id, file, message)
    part = message.get_body(("plain", "html"))
    try:
        body = str(part.get_content()) if part is not None else ""
    except (LookupError, MessageError, KeyError):
        raise app.Error("UNREADABLE_MAIL", "The mail's text can't be decoded.") from None
    names = [str(attachment.get_filename() or "?") for attachment in message.iter_attachments()]
    shortened = body[:_LONGEST_BODY]
    return Letter(**msgspec.structs.asdict(head), body=shortened, is_whole=shortened == body, attachments=names)


@app.tool
def write_draft(to: list[Line], subject: Line, body: str) -> Stored:
    """Save a draft in the folder Drafts, for the user to finish.

    Args:
        to: The addresses, such as ada@example.com or Ada <ada@example.com>.
        subject: One line.
        body: Plain text.
    """
    return _store("Drafts", to, subject, body, "D")


@app.tool
def send(to: Annotated[list[Line], msgspec.Meta(min_length=1, max_length=50)], subject: Line, body: str) -> Stored:
    """Put a mail into the folder Outbox, from which the user's own mailer sends it.

    Args:
        to: The addresses, such as ada@example.com or Ada <ada@example.com>.
        subject: One line.
        body: Plain text.
    """
    return _store("Outbox", to, subject, body, "S")


def _store(folder: str, to: list[str], subject: str, body: str, flag: str) -> Stored:
    message = EmailMessage()
    message["Subject"] = subject
    message["To"] = tuple(_address(each) for each in to)
    if sender := os.environ.get("EMAIL"):
        message["From"] = sender
    message["Date"] = datetime.now(UTC)
    message["Message-ID"] = make_msgid(domain="localhost")
    message.set_content(body)
    stored = mailbox.MaildirMessage(message)
    stored.set_subdir("cur")
    stored.add_flag(flag)
    box = _mailbox()
    target = box.get_folder(folder) if folder in box.list_folders() else box.add_folder(folder)
    return Stored(target.add(stored), folder, str(message["Message-ID"]))


def _address(text: str) -> Address:
    header = policy.default.header_factory("To", text)
    address = header.addresses[0] if len(header.addresses) == 1 and not header.defects else Address()
    if not address.domain or not address.username or not address.addr_spec.isascii():
        raise app.Error("INVALID_RECIPIENT", f"{text!r} isn't a mail address, such as ada@example.com.")
    return cast(Address, address)


def _mailbox() -> "mailbox.Maildir":
    return mailbox.Maildir(_root(), create=False)


def _root() -> Path:
    root = Path(os.environ.get("MAILDIR") or Path.home() / "Maildir")
    if not (root / "cur").is_dir():
        raise app.Error("NO_MAILDIR", f"{root} isn't a maildir. Set MAILDIR to another folder.")
    return root


def _files(folder: str) -> dict[str, Path]:
    """Each mail by its id, the file name without flags. `mailbox` would have to read all files for that."""
    place = _root() if folder == INBOX else _root() / f".{folder}"
    if not (place / "cur").is_dir():
        raise app.Error("NO_SUCH_FOLDER", f"There is no folder {folder}.")
    files = [file for part in ("new", "cur") for file in (place / part).iterdir() if not file.name.startswith(".")]
    return {file.name.partition(":")[0]: file for file in files}


def _is_read(file: Path) -> bool:
    return "S" in file.name.partition(":2,")[2]


def _parse(file: Path) -> EmailMessage:
    with file.open("rb") as data:
        return message_from_binary_file(data, policy=policy.default)


def _head(id: str, file: Path, message: EmailMessage) -> Head:
    sender, to, subject, date = (str(message.get(name, "")) for name in ("From", "To", "Subject", "Date"))
    return Head(id=id, sender=sender, to=to, subject=subject, date=date, is_read=_is_read(file))


def main() -> None:
    app.run(idle=300)


if __name__ == "__main__":
    main()
