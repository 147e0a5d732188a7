#!/usr/bin/env python3
"""Attacks the trainer from outside, a minute each: kills, clocks, full disks, hostile servers and torn files.

Each attack draws trials from a seed until its time is over, and holds every command against the same promises:
- it ends in time, with 0, 1 (a failure) or 2 (wrong usage), and with bounded memory;
- a failure is one sentence on the last line, which names the file, folder or server, without Rust's own messages;
- it prints text alone: no control characters and no bytes that are no UTF-8;
- it leaves no file that it was not asked for, and none half-written;
- what a store had before is read back from it afterwards, value by value, and inputs are there whole or not at all.

One line an attack says what was tried. What broke is printed with the folder that has its files, and how to try it
again; where the moment of a kill matters, the same trial may go well the next time. To add an attack, write a trial
that takes (attack, trainer, folder, draw), and name it in ATTACKS.

Needs Rust and Python 3.9 on Linux, no root. `faketime`, `redis-server` and user namespaces are used where they are.
Ends with 1 when anything broke.

  scripts/attack.py                               all, a minute each
  scripts/attack.py --seconds 600 kills           one, for longer
  scripts/attack.py --seed 2 --trial 7 torn-files one trial of another seed again
"""

import argparse
import collections
import concurrent.futures
import csv
import functools
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import socket
import socketserver
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FUNCTION = "spmv"
MATRICES = 16
PATIENCE_S = 120  # a store waits a minute for a server that is away, and asks for 15 s; a recorder, 6 s for a claim
ADDRESS_SPACE = 16 << 30
MEMORY_BYTES = 1 << 30
DISK_ENDINGS = ("", "-wal", "-shm", "-journal")  # the files of a store
DISK_NAMES = tuple(f"{name}{ending}" for name in ("s.db", "two.db") for ending in DISK_ENDINGS)
NO_PLACES = ("--function", "--selector", "--device", "--repeat-ms", "--input")  # options whose values are no files
# A panic, advice for programmers, and values as Rust's `Debug` prints them, such as `Os { code: 28, .. }`.
OF_RUST = re.compile(r"panicked at|RUST_BACKTRACE|stack backtrace|\bunwrap\(\)|\b[A-Z]\w* ?\{ ?\w+: |Some\(|Err\(")

Ended = collections.namedtuple("Ended", "command code output seconds memory left")


class Broken(Exception):
    """A promise that was broken, in a sentence."""


class Attack:
    """One attack: its trials, what they tried, and where they work."""

    def __init__(self, name, options, scratch):
        self.name, self.options, self.scratch = name, options, scratch
        self.tried = collections.Counter()
        self.broken = []
        self.trials = 0

    def run(self, trial):
        """Runs trials until the time is over, or the one that was asked for."""
        end = time.monotonic() + self.options.seconds
        first = self.options.trial
        while self.trials == 0 or (first is None and time.monotonic() < end):
            number = self.trials if first is None else first
            self.trials += 1
            folder = self.scratch / f"{self.name}-{number}"
            folder.mkdir()
            try:
                trial(self, folder, random.Random(f"{self.options.seed} {self.name} {number}"))
            except Broken as broken:
                again = f"{sys.argv[0]} --seed {self.options.seed} --trial {number} {self.name}"
                self.broken.append(f"{broken}\n  files: {folder}\n  again: {again}")
            else:
                shutil.rmtree(folder)

    def print_summary(self):
        """Prints what was tried and what broke."""
        what = ", ".join(f"{count} {what}" for what, count in sorted(self.tried.items()))
        verdict = f"{len(self.broken)} broke" if self.broken else "nothing broke"
        print(f"{self.name}: {self.trials} trials ({what}): {verdict}", flush=True)
        for broken in self.broken:
            print(f"- {broken}", flush=True)


def environment(**more):
    """The environment of a trainer: no setting of the user's, and device features measured once."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NITRO_")}
    return {**kept, **{name: str(value) for name, value in more.items()}}


def limit(file_bytes=None):
    """Limits the process that is about to start."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))


def start(arguments, folder, output, file_bytes=None, variables=None):
    """Starts a command in a process group of its own. A full file is an error to it, and no signal."""
    return subprocess.Popen(
        [str(word) for word in arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=environment(**(variables or {})),
        start_new_session=True,
        restore_signals=False,
        preexec_fn=functools.partial(limit, file_bytes),
    )


def kill_group(process):
    """Kills what is left of the process group that `process` began."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(command, folder, patience_s=PATIENCE_S, within=(), variables=None, **more):
    """Runs a command to its end, or kills it when its time is over. `within` is what it is started by."""
    before = files_in(folder)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory() as temporary:
        began = time.monotonic()
        variables = {"TMPDIR": temporary, **(variables or {})}
        process = start([*within, *command], folder, output, variables=variables, **more)
        over = threading.Timer(patience_s, kill_group, [process])
        over.start()
        _, status, usage = os.wait4(process.pid, 0)
        over.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        kill_group(process)
        output.seek(0)
        text = output.read(1 << 20).decode("utf-8", "surrogateescape")
        left = sorted(files_in(folder) - before) + [f"$TMPDIR/{name}" for name in os.listdir(temporary)]
    seconds = time.monotonic() - began
    return Ended([*map(str, command)], process.returncode, text, seconds, usage.ru_maxrss << 10, left)


def files_in(folder):
    """Returns the files below a folder, relative to it."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def places(command):
    """Returns the files, folders and servers that a command was given, without options and their other values."""
    pairs = zip(command[1:], command[2:])
    return [word for before, word in pairs if not word.startswith("--") and before not in NO_PLACES]


def names_a_place(line, command):
    """Tells whether a line has the name of a file or folder of the command, or the address of its server."""
    if command[1] == "check" and f"the model of `{FUNCTION}`" in line:
        return True  # what it finds fault with is a model, and not its file
    return any(re.sub(r"^redis://|/\d*$", "", place).rsplit("/", 1)[-1] in line for place in places(command))


def strays(ended):
    """Returns files that the command left and was not asked for."""
    asked = {place + ending for place in places(ended.command) for ending in DISK_ENDINGS}
    folders = tuple(f"{place}/{FUNCTION}.model" for place in places(ended.command))
    return [name for name in ended.left if name not in asked and name not in folders]


def hold(ended, patience_s=PATIENCE_S, codes=(0, 1, 2)):
    """Holds a command that ended against what each of them promises."""
    lines = [line for line in ended.output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("error: ")]
    last = (lines or [""])[-1]
    # The parser of the command line adds a line on usage; everything else ends with its sentence.
    sentence = (errors or [""])[0] if ended.code == 2 else last
    failed = ended.code in (1, 2)
    problems = {
        f"did not end in {patience_s} s": ended.seconds >= patience_s,
        f"ended with {ended.code}": ended.code not in codes,
        "shows what is Rust's": OF_RUST.search(ended.output),
        "failed without a sentence": failed and not re.match(r"error: .{15,}", sentence),
        "failed with several sentences": failed and re.search(r"error: .*(error: |[.!] [A-Z])|\.$", sentence),
        "failed with a sentence that has no end": len(sentence) > 600,
        "failed without the name of a file or server": failed and not names_a_place(sentence, ended.command),
        "went well with an error": ended.code == 0 and errors,
        "printed control characters": any(not (sign.isprintable() or sign == "\n") for sign in ended.output),
        f"took {ended.memory >> 20} MiB": ended.memory > MEMORY_BYTES,
        f"left {', '.join(strays(ended))} behind": strays(ended),
    }
    for problem, holds in problems.items():
        if holds:
            raise Broken(f"`{shlex.join(ended.command)}` {problem}: {ascii(sentence or last)[:700]}")
    return ended


def matrices(folder, draw):
    """Writes small sparse matrices, which are measured in a moment."""
    folder.mkdir()
    for number in range(MATRICES):
        size = draw.randrange(5, 60)
        cells = sorted({(draw.randrange(size) + 1, draw.randrange(size) + 1) for _ in range(4 * size)})
        lines = ["%%MatrixMarket matrix coordinate real general", f"{size} {size} {len(cells)}"]
        lines += [f"{row} {column} 1.5" for row, column in cells]
        (folder / f"m{number:02}.mtx").write_text("\n".join(lines) + "\n")


class Trainer:
    """The trainer, inputs for it, and what an undisturbed recording of them is."""

    def __init__(self, path, scratch):
        self.path, self.good = path, scratch / "good"
        self.good.mkdir()
        self.inputs = scratch / "inputs"
        matrices(self.inputs, random.Random(0))
        ended = hold(run(self.record(), self.good), codes=(0,))
        self.undisturbed_s = ended.seconds
        self.rows = set(self.rows_of(self.good))
        hold(run(self.export(), self.good), codes=(0,))
        # Pages compare devices: the host's processors once more, under another name.
        shutil.copy(self.good / "s.db", self.good / "two.db")
        hold(run([*self.record("two.db")[:-3], "host:2", *self.record()[-2:]], self.good), codes=(0,))
        self.command("fit", "--store", "s.db", "--models", "models", "--selector", "tree")

    def command(self, *words):
        """Runs a command that has to go well, in the folder of what is good."""
        return hold(run([self.path, *words, "--function", FUNCTION], self.good), codes=(0,))

    def record(self, store="s.db"):
        device = ["--device", "host:1", "--repeat-ms", "1"]
        return [self.path, "record", "--function", FUNCTION, "--inputs", self.inputs, "--store", store, *device]

    def export(self, store="s.db", tables="."):
        names = {"--measurements": "m.csv", "--inputs": "i.csv", "--devices": "d.csv"}
        files = [word for option, name in names.items() for word in (option, os.path.normpath(f"{tables}/{name}"))]
        return [self.path, "export", "--function", FUNCTION, "--store", store, *files]

    def good_bytes(self):
        """Returns the bytes of the good store."""
        return (self.good / "s.db").read_bytes()

    def rows_of(self, folder, store="s.db"):
        """Returns the values of a store by their row. A row that is there twice is broken."""
        keys = ("device", "input", "variant", "configuration")
        with tempfile.TemporaryDirectory() as tables:
            hold(run(self.export(store, tables), folder), codes=(0,))
            with open(pathlib.Path(tables) / "m.csv", newline="") as file:
                rows = [(tuple(row.pop(key) for key in keys), tuple(row.items())) for row in csv.DictReader(file)]
        if len(rows) != len(dict(rows)):
            raise Broken("a measurement is in the store twice")
        return dict(rows)


def measured(folder, store="s.db"):
    """Returns how many measurements a store has, which is whole, or none where there is no store."""
    if not (folder / store).exists():
        return 0
    connection = sqlite3.connect(folder / store)
    try:
        verdict = connection.execute("pragma integrity_check").fetchone()[0]
        found = connection.execute("select count(*) from sqlite_schema where name = 'measurement'").fetchone()[0]
        rows = connection.execute("select count(*) from measurement").fetchone()[0] if found else 0
    finally:
        connection.close()
    if verdict != "ok":
        raise Broken(f"the store {store} is damaged: {verdict}")
    return rows


def check_inputs(trainer, rows):
    """Inputs are there with all their variants, or not at all."""
    torn = {row for row in trainer.rows if row[1] in {row[1] for row in rows}} ^ set(rows)
    if torn:
        raise Broken(f"an input is in the store in part: {sorted(torn)[:3]}")


def check_store(trainer, folder, whole, before=()):
    """Holds a store against what an undisturbed recording has, whole or whole inputs of it, and what it had before."""
    rows = trainer.rows_of(folder) if measured(folder) else {}
    check_inputs(trainer, rows)
    if whole and set(rows) != trainer.rows:
        raise Broken(f"{len(trainer.rows - set(rows))} measurements are missing")
    lost = [row for row, values in dict(before).items() if rows.get(row) != values]
    if lost:
        raise Broken(f"what was stored before is lost or changed: {sorted(lost)[:3]}")
    return rows


def finish(trainer, folder, patience_s, before=()):
    """Records what is left, which ends soon and leaves what an undisturbed recording has."""
    hold(run(trainer.record(), folder, patience_s), patience_s, codes=(0,))
    check_store(trainer, folder, whole=True, before=before)


def group_ends(process, within_s=10.0):
    """Waits until no process of a group is left, or raises."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    kill_group(process)
    raise Broken("a worker goes on though its recorder was killed")


def recorders(trainer, folder, count, prefix=lambda: []):
    """Starts recorders that share one store."""
    with open(folder / "recorders.log", "ab") as log:
        return [start([*prefix(), *trainer.record()], folder, log) for _ in range(count)]


def bytes_of(path):
    """Returns the size of a file, 0 where there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def wait_for_write(folder, draw):
    """Waits until the store's log grows, which is in the middle of a write, for at most a second."""
    log, end = folder / "s.db-wal", time.monotonic() + 1.0
    before = bytes_of(log)
    while time.monotonic() < end and bytes_of(log) == before:
        time.sleep(0.0002)
    time.sleep(draw.choice([0, 0, 0.0005, 0.002]))


def end_all(processes):
    """Kills recorders with their workers."""
    for process in processes:
        kill_group(process)
        process.wait()


def kills(attack, trainer, folder, draw):
    """Several recorders share a store and are killed at drawn moments, also while they write."""
    running, before = [], {}
    try:
        for _ in range(draw.randrange(2, 8)):
            running += recorders(trainer, folder, draw.randrange(1, 4))
            time.sleep(draw.uniform(0, 1.2 * trainer.undisturbed_s))
            for process in draw.sample(running, draw.randrange(1, len(running) + 1)):
                if draw.random() < 0.5:
                    wait_for_write(folder, draw)
                    attack.tried["kills while writing"] += 1
                if draw.random() < 0.5:
                    attack.tried["kills of the recorder alone"] += 1
                    process.kill()
                else:
                    attack.tried["kills with its workers"] += 1
                    kill_group(process)
                process.wait()
                group_ends(process)
                running.remove(process)
            if not running:
                before = check_store(trainer, folder, whole=False, before=before)
    finally:
        end_all(running)
    before = check_store(trainer, folder, whole=False, before=before)
    finish(trainer, folder, trainer.undisturbed_s * 4 + 30, before)


def killed_writers(attack, trainer, folder, draw):
    """Commands that write are killed at drawn moments, leave what was there or all that is new, and go well again."""
    what = draw.choice(sorted(writers(trainer)))
    command, written = writers(trainer)[what]
    attack.tried[f"killed {what}"] += 1
    shutil.copytree(trainer.good, folder, dirs_exist_ok=True)
    if what in ("recordings", "syncs"):
        hold(run([trainer.path, "forget", "--store", "s.db", "--input", "m0*"], folder), codes=(0,))
    stored, before = stored_beside(what, trainer, folder), contents(folder)
    with open(folder.parent / f"{folder.name}.log", "wb") as log:
        process = start(command, folder, log)
        time.sleep(draw.choice([0.01, 0.05, 0.2, 1.0]) * draw.random())
        end_all([process])
    check_files(trainer, folder, before, written, was_killed=True)
    rows = check_store(trainer, folder, whole=False, before=stored)
    if what == "forgets" and rows.keys() == stored.keys():
        return  # it was done, and there is nothing more to forget
    hold(run(command, folder), codes=(0,))
    check_files(trainer, folder, before, written, was_killed=True)


def contents(folder):
    """Returns the bytes of all files below a folder that are not those of a store."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name not in DISK_NAMES}


def stored_beside(what, trainer, folder):
    """Returns the rows of a store that a command has to leave as they are."""
    rows = check_store(trainer, folder, whole=False)
    return {row: values for row, values in rows.items() if what != "forgets" or not row[1].startswith("m0")}


def clocks(attack, trainer, folder, draw):
    """Recorders whose clocks are ahead or behind share a store with others and are killed."""
    def prefix():
        seconds = draw.choice([1, 60, 3600, 86400, 400 * 86400, 20_000 * 86400]) * draw.choice([-1, 1])
        seconds = max(seconds, -18_000 * 86400)
        attack.tried["clocks ahead" if seconds > 0 else "clocks behind"] += 1
        return ["faketime", "-f", f"{seconds:+d}s"]

    wrong = recorders(trainer, folder, draw.randrange(1, 4), prefix)
    right = recorders(trainer, folder, draw.randrange(0, 2))
    try:
        time.sleep(draw.uniform(0.2, 1.0) * trainer.undisturbed_s)
    finally:
        end_all(wrong + right)
    before = check_store(trainer, folder, whole=False)
    patience_s = trainer.undisturbed_s * 4 + 30
    if draw.random() < 0.5:
        hold(run(trainer.record(), folder, patience_s, within=prefix()), patience_s, codes=(0,))
        before = check_store(trainer, folder, whole=False, before=before)
    finish(trainer, folder, patience_s, before)


def writers(trainer):
    """Returns what writes files: the command, and what it writes."""
    base = [trainer.path]
    function = ["--function", FUNCTION, "--store", "s.db"]
    return {
        "recordings": (trainer.record(), "s.db"),
        "exports": (trainer.export(), "m.csv"),
        "models": ([*base, "fit", *function, "--models", "models", "--selector", "tree"], "models/spmv.model"),
        "reports": ([*base, "report", "--function", FUNCTION, "--store", "two.db", "--out", "r.html"], "r.html"),
        "forgets": ([*base, "forget", *function, "--input", "m0*"], "s.db"),
        "syncs": ([*base, "sync", trainer.good / "s.db", "s.db"], "s.db"),
    }


def full_disks(attack, trainer, folder, draw):
    """Commands that write meet a file that may not grow, a disk that is full, or /dev/full."""
    what = draw.choice(sorted(writers(trainer)))
    command, written = writers(trainer)[what]
    attack.tried[what] += 1
    old = draw.random() < 0.6
    if old or what not in ("recordings", "syncs"):
        shutil.copytree(trainer.good, folder, dirs_exist_ok=True)
    if not old and (folder / written).exists() and written != "s.db":
        (folder / written).unlink()
    if what in ("recordings", "syncs") and old:
        hold(run([trainer.path, "forget", "--store", "s.db", "--input", "m0*"], folder), codes=(0,))
    stored, before = stored_beside(what, trainer, folder), contents(folder)
    way = draw.choice(["limited files", "full disks"] if attack.namespaces else ["limited files"])
    attack.tried[way] += 1
    if way == "limited files":
        largest = 2 * max((len(content) for content in before.values()), default=10_000)
        hold(run(command, folder, file_bytes=draw.randrange(0, max(largest, 200_000))))
    else:
        hold(run(command, folder, within=on_small_disk(folder, draw)))
    check_files(trainer, folder, before, written)
    if (folder / "s.db").exists():
        finish(trainer, folder, PATIENCE_S, check_store(trainer, folder, whole=False, before=stored))


def on_small_disk(folder, draw):
    """Returns what runs a command where its folder is a small disk, which is copied back behind it."""
    used = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    size = used + 4096 * draw.randrange(10, 60)
    script = f"""set -e
        disk=$(mktemp -d); mount -t tmpfs -o size={size} none "$disk"
        cp -r . "$disk"; here=$PWD; cd "$disk"; code=0
        "$@" || code=$?
        find "$here" -mindepth 1 -delete; cp -r . "$here"
        cd "$here"; umount "$disk"; rmdir "$disk"; exit $code"""
    return ["unshare", "-rm", "sh", "-c", script, "sh"]


def check_files(trainer, folder, before, written, was_killed=False):
    """Every file is as it was or whole, and nothing half-written lies beside, but what a kill left under another name."""
    whole = {".csv": lambda text: text.endswith(b"\n"), ".html": lambda text: text.rstrip().endswith(b"</html>")}
    for path in (path for path in folder.rglob("*") if path.is_file() and path.name not in DISK_NAMES):
        text = path.read_bytes()
        name = str(path.relative_to(folder))
        if before.get(path) == text:
            continue
        if was_killed and path.name.startswith(".") and path.name.endswith(".tmp"):
            continue
        if path not in before and name not in (written, "i.csv", "d.csv", "m.csv"):
            raise Broken(f"{name} was left behind")
        if path.suffix == ".model":
            hold(run([trainer.path, "inspect", path], folder), codes=(0,))
        elif not whole.get(path.suffix, lambda _: True)(text):
            raise Broken(f"{name} is half-written")
    for path in before.keys() - set(folder.rglob("*")):
        raise Broken(f"{path.name} is gone")


def dev_full(attack, trainer, folder, _):
    """What is printed or written goes to /dev/full, once for each command."""
    for what, (command, _) in writers(trainer).items():
        here = folder / what
        shutil.copytree(trainer.good, here)
        with open("/dev/full", "wb") as full:
            process = start(command, here, full)
            try:
                code = process.wait(PATIENCE_S)
            finally:
                kill_group(process)
        attack.tried["printing to /dev/full"] += 1
        if code not in (0, 1, 2):
            raise Broken(f"`{shlex.join(map(str, command))} > /dev/full` ended with {code}")
        check_store(trainer, here, whole=what != "forgets")
    report = ["report", "--function", FUNCTION, "--store", "two.db", "--out", "/dev/full"]
    hold(run([trainer.path, *report], trainer.good), codes=(1,))


# Answers of the protocol: fitting ones, errors, wrong kinds, sizes that nobody sends, and what is no answer.
LINES = [
    *(b"+OK\r\n", b"+PONG\r\n", b":1\r\n", b":-9223372036854775808\r\n", b"$-1\r\n", b"*0\r\n", b"*-1\r\n"),
    *(b"$0\r\n\r\n", b"$2\r\n10\r\n", b"$1\r\n9\r\n", b"$2\r\n\xff\xfe\r\n"),
    *(b"-ERR no\r\n", b"-WRONGTYPE x\r\n", b"-OOM x\r\n", b"-LOADING x\r\n", b"-READONLY x\r\n"),
    *(b"-MOVED 1 127.0.0.1:1\r\n", b"$99999999999999\r\n", b"*99999999\r\n", b"*2147483648\r\n", b"$-7\r\n"),
    *(b"*2\r\n$1\r\na\r\n$1\r\nb\r\n", b"*1\r\n*1\r\n:1\r\n", b"*2\r\n$1\r\na\r\n:1\r\n"),
    *(b"%1\r\n+a\r\n+b\r\n", b"#t\r\n", b"_\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"\x00\x00\x00"),
    *(b"\x1b[31mred\r\n", b"*1\r\n" * 5000, b"$5\r\nab", b"*3\r\n$1\r\n"),
]


class Hostile(socketserver.ThreadingTCPServer):
    """A server that is none: it answers by the drawn habit."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, habit, draw):
        self.habit, self.draw = habit, draw
        super().__init__(("127.0.0.1", 0), HostileConnection)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # the client went away, as it should


class HostileConnection(socketserver.BaseRequestHandler):
    """One connection to a [`Hostile`] server."""

    def handle(self):
        habit, draw = self.server.habit, self.server.draw
        answered = 0
        while self.request.recv(1 << 16):
            answered += 1
            if habit == "drips":
                while True:
                    self.request.sendall(b"+")
                    time.sleep(0.3)
            elif habit == "endless line":
                while True:
                    self.request.sendall(b"+" + b"x" * (1 << 16))
            elif habit == "endless list":
                self.request.sendall(b"*1000000000\r\n")
                while True:
                    self.request.sendall(b"$4\r\nabcd\r\n" * 4096)
            elif habit == "huge value":
                self.request.sendall(b"$536870912\r\n" + b"x" * 65536)
                return
            elif habit == "closes":
                if answered > draw.randrange(3):
                    return
                self.request.sendall(draw.choice(LINES)[: draw.randrange(1, 6)])
            elif habit == "silent":
                continue
            else:
                self.request.sendall(b"".join(draw.choices(LINES, k=draw.randrange(1, 4))))


class Between(socketserver.ThreadingTCPServer):
    """Stands between a trainer and a real server, and spoils what that answers from a drawn byte on."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port, habit, draw):
        self.real, self.habit, self.draw = port, habit, draw
        self.good_bytes = draw.randrange(0, 6000)
        super().__init__(("127.0.0.1", 0), BetweenConnection)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def handle_error(self, request, client_address):
        pass


class BetweenConnection(socketserver.BaseRequestHandler):
    """One connection through [`Between`]."""

    def handle(self):
        with socket.create_connection(("127.0.0.1", self.server.real)) as real:
            threading.Thread(target=self.ask, args=[real], daemon=True).start()
            while answer := real.recv(1 << 16):
                self.request.sendall(self.spoil(answer))

    def ask(self, real):
        try:
            while asked := self.request.recv(1 << 16):
                real.sendall(asked)
            real.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def spoil(self, answer):
        server = self.server
        server.good_bytes -= len(answer)
        if server.good_bytes > 0:
            return answer
        server.good_bytes = server.draw.randrange(0, 3000)
        if server.habit == "cuts answers":
            raise ConnectionError
        if server.habit == "answers something else":
            return server.draw.choice(LINES)
        return flip(answer, server.draw)


def flip(content, draw):
    """Flips some bits."""
    changed = bytearray(content)
    for _ in range(draw.choice([1, 1, 2, 8])):
        if changed:
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def redis_server(scratch):
    """Starts a Redis server, or returns none where there is no such program."""
    if not shutil.which("redis-server"):
        return None, 0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no", "--dir", scratch]
    process = subprocess.Popen(["redis-server", *options], stdout=subprocess.DEVNULL)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, port
        except OSError:
            time.sleep(0.1)
    process.kill()
    return None, 0


def asks(trainer, url):
    """Returns commands that ask a server."""
    return [
        [trainer.path, "fit", "--function", FUNCTION, "--store", url, "--models", "models", "--selector", "tree"],
        [trainer.path, "sync", trainer.good / "s.db", url],
        [trainer.path, "sync", url, "copy.db"],
        [trainer.path, "forget", "--function", FUNCTION, "--store", url, "--input", "m0*"],
        trainer.export(url),
        trainer.record(url),
    ]


def hostile_servers(attack, trainer, folder, draw, real_port):
    """Every command asks eight servers at a time, which drip, lie, break off or say something else."""
    habits = ["drips", "endless line", "endless list", "huge value", "closes", "silent", "lies", "lies", "lies"]
    between = ["cuts answers", "answers something else", "flips bits"] if real_port else []
    servers, commands, stored = [], [], trainer.good_bytes()
    for number in range(8):
        habit, own = draw.choice(habits + 2 * between), random.Random(draw.random())
        attack.tried[habit] += 1
        servers.append(Between(real_port, habit, own) if habit in between else Hostile(habit, own))
        here = folder / str(number)
        here.mkdir()
        url = f"redis://127.0.0.1:{servers[-1].server_address[1]}/{draw.randrange(8)}"
        commands.append((draw.choice(asks(trainer, url)), here))
    try:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            ended = list(pool.map(lambda one: run(*one), commands))
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()
    for one, (_, here) in zip(ended, commands):
        hold(one)
        if (here / "copy.db").exists():
            measured(here, "copy.db")
    if trainer.good_bytes() != stored:
        raise Broken("the store that was copied from has changed")
    # Answers were spoiled, requests were not: what the real server has is whole.
    for number in range(8 if real_port else 0):
        url = f"redis://127.0.0.1:{real_port}/{number}"
        ended = hold(run(trainer.export(url), folder))
        if ended.code == 0:
            check_inputs(trainer, trainer.rows_of(folder, url))
        elif "no recordings" not in ended.output:
            raise Broken(f"what a real server has can no longer be read: {ended.output[-300:]}")


def store_readers(trainer, tables):
    """Returns commands that read a store called `torn`."""
    store = ["--function", FUNCTION, "--store", "torn"]
    return [
        ["fit", *store, "--models", "models", "--selector", "tree"],
        ["check", *store, "--models", trainer.good / "models"],
        ["export", *store, *tables],
        ["forget", *store, "--input", "m0*"],
        trainer.record("torn")[1:],
        ["sync", "torn", "copy.db"],
        ["sync", trainer.good / "s.db", "torn"],
    ]


def captured_calls(scratch):
    """Writes a captured file and returns its path."""
    call = {"function": FUNCTION, "device": "host:1@x", "variant": "ell", "reason": "model", "calls": 4}
    call |= {"features": {"rows": 9.0}, "time_ns": 812}
    capture = scratch / "calls.jsonl"
    capture.write_text((json.dumps(call, separators=(",", ":")) + "\n") * 40)
    return capture


def torn_sources(trainer, scratch):
    """Returns whole files by kind, each with the commands that read it."""
    tables = ["--measurements", "m.csv", "--inputs", "i.csv", "--devices", "d.csv"]
    record, into = trainer.record(), ["--function", FUNCTION, "--store", "new.db"]
    check = ["--device", "emulator", "--check"]
    tests = ROOT / "nitro-evolve/src/emulated/tests"
    ptx, workload = tests / "add_eight.ptx", tests / "add_eight.toml"
    sources = [
        ("stores", trainer.good / "s.db", store_readers(trainer, tables)),
        ("models", trainer.good / "models" / f"{FUNCTION}.model", [["inspect", "torn"]]),
        ("captures", captured_calls(scratch), [["coverage", "torn", "--models", trainer.good / "models"]]),
        ("PTX", ptx, [["evolve", "torn", "--workload", workload, *check]]),
        ("workloads", workload, [["evolve", ptx, "--workload", "torn", *check]]),
        ("matrices", trainer.inputs / "m00.mtx", [[*record[1:4], "--inputs", "torn.d", *record[6:]]]),
    ]
    for path in sorted((ROOT / "nitro-store/tests/stores/data/kernel_tuner").glob("*.json")):
        sources.append(("Kernel Tuner's files", path, [["import", *into, "--kernel-tuner", "torn"]]))
    for table in tables[1::2]:
        words = ["torn" if word == table else trainer.good / word if word.endswith(".csv") else word for word in tables]
        sources.append(("tables", trainer.good / table, [["import", *into, *words]]))
    return sources


def tear(content, draw):
    """Returns the content as a crash, a bad disk or a bad copy leaves it."""
    if not content:
        return b"\0"
    way, at = draw.randrange(5), draw.randrange(len(content))
    length = draw.choice([1, 7, 100, 4096])
    if way == 0:
        return content[:at]
    if way == 1:
        return content[:at] + bytes(length) + content[at + length :]
    if way == 2:
        return content[:at] + content[at : at + length] * draw.choice([2, 9]) + content[at + length :]
    if way == 3:
        return content[:at] + content[at + length :]
    return flip(content, draw)


def torn_files(attack, trainer, folder, draw, sources):
    """A file that commands read is cut off, has flipped bits, or lacks or repeats a part."""
    kind, source, commands = draw.choice(sources)
    attack.tried[kind] += 1
    torn = folder / "torn"
    torn.write_bytes(tear(source.read_bytes(), draw))
    (folder / "torn.d").mkdir()
    shutil.copy(torn, folder / "torn.d" / "m00.mtx")
    content = torn.read_bytes()
    for words in draw.sample(commands, min(2, len(commands))):
        ended = hold(run([trainer.path, *words], folder, patience_s=60), patience_s=60)
        if kind != "stores" and torn.read_bytes() != content:
            raise Broken(f"`{shlex.join(ended.command)}` changed the file that it reads")
        # An import takes all of its files or nothing.
        if measured(folder, "new.db") and words[0] == "import" and ended.code:
            raise Broken(f"`{shlex.join(ended.command)}` failed and stored a part")
        measured(folder, "copy.db")


def has_namespaces():
    """Tells whether this user may mount a small disk in a namespace of its own."""
    command = ["unshare", "-rm", "sh", "-c", 'disk=$(mktemp -d) && mount -t tmpfs -o size=64k none "$disk"']
    return bool(shutil.which("unshare")) and subprocess.run(command, capture_output=True).returncode == 0


def attack_kills(attack, trainer):
    """Runs trials of [`kills`] and [`killed_writers`]."""
    kinds = [kills, *[killed_writers] * 8]  # one takes as long as eight of the other
    attack.run(lambda *trial: trial[2].choice(kinds)(trial[0], trainer, *trial[1:]))


def attack_clocks(attack, trainer):
    """Runs trials of [`clocks`] where there is a way to set them."""
    if not shutil.which("faketime"):
        print("clocks: left out: faketime is not installed")
        return
    attack.run(lambda *trial: clocks(trial[0], trainer, *trial[1:]))


def attack_full_disks(attack, trainer):
    """Runs [`dev_full`] once, then trials of [`full_disks`]."""
    attack.namespaces = has_namespaces()
    if not attack.namespaces:
        print("full-disks: limited files alone: this user may not mount a small disk")
    first = [dev_full]
    attack.run(lambda *trial: (first.pop() if first else full_disks)(trial[0], trainer, *trial[1:]))


def attack_hostile_servers(attack, trainer):
    """Runs trials of [`hostile_servers`], with a real server behind some of them where there is one."""
    process, port = redis_server(attack.scratch)
    if not port:
        print("hostile-servers: only servers that are none: redis-server is not installed")
    try:
        attack.run(lambda *trial: hostile_servers(trial[0], trainer, *trial[1:], port))
    finally:
        if process:
            process.kill()
            process.wait()


def attack_torn_files(attack, trainer):
    """Runs trials of [`torn_files`]."""
    sources = torn_sources(trainer, attack.scratch)
    attack.run(lambda *trial: torn_files(trial[0], trainer, *trial[1:], sources))


ATTACKS = {
    "kills": attack_kills,
    "clocks": attack_clocks,
    "full-disks": attack_full_disks,
    "hostile-servers": attack_hostile_servers,
    "torn-files": attack_torn_files,
}


def arguments():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"{', '.join(ATTACKS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=60, help="how long each attack lasts (default: 60)")
    parser.add_argument("--seed", type=int, default=1, help="what trials are drawn from (default: 1)")
    parser.add_argument("--trial", type=int, help="only this trial")
    parser.add_argument("--train", type=pathlib.Path, help="the trainer (default: the project's, which is built)")
    options = parser.parse_args()
    for name in options.attacks:
        if name not in ATTACKS:
            parser.error(f"there is no attack `{name}`: choose of {', '.join(ATTACKS)}")
    return options


def built():
    """Builds the trainer and returns where it is."""
    build = ["cargo", "build", "--release", "--bin", "train"]
    subprocess.run(build, cwd=ROOT, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release" / "train"


def main():
    """Runs the attacks that were asked for."""
    options = arguments()
    train = options.train.resolve() if options.train else built()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="nitro-attack-"))
    os.environ["XDG_CACHE_HOME"] = str(scratch / "cache")
    trainer = Trainer(train, scratch)
    broke = False
    for name in options.attacks or ATTACKS:
        attack = Attack(name, options, scratch)
        ATTACKS[name](attack, trainer)
        if attack.trials:
            attack.print_summary()
        broke |= bool(attack.broken)
    if not broke:
        shutil.rmtree(scratch)
    return int(broke)


if __name__ == "__main__":
    sys.exit(main())
