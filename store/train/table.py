"""table - rows of numbers as the file that store/embed.c maps

The file's form is drawn in store/embed.c.
"""
import struct

import numpy as np

MAGIC = b"skeinemb"
VERSION = 1
NAME = b"skein-static-1"
SCALE_MAX = 1023


def checksum(data):
    h = 14695981039346656037
    for word in np.frombuffer(data, dtype="<u8").tolist():
        h = (h ^ word) * 1099511628211 & 0xffffffffffffffff
    return h


def quantise(rows):
    """int8 rows, and for each what one step in it is worth."""
    most = np.abs(rows).max(axis=1)
    scale = np.maximum(1, np.rint(most / most.max() * SCALE_MAX))
    step = scale * most.max() / SCALE_MAX / 127
    small = np.clip(np.rint(rows / step[:, None]), -127, 127)
    return small.astype(np.int8), scale.astype("<u2")


def pad(data):
    return data + b"\0" * (-len(data) % 8)


def write(path, words, rows):
    small, scale = quantise(rows)
    text = "".join(w + "\n" for w in words).encode()
    body = pad(text) + pad(scale.tobytes()) + pad(small.tobytes())
    head = struct.pack("<8sIIII24s", MAGIC, VERSION, rows.shape[1],
                       len(words), len(text), NAME)
    with open(path, "wb") as file:
        file.write(head + struct.pack("<Q", checksum(head + body)) + body)


def read(path):
    """Words and rows, as the file has them; for measuring."""
    data = open(path, "rb").read()
    _, _, dims, count, length, _ = struct.unpack("<8sIIII24s", data[:48])
    at = 56
    words = data[at:at + length].decode().split()
    at += length + -length % 8
    scale = np.frombuffer(data, "<u2", count, at)
    at += 2 * count + -2 * count % 8
    small = np.frombuffer(data, np.int8, count * dims, at)
    return words, small.reshape(count, dims) * scale[:, None].astype(float)
