"""Messages beside blocks: each message has its place, in the order of the messages, and no block is left over."""

from collections.abc import Iterator, Mapping, Sequence

from release.render.structure.blocks import Block
from release.render.structure.forms import MEDIA_MARKER, flattened, trimmed
from release.render.structure.head import System, is_system, read_head
from release.render.structure.limits import limit_of
from release.render.structure.media import leaving
from release.render.structure.reply import Reply, read_reply
from release.render.structure.results import OPENING, Result, find_results
from release.render.structure.rules import Complaint

Message = Mapping[str, object]


class Walk:
    """One walk along the messages and the blocks of a prompt. It ends at the first thing that is out of place.

    `modulo` are the names of what is left out of account (`rules.MODULO`).
    """

    def __init__(
        self, blocks: Sequence[Block], messages: Sequence[Message], variables: Message, modulo: Mapping[str, str]
    ) -> None:
        self.blocks = blocks
        self.messages = messages
        self.variables = variables
        self.modulo = modulo
        self.at = 0
        self.leaving = leaving(messages) if "media" in modulo else None
        self.system = System("notes" in modulo, "switches" in modulo, self._marker())
        # The last message with calls: its number, the ids of its calls, how many of them stay.
        self.batch: tuple[int, list[object], int] = (-1, [], 0)
        users = [n for n, one in enumerate(messages) if one.get("role") == "user"]
        # Without a question of the user's, whether a thought is past is the family's own business.
        asked = any(not flattened(messages[n].get("content")).lstrip().startswith(OPENING[:-1]) for n in users)
        self.current_from = users[-1] if asked else len(messages)

    def complaints(self) -> Iterator[Complaint]:
        size, used, wrong = read_head(self.blocks, self.messages, self.variables.get("tools"), self.system)
        yield from wrong
        self.at = used
        n = size
        while n < len(self.messages):
            n, wrong = self._turn(n)
            yield from wrong
            if any(one.check == "order" for one in wrong):
                return
        if self.at < len(self.blocks):
            yield Complaint("order", f"block {self.at + 1} ({self.blocks[self.at].role}) belongs to no message")

    def _turn(self, n: int) -> tuple[int, tuple[Complaint, ...]]:
        """Reads the block of message n; gives the number of the next message that has none yet."""
        message = self.messages[n]
        role = message.get("role")
        if role == "tool" or (role == "function" and self._is_at_results()):
            return self._results(n)
        if role == "assistant":
            return n + 1, self._reply(n)
        if is_system(message):
            forms = self.system.forms(message)
            return n + 1, self._text(n, "system", forms, optional=self._prints_nothing(n))
        forms = self.system.forms(message, marked=False)
        if role != "user":
            forms = (*forms, *(f"[{role}]: {form}" for form in forms))
        return n + 1, self._text(n, "user", forms)

    def _text(self, n: int, role: str, forms: Sequence[str], *, optional: bool = False) -> tuple[Complaint, ...]:
        block = self._next(role)
        if optional and (block is None or block.text not in forms):
            return ()
        if block is None:
            return (self._out_of_place(n, role),)
        self.at += 1
        if self.system.fits(block.text, forms):
            return ()
        return (
            Complaint("texts", f"the text of {self._name(n)} is {block.text[:40]!r} … and not {forms[0][:40]!r} …"),
        )

    def _reply(self, n: int) -> tuple[Complaint, ...]:
        gone = self.leaving is not None and n in self.leaving.calls
        reply = Reply(
            self.messages[n],
            calls_may_leave=gone,
            shrinks="media" in self.modulo,
            limit=limit_of(self.variables.get("max_tool_arg_chars")) if "limits" in self.modulo else 0,
            marker=self._marker(),
            is_current=n > self.current_from,
            mended="healing" in self.modulo,
        )
        ids = _ids(self.messages[n])
        self.batch = (n, ids, 0)
        block = self._next("assistant")
        if block is None:
            return () if gone else (self._out_of_place(n, "assistant"),)
        count, wrong = read_reply(block.text, reply, self._name(n))
        if gone and (wrong or not count):
            # The message left with its last call; the block is another one's.
            return ()
        self.batch = (n, ids, count)
        self.at += 1
        return wrong

    def _results(self, n: int) -> tuple[int, tuple[Complaint, ...]]:
        """The results from n on, up to the next message that prints something else: they share a block.

        Whether a message of role function is a result is the family's own business.
        """
        whole = self._group(n, ("tool", "function"))
        first = self._read_results(whole)
        roles = {self.messages[index].get("role") for index in whole}
        if first[0] and roles == {"tool", "function"}:
            alone = self._group(n, ("tool",))
            second = self._read_results(alone)
            if not second[0]:
                whole, first = alone, second
        wrong, used, count = first
        self.at += used
        return self._behind(whole[-1]), (*wrong, *self._without_partner(whole, count))

    def _group(self, n: int, roles: tuple[str, ...]) -> list[int]:
        indexes = [n]
        for index in range(n + 1, len(self.messages)):
            if self.messages[index].get("role") in roles:
                indexes.append(index)
            elif not self._prints_nothing(index):
                break
        return indexes

    def _behind(self, n: int) -> int:
        n += 1
        while n < len(self.messages) and self._prints_nothing(n):
            n += 1
        return n

    def _read_results(self, indexes: Sequence[int]) -> tuple[tuple[Complaint, ...], int, int]:
        """(what is wrong, blocks used, results found)."""
        results = [self._result(index) for index in indexes]
        block = self._next("user")
        if block is None or not block.text.startswith(OPENING):
            missing = [index for index, result in zip(indexes, results, strict=True) if not result.may_leave]
            return ((self._out_of_place(missing[0], "user"),) if missing else ()), 0, 0
        found = find_results(block.text, results)
        if not isinstance(found, int):
            return (), 1, found.count
        if found == len(results):
            said = f"more stands in the block of {self._name(indexes[-1])} than was sent"
        else:
            said = f"{self._name(indexes[found])} does not stand in its block as it was sent"
        return (Complaint("results", said),), 1, len(results)

    def _without_partner(self, indexes: Sequence[int], count: int) -> Iterator[Complaint]:
        """Where every call had its result, as many results stay as calls do (X-03, X-04)."""
        caller, sent, kept = self.batch
        if caller != indexes[0] - 1 or len(sent) != len(indexes):
            return
        ids = [self.messages[index].get("tool_call_id") for index in indexes]
        one_each = not any(ids) or sorted(map(str, ids)) == sorted(map(str, sent))
        if one_each and kept != count:
            yield Complaint("results", f"{kept} calls of {self._name(caller)} stay and {count} of their results")

    def _result(self, n: int) -> Result:
        text = flattened(self.messages[n].get("content"))
        return Result(
            trimmed(text) if "trimmed-results" in self.modulo else (text,),
            noted="notes" in self.modulo,
            may_leave=self.leaving is not None and n in self.leaving.messages,
            limit=limit_of(self.variables.get("max_tool_response_chars")) if "limits" in self.modulo else 0,
        )

    def _next(self, role: str) -> Block | None:
        """The next block, if it has this role."""
        block = self.blocks[self.at] if self.at < len(self.blocks) else None
        return block if block is not None and block.role == role else None

    def _is_at_results(self) -> bool:
        block = self._next("user")
        return block is not None and block.text.startswith(OPENING)

    def _prints_nothing(self, n: int) -> bool:
        message = self.messages[n]
        return is_system(message) and not any(self.system.forms(message))

    def _marker(self) -> str:
        given = self.variables.get("media_marker")
        return (MEDIA_MARKER if given is None else str(given)) if "marker" in self.modulo else ""

    def _out_of_place(self, n: int, role: str) -> Complaint:
        there = (
            f"block {self.at + 1} is {self.blocks[self.at].role}'s"
            if self.at < len(self.blocks)
            else "no block is left"
        )
        return Complaint("order", f"{self._name(n)} should stand in a block of {role} here, and {there}")

    def _name(self, n: int) -> str:
        return f"messages[{n}] ({self.messages[n].get('role')})"


def _ids(message: Message) -> list[object]:
    """The id of each call of a message, None for one without."""
    calls = message.get("tool_calls")
    given = calls if isinstance(calls, list) else [calls] if isinstance(calls, Mapping) else []
    return [call.get("id") if isinstance(call, Mapping) else None for call in given]
