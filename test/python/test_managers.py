"""Cache managers and remote back ends of programs, by upstream's classes: compiled kernels go through them, and come back from them."""
import contextlib
import ctypes
import io
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import neso as triton
import neso.language as tl
from neso import knobs
from neso.runtime import cache, kept
from neso.runtime.cache import FileCacheManager, RemoteCacheBackend, RemoteCacheManager
from test_cache import has_gpu_compiler


@triton.jit
def managed(p, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(p + at, tl.load(p + at, mask=at < n) * 2, mask=at < n)


class Counting(FileCacheManager):
    """Counts what is asked of it."""
    calls = []

    def __init__(self, key, override=False, dump=False):
        super().__init__(key, override, dump)
        self.calls.append(("init", key, override, dump))

    def get_group(self, filename):
        self.calls.append(("get_group", filename))
        return super().get_group(filename)

    def get_file(self, filename):
        self.calls.append(("get_file", filename))
        return super().get_file(filename)

    def put(self, data, filename, binary=True):
        self.calls.append(("put", filename, type(data)))
        return super().put(data, filename, binary)

    def put_group(self, filename, group):
        self.calls.append(("put_group", filename, sorted(group)))
        return super().put_group(filename, group)


class InMemory(cache.CacheManager):
    """Has nothing but a dict, and files for those who want paths."""
    files, groups, folder = {}, {}, None

    def __init__(self, key, override=False, dump=False):
        self.key, self.kind = key, (override, dump)

    def get_file(self, filename):
        data = self.files.get((self.key, self.kind, filename))
        if data is None:
            return None
        path = os.path.join(self.folder, f"{self.key}-{filename}")
        with open(path, "wb") as file:
            file.write(data)
        return path

    def put(self, data, filename, binary=True):
        self.files[self.key, self.kind, filename] = data if isinstance(data, bytes) else str(data).encode()
        return filename

    def get_group(self, filename):
        names = self.groups.get((self.key, filename))
        return None if names is None else {n: self.get_file(n) for n in names}

    def put_group(self, filename, group):
        self.groups[self.key, filename] = list(group)


class Server(RemoteCacheBackend):
    stored, calls = {}, []

    def __init__(self, key):
        self.key = key

    def get(self, filenames):
        self.calls.append(("get", sorted(filenames)))
        return {f: self.stored[self.key, f] for f in filenames if (self.key, f) in self.stored}

    def put(self, filename, data):
        assert isinstance(data, bytes)
        self.calls.append(("put", filename))
        self.stored[self.key, filename] = data


class Raising(FileCacheManager):

    def get_group(self, filename):
        raise ConnectionError("the manager is not there")


STAGES = ["source", "ttir", "ttgir", "llir", "ptx", "cubin"]


@unittest.skipUnless(has_gpu_compiler(), "built without LLVM, or no ptxas")
class Managers(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for group in (knobs.cache, knobs.compilation):
            scope = group.scope()
            scope.__enter__()
            self.addCleanup(scope.__exit__, None, None, None)
        knobs.cache.dir = os.path.join(self.folder, "cache")
        knobs.cache.dump_dir = os.path.join(self.folder, "dump")
        knobs.cache.override_dir = os.path.join(self.folder, "override")
        for kept in (Counting.calls, InMemory.files, InMemory.groups, Server.stored, Server.calls):
            kept.clear()
        InMemory.folder = self.folder
        managed.device_caches.clear()

    def compile(self, **options):
        managed.device_caches.clear()
        return managed.warmup(triton.MockTensor(tl.float32), 3, 64, grid=(1, ), neso_target="sm_80", **options)

    def test_calls_of_a_miss_and_a_hit(self):
        knobs.cache.manager_class = Counting
        made = self.compile()
        key = cache._base32(made.hash)
        names = [f"managed.{s}" for s in STAGES]
        expected = [("init", key, False, False), ("get_group", "managed.json"), ("init", key, False, False)]
        expected += [("put", n, bytes if n.endswith("cubin") else str) for n in names]
        expected += [("put", "managed.json", str), ("put_group", "managed.json", sorted(names + ["managed.json"])),
                     ("put", "__grp__managed.json", str)]
        self.assertEqual(Counting.calls, expected)
        self.assertEqual((made.cache, sorted(made.metadata_group)), ("miss", sorted(names + ["managed.json"])))
        self.assertEqual(os.path.dirname(made.metadata_group["managed.ptx"]), os.path.join(knobs.cache.dir, key))
        Counting.calls.clear()
        again = self.compile()
        self.assertEqual(Counting.calls, [("init", key, False, False), ("get_group", "managed.json")])
        self.assertEqual((again.cache, again.hash, again.kernel), ("hit", made.hash, made.kernel))
        for stage in STAGES:
            self.assertEqual(again.asm[stage], made.asm[stage], stage)
        self.assertEqual(again.metadata_group, made.metadata_group)
        with open(again.metadata_group["managed.json"]) as file:
            metadata = json.load(file)
        self.assertEqual((metadata["hash"], metadata["name"], metadata["num_warps"], metadata["target"]["arch"]),
                         (made.hash, "managed", 4, 80))

    def test_our_own_cache_is_left_alone(self):
        knobs.cache.manager_class = Counting
        self.compile()
        own = os.path.join(knobs.cache.dir, "neso-1")
        for kind in ("variant", "cubin"):
            self.assertFalse(os.path.exists(os.path.join(own, kind)), kind)
        knobs.cache.manager_class = None
        self.assertEqual(self.compile().cache, "miss")

    def test_upstreams_class_by_its_name(self):
        os.environ["TRITON_CACHE_MANAGER"] = "neso.runtime.cache:FileCacheManager"
        made = self.compile()
        folder = os.path.join(knobs.cache.dir, cache._base32(made.hash))
        self.assertEqual(sorted(os.listdir(folder)), sorted([f"managed.{s}" for s in STAGES] + ["managed.json", "__grp__managed.json"]))
        self.assertEqual(self.compile().cache, "hit")

    def test_a_folder_for_each_test(self):
        """As test suites have it."""
        for i in range(20):
            knobs.cache.dir = os.path.join(self.folder, str(i))
            self.assertEqual([self.compile().cache for _ in range(2)], ["miss", "hit"])

    def test_in_memory(self):
        knobs.cache.manager_class = InMemory
        self.assertEqual([self.compile().cache for _ in range(2)], ["miss", "hit"])
        self.assertEqual(self.compile(num_warps=8).cache, "miss")

    def test_what_was_changed_is_no_hit(self):
        knobs.cache.manager_class = InMemory
        first = self.compile()
        for suffix in ("cubin", "json"):
            name = next(n for n in InMemory.files if n[2] == f"managed.{suffix}")
            good = InMemory.files[name]
            for bad in (good[:len(good) // 2], good.replace(b"launch", b"lunch") if suffix == "json" else good[:-1] + b"?", b""):
                InMemory.files[name] = bad
                again = self.compile()
                self.assertEqual((again.cache, again.kernel), ("miss", first.kernel))
                self.assertEqual(InMemory.files[name].replace(b" ", b"")[:20], good.replace(b" ", b"")[:20])
                self.assertEqual(self.compile().cache, "hit")

    def test_settings(self):
        knobs.cache.manager_class = InMemory
        knobs.compilation.store_binary_only = True
        made = self.compile()
        self.assertEqual(sorted(made.metadata_group), ["managed.cubin", "managed.json", "managed.source"])
        knobs.compilation.always_compile = True
        self.assertEqual(self.compile().cache, "miss")
        knobs.compilation.always_compile = False
        self.assertEqual(self.compile().cache, "hit")
        self.assertIn(".entry managed", self.compile().asm["ptx"])
        knobs.cache.disable = True
        self.assertEqual(self.compile().cache, "off")

    def test_dumps_and_overrides(self):
        knobs.cache.manager_class = InMemory
        knobs.compilation.dump_ir = True
        made = self.compile()
        dumped = {name[2]: data for name, data in InMemory.files.items() if name[1] == (False, True)}
        self.assertEqual(dumped["managed.ptx"].decode(), made.asm["ptx"])
        self.assertIn("managed.ttgir", dumped)
        source, = {name[0] for name in InMemory.files if name[1] == (False, True)}
        knobs.compilation.dump_ir = False
        InMemory.files[source, (True, False), "managed.ttir"] = dumped["managed.ttir"].replace(b"dense<2.0", b"dense<3.0")
        knobs.compilation.override = True
        other = self.compile()
        self.assertNotEqual((other.hash, other.asm["ptx"]), (made.hash, made.asm["ptx"]))

    def test_remote(self):
        knobs.cache.manager_class = RemoteCacheManager
        knobs.cache.remote_manager_class = Server
        made = self.compile()
        self.assertEqual(Server.calls[0], ("get", ["__grp__managed.json"]))
        self.assertEqual([c[1] for c in Server.calls[1:]],
                         [f"managed.{s}" for s in STAGES] + ["managed.json", "__grp__managed.json"])
        Server.calls.clear()
        knobs.cache.dir = os.path.join(self.folder, "another machine")
        again = self.compile()
        self.assertEqual((again.cache, again.kernel), ("hit", made.kernel))
        self.assertEqual(Server.calls, [("get", ["__grp__managed.json"]),
                                        ("get", sorted([f"managed.{s}" for s in STAGES] + ["managed.json"]))])
        self.assertTrue(again.metadata_group["managed.cubin"].startswith(knobs.cache.dir))

    def test_remote_without_a_back_end(self):
        knobs.cache.manager_class = RemoteCacheManager
        with self.assertRaisesRegex(RuntimeError, "TRITON_REMOTE_CACHE_BACKEND"):
            self.compile()

    def test_a_back_end_behind_our_own_cache(self):
        knobs.cache.remote_manager_class = Server
        made = self.compile()
        self.assertEqual((made.cache, {"variant", "cubin"} - {name for _, name in Server.stored}), ("miss", set()))
        self.assertIn((cache._base32(made.hash), "variant"), Server.stored)
        Server.calls.clear()
        self.assertEqual(self.compile().cache, "hit")
        self.assertEqual(Server.calls, [])
        knobs.cache.dir = os.path.join(self.folder, "another machine")
        again = self.compile()
        self.assertEqual((again.cache, again.kernel, Server.calls), ("hit", made.kernel, [("get", ["variant"])]))
        # What it has is checked as a file of this machine is.
        for name, data in Server.stored.items():
            Server.stored[name] = data[:-1] + bytes([data[-1] ^ 1])
        knobs.cache.dir = os.path.join(self.folder, "a third")
        with contextlib.redirect_stderr(io.StringIO()):
            again = self.compile()
        self.assertEqual((again.cache, again.kernel), ("miss", made.kernel))
        knobs.cache.remote_manager_class = None
        knobs.cache.dir = os.path.join(self.folder, "a fourth")
        Server.calls.clear()
        self.assertEqual((self.compile().cache, Server.calls), ("miss", []))

    def test_a_back_end_that_fails_fails_no_launch(self):
        for error in (ConnectionError("it is switched off"), ValueError("no such value")):

            class Failing(RemoteCacheBackend):

                def get(self, filenames):
                    raise error

                put = get

            knobs.cache.remote_manager_class = Failing
            knobs.cache.dir = os.path.join(self.folder, str(error))
            with contextlib.redirect_stderr(io.StringIO()) as shown:
                self.assertEqual(self.compile().cache, "miss")
            self.assertIn(str(error), shown.getvalue())

    def test_names_of_servers(self):
        os.environ["TRITON_REMOTE_CACHE_BACKEND"] = "redis://nowhere.invalid:1"
        self.assertIsNone(knobs.cache.remote_manager_class)
        os.environ["TRITON_REMOTE_CACHE_BACKEND"] = "triton.runtime.cache:RedisRemoteCacheBackend"
        self.assertIs(knobs.cache.remote_manager_class, cache.RedisRemoteCacheBackend)
        os.environ["TRITON_CACHE_MANAGER"] = "triton.runtime.cache:RemoteCacheManager"
        self.assertIs(knobs.cache.manager_class, RemoteCacheManager)
        # The library itself speaks to servers of Redis.
        self.assertFalse(kept.call("active"))

    def test_what_names_no_server_is_refused_when_it_is_set(self):
        for text, said in (("gopher://host", "begins with none of redis://"), ("redis:", "written MODULE:CLASS"),
                           ("a class", "written MODULE:CLASS")):
            with self.assertRaisesRegex(RuntimeError, said):
                knobs.cache.remote_manager_class = text
            os.environ["TRITON_REMOTE_CACHE_BACKEND"] = text
            with self.assertRaisesRegex(RuntimeError, said):
                knobs.cache.remote_manager_class
        with self.assertRaisesRegex(RuntimeError, "written MODULE:CLASS"):
            knobs.cache.manager_class = "redis://host"

    def test_a_redis_server_by_upstreams_names(self):
        program = shutil.which("redis-server") or shutil.which("redis-check-rdb")  # the same program, as scripts/find-server knows
        if not program:
            self.skipTest("there is no redis-server")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        server = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", self.folder],
                                  executable=program, stdout=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        text = ("import neso as triton, neso.language as tl, sys\n@triton.jit\ndef kernel(p):\n    tl.store(p, 1.0)\n"
                "print(kernel.warmup(triton.MockTensor(tl.float32), grid=(1, ), neso_target='sm_80').cache)\n")
        path = os.path.join(self.folder, "program.py")
        with open(path, "w") as file:
            file.write(text)
        told = []
        for machine in ("one", "two"):
            names = {"TRITON_CACHE_DIR": os.path.join(self.folder, machine), "TRITON_REDIS_HOST": "127.0.0.1",
                     "TRITON_REDIS_PORT": str(port), "TRITON_REDIS_KEY_FORMAT": "ours:{key}:{filename}",
                     "TRITON_CACHE_MANAGER": "triton.runtime.cache:RemoteCacheManager",
                     "TRITON_REMOTE_CACHE_BACKEND": "triton.runtime.cache:RedisRemoteCacheBackend"}
            done = subprocess.run([sys.executable, path], env={**os.environ, **names}, capture_output=True, text=True)
            if "libneso-remote" in done.stderr:
                self.skipTest(done.stderr)
            told.append((done.stdout.strip(), done.stderr))
        self.assertEqual(told, [("miss", ""), ("hit", "")])
        with socket.create_connection(("127.0.0.1", port)) as link:
            link.sendall(b"KEYS ours:*:variant\r\n")
            self.assertIn(b"ours:", link.recv(4096))

    def test_errors_reach_the_caller(self):
        knobs.cache.manager_class = Raising
        with self.assertRaisesRegex(ConnectionError, "not there"):
            self.compile()
        for wrong, error in (("nothing", RuntimeError), ("neso.runtime.cache:triton_key", Exception), ("no.such:Class", ImportError)):
            knobs.cache.manager_class = knobs.env
            os.environ["TRITON_CACHE_MANAGER"] = wrong
            with self.assertRaises(error):
                self.compile()


class Files(unittest.TestCase):
    """FileCacheManager takes what is ours, and no paths for names."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        scope = contextlib.ExitStack()
        self.addCleanup(scope.close)
        scope.enter_context(knobs.cache.scope())
        knobs.cache.dir = os.path.join(folder.name, "cache")
        self.folder = os.path.join(folder.name, "cache", "KEY")
        self.manager = FileCacheManager("KEY")

    def test_names_are_names(self):
        for name in ("../x", "/etc/x", "a/b", "..", ".", "", "a\nb", "\x1b[2J", "\x9b1m", "a\0b"):
            with self.assertRaisesRegex(ValueError, "no name of a file"):
                self.manager.put("x", name)
            self.assertIsNone(self.manager.get_file(name))

    def test_groups_list_names(self):
        path = self.manager.put("good", "a.json")
        self.manager.put_group("a.json", {"a.json": path})
        self.assertEqual(self.manager.get_group("a.json"), {"a.json": path})
        with open(path + ".elsewhere", "w") as file:
            file.write("x")
        for listing in ('{"child_paths": {"../../x": "/tmp/x"}}', '{"child_paths": {"/etc/passwd": "/etc/passwd"}}', '{"child_paths": 7}',
                        "nonsense", "[" * 100000, "[]"):
            self.manager.put(listing, "__grp__a.json")
            self.assertIsNone(self.manager.get_group("a.json"), listing[:50])
        # Which file it is follows from its name alone.
        self.manager.put('{"child_paths": {"a.json": "/etc/passwd"}}', "__grp__a.json")
        self.assertEqual(self.manager.get_group("a.json"), {"a.json": path})

    def test_what_others_could_have_put_there(self):
        path = self.manager.put("x", "file")
        self.assertEqual(os.stat(path).st_mode & 0o022, 0)
        os.chmod(path, 0o666)
        self.assertIsNone(self.manager.get_file("file"))
        self.manager.put("y", "file")
        self.assertEqual(self.manager._read("file"), b"y")
        os.chmod(self.folder, 0o777)
        self.assertEqual(self.manager.get_file("file"), path)
        self.assertEqual(os.stat(self.folder).st_mode & 0o022, 0)
        if os.geteuid() == 0:
            os.chown(path, 54321, 54321)
            self.assertIsNone(self.manager.get_file("file"))
            os.chown(self.folder, 54321, 54321)
            self.manager._read("file")
            self.assertIsNone(self.manager.get_file("file"))
            with self.assertRaisesRegex(PermissionError, "can be written by others"):
                self.manager.put("z", "other")

    def test_special_files(self):
        for name, make in (("pipe", os.mkfifo), ("folder", os.mkdir), ("link", lambda path: os.symlink("/etc/passwd", path))):
            make(os.path.join(self.folder, name))
            self.assertIsNone(self.manager.get_file(name))
            self.assertIsNone(self.manager._read(name))
        self.manager.put("x", "pipe")
        self.assertEqual(self.manager._read("pipe"), b"x")
        with self.assertRaises(IsADirectoryError):
            self.manager.put("x", "folder")
        self.assertEqual(sorted(os.listdir(self.folder)), ["folder", "link", "pipe"])

    def test_a_back_end_that_lists_paths(self):
        kept = {"__grp__k.json": b'{"child_paths": ["k.json", "../../stray"]}', "k.json": b"x", "../../stray": b"y"}

        class Lying(RemoteCacheBackend):

            def get(self, filenames):
                return {name: kept[name] for name in filenames if name in kept} | ({"../../stray": b"y"} if "k.json" in filenames else {})

            def put(self, filename, data):
                pass

        knobs.cache.remote_manager_class = Lying
        manager = RemoteCacheManager("KEY")
        self.assertIsNone(manager.get_group("k.json"))
        kept["__grp__k.json"] = b'{"child_paths": ["k.json"]}'
        self.assertEqual(manager.get_group("k.json"), {"k.json": os.path.join(self.folder, "k.json")})
        self.assertFalse(os.path.exists(os.path.join(self.folder, "../../stray")))


class Libraries(unittest.TestCase):
    """Shared objects of programs in the compile cache."""

    def test_one_is_loaded(self):
        try:
            ctypes.CDLL("libm.so.6")
            with open("/proc/self/maps") as maps:
                path = next(line.split()[-1] for line in maps if line.rstrip().endswith("libm.so.6"))
            with open(path, "rb") as file:
                data = file.read()
        except (OSError, StopIteration):
            self.skipTest("no libm.so.6")
        what = ("v1", {"p": "*fp32", "n": "i32"}, {"B": 64}, ["x86-64"])
        with tempfile.TemporaryDirectory() as folder, knobs.cache.scope():
            knobs.cache.dir = os.path.join(folder, "cache")
            self.assertIsNone(cache.get_library(*what))
            path = cache.put_library(data, *what)
            self.assertEqual(cache.get_library("v1", {"p": "*i8", "n": "i32"}, {"B": 64}, ["x86-64"]), path)
            self.assertIsNone(cache.get_library("v1", {"p": "*fp32", "n": "i32"}, {"B": 32}, ["x86-64"]))
            loaded = ctypes.CDLL(path)
            loaded.cos.restype, loaded.cos.argtypes = ctypes.c_double, [ctypes.c_double]
            self.assertEqual(loaded.cos(0.0), 1.0)
            os.chmod(os.path.dirname(path), 0o777)
            with self.assertRaisesRegex(PermissionError, "can be written by others"):
                cache.get_library(*what)
            os.chmod(os.path.dirname(path), 0o700)
            with open(path, "r+b") as file:
                file.seek(len(data) // 2)
                file.write(b"other")
            with contextlib.redirect_stderr(io.StringIO()) as shown:
                self.assertIsNone(cache.get_library(*what))
            self.assertIn("damaged", shown.getvalue())


class Keys(unittest.TestCase):

    def test_pointers_are_one_kind(self):
        key = cache.make_so_cache_key
        one = key("v", {"a": "*fp32", "b": "i32"}, {}, ["x"])
        self.assertEqual(one, key("v", {"a": "*i8", "b": "i32"}, {}, ["x"]))
        others = [key("w", {"a": "*fp32", "b": "i32"}, {}, ["x"]), key("v", {"a": "*fp32", "b": "i64"}, {}, ["x"]),
                  key("v", {"a": "*fp32", "b": "i32"}, {"c": 1}, ["x"]), key("v", {"a": "*fp32", "b": "i32"}, {}, ["y"]),
                  key("v", {"a": "*fp32", "b": "i32"}, {}, ["x"], warp_size=32)]
        self.assertEqual(len({one, *others}), 6)

    def test_names_of_folders(self):
        self.assertEqual(cache._base32("00ff"), "AD7Q")
        self.assertEqual(len(cache._base32("no digits")), 52)
        self.assertIn(triton.__version__, cache.triton_key())


if __name__ == "__main__":
    unittest.main()
