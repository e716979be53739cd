#!/usr/bin/env python3
"""Small inputs that are much work, for bounds.t: bombs.py NAME [ELF] >FILE, each
below 1 MB. A name is a function below, which says what it makes."""
import gzip
import json
import os
import struct
import sys


# --- profile.proto, written by hand: fields that protobuf would refuse, too

def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n)


def text(field, b):
    return varint(field << 3 | 2) + varint(len(b)) + b


def profile(samples, locations, functions, mappings=(), strings=()):
    """Samples: lists of ids; locations: lists of functions, and a mapping or 0;
    functions: names; mappings: file names."""
    table = [b"", b"cpu", b"nanoseconds", *strings]
    out = [text(1, number(1, 1) + number(2, 2))]

    index = {}

    def string(b):
        if b not in index:
            index[b] = len(table)
            table.append(b)
        return index[b]

    for ids in samples:
        out.append(text(2, text(1, b"".join(map(varint, ids))) + text(2, varint(7))))
    for i, name in enumerate(mappings):
        out.append(text(3, number(1, i + 1) + number(2, 4096 * (i + 1)) +
                        number(3, 4096 * (i + 2)) + number(5, string(name))))
    for i, (lines, mapping) in enumerate(locations):
        at = number(1, i + 1) + number(3, 4096 * max(mapping, 1) + i % 4096)
        if mapping:
            at += number(2, mapping)
        out.append(text(4, at + b"".join(text(4, number(1, f) + number(2, i + 1))
                                         for f in lines)))
    for i, name in enumerate(functions):
        at = string(name)
        out.append(text(5, number(1, i + 1) + number(2, at) + number(3, at)))
    return gzip.compress(b"".join(out) + b"".join(text(6, s) for s in table), 9)


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


# --- the inputs

def inlined():
    """A stack of one location 10,000 times, which has 10,000 inlined lines."""
    return profile([[1] * 10000], [([1] * 10000, 0)], [b"f"])


def inlined_most():
    """The same, 60,000 times of 6,000 lines: more than a report may take."""
    return profile([[1] * 60000], [([1] * 6000, 0)], [b"f"])


def inlined_small():
    """The same with a thousand of each: it is read."""
    return profile([[1] * 1000], [([1] * 1000, 0)], [b"f"])


def with_string(more):
    """A profile with more fields, where string 3 has 300,000 bytes."""
    p = profile([[1]], [([1], 0)], [b"f"], strings=[b"x" * 300000])
    return gzip.compress(gzip.decompress(p) + more, 9)


def same_comment():
    """500,000 comments, all the same long string."""
    return with_string(text(13, b"\3" * 500000))


def same_label():
    """40,000 samples, whose labels have the same long value."""
    return with_string(b"".join(text(2, text(1, b"\1") + text(2, varint(i + 1)) +
                                     text(3, number(1, 1) + number(2, 3)))
                                for i in range(40000)))


def same_path():
    """30,000 mappings of the same long path."""
    return with_string(b"".join(text(3, number(1, i + 1) + number(5, 3)) for i in range(30000)))


def deep():
    """One stack of 300,000 frames."""
    return profile([range(1, 30001)] * 10, [([i % 100 + 1], 0) for i in range(30000)],
                   [b"f%d" % i for i in range(100)])


def mappings():
    """40,000 mappings, each of a file of its own."""
    n = 40000
    return profile([[i + 1] for i in range(n)], [([], i + 1) for i in range(n)],
                   [], [b"/x/%d" % i for i in range(n)])


def long_paths():
    """A thousand mappings of one file, whose name has 200,000 bytes."""
    n = 1000
    return profile([[i + 1] for i in range(n)], [([], i + 1) for i in range(n)],
                   [], [b"/x" * 100000] * n)


def bracket_names():
    """Names whose templates are opened and not closed."""
    names = [b"_Z%dm%dI200" % (len(b"m%d" % i), i) + b"<" * 200 + b"S0_" * 300 + b"Evv"
             for i in range(300)]
    return profile([[i + 1] for i in range(300)], [([i + 1], 0) for i in range(300)], names)


def normal_names():
    """Names to normalize: brackets that nothing closes, and a number of many digits."""
    return profile([[1], [2]], [([1], 0), ([2], 0)],
                   [b"a<" * 250000 + b"::h0123456789abcdef", b"#" + b"1" * 500000])


def pack_names():
    """Packs of templates in packs, each twice in the next: all are empty."""
    def nested(i):
        return "1fI%sEv%s" % ("JJT_T_EE" if i else "JJEE",
                              "1AIL_Z" + nested(i + 1) + "EE" if i < 30 else "v")

    names = [("_Z%dm%dIL_Z%sEEvv" % (len("m%d" % i), i, nested(0))).encode()
             for i in range(1, 31 if os.environ.get("PROF_LONG") else 6)]
    return profile([[i + 1] for i in range(len(names))], [([i + 1], 0) for i in range(len(names))], names)


def zeros_gzip():
    """900 MB of zeros, which gzip packs a thousandfold: no profile."""
    return gzip.compress(bytes(50 << 20), 9) * 18


def nested_gzip():
    """gzip in gzip in gzip."""
    data = bytes(64 << 20)
    for _ in range(3):
        data = gzip.compress(data, 9)
    return data


def folded_deep():
    """A line of folded stacks with 450,000 frames."""
    return b"a;" * 450000 + b"a 1\n"


def folded_wide():
    """100,000 functions."""
    return b"".join(b"f%d 1\n" % i for i in range(90000))


def speedscope():
    """Events that open 9,000 frames one in the other, and close them."""
    n = 9000
    events = [{"type": "O", "frame": 0, "at": i} for i in range(n)]
    events += [{"type": "C", "frame": 0, "at": n + i} for i in range(n)]
    return compact({"$schema": "https://www.speedscope.app/file-format-schema.json",
                    "shared": {"frames": [{"name": "f"}]},
                    "profiles": [{"type": "evented", "name": "x", "unit": "none",
                                  "startValue": 0, "endValue": 2 * n, "events": events}]})


def cpuprofile():
    """A chain of 9,000 nodes, and 60,000 samples of the last."""
    n = 6000
    frame = {"functionName": "f", "scriptId": "0", "url": "", "lineNumber": -1,
             "columnNumber": -1}
    nodes = [{"id": i + 1, "callFrame": frame, "children": [i + 2] if i + 1 < n else []}
             for i in range(n)]
    return compact({"nodes": nodes, "startTime": 0, "endTime": 60000,
                    "samples": [n] * 20000, "timeDeltas": [1] * 20000})


def firefox():
    """A chain of 40,000 stacks, each sampled, of frames that are inlined."""
    n = 40000
    return compact({"meta": {"preprocessedProfileVersion": 49}, "threads": [{
        "stringArray": ["f"], "funcTable": {"name": [0]},
        "frameTable": {"func": [0], "inlineDepth": [1]},
        "stackTable": {"frame": [0] * n, "prefix": [None] + list(range(n - 1))},
        "samples": {"stack": list(range(n))}}]})


def otlp(samples, tables, strings=()):
    table = b"".join(text(5, s) for s in (b"", b"cpu", b"ns", *strings))
    return (text(1, text(2, text(2, text(1, number(1, 1) + number(2, 2)) +
                                 b"".join(text(2, s) for s in samples)))) +
            text(2, table + b"".join(text(field, entry) for field, entry in tables)))


def otlp_stack():
    """50,000 samples of a stack with 150,000 fields that nothing knows."""
    return otlp([number(1, 1) + text(4, b"\1")] * 50000, [(7, b""), (7, number(9, 1) * 150000)])


def otlp_strings():
    """An attribute that is a list of a long string, 100,000 times, and lists of such lists."""
    each = text(1, number(8, 3))
    lists = [each * 100000] + [text(1, text(5, each * 300))] * 100
    return otlp([text(4, b"\1")], [(6, number(1, 1) + text(2, text(5, l))) for l in lists],
                [b"x" * 200000])


def brackets_json():
    """Arrays in arrays."""
    return b"[" * 900000


def count_profile():
    """1,200 stacks of goroutines, of 60 addresses each."""
    return (b"goroutine profile: total 1200\n" +
            b"".join(b"1 @ %s\n" % b" ".join(b"0x%x" % (i * 64 + k) for k in range(60))
                     for i in range(1200)))[:900000] + b"\n"


def elf(sections):
    """Write an ELF file whose name is the second argument: sections are names, bytes and
    the size, of which the rest is a hole. Returns a profile of it."""
    names = b"\0.shstrtab\0" + b"".join(name + b"\0" for name, _, _ in sections)
    code, at = 4096, 65536
    head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, code, 64, 2 * code,
                       0, 64, 56, 1, 64, 2 + len(sections), 1)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 2 * code, 2 * code, 4096)

    def section(name, kind, flags, at, n, link=0):
        return struct.pack("<IIQQQQIIQQ", name, kind, flags, at, at, n, link, 0, 8,
                           24 if kind == 2 else 0)

    data = (head + load).ljust(code, b"\0") + names.ljust(code, b"\x90")
    data += section(0, 0, 0, 0, 0) + section(1, 3, 0, code, len(names))
    body = b""
    for i, (name, contents, size) in enumerate(sections):
        # The names of symbols follow them.
        kind = {b".symtab": 2, b".strtab": 3}.get(name, 1)
        data += section(names.index(name), kind, 2, at + len(body), size,
                        3 + i if kind == 2 else 0)
        body += contents
    with open(sys.argv[2], "wb") as f:
        f.write(data.ljust(at, b"\0") + body)
        f.truncate(at + max(len(body), size))
    return profile([[1], [2]], [([], 1), ([], 1)], [], [sys.argv[2].encode()])


def sparse_elf():
    """Below 1 MB on the disk, with 1 GiB of .eh_frame, all of it a hole."""
    return elf([(b".eh_frame", b"", 1 << 30)])


def same_section(name, kind, contents):
    """7,000 sections, which are the same bytes."""
    out = elf([(name, contents, len(contents))])
    with open(sys.argv[2], "r+b") as f:
        data = f.read()
        at = len(data)
        header = bytearray(data[4096 * 2 + 128:4096 * 2 + 192])
        struct.pack_into("<I", header, 4, kind)
        f.write(data[4096 * 2:4096 * 2 + 128] + bytes(header) * 7000)
        f.seek(40)
        f.write(struct.pack("<Q", at))
        f.seek(60)
        f.write(struct.pack("<HH", 7002, 1))
    return out


def same_notes():
    """7,000 sections of notes, all without a build-id."""
    return same_section(b".note", 7, struct.pack("<III", 0, 0, 1) * 36000)


def same_stubs():
    """7,000 sections of calls of libraries."""
    return same_section(b".plt", 1, b"\xff\x25\0\0\0\0" * 70000)


def same_slots():
    """7,000 sections of their addresses."""
    return same_section(b".rela.plt", 4, struct.pack("<QQq", 4096, 1 << 32 | 7, 0) * 18000)


def long_abbrevs():
    """20,000 units, each of which uses the last of 60,000 abbreviations."""
    n = 60000
    abbrevs = b"".join(varint(i + 1) + b"\x2e\0\3\x08\0\0" for i in range(n))
    abbrevs += varint(n + 1) + b"\x11\0\x11\1\0\0\0"
    unit = struct.pack("<HIB", 4, 0, 8) + varint(n + 1) + struct.pack("<Q", 4096)
    units = (struct.pack("<I", len(unit)) + unit) * 20000
    return elf([(b".debug_abbrev", abbrevs, len(abbrevs)),
                (b".debug_info", units, len(units))])


def long_abbrev():
    """25,000 units, whose abbreviation has 60,000 attributes, which take no room."""
    abbrevs = b"\1\x11\0" + b"\x3f\x19" * 60000 + b"\x11\1\0\0\0"
    unit = struct.pack("<IHIBBQ", 16, 4, 0, 8, 1, 4096) * 25000
    return elf([(b".debug_abbrev", abbrevs, len(abbrevs)), (b".debug_info", unit, len(unit))])


def empty_files():
    """Eight units, which share a table of 850,000 folders and files with 255 parts of no bytes."""
    abbrevs = b"\1\x11\0\x11\1\x12\7\x10\x17\0\0\0"
    units = b"".join(struct.pack("<IHBBIBQQI", 29, 5, 1, 8, 0, 1, i, 1, 0) for i in range(8))
    files = b"\xff" + b"\5\x19" * 255 + varint(850000)
    head = b"\1\1\1\xfb\x0e\1" + files * 2 + bytes(850000)
    lines = struct.pack("<HBBI", 5, 8, 0, len(head)) + head
    lines = struct.pack("<I", len(lines)) + lines
    elf([(b".debug_abbrev", abbrevs, len(abbrevs)), (b".debug_info", units, len(units)),
         (b".debug_line", lines, len(lines))])
    return profile([[i + 1] for i in range(8)], [([], 1)] * 8, [], [sys.argv[2].encode()])


def shared_ranges():
    """20,000 units, whose code is the same list of 120,000 ranges, of no address."""
    abbrevs = b"\1\x11\0\x11\1\x55\x17\0\0\0"
    unit = struct.pack("<HBBIBQI", 5, 1, 8, 0, 1, 4096, 12)
    units = (struct.pack("<I", len(unit)) + unit) * 20000
    ranges = struct.pack("<HBBI", 5, 8, 0, 0) + b"\4\1\2" * 120000 + b"\0"
    ranges = struct.pack("<I", len(ranges)) + ranges
    return elf([(b".debug_abbrev", abbrevs, len(abbrevs)), (b".debug_info", units, len(units)),
                (b".debug_rnglists", ranges, len(ranges))])


def inlined_code():
    """A function of 40,000 instructions, all of which have the same 500 inlined calls."""
    n = 40000
    abbrevs = (b"\1\x11\1\x11\1\x12\6\0\0" b"\2\x2e\1\3\x08\x11\1\x12\6\0\0"
               b"\3\x1d\1\x31\x13\x11\1\x12\6\0\0" b"\4\x2e\0\3\x08\0\0\0")
    where = struct.pack("<QI", 0, n)
    unit = (struct.pack("<HIB", 4, 0, 8) + b"\1" + where + b"\4g\0\2f\0" + where +
            (b"\3" + struct.pack("<I", 24) + where) * 500 + bytes(502))
    unit = struct.pack("<I", len(unit)) + unit
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0, n)
    out = elf([(b".symtab", symbols, len(symbols)), (b".strtab", b"\0f\0", 3),
               (b".debug_abbrev", abbrevs, len(abbrevs)), (b".debug_info", unit, len(unit)),
               (b".text", b"\x90" * n, n)])
    with open(sys.argv[2], "r+b") as f: # all of the file is its code
        f.seek(64 + 32)
        f.write(struct.pack("<QQ", 65536, 65536))
    return out


sys.stdout.buffer.write(globals()[sys.argv[1]]())
