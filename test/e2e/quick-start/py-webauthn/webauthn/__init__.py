"""Stands in for py_webauthn 2, which Debian lacks: what passkeys.py of the quick starts calls, with the same defaults, on python-fido2."""
import json
import secrets
from hashlib import sha256
from types import SimpleNamespace

from fido2 import cbor
from fido2.client import ClientData
from fido2.cose import CoseKey
from fido2.ctap2 import AttestationObject, AuthenticatorData

from .helpers import base64url_to_bytes, bytes_to_base64url
from .helpers.structs import CredentialDeviceType


def _require(condition, message):
    if not condition:
        raise ValueError(message)


def _options(**members):
    challenge = secrets.token_bytes(64)
    return SimpleNamespace(challenge=challenge, members={**members, "challenge": bytes_to_base64url(challenge)})


def generate_registration_options(*, rp_id, rp_name, user_id, user_name, authenticator_selection):
    return _options(
        rp={"id": rp_id, "name": rp_name},
        user={"id": bytes_to_base64url(user_id), "name": user_name, "displayName": user_name},
        pubKeyCredParams=[{"type": "public-key", "alg": alg} for alg in (-7, -257)],
        authenticatorSelection={
            "residentKey": authenticator_selection.resident_key,
            "userVerification": authenticator_selection.user_verification,
        },
        attestation="none",
    )


def generate_authentication_options(*, rp_id, user_verification):
    return _options(rpId=rp_id, allowCredentials=[], userVerification=user_verification)


def options_to_json(options):
    return json.dumps(options.members)


def _client_data(kind, credential, expected_challenge, expected_origin):
    _require(credential["type"] == "public-key", "unexpected type")
    _require(credential["id"] == bytes_to_base64url(base64url_to_bytes(credential["rawId"])), "id and rawId differ")
    data = ClientData(base64url_to_bytes(credential["response"]["clientDataJSON"]))
    _require(data.get("type") == kind, "unexpected client data type")
    _require(data.challenge == expected_challenge, "unexpected challenge")
    _require(data.get("origin") == expected_origin, "unexpected origin")
    return data


def _authenticator_data(data, expected_rp_id, require_user_verification):
    _require(data.rp_id_hash == sha256(expected_rp_id.encode()).digest(), "unexpected RP ID hash")
    _require(data.is_user_present(), "user was not present")
    _require(data.is_user_verified() or not require_user_verification, "user was not verified")
    eligible, backed_up = data.flags & 0x08, data.flags & 0x10
    _require(eligible or not backed_up, "backed up without being eligible")
    return CredentialDeviceType.MULTI_DEVICE if eligible else CredentialDeviceType.SINGLE_DEVICE


def verify_registration_response(
    *, credential, expected_challenge, expected_rp_id, expected_origin, require_user_verification=False
):
    _client_data("webauthn.create", credential, expected_challenge, expected_origin)
    attestation = AttestationObject(base64url_to_bytes(credential["response"]["attestationObject"]))
    data = attestation.auth_data
    _require(attestation.fmt == "none" and not attestation.att_statement, "unexpected attestation")
    device_type = _authenticator_data(data, expected_rp_id, require_user_verification)
    _require(data.credential_data.public_key[3] in (-7, -257), "unsupported algorithm")
    return SimpleNamespace(
        credential_id=data.credential_data.credential_id,
        credential_public_key=cbor.encode(data.credential_data.public_key),
        sign_count=data.counter,
        credential_device_type=device_type,
    )


def verify_authentication_response(
    *,
    credential,
    expected_challenge,
    expected_rp_id,
    expected_origin,
    credential_public_key,
    credential_current_sign_count,
    require_user_verification=False,
):
    client_data = _client_data("webauthn.get", credential, expected_challenge, expected_origin)
    data = AuthenticatorData(base64url_to_bytes(credential["response"]["authenticatorData"]))
    device_type = _authenticator_data(data, expected_rp_id, require_user_verification)
    count = credential_current_sign_count
    _require(data.counter > count or data.counter == count == 0, "unexpected sign count")
    signature = base64url_to_bytes(credential["response"]["signature"])
    CoseKey.parse(cbor.decode(credential_public_key)).verify(data + client_data.hash, signature)
    return SimpleNamespace(new_sign_count=data.counter, credential_device_type=device_type)
