"""Type at prof-shell on a terminal: terminal.py FILE HOSTILE. Each step sends keys and
waits for a text; the names of the steps that got it are printed. A third
session has NO_COLOR, a PAGER, and ./tell as BROWSER: it prints "shown FILE" on standard
error."""
import os
import pty
import select
import signal
import sys
import time

LIMIT_S = 100  # of a step, on the slowest machine
TITLE = b"\x1b]0;"  # a code in names of HOSTILE, which libedit itself doesn't send
came = bytearray()  # what was written to the terminal


def run(profile, programs, steps):
    """A session with these variables of the environment; True if all came."""
    child, tty = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm"
        os.environ.pop("PAGER", None)
        os.environ.update(programs)
        os.execvp("prof-shell", ["prof-shell", profile])
    for name, keys, *texts in steps:
        if not step(tty, keys, [text for text in texts if text]):
            print("not", name)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return False
        print(name)
    os.write(tty, b"quit\r")
    drain(tty)
    print("status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    return True


def main(profile, hostile):
    steps = [
        ("greets", b"", b"Entering interactive mode", b"(pprof) "),
        ("prints reports", b"top2\r", b"flat%", b"(pprof) "),
        # libedit redraws as little as it can: commands show what was typed.
        ("completes commands", b"hel\ttop\r", b"Usage:", b"(pprof) "),
        ("completes options", b"nodec\t7\ro\r", b"nodecount                 = 7 ", b"(pprof) "),
        ("completes values", b"sort=c\t\ro\r", b"sort                      = cum ", b"(pprof) "),
        ("completes functions", b"peek eaf\t\r", b"calls%", b"(pprof) "),
        ("lists what it could be", b"t\t", b"topproto", None),
        ("Ctrl-C drops the line", b"\x03", b"(pprof) ", None),
        ("errors are red", b"bogus\r", b"\x1b[0;31munrecognized command: \"bogus\"", b"(pprof) "),
        ("a command runs", b"raw | echo RUN''NING; exec sleep 1000\r", b"RUNNING", None),
        ("Ctrl-C ends it, not the session", b"\x03", b"(pprof) ", None),
        ("the last line but one is a key away", b"\x10\x10\r", b"unrecognized command: \"bogus\"", b"(pprof) "),
    ]
    viewers = [
        ("NO_COLOR is obeyed", b"bogus\r", b"\r\nunrecognized command: \"bogus\"\r\n(pprof) "),
        ("PAGER reads reports", b"comments\r", b"paged:a comment", b"(pprof) "),
        ("BROWSER shows drawings", b"web\r", b"shown /"),
    ]
    # Names of HOSTILE: a file to write, and codes for the terminal.
    names = [
        ("a completed name is no file to write", b"top victi\t\ro\r", b"focus                     = ", b"(pprof) "),
        ("the types without codes for the terminal are offered", b"sample_index=\t\ro\r", b"sample_index              = zeta", b"(pprof) "),
        ("letters of other alphabets are typed", "focus=wörk\ro\r".encode(), "= wörk ".encode(), b"(pprof) "),
        ("and completed", "focus=\rpeek gr\tün\t\r".encode(), b"flat%", "grün".encode(), b"(pprof) "),
        ("also behind one", "peek grö\t\r".encode(), b"flat%", "größe".encode(), b"(pprof) "),
        ("so are functions", b"peek \t", b"[>]victim", b"main"),
        ("which ends the line", b"\x03", b"(pprof) "),
    ]
    if run(profile, {}, steps):
        run(hostile, {}, names)
        print("not the names' codes" if TITLE in came else "no code of a name came")
        run(profile, {"NO_COLOR": "1", "PAGER": "sed s/^/paged:/", "BROWSER": "./tell"}, viewers)


def step(tty, keys, texts):
    """Send keys; True when the texts have come, one after the other."""
    seen = b""
    end = time.monotonic() + LIMIT_S
    if keys:
        os.write(tty, keys)
    while texts:
        at = seen.find(texts[0])
        if at >= 0:
            seen = seen[at + len(texts.pop(0)):]
            continue
        if time.monotonic() > end:
            sys.stderr.write("waited for %r, saw %r\n" % (texts[0], seen))
            return False
        if select.select([tty], [], [], 1)[0]:
            try:
                got = os.read(tty, 65536)
            except OSError:
                return False
            seen += got
            came.extend(got)
    return True


def drain(tty):
    try:
        while os.read(tty, 65536):
            pass
    except OSError:
        pass


main(*sys.argv[1:])
