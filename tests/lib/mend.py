#!/usr/bin/env python3
"""Damage behind the checksums, for behind-checksums.t: mend.py KIND FILE N OUT makes OUT.1
to OUT.N, each damaged by itself.

gzip: bytes of the contents change, the stream is whole again.
perf: bytes of records change, but not their sizes.
index: rows of a history's index change, or what it is made of, and the sums of its pages
are right again.
page: bytes of an index change, but not the sums of its pages.
"""
import gzip
import random
import shutil
import sqlite3
import struct
import sys
import zlib


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


def change_row(db, table):
    """A value of a row: another number, other bytes, or of another type."""
    names = [r[1] for r in db.execute(f"pragma table_info({table})")]
    row = random.choice(db.execute(f"select * from {table}").fetchall())
    i = random.randrange(len(names))
    if random.random() < 0.2:
        value = random.choice((None, 1.5, -1e300, "text", b"", bytes(300), 2**40))
    elif isinstance(row[i], int):
        value = random.choice((0, 1, -1, row[i] ^ 1, row[i] + 1, 2**31, 2**32, 2**63 - 1,
                               -2**63, random.randrange(2**20)))
    else:
        value = bytearray(row[i] if isinstance(row[i], bytes) and row[i] else b"x")
        damage(value, 0, len(value))
    db.execute(f"update or replace {table} set {names[i]} = ? where " +
               " and ".join(f"{n} is ?" for n in names), (value, *row))


def change_rows(db, table):
    db.execute(random.choice((
        f"delete from {table} where random() % 2",
        f"update or replace {table} set {'block = block + 1' if table == 'post' else 'id = id + 7'}",
        "delete from word", "delete from fn", "delete from file", "delete from post",
        "update block set n = n * 1000", "update block set types = 0",
        "insert or replace into file select id + 1000000, path || id, size, mtime, inode, why from file",
        "insert or replace into block select id + 1, day, types, n, sums, meta from block")))


def change_schema(db, table):
    db.execute("pragma writable_schema = on")
    db.execute(random.choice((
        f"drop table {table}",
        f"alter table {table} rename to other",
        f"alter table {table} add column more int default 1",
        f"create trigger t after insert on {table} begin delete from block; end",
        f"create index i on {table}(1)",
        "create view v as select 1",
        f"update sqlite_master set rootpage = 2 where name = '{table}'",
        f"update sqlite_master set rootpage = rootpage + 1 where name = '{table}'",
        f"update sqlite_master set sql = replace(sql, 'int', 'text') where name = '{table}'",
        "pragma user_version = 5")))
    if random.random() < 0.3:
        db.execute("drop table if exists fn")
        db.execute("create view fn(id, name) as with recursive c(x) as (select 1 union all "
                   "select x + 1 from c) select x, randomblob(1000) from c")


def mend_index(name, out):
    shutil.copy(name, out)
    db = sqlite3.connect(out)
    tables = db.execute("select name from sqlite_master where type = 'table'").fetchall()
    change = random.choices((change_row, change_rows, change_schema), (6, 2, 2))[0]
    for _ in range(random.randint(1, 3)):
        try:
            change(db, random.choice(tables)[0])
            db.commit()
        except (sqlite3.Error, IndexError):  # the schema forbids it, or nothing is left
            pass
    db.close()
    data = bytearray(open(out, "rb").read())
    size = struct.unpack_from(">H", data, 16)[0]
    for at in range(0, len(data), size):
        struct.pack_into("<I", data, at + size - 4, zlib.crc32(data[at:at + size - 4]))
    open(out, "wb").write(data)


def mend_page(name, out):
    data = bytearray(open(name, "rb").read())
    at = random.randrange(len(data))
    damage(data, at, min(at + 64, len(data)))
    open(out, "wb").write(data)


for seed in range(1, int(sys.argv[3]) + 1):
    random.seed(seed)
    {"gzip": mend_gzip, "perf": mend_perf, "index": mend_index,
     "page": mend_page}[sys.argv[1]](
        sys.argv[2], f"{sys.argv[4]}.{seed}")
