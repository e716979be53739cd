#!/usr/bin/env python3
"""Damage behind the checksums, for behind-checksums.t: mend.py KIND FILE N OUT makes OUT.1
to OUT.N, each damaged by itself.

gzip: bytes of the contents change, the stream is whole again.
perf: bytes of records change, but not their sizes.
index: a number or bytes of a row of a history's index change, not its pages.
"""
import gzip
import random
import shutil
import sqlite3
import struct
import sys


def damage(data, at, end):
    """Change one to eight bytes of data[at:end]."""
    for _ in range(random.randint(1, 8)):
        i = random.randrange(at, end)
        data[i] = random.choice((0, 1, 127, 128, 255, data[i] ^ 1 << random.randrange(8),
                                 random.randrange(256)))


def mend_gzip(name, out):
    data = bytearray(gzip.open(name).read())
    damage(data, 0, len(data))
    open(out, "wb").write(gzip.compress(bytes(data), 1))


def mend_perf(name, out):
    data = bytearray(open(name, "rb").read())
    head = struct.unpack_from("<Q", data, 8)[0]  # 16: a pipe, without sections
    at, size = (16, len(data)) if head == 16 else struct.unpack_from("<QQ", data, 40)
    records, end = [], min(at + size, len(data))
    while at + 8 <= end:
        n = struct.unpack_from("<H", data, at + 6)[0]
        if n < 8:
            break
        records.append((at, min(at + n, end)))
        at += n
    for at, end in random.sample(records, min(len(records), 3)):
        if end - at > 8:
            damage(data, at + 8, end)
    open(out, "wb").write(data)


def mend_index(name, out):
    shutil.copy(name, out)
    db = sqlite3.connect(out)
    tables = db.execute("select name from sqlite_master where type = 'table'").fetchall()
    table = random.choice(tables)[0]
    names = [r[1] for r in db.execute(f"pragma table_info({table})")]
    row = random.choice(db.execute(f"select * from {table}").fetchall())
    i = random.randrange(len(names))
    if isinstance(row[i], int):
        value = random.choice((0, 1, -1, row[i] ^ 1, 2**31, 2**32, 2**63 - 1,
                               random.randrange(2**20)))
    else:
        value = bytearray(row[i] or b"x")
        damage(value, 0, len(value))
    try:
        db.execute(f"update or replace {table} set {names[i]} = ? where " +
                   " and ".join(f"{n} is ?" for n in names), (value, *row))
        db.commit()
    except sqlite3.Error:  # the schema forbids it
        pass
    db.close()


for seed in range(1, int(sys.argv[3]) + 1):
    random.seed(seed)
    {"gzip": mend_gzip, "perf": mend_perf, "index": mend_index}[sys.argv[1]](
        sys.argv[2], f"{sys.argv[4]}.{seed}")
