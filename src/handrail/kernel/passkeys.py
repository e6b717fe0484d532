"""Passkeys (WebAuthn): options for the browser, and verification of its answers.

User verification is required both times: a mere touch, which a program with the device could trigger, isn't enough.
The library takes half a second to import, so it is loaded when a passkey is first used.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from handrail.ports.presence import RP_ID, Passkey, PasskeyProof, PresenceNeeded

_AGAIN = "Try again, or answer in a terminal with `handrail prompts`."


def assertion_options(challenge: bytes, passkeys: Sequence[Passkey]) -> dict[str, Any]:
    """For `navigator.credentials.get`, in its JSON form."""
    return {
        "challenge": _text(challenge),
        "rpId": RP_ID,
        "userVerification": "required",
        "timeout": 120_000,
        "allowCredentials": [{"type": "public-key", "id": passkey.id} for passkey in passkeys],
    }


def registration_options(challenge: bytes, user: str, known: Sequence[Passkey]) -> dict[str, Any]:
    """For `navigator.credentials.create`, in its JSON form."""
    return {
        "challenge": _text(challenge),
        "rp": {"id": RP_ID, "name": "handrail"},
        "user": {"id": _text(b"handrail"), "name": user, "displayName": user},
        "pubKeyCredParams": [{"type": "public-key", "alg": algorithm} for algorithm in (-8, -7, -257)],
        "authenticatorSelection": {"userVerification": "required", "residentKey": "preferred"},
        "attestation": "none",
        "timeout": 120_000,
        "excludeCredentials": [{"type": "public-key", "id": passkey.id} for passkey in known],
    }


def verify_assertion(proof: PasskeyProof, challenge: bytes, known: Sequence[Passkey]) -> tuple[Passkey, int]:
    """The passkey that signed, and its new count. PresenceNeeded unless the signature is valid."""
    import webauthn
    from webauthn.helpers.exceptions import WebAuthnException

    id = proof.credential.get("id")
    passkey = next((one for one in known if one.id == id), None)
    if passkey is None:
        raise _refused("this passkey isn't registered here")
    try:
        verified = webauthn.verify_authentication_response(
            credential=dict(proof.credential),
            expected_challenge=challenge,
            expected_rp_id=RP_ID,
            expected_origin=proof.origin,
            credential_public_key=_bytes(passkey.public_key),
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
    except (WebAuthnException, ValueError, KeyError, TypeError) as error:
        raise _refused(f"the passkey's signature isn't valid ({error})") from None
    if not verified.user_verified:
        raise _refused("the authenticator didn't verify the user")
    return passkey, verified.new_sign_count


def verify_registration(credential: Mapping[str, Any], challenge: bytes, origin: str) -> tuple[str, str, int]:
    """Id, public key and count of a new passkey. PresenceNeeded unless it is valid."""
    import webauthn
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        verified = webauthn.verify_registration_response(
            credential=dict(credential),
            expected_challenge=challenge,
            expected_rp_id=RP_ID,
            expected_origin=origin,
            require_user_verification=True,
        )
    except (WebAuthnException, ValueError, KeyError, TypeError) as error:
        raise _refused(f"the new passkey isn't valid ({error})") from None
    if not verified.user_verified:
        raise _refused("the authenticator didn't verify the user")
    return _text(verified.credential_id), _text(verified.credential_public_key), verified.sign_count


def _refused(why: str) -> PresenceNeeded:
    return PresenceNeeded(f"Presence isn't proven: {why}.", hint=_AGAIN, reason="presence", why=why)


def _text(data: bytes) -> str:
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    from base64 import urlsafe_b64decode

    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
