"""weights - a trained net as the integer weights file that model_file.c reads

The file's form is drawn in classify/model_file.c.
"""
import struct

import numpy as np

VERSION = 1
REVISION = 1            # FEATURES_REVISION of classify/features.h
X_UNITS = 32            # of an embedding unit in x
HIDDEN_UNITS = 256
SCORE_UNITS = 1024
POINT = 1 << 24
SCALE_MAX = 1 << 22


def rows_to_bytes(matrix):
    """int8 rows and the size of one step in each."""
    step = np.maximum(np.abs(matrix).max(axis=1), 1e-6) / 127
    return np.rint(matrix / step[:, None]).astype(np.int8), step


def as_i32(values, most):
    values = np.rint(values).astype(np.int64)
    assert (np.abs(values) <= most).all(), "a weight is out of range"
    return values.astype("<i4")


def checksum(data):
    h = 14695981039346656037
    for byte in data:
        h = (h ^ byte) * 1099511628211 & 0xffffffffffffffff
    return h


def body(net, vocabulary):
    embedding = net.embedding.detach().double().numpy()
    first = net.first.weight.detach().double().numpy()
    first_bias = net.first.bias.detach().double().numpy()
    second = net.second.weight.detach().double().numpy()
    second_bias = net.second.bias.detach().double().numpy()
    # One step per dimension; the few values beyond the clip do not matter.
    step = np.maximum(np.quantile(np.abs(embedding), .9995, axis=0), 1e-6) / 127
    small = np.clip(np.rint(embedding / step), -127, 127).astype(np.int8)
    groups = first.shape[1] // embedding.shape[1]
    q1, s1 = rows_to_bytes(first * np.tile(step, groups))
    q2, s2 = rows_to_bytes(second)
    parts = [
        vocabulary.astype("<u4"), small, q1,
        as_i32(first_bias * X_UNITS / s1, 1 << 29),
        as_i32(s1 / X_UNITS * HIDDEN_UNITS * POINT, SCALE_MAX),
        q2,
        as_i32(second_bias * HIDDEN_UNITS / s2, 1 << 29),
        as_i32(s2 / HIDDEN_UNITS * SCORE_UNITS * POINT, SCALE_MAX),
    ]
    return b"".join(part.tobytes() for part in parts)


def write(path, net, vocabulary):
    data = body(net, vocabulary)
    dim = net.embedding.shape[1]
    head = b"skeinact" + struct.pack(
        "<8I", VERSION, REVISION, net.second.weight.shape[0],
        net.first.weight.shape[1] // dim, dim, net.first.weight.shape[0],
        len(vocabulary), len(data))
    with open(path, "wb") as file:
        file.write(head + struct.pack("<Q", checksum(head + data)) + data)
