"""extractor - the shipped features as a library: the one source of features"""
import ctypes
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def build(folder):
    path = os.path.join(folder, "features.so")
    sources = ["classify/features.c", "classify/features_tokens.c",
               "classify/train/batch.c", "common/buf.c",
               "common/xmalloc.c", "common/log.c"]
    subprocess.run(["cc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-fPIC",
                    "-shared", "-I", ROOT, "-include",
                    os.path.join(ROOT, "common/banned.h"), "-o", path] +
                   [os.path.join(ROOT, s) for s in sources], check=True)
    lib = ctypes.CDLL(path)
    lib.batch_features.restype = ctypes.c_uint64
    return lib
