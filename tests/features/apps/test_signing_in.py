"""Signing in to apps, against a real authorization server on this machine, and the credentials of later calls."""

import asyncio
import logging
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from handrail.features.apps.backends.network import post_form
from handrail.features.apps.model import ApiKey, App, AppTool, HttpExecution, OAuth2
from handrail.features.apps.sign_in.credentials import StoredCredentials
from handrail.features.apps.sign_in.oauth import Attempt, Client, authorization_address
from handrail.features.apps.sign_in.signing_in import choose_client, sign_in, sign_out, store_key
from handrail.features.apps.sign_in.stored import TokenEndpoint, secret_name
from handrail.features.apps.sign_ins import loopback
from handrail.kernel.keyring_secrets import KeyringSecretStore
from handrail.ports.errors import AuthRequired, BadAnswer, Declined, InvalidParams
from handrail.ports.secrets import KeyringAway, Secret
from handrail.stores.local.locks import exclusive
from handrail.stores.local.secret_file import SecretFile
from tests.oauth_server import OAuthServer, oauth_server

TOOLS = (AppTool(name="look", description="Looks.", parameters={}),)


class NoKeyring:
    def read(self, account: str) -> str | None:
        raise KeyringAway("The session's keyring is locked.", hint="Unlock it.")

    def write(self, account: str, value: str) -> None:
        raise KeyringAway("none")

    def remove(self, account: str) -> None:
        raise KeyringAway("none")


class Visit:
    """A person's browser: follows the redirects to the server and back, and records what it saw."""

    def __init__(self, change: Callable[[str], str] = lambda address: address) -> None:
        self.statuses: list[int] = []
        self.addresses: list[str] = []
        self._change = change

    def __call__(self, address: str) -> None:
        asyncio.get_running_loop().run_in_executor(None, self._follow, address)

    def _follow(self, address: str) -> None:
        class Still(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *args: Any) -> None:
                return None

        opener = urllib.request.build_opener(Still)
        with pytest.raises(urllib.error.HTTPError) as redirect:
            opener.open(address, timeout=10)
        back = redirect.value.headers["location"]
        for wrong in ("/", "/callback", "/callback?code=x", "/callback?code=x&state=guessed"):
            self._visit(opener, back.partition("/callback")[0] + wrong)
        self._visit(opener, self._change(back))

    def _visit(self, opener: urllib.request.OpenerDirector, address: str) -> None:
        self.addresses.append(address)
        try:
            self.statuses.append(opener.open(address, timeout=10).status)
        except urllib.error.HTTPError as refusal:
            self.statuses.append(refusal.code)
        except urllib.error.URLError:
            self.statuses.append(0)


class Desk:
    def __init__(self, state: Path, server: OAuthServer) -> None:
        self.server = server
        self.now = 1_000_000.0
        self.environ: dict[str, str] = {}
        self.secrets = KeyringSecretStore(NoKeyring(), SecretFile(state))
        self._state = state
        self.credentials = self.process()
        place = HttpExecution(base_url=f"{server.base}/api")
        auth = OAuth2(
            authorization_endpoint=f"{server.base}/authorize",
            token_endpoint=f"{server.base}/token",
            scopes=("read", "write"),
            client_id="handrail",
            extra_params={"prompt": "consent", "state": "theirs", "code_challenge_method": "plain"},
        )
        self.app = App(id="com.example.web", name="Web", description="W.", execution=place, tools=TOOLS, auth=auth)
        key = ApiKey(placement="header", name="X-Key", env_var="WEB_KEY")
        self.keyed = msgspec.structs.replace(self.app, id="com.example.keyed", auth=key)

    def turn(self, app: str) -> AbstractContextManager[None]:
        return exclusive(self._state / f"{app}.lock")

    def process(self, endpoint: TokenEndpoint = post_form) -> StoredCredentials:
        """The credentials of another process on the same state directory."""
        return StoredCredentials(self.secrets, endpoint, self.turn, environ=self.environ, clock=lambda: self.now)

    async def signed_in(self, visit: Visit | None = None, timeout_seconds: float = 20) -> Visit:
        visit = visit or Visit()
        await sign_in(
            self.app,
            Client("handrail"),
            self.secrets,
            self.turn,
            post_form,
            loopback,
            visit,
            timeout_seconds=timeout_seconds,
            clock=lambda: self.now,
        )
        return visit

    async def bearer(self) -> str:
        return (await self.credentials.grant(self.app)).headers["authorization"]


@pytest.fixture(scope="module")
def server() -> Iterator[OAuthServer]:
    with oauth_server() as running:
        yield running


@pytest.fixture
def desk(tmp_path: Path, server: OAuthServer) -> Desk:
    server.lifetime, server.refuses_refresh, server.answer = 3600, False, None
    server.forms.clear()
    server.asked.clear()
    return Desk(tmp_path, server)


async def test_after_a_sign_in_the_token_is_sent_with_calls(desk: Desk) -> None:
    with pytest.raises(AuthRequired) as nobody:
        await desk.bearer()
    assert "handrail apps login com.example.web" in str(nobody.value.hint)
    visit = await desk.signed_in()
    assert visit.statuses == [404, 400, 400, 400, 200]
    (request,) = desk.server.asked
    assert (request["response_type"], request["client_id"], request["scope"]) == ("code", "handrail", "read write")
    assert (request["code_challenge_method"], request["prompt"]) == ("S256", "consent")
    assert len(request["state"]) > 40
    assert request["redirect_uri"].startswith("http://127.0.0.1:")
    assert await desk.bearer() == f"Bearer {next(iter(desk.server.access_tokens))}"
    state = await desk.credentials.state(desk.app)
    assert (state.is_signed_in, state.source, state.expires_at) == (True, "store", desk.now + 3600)


async def test_the_callback_works_once_and_is_closed_afterwards(desk: Desk) -> None:
    visit = await desk.signed_in()
    with pytest.raises(urllib.error.URLError):
        await asyncio.to_thread(urllib.request.urlopen, visit.addresses[-1], timeout=10)


async def test_an_expiring_token_is_renewed_once_for_all_callers(desk: Desk) -> None:
    await desk.signed_in()
    desk.now += 3590
    bearers = await asyncio.gather(*(desk.bearer() for _ in range(10)))
    assert len(set(bearers)) == 1
    assert [form["grant_type"] for form in desk.server.forms] == ["authorization_code", "refresh_token"]
    assert bearers[0] == f"Bearer {next(iter(desk.server.access_tokens))}"


async def test_two_processes_renew_once(desk: Desk) -> None:
    await desk.signed_in()
    desk.now += 3590
    first, second = desk.process(), desk.process()
    grants = await asyncio.gather(first.grant(desk.app), second.grant(desk.app))
    assert grants[0] == grants[1]
    assert [form["grant_type"] for form in desk.server.forms] == ["authorization_code", "refresh_token"]


async def test_a_renewal_is_stored_although_its_caller_gave_up(desk: Desk) -> None:
    await desk.signed_in()
    desk.now += 3590
    asking = asyncio.ensure_future(desk.bearer())
    # The store is read in a thread, which causes no event.
    while not desk.credentials._renewals:  # noqa: ASYNC110
        await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert await desk.bearer() == f"Bearer {next(iter(desk.server.access_tokens))}"
    assert len(desk.server.forms) == 2


async def test_a_refused_token_is_renewed_unless_it_was_renewed_already(desk: Desk) -> None:
    await desk.signed_in()
    old = await desk.credentials.grant(desk.app)
    new = await desk.credentials.renew(desk.app, old)
    assert new != old
    assert await desk.credentials.renew(desk.app, old) == new
    assert len(desk.server.forms) == 2


async def test_a_sign_in_that_the_server_ended_asks_a_person_again(desk: Desk) -> None:
    await desk.signed_in()
    desk.now += 3600
    desk.server.refuses_refresh = True
    with pytest.raises(AuthRequired, match="The token was revoked") as over:
        await desk.bearer()
    assert "handrail apps login" in str(over.value.hint)


async def test_a_token_without_a_refresh_token_expires(desk: Desk) -> None:
    desk.server.answer = 200, b'{"access_token": "short", "token_type": "bearer", "expires_in": "60"}'
    await desk.signed_in()
    desk.now += 61
    with pytest.raises(AuthRequired, match="has expired"):
        await desk.bearer()
    assert not (await desk.credentials.state(desk.app)).is_signed_in


@pytest.mark.parametrize(
    "answer",
    [
        (200, b"not JSON"),
        (200, b"[]"),
        (200, b'{"token_type": "bearer"}'),
        (200, b'{"access_token": "a", "token_type": "mac"}'),
        (200, b'{"access_token": "a\\r\\nx: y", "token_type": "bearer"}'),
        (302, b""),
        (500, b"<html>"),
        (400, b'{"error": "invalid_request"}'),
        (200, b" " * 300_000),
    ],
)
async def test_an_invalid_token_reply_stores_nothing(desk: Desk, answer: tuple[int, bytes]) -> None:
    desk.server.answer = answer
    with pytest.raises(BadAnswer):
        await desk.signed_in()
    assert await desk.secrets.kept() == []


async def test_refusing_at_the_sign_in_server_is_reported(desk: Desk) -> None:
    def denied(address: str) -> str:
        return address.partition("?")[0] + "?error=access_denied&state=" + address.partition("state=")[2]

    with pytest.raises(Declined, match="access_denied"):
        await desk.signed_in(Visit(denied))


async def test_a_sign_in_that_is_not_completed_times_out(desk: Desk) -> None:
    with pytest.raises(AuthRequired, match="completed within"):
        await desk.signed_in(Visit(lambda address: address.partition("?")[0]), timeout_seconds=0.5)


async def test_a_key_comes_from_the_environment_or_from_the_store(desk: Desk) -> None:
    with pytest.raises(AuthRequired):
        await desk.credentials.grant(desk.keyed)
    await store_key(desk.keyed, Secret("kept-key\n"), desk.secrets, desk.turn)
    assert (await desk.credentials.grant(desk.keyed)).headers == {"X-Key": "kept-key"}
    desk.environ["WEB_KEY"] = "from-outside"
    assert (await desk.credentials.grant(desk.keyed)).headers == {"X-Key": "from-outside"}
    assert (await desk.credentials.state(desk.keyed)).source == "environment"
    with pytest.raises(AuthRequired, match="refused the key"):
        await desk.credentials.renew(desk.keyed, await desk.credentials.grant(desk.keyed))


async def test_a_key_goes_where_the_descriptor_says_and_with_its_prefix(desk: Desk) -> None:
    auth = ApiKey(placement="query", name="key")
    app = msgspec.structs.replace(desk.keyed, auth=auth)
    await store_key(app, Secret("kept-key"), desk.secrets, desk.turn)
    assert (await desk.credentials.grant(app)).query == {"key": "kept-key"}
    app = msgspec.structs.replace(desk.keyed, auth=ApiKey(placement="header", name="Authorization", prefix="Token"))
    await store_key(app, Secret("kept-key"), desk.secrets, desk.turn)
    assert (await desk.credentials.grant(app)).headers == {"Authorization": "Token kept-key"}


@pytest.mark.parametrize("key", ["", "  ", "a\nb", "ключ", "a\x00"])
async def test_an_invalid_key_is_refused_without_being_quoted(desk: Desk, key: str) -> None:
    with pytest.raises(InvalidParams) as refusal:
        await store_key(desk.keyed, Secret(key), desk.secrets, desk.turn)
    assert not key.strip() or key not in refusal.value.message


async def test_a_descriptor_with_another_address_does_not_get_the_stored_sign_in(desk: Desk) -> None:
    await desk.signed_in()
    await store_key(desk.keyed, Secret("kept-key"), desk.secrets, desk.turn)
    for app in (desk.app, desk.keyed):
        relocated_app = msgspec.structs.replace(app, execution=HttpExecution(base_url="https://evil.example/api"))
        with pytest.raises(AuthRequired, match="another address"):
            await desk.credentials.grant(relocated_app)
    assert isinstance(desk.app.auth, OAuth2)
    elsewhere = msgspec.structs.replace(desk.app.auth, token_endpoint="https://evil.example/token")
    with pytest.raises(AuthRequired, match="another address"):
        await desk.credentials.grant(msgspec.structs.replace(desk.app, auth=elsewhere))


async def test_signing_out_removes_the_sign_in(desk: Desk) -> None:
    await desk.signed_in()
    assert await sign_out(desk.app.id, desk.secrets, desk.turn)
    assert not await sign_out(desk.app.id, desk.secrets, desk.turn)
    with pytest.raises(AuthRequired):
        await desk.bearer()


async def test_signing_out_during_a_renewal_removes_the_sign_in(desk: Desk) -> None:
    await desk.signed_in()
    desk.now += 3590
    leaving: list[asyncio.Task[bool]] = []

    async def endpoint(url: str, form: str) -> tuple[int, bytes]:
        leaving.append(asyncio.create_task(sign_out(desk.app.id, desk.secrets, desk.turn)))
        return await post_form(url, form)

    await desk.process(endpoint).grant(desk.app)
    assert await leaving[0]
    assert await desk.secrets.kept() == []


async def test_a_renewal_does_not_restore_a_removed_sign_in(desk: Desk) -> None:
    await desk.signed_in()
    desk.now += 3590

    async def endpoint(url: str, form: str) -> tuple[int, bytes]:
        await desk.secrets.forget(secret_name(desk.app.id))
        return await post_form(url, form)

    with pytest.raises(AuthRequired):
        await desk.process(endpoint).grant(desk.app)
    assert await desk.secrets.kept() == []


async def test_a_keyring_that_is_locked_is_named_as_the_reason(desk: Desk, tmp_path: Path) -> None:
    await desk.signed_in()
    file = tmp_path / "secrets.json"
    content = msgspec.json.decode(file.read_bytes())
    del content["secrets"][secret_name(desk.app.id)]["value"]  # as if it were in the keyring
    file.write_bytes(msgspec.json.encode(content))
    with pytest.raises(AuthRequired, match="keyring is locked") as away:
        await desk.bearer()
    assert away.value.hint == "Unlock it."


async def test_no_secret_is_in_a_log_a_repr_or_an_error(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await desk.signed_in()
    grant = await desk.credentials.grant(desk.app)
    desk.now += 3600
    desk.server.refuses_refresh = True
    with pytest.raises(AuthRequired) as refusal:
        await desk.bearer()
    texts = f"{caplog.text} {grant!r} {refusal.value!r} {refusal.value.details} {desk.credentials.__dict__}"
    assert "-secret-" not in texts


def test_handrails_parameters_appear_once_in_a_sign_in_address() -> None:
    auth = OAuth2(
        authorization_endpoint="https://a.example/a?redirect_uri=https://evil.example&state=1&tenant=x&uri=y",
        token_endpoint="https://a.example/t",
        extra_params={"uri": "z", "client_secret": "&=", "scope": "all", "code_challenge": "theirs"},
    )
    address = authorization_address(auth, Client("me"), Attempt("s", "v"), "http://127.0.0.1:1/callback")
    query = parse_qs(urlsplit(address).query)
    challenge = query.pop("code_challenge")
    assert (len(challenge), challenge == ["theirs"]) == (1, False)
    assert query == {
        "tenant": ["x"],
        "uri": ["z"],
        "client_secret": ["&="],
        "response_type": ["code"],
        "client_id": ["me"],
        "redirect_uri": ["http://127.0.0.1:1/callback"],
        "state": ["s"],
        "code_challenge_method": ["S256"],
    }


def test_without_a_client_id_a_person_is_told_where_to_get_one(desk: Desk) -> None:
    assert isinstance(desk.app.auth, OAuth2)
    nameless = msgspec.structs.replace(desk.app.auth, client_id=None)
    with pytest.raises(InvalidParams) as refusal:
        choose_client(nameless, None, None)
    assert "--client-id" in str(refusal.value.hint)
    assert choose_client(nameless, "mine", "s").id == "mine"
    assert choose_client(desk.app.auth, None, None).id == "handrail"
