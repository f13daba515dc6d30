"""Writes data for the tests of training into the working folder: good files, and files with one thing wrong."""

import struct
import zipfile

import numpy as np

random = np.random.default_rng(0)
x = random.standard_normal((20, 3)).astype("f")
y = random.standard_normal(20).astype("f")
np.savez("good.npz", x=x, y=y)
np.savez("more.npz", x=x, y=y, weights=y)
np.savez("lacks.npz", x=x)
np.savez("typed.npz", x=x.astype("d"), y=y)
np.savez("shaped.npz", x=x[:, :2], y=y)
np.savez("uneven.npz", x=x, y=y[:19])
np.savez("short.npz", x=x[:7], y=y[:7])
np.savez("few.npz", x=x[:3], y=y[:3])
np.savez("ignored.npz", input_ids=np.ones((8, 6), "i8"), labels=np.full((8, 6), -100))
np.save("x.npy", x)
np.save("zeros.npy", np.array([1, 1, 0, 0, 1, 1], "f"))
np.save("zeros8.npy", np.ones(8, "f"))
np.arange(100, dtype="u2").tofile("odd.bin")

# Archives that are not what they say.
good = open("good.npz", "rb").read()
open("cut.npz", "wb").write(good[:len(good) // 2])
open("none.npz", "wb").write(b"this is no archive")
with zipfile.ZipFile("text.npz", "w") as archive:
    archive.writestr("readme.txt", "no array")
with zipfile.ZipFile("method.npz", "w", zipfile.ZIP_BZIP2) as archive:
    archive.write("x.npy")
with zipfile.ZipFile("twice.npz", "w") as archive:
    archive.write("x.npy")
    archive.write("x.npy")
np.savez_compressed("deflated.npz", x=x, y=y)
deflated = open("deflated.npz", "rb").read()
flipped = bytearray(deflated)
flipped[200] ^= 0xFF
open("flipped.npz", "wb").write(flipped)
# The first member claims, in its local and in its central header, to be 2 GB long, deflated or not.
for name, source in (("bomb.npz", deflated), ("long.npz", good)):
    claims = bytearray(source)
    central = source.index(b"PK\1\2")
    struct.pack_into("<I", claims, central + 24, 1 << 31)
    open(name, "wb").write(claims)
