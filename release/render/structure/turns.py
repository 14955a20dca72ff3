"""Messages beside blocks: each message has its place, in the order of the messages, and no block is left over."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from release.render.structure.blocks import Block
from release.render.structure.forms import MEDIA_MARKER, flattened, trimmed
from release.render.structure.head import System, is_system, read_head
from release.render.structure.limits import limit_of
from release.render.structure.media import Leaving, leaving
from release.render.structure.reply import Reply, read_reply
from release.render.structure.results import OPENING, Result, find_results
from release.render.structure.rules import Complaint

Message = Mapping[str, object]
Said = tuple[Complaint, ...]


@dataclass(frozen=True)
class _Place:
    """Where a reading stands: the next block, and of the last assistant message its number and how many calls stay."""

    block: int
    caller: int | None = None
    kept: int = 0


# To the message that comes next, the place, and what is wrong so far.
_Step = tuple[int, _Place, Said]


class Walk:
    """All ways to read the blocks as these messages, at once: a message that left may look like one that did not.

    `modulo` are the names of what is left out of account (`rules.MODULO`).
    """

    def __init__(
        self, blocks: Sequence[Block], messages: Sequence[Message], variables: Message, modulo: Mapping[str, str]
    ) -> None:
        self.blocks = blocks
        self.messages = messages
        self.variables = variables
        self.modulo = modulo
        self.leaving = leaving(messages) if "media" in modulo else Leaving()
        self.system = System("notes" in modulo, "switches" in modulo, self._marker())
        users = [n for n, one in enumerate(messages) if one.get("role") == "user"]
        # Without a question of the user's, whether a thought is past is the family's own business.
        asked = any(not flattened(messages[n].get("content")).lstrip().startswith(OPENING[:-1]) for n in users)
        self.current_from = users[-1] if asked else len(messages)

    def complaints(self) -> Said:
        """What is wrong with the best of the readings. One ends at the first message that is out of place."""
        size, used, wrong = read_head(self.blocks, self.messages, self.variables.get("tools"), self.system)
        reached: dict[int, dict[_Place, Said]] = {size: {_Place(used): wrong}}
        ended: list[Said] = []
        for n in range(size, len(self.messages)):
            for place, said in reached.pop(n, {}).items():
                for then, there, more in self._turn(n, place):
                    if any(one.check == "order" for one in more):
                        ended.append((*said, *more))
                    else:
                        _keep(reached.setdefault(then, {}), there, (*said, *more))
        whole = [(*said, *self._left_over(place)) for place, said in reached.get(len(self.messages), {}).items()]
        # The last that ended came furthest.
        return min([*whole, *reversed(ended)], key=len)

    def _left_over(self, place: _Place) -> Iterator[Complaint]:
        if place.block < len(self.blocks):
            role = self.blocks[place.block].role
            yield Complaint("order", f"block {place.block + 1} ({role}) belongs to no message")

    def _turn(self, n: int, place: _Place) -> Iterator[_Step]:
        """Each way to read the block of message n."""
        message = self.messages[n]
        role = message.get("role")
        if role == "tool" or (role == "function" and self._is_at_results(place)):
            yield from self._results(n, place)
        elif role == "assistant":
            yield from self._reply(n, place)
        elif is_system(message):
            yield from self._text(n, place, "system", self.system.forms(message))
        else:
            forms = self.system.forms(message, marked=False)
            named = () if role == "user" else tuple(f"[{role}]: {form}" for form in forms)
            yield from self._text(n, place, "user", (*forms, *named))

    def _text(self, n: int, place: _Place, role: str, forms: Sequence[str]) -> Iterator[_Step]:
        block = self._next(role, place)
        prints_nothing = self._prints_nothing(n)
        if prints_nothing:
            yield n + 1, place, ()
        if block is None:
            if not prints_nothing:
                yield n + 1, place, (self._out_of_place(n, role, place),)
            return
        said = f"the text of {self._name(n)} is {block.text[:40]!r} … and not {forms[0][:40]!r} …"
        fits = self.system.fits(block.text, forms)
        yield n + 1, _behind(place), () if fits else (Complaint("texts", said),)

    def _reply(self, n: int, place: _Place) -> Iterator[_Step]:
        reply = Reply(
            self.messages[n],
            calls_may_leave=n in self.leaving.calls,
            shrinks="media" in self.modulo,
            limit=limit_of(self.variables.get("max_tool_arg_chars")) if "limits" in self.modulo else 0,
            marker=self._marker(),
            is_current=n > self.current_from,
            mended="healing" in self.modulo,
        )
        may_leave = n in self.leaving.messages
        if may_leave:
            yield n + 1, replace(place, caller=n, kept=0), ()
        block = self._next("assistant", place)
        if block is not None:
            count, wrong = read_reply(block.text, reply, self._name(n))
            # What may leave leaves with its last call.
            if count or not may_leave:
                yield n + 1, _Place(place.block + 1, n, count), wrong
        elif not may_leave:
            yield n + 1, place, (self._out_of_place(n, "assistant", place),)

    def _results(self, n: int, place: _Place) -> Iterator[_Step]:
        """The results from n on, up to the next message that prints something else: they share a block.

        Whether a message of role function is a result is the family's own business.
        """
        groups = [self._group(n, ("tool", "function")), self._group(n, ("tool",))]
        for group in groups if groups[0] != groups[1] else groups[:1]:
            if group:
                then = group[-1] + 1
                while then < len(self.messages) and self._prints_nothing(then):
                    then += 1
                used, count, wrong = self._read_results(group, place)
                there = replace(place, block=place.block + used)
                yield then, there, (*wrong, *self._without_partner(group, count, place))

    def _group(self, n: int, roles: tuple[str, ...]) -> list[int]:
        indexes = []
        for index in range(n, len(self.messages)):
            if self.messages[index].get("role") in roles:
                indexes.append(index)
            elif not self._prints_nothing(index):
                break
        return indexes

    def _read_results(self, indexes: Sequence[int], place: _Place) -> tuple[int, int, Said]:
        """(blocks used, results found, what is wrong)."""
        results = [self._result(index) for index in indexes]
        if not self._is_at_results(place):
            missing = [index for index, result in zip(indexes, results, strict=True) if not result.may_leave]
            return 0, 0, (self._out_of_place(missing[0], "user", place),) if missing else ()
        found = find_results(self.blocks[place.block].text, results)
        if not isinstance(found, int):
            return 1, found.count, ()
        if found == len(results):
            said = f"more stands in the block of {self._name(indexes[-1])} than was sent"
        else:
            said = f"{self._name(indexes[found])} does not stand in its block as it was sent"
        return 1, len(results), (Complaint("results", said),)

    def _result(self, n: int) -> Result:
        text = flattened(self.messages[n].get("content"))
        return Result(
            trimmed(text) if "trimmed-results" in self.modulo else (text,),
            noted="notes" in self.modulo,
            may_leave=n in self.leaving.messages,
            may_shrink=n in self.leaving.media,
            limit=limit_of(self.variables.get("max_tool_response_chars")) if "limits" in self.modulo else 0,
        )

    def _without_partner(self, indexes: Sequence[int], count: int, place: _Place) -> Iterator[Complaint]:
        """Where every call had its result, as many results stay as calls do; none stays without a call (X-03, X-04)."""
        if place.caller is None or place.caller != indexes[0] - 1:
            return
        sent = _ids(self.messages[place.caller])
        given = [self.messages[index].get("tool_call_id") for index in indexes]
        one_each = len(sent) == len(given) and (not any(given) or sorted(map(str, given)) == sorted(map(str, sent)))
        if (one_each and place.kept != count) or (sent and count and not place.kept):
            said = f"{place.kept} calls of {self._name(place.caller)} stay and {count} of their results"
            yield Complaint("results", said)

    def _next(self, role: str, place: _Place) -> Block | None:
        """The next block, if it has this role."""
        block = self.blocks[place.block] if place.block < len(self.blocks) else None
        return block if block is not None and block.role == role else None

    def _is_at_results(self, place: _Place) -> bool:
        block = self._next("user", place)
        return block is not None and block.text.startswith(OPENING)

    def _prints_nothing(self, n: int) -> bool:
        message = self.messages[n]
        return is_system(message) and not any(self.system.forms(message))

    def _marker(self) -> str:
        given = self.variables.get("media_marker")
        return (MEDIA_MARKER if given is None else str(given)) if "marker" in self.modulo else ""

    def _out_of_place(self, n: int, role: str, place: _Place) -> Complaint:
        rest = self.blocks[place.block :]
        there = f"block {place.block + 1} is {rest[0].role}'s" if rest else "no block is left"
        return Complaint("order", f"{self._name(n)} should stand in a block of {role} here, and {there}")

    def _name(self, n: int) -> str:
        return f"messages[{n}] ({self.messages[n].get('role')})"


def _behind(place: _Place) -> _Place:
    return replace(place, block=place.block + 1)


def _keep(reached: dict[_Place, Said], place: _Place, said: Said) -> None:
    if place not in reached or len(said) < len(reached[place]):
        reached[place] = said


def _ids(message: Message) -> list[object]:
    """The id of each call of a message, None for one without."""
    calls = message.get("tool_calls")
    given = calls if isinstance(calls, list) else [calls] if isinstance(calls, Mapping) else []
    return [call.get("id") if isinstance(call, Mapping) else None for call in given]
