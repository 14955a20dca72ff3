"""Who a token is, and what its owner may do.

Without an accounts file the Hub is open: any token that starts with `hf_` is the one user `rehearsal`, who may
write in every namespace; a request without a token may read what is public. With a file (TOML) there are users,
organisations and roles:

    [users.alice]
    fullname = "Alice Doe"                       # optional, as is email
    tokens = ["hf_alice", { token = "hf_alice_reads", role = "read" }]

    [organizations.acme]
    fullname = "Acme Inc."                       # optional
    private_by_default = true                    # optional: new repositories are private
    members = { alice = "admin", bob = "read" }  # admin, write, contributor (own repositories only), read

Tokens are kept as SHA-256 digests only.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

from release.errors import UsageError

Role = Literal["read", "contributor", "write", "admin"]
TokenRole = Literal["read", "write"]

OPEN_USER = "rehearsal"

_NAME = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True)
class User:
    """A person. The name is also a namespace."""

    name: str
    fullname: str
    email: str


@dataclass(frozen=True)
class Organization:
    """`members` maps a user's name to their role."""

    name: str
    fullname: str
    private_by_default: bool = False
    members: Mapping[str, Role] = field(default_factory=dict)


@dataclass(frozen=True)
class Visitor:
    """Who sends a request. `user` is None without a token; a read-only token has `may_write` off."""

    user: User | None = None
    may_write: bool = False

    @property
    def name(self) -> str | None:
        """The user's name; None without a token."""
        return self.user.name if self.user is not None else None


NOBODY = Visitor()


@dataclass(frozen=True)
class Accounts:
    """All users, organisations and tokens. `is_open` lets everyone with a token write everywhere."""

    users: Mapping[str, User]
    organizations: Mapping[str, Organization]
    tokens: Mapping[str, tuple[str, TokenRole]]
    is_open: bool = False

    def visitor(self, token: str) -> Visitor | None:
        """The owner of a token; None if nobody knows it."""
        if self.is_open:
            return Visitor(self.users[OPEN_USER], may_write=True) if token.startswith("hf_") else None
        known = self.tokens.get(_digest(token))
        return Visitor(self.users[known[0]], may_write=known[1] == "write") if known is not None else None

    def may_read(self, visitor: Visitor, namespace: str) -> bool:
        """Whether private repositories of a namespace can be seen."""
        if visitor.user is None:
            return False
        return self.is_open or visitor.name == namespace or self._role(visitor, namespace) is not None

    def may_create(self, visitor: Visitor, namespace: str) -> bool:
        """Whether new repositories can be made in a namespace."""
        if not visitor.may_write:
            return False
        role = self._role(visitor, namespace)
        return self.is_open or visitor.name == namespace or role in ("contributor", "write", "admin")

    def may_write(self, visitor: Visitor, namespace: str, creator: str) -> bool:
        """Whether a repository of the namespace, made by `creator`, can be changed, moved and deleted."""
        if not visitor.may_write:
            return False
        role = self._role(visitor, namespace)
        if self.is_open or visitor.name == namespace or role in ("write", "admin"):
            return True
        return role == "contributor" and visitor.name == creator

    def memberships(self, user: str) -> list[tuple[Organization, Role]]:
        """The organisations of a user, with the role in each."""
        return [(each, each.members[user]) for each in self.organizations.values() if user in each.members]

    def _role(self, visitor: Visitor, namespace: str) -> Role | None:
        organization = self.organizations.get(namespace)
        if organization is None or visitor.name is None:
            return None
        return organization.members.get(visitor.name)


def open_accounts() -> Accounts:
    """One user for every token: what `release hub serve` has without `--accounts`."""
    return Accounts(users={OPEN_USER: _user(OPEN_USER, {})}, organizations={}, tokens={}, is_open=True)


def read_accounts(path: Path) -> Accounts:
    """Read an accounts file. Raises UsageError, with every complaint, if it is not one."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", hint="give the path of a TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}", hint="mend the file") from error
    reading = _Reading()
    accounts = reading.accounts(content)
    if reading.complaints:
        raise UsageError(f"{path} is not an accounts file", hint="mend the file", complaints=reading.complaints)
    return accounts


class _Reading:
    """Turns parsed TOML into Accounts and gathers what is wrong with it."""

    def __init__(self) -> None:
        self.complaints: list[str] = []

    def accounts(self, content: Mapping[str, Any]) -> Accounts:
        self._unknown("the file", content, "users", "organizations")
        users: dict[str, User] = {}
        tokens: dict[str, tuple[str, TokenRole]] = {}
        for name, table in self._tables("users", content):
            self._unknown(f"users.{name}", table, "fullname", "email", "tokens")
            users[name] = _user(name, table)
            for entry in table.get("tokens", []):
                self._token(name, entry, tokens)
        organizations = {
            name: self._organization(name, table, users) for name, table in content.get("organizations", {}).items()
        }
        for name in users.keys() & organizations.keys():
            self.complaints.append(f"{name} is a user and an organisation")
        return Accounts(users=users, organizations=organizations, tokens=tokens)

    def _tables(self, key: str, content: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The named tables below a key, if they are tables and their names can be namespaces."""
        for name, table in content.get(key, {}).items():
            if not isinstance(table, dict):
                self.complaints.append(f"{key}.{name} must be a table")
            elif _NAME.fullmatch(name) is None:
                self.complaints.append(f"{name!r} cannot be the name of a namespace")
            else:
                yield name, table

    def _unknown(self, where: str, table: Mapping[str, Any], *known: str) -> None:
        self.complaints += [f"{where}: unknown key {key}" for key in sorted(table.keys() - set(known))]

    def _token(self, user: str, entry: Any, tokens: dict[str, tuple[str, TokenRole]]) -> None:
        text, role = (entry.get("token"), entry.get("role", "write")) if isinstance(entry, dict) else (entry, "write")
        if not isinstance(text, str) or role not in get_args(TokenRole):
            self.complaints.append(f"users.{user}: a token is a string, or {{ token, role = read or write }}")
        elif _digest(text) in tokens:
            self.complaints.append(f"users.{user}: a token belongs to two users")
        else:
            tokens[_digest(text)] = (user, cast(TokenRole, role))

    def _organization(self, name: str, table: Mapping[str, Any], users: Mapping[str, User]) -> Organization:
        self._unknown(f"organizations.{name}", table, "fullname", "private_by_default", "members")
        members = table.get("members", {})
        for member, role in members.items():
            if member not in users:
                self.complaints.append(f"organizations.{name}: no user {member}")
            if role not in get_args(Role):
                self.complaints.append(f"organizations.{name}: {member} has no role named {role!r}")
        return Organization(
            name=name,
            fullname=table.get("fullname", name),
            private_by_default=bool(table.get("private_by_default", False)),
            members=members,
        )


def _user(name: str, table: Mapping[str, Any]) -> User:
    return User(name=name, fullname=table.get("fullname", name), email=table.get("email", f"{name}@example.invalid"))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
