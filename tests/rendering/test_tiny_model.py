"""The model that llama.cpp's server loads: the same file everywhere, laid out as GGUF says."""

import hashlib
import struct

from release.render.engines.tiny_model import CONTROL, tiny_model

DIGEST = "ff1c97d277d61efb080a442454faa88b172f34b31f8252560265f9ce7a919d21"
FIXED = {4: "<I", 5: "<i", 6: "<f", 7: "<?"}


class Reader:
    """Reads a GGUF file from its start, as far as ours uses the format."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def number(self, form: str) -> float:
        size = struct.calcsize(form)
        (value,) = struct.unpack_from(form, self.content, self.at)
        self.at += size
        return float(value)

    def whole(self, form: str) -> int:
        return int(self.number(form))

    def text(self) -> str:
        size = self.whole("<Q")
        self.at += size
        return self.content[self.at - size : self.at].decode()

    def value(self, kind: int) -> object:
        if kind == 8:
            return self.text()
        if kind == 9:
            inner, count = self.whole("<I"), self.whole("<Q")
            return [self.value(inner) for _ in range(count)]
        return self.number(FIXED[kind])


def test_the_model_is_the_same_on_every_machine() -> None:
    assert hashlib.sha256(tiny_model()).hexdigest() == DIGEST


def test_the_model_is_laid_out_as_its_format_says() -> None:
    content = tiny_model()
    reader = Reader(content)
    assert content[:4] == b"GGUF"
    reader.at = 4
    assert reader.whole("<I") == 3
    tensors, keys = reader.whole("<Q"), reader.whole("<Q")
    meta = {reader.text(): reader.value(reader.whole("<I")) for _ in range(keys)}
    places: dict[str, tuple[int, int]] = {}
    for _ in range(tensors):
        name = reader.text()
        size = 4
        for _ in range(reader.whole("<I")):
            size *= reader.whole("<Q")
        assert reader.whole("<I") == 0
        places[name] = (reader.whole("<Q"), size)
    start = -(-reader.at // 32) * 32
    # Each tensor begins on a border, where the one before has ended; the last ends with the file.
    ends = [start]
    for place, size in places.values():
        assert (start + place) % 32 == 0
        assert 0 <= start + place - ends[-1] < 32
        ends.append(start + place + size)
    assert 0 <= len(content) - ends[-1] < 32
    assert len(content) < 100_000

    tokens = meta["tokenizer.ggml.tokens"]
    assert isinstance(tokens, list)
    assert len(tokens) == len(set(tokens)) == meta["qwen3.vocab_size"] == 260
    assert tokens[-3:] == list(CONTROL)
    assert (tokens[65], tokens[32]) == ("A", "Ġ")
    assert places["token_embd.weight"][1] == 4 * 32 * 260
