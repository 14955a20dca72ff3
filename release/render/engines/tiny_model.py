"""The smallest model that llama.cpp loads: a GGUF file of 68 kB that knows bytes and says nothing.

A server without a model has no `/apply-template`. This one is never run: all its weights are zero, so the file is the
same on every machine and is made faster than it could be looked up. Layout: magic, version 3, the numbers of tensors
and of keys, the keys, the tensors' names, shapes and places, then their numbers, each tensor on a border of 32 bytes.
"""

import struct
from collections.abc import Mapping, Sequence
from math import prod

Value = bool | int | float | str | Sequence[str] | Sequence[int]
# The numbers by which a GGUF file tells what kind of value follows.
_UINT32, _INT32, _FLOAT32, _BOOL, _STRING, _ARRAY = 4, 5, 6, 7, 8, 9
_NORMAL, _CONTROL = 1, 3
_BORDER = 32
_WIDTH = 32
# The tokens that a template's `bos_token` and `eos_token` are.
CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def tiny_model() -> bytes:
    """The whole file: architecture qwen3, one block, 260 tokens: every byte, one merge and `CONTROL`."""
    tokens = [*_byte_symbols(), "ĠĠ", *CONTROL]
    keys: dict[str, Value] = {
        "general.architecture": "qwen3",
        "general.name": "chat templates only",
        "general.file_type": 0,
        "qwen3.context_length": 4096,
        "qwen3.embedding_length": _WIDTH,
        "qwen3.block_count": 1,
        "qwen3.feed_forward_length": _WIDTH,
        "qwen3.attention.head_count": 1,
        "qwen3.attention.head_count_kv": 1,
        "qwen3.attention.key_length": _WIDTH,
        "qwen3.attention.value_length": _WIDTH,
        "qwen3.attention.layer_norm_rms_epsilon": 1e-6,
        "qwen3.rope.freq_base": 10_000.0,
        "qwen3.vocab_size": len(tokens),
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "qwen2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [_CONTROL if token in CONTROL else _NORMAL for token in tokens],
        "tokenizer.ggml.merges": ["Ġ Ġ"],
        "tokenizer.ggml.bos_token_id": tokens.index("<|endoftext|>"),
        "tokenizer.ggml.padding_token_id": tokens.index("<|endoftext|>"),
        "tokenizer.ggml.eos_token_id": tokens.index("<|im_end|>"),
        "tokenizer.ggml.add_bos_token": False,
    }
    return _file(keys, _shapes(len(tokens)))


def _shapes(tokens: int) -> dict[str, tuple[int, ...]]:
    norms = ("attn_norm", "ffn_norm", "attn_q_norm", "attn_k_norm")
    matrices = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    return {
        "token_embd.weight": (_WIDTH, tokens),
        "output_norm.weight": (_WIDTH,),
        **{f"blk.0.{name}.weight": (_WIDTH,) for name in norms},
        **{f"blk.0.{name}.weight": (_WIDTH, _WIDTH) for name in matrices},
    }


def _byte_symbols() -> list[str]:
    """One visible character for each byte, as GPT-2 writes them: itself, or one from U+0100 on."""
    visible = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = [byte for byte in range(256) if byte not in visible]
    return [chr(byte if byte in visible else 256 + others.index(byte)) for byte in range(256)]


def _file(keys: Mapping[str, Value], shapes: Mapping[str, tuple[int, ...]]) -> bytes:
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(keys))
    head += b"".join(_text(name) + _value(value) for name, value in keys.items())
    place = 0
    for name, shape in shapes.items():
        head += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, place)
        place += _padded(4 * prod(shape))
    return head.ljust(_padded(len(head)), b"\0") + bytes(place)


def _padded(size: int) -> int:
    return -(-size // _BORDER) * _BORDER


def _text(text: str) -> bytes:
    encoded = text.encode("utf-8")
    return struct.pack("<Q", len(encoded)) + encoded


def _value(value: Value) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", _BOOL, value)
    if isinstance(value, int):
        return struct.pack("<II", _UINT32, value)
    if isinstance(value, float):
        return struct.pack("<If", _FLOAT32, value)
    if isinstance(value, str):
        return struct.pack("<I", _STRING) + _text(value)
    texts = [item for item in value if isinstance(item, str)]
    if texts:
        return struct.pack("<IIQ", _ARRAY, _STRING, len(texts)) + b"".join(map(_text, texts))
    return struct.pack(f"<IIQ{len(value)}i", _ARRAY, _INT32, len(value), *value)
