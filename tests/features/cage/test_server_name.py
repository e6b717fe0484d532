"""The name in a TLS ClientHello, as a server might read it and an agent might hide it."""

import ssl

import pytest

from handrail.features.cage.proxy.server_name import NotTls, hello_size, server_name


def real_hello(name: str | None) -> bytes:
    """As OpenSSL sends it."""
    context = ssl.create_default_context()
    context.check_hostname = False
    outgoing = ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=name).do_handshake()
    return outgoing.read()


def hello(*extensions: bytes) -> bytes:
    """With these server_name extensions' contents."""
    joined = b"".join(b"\0\0" + len(each).to_bytes(2, "big") + each for each in extensions)
    body = b"\3\3" + bytes(32) + b"\0" + b"\0\2\x13\1" + b"\1\0" + len(joined).to_bytes(2, "big") + joined
    message = b"\1" + len(body).to_bytes(3, "big") + body
    return b"\x16\3\1" + len(message).to_bytes(2, "big") + message


def names(*args: str) -> bytes:
    listing = b"".join(b"\0" + len(name).to_bytes(2, "big") + name.encode() for name in args)
    return len(listing).to_bytes(2, "big") + listing


@pytest.mark.parametrize("name", ["allowed.example", None])
def test_the_server_name_is_found_in_openssls_hello(name: str | None) -> None:
    hello = real_hello(name)
    assert hello_size(hello) == len(hello)
    assert server_name(hello) == name


def test_a_message_in_many_records_is_one() -> None:
    message = hello(names("allowed.example"))[5:]
    cut = b"".join(b"\x16\3\1\0\1" + message[at : at + 1] for at in range(len(message)))
    assert all(hello_size(cut[:end]) is None for end in range(len(cut)))
    assert (hello_size(cut), server_name(cut)) == (len(cut), "allowed.example")


@pytest.mark.parametrize(
    "sent",
    [
        hello(names("allowed.example", "other.example")),
        hello(names("allowed.example"), names("other.example")),
        hello(names("allowed.example") + b"\0\0\5other"),
        hello(b"\0\x08\1\0\5other"),
    ],
    ids=["two names", "two lists", "a name behind the list", "another kind"],
)
def test_a_second_name_that_a_server_might_read_is_refused(sent: bytes) -> None:
    assert hello_size(sent) == len(sent)
    with pytest.raises(NotTls):
        server_name(sent)
