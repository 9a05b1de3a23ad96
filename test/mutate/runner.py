# not a test: test/check/mutate.sh runs it
"""Runs programs: writes their files, asks a worker (worker.py) with the cache and without it, compares."""

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Broken(Exception):
    """The worker itself ended."""


class Runner:
    """A worker and a folder of its own. The program's files lie in FOLDER/program, or where they were
    moved to.

    forgetful: the first answer of a cache is given for all that follow, as by a cache that is wrong."""
    def __init__(self, build, forgetful=False):
        self.root = tempfile.mkdtemp(prefix="neso-mutate-")
        self.assemblers = self._assemblers(build)
        self.caches = 0
        self.first = {} if forgetful else None  # answers, by cache
        self.worker = subprocess.Popen([sys.executable, os.path.join(HERE, "worker.py")],
                                       stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE,
                                       text=True,
                                       env={
                                           **os.environ, "NESO_BUILD": build
                                       })

    def close(self):
        self.worker.stdin.close()
        self.worker.wait()
        self.worker.stdout.close()
        shutil.rmtree(self.root)

    def _assemblers(self, build):
        """Two of one version, told apart by what they hold."""
        made = os.path.join(build, "test", "mutate_assembler")
        paths = []
        for mark in ("first.assembler.", "second.assembler"):
            paths.append(os.path.join(self.root, mark.rstrip(".")))
            with open(made, "rb") as file, open(paths[-1], "wb") as out:
                out.write(file.read() + mark.encode())
            os.chmod(paths[-1], 0o755)
        return paths

    def new_cache(self):
        self.caches += 1
        path = os.path.join(self.root, f"cache-{self.caches}")
        os.makedirs(path, mode=0o700)
        return path

    def write(self, program, folder):
        if os.path.exists(folder):
            shutil.rmtree(folder)
        for path, text in program.files.items():
            at = os.path.join(folder, path)
            os.makedirs(os.path.dirname(at), exist_ok=True)
            with open(at, "w") as file:
                file.write(text)

    def ask(self, way, program, cache, folder="program", twice=False, assembler=0):
        """The answer, with `how` from the cache's log: "hit", "half", "miss", or "none"."""
        folder = os.path.join(self.root, folder)
        self.write(program, folder)
        call = dataclasses.asdict(program.call)
        if way != "python":  # as Python's signature of the kernel has them in order
            call["constants"] = list(call["constants"])
        request = {
            "way": way,
            "folder": folder,
            "file": "main.py",
            "call": call,
            "environment": program.environment,
            "cache": cache,
            "after": program.after,
            "twice": twice,
            "scratch": self.root,
            "assembler": self.assemblers[assembler]
        }
        before = log_size(cache)
        self.worker.stdin.write(json.dumps(request) + "\n")
        self.worker.stdin.flush()
        line = self.worker.stdout.readline()
        if not line:
            raise Broken("the worker ended")
        answer = json.loads(line)
        answer["how"] = last_event(cache, before)
        if cache and self.first is not None and answer["status"] == "ok":
            answer = {**self.first.setdefault(cache, answer), "how": "hit"}
        return answer


def log_path(cache):
    return os.path.join(cache, "neso-1", "log")


def log_size(cache):
    try:
        return os.path.getsize(log_path(cache)) if cache else 0
    except OSError:
        return 0


def last_event(cache, since):
    if log_size(cache) <= since:
        return "none"
    with open(log_path(cache)) as file:
        return file.read().splitlines()[-1].split()[1]


def same(one, other):
    if one["status"] != other["status"]:
        return False
    return one["status"] != "ok" or (one["ptx"] == other["ptx"] and one["cubin"] == other["cubin"])
