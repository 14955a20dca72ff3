"""Addresses that carry their own permission, as the Hub's storage hands them out.

Whoever holds one may use it without a token, until it expires and only as it stands: the signature covers the path
and every other part of the query.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Mapping
from urllib.parse import quote, urlencode

from release.rehearsal.answers import HubError

_LIFETIME = 3600  # seconds


class Links:
    """Signs and checks addresses at `origin`, such as http://127.0.0.1:8000. They die with the server."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self._secret = secrets.token_bytes(32)

    def to(self, path: str, **query: str) -> str:
        """An absolute address for `path` (not quoted yet) with the query."""
        signed = {**query, "expires": str(int(time.time()) + _LIFETIME)}
        return f"{self.origin}{quote(path)}?{urlencode({**signed, 'signature': self._sign(path, signed)})}"

    def check(self, path: str, query: Mapping[str, str]) -> None:
        """Raises HubError 403 unless `to` made this address and it has not expired."""
        signed = {key: value for key, value in query.items() if key != "signature"}
        if not hmac.compare_digest(self._sign(path, signed), query.get("signature", "")):
            raise HubError(403, "Signature does not match")
        if int(signed["expires"]) < time.time():
            raise HubError(403, "Request has expired")

    def token(self, scope: str) -> str:
        """A token for `scope`; see `scope_of`."""
        return f"{scope}.{self._sign(scope, {})}"

    def scope_of(self, token: str) -> str | None:
        """What a token of `token` was made for; None if it was not made here."""
        scope, _, signature = token.rpartition(".")
        return scope if hmac.compare_digest(self._sign(scope, {}), signature) else None

    def _sign(self, path: str, query: Mapping[str, str]) -> str:
        text = f"{path}?{urlencode(sorted(query.items()))}"
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()
