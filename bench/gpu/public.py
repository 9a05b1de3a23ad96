"""Kernels of public libraries, unchanged, by Neso and by Triton: results beside each other first, then microseconds.

    python3 bench/gpu/public.py fetch FOLDER                  # the files of public/packages.txt into FOLDER, by pip
    python3 bench/gpu/public.py pack FOLDER FILE.tar.xz       # these alone, for a machine that fetches nothing
    python3 bench/gpu/public.py run FOLDER [--only WORD,...] [--impl neso,triton] [--repetitions 21] [--shard 1/4] [--out FILE.json]
    python3 bench/gpu/public.py compile FOLDER [--only ...] [--impl ...] [--ptx FOLDER] [--out FILE.json] [--beside OLD.json]

public/ has the cases: shapes, arguments and what should come out; the kernels and their launches are the libraries', or such as users
write (public/own, cases named "user ..."). Each case
is run by both implementations in processes of its own kind, --jobs at a time, which compare results and leave what
they compiled in the caches; then one process after another times each kernel alone: the implementations take turns, with the L2
cache flushed before each launch, and what the kernel changes restored. A case that fails, or is wrong, is said last and does not end the
run. A kernel that is autotuned has one configuration in both. `compile` needs no GPU: registers, spilled words, shared memory, instructions of both, and with
--beside what has another PTX than in an earlier run."""

import argparse
import hashlib
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "public"))
AHEAD = 400_000  # cycles that the GPU waits for each launch
SILENCE = 150  # seconds without a word after which a process is ended

import worlds  # noqa: E402


# ---- files


def _wanted(package, name):
    return any(name == file or file.endswith("/") and name.startswith(file) and name.endswith(".py") for file in package.files)


def _members(path):
    """(name below the folder of modules, its bytes) of a wheel or an sdist."""
    if path.endswith((".whl", ".zip")):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if not name.endswith("/"):
                    yield name, lambda name=name: archive.read(name)
    else:
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile():
                    yield member.name.split("/", 1)[-1], lambda member=member: archive.extractfile(member).read()


#: What Triton had once and has no more, as it is said now: (pattern, replacement).
OLD = ((r"tl\.dot\((.+), (\w+), trans_b=True\)", r"tl.dot(\1, tl.trans(\2))"), (r"tl\.dot\((.+), (\w+), trans_a=True\)", r"tl.dot(tl.trans(\1), \2)"))


def _renewed(data):
    text = data.decode()
    for pattern, replacement in OLD:
        text = re.sub(pattern, replacement, text)
    return text.encode()


def fetch(folder):
    # Their setup would build CUDA code to tell its name otherwise.
    environment = dict(os.environ, FLASH_ATTENTION_SKIP_CUDA_BUILD="TRUE", MAMBA_SKIP_CUDA_BUILD="TRUE", MINFERENCE_SKIP_CUDA_BUILD="TRUE")
    for package in worlds.packages():
        if all(os.path.exists(os.path.join(folder, file)) for file in package.files):
            continue
        with tempfile.TemporaryDirectory() as where:
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation", "-d", where, package.requirement],
                           check=True, env=environment)
            for archive in os.listdir(where):
                for name, read in _members(os.path.join(where, archive)):
                    name = name.removeprefix("src/").removeprefix("python/")
                    # What a package brings of another one lies where that one would be, unless a case asks for it where it is.
                    name = name if _wanted(package, name) else name.partition("/third_party/")[2]
                    if _wanted(package, name):
                        path = os.path.join(folder, name)
                        os.makedirs(os.path.dirname(path), exist_ok=True)
                        with open(path, "wb") as file:
                            file.write(_renewed(read()))
        missing = [file for file in package.files if not os.path.exists(os.path.join(folder, file))]
        print(package.requirement, "missing: " + " ".join(missing) if missing else "", flush=True)


def pack(folder, archive):
    with tarfile.open(archive, "w:xz", dereference=True) as made:
        for package in worlds.packages():
            for file in package.files:
                path = os.path.join(folder, file)
                made.add(path, file, filter=lambda info: info if info.isdir() or info.name.endswith(".py") else None)
    print(archive, os.path.getsize(archive), "bytes")


# ---- one case in a process


def _chooser(case):
    """Of an autotuned kernel's configurations the first that has what the case says; else the middle one of those of 4 warps."""

    def choose(tuner, args, keywords):
        wanted = case.configs.get(tuner.base_fn.__name__, {})
        settings = [(config, {**config.kwargs, "num_warps": config.num_warps, "num_stages": config.num_stages}) for config in tuner.configs]
        fitting = [config for config, has in settings if all(has.get(key) == value for key, value in wanted.items())]
        if not fitting:
            raise ValueError(f"no configuration of {tuner.base_fn.__name__} has {wanted}")
        if wanted:
            return fitting[0]
        of_4 = [config for config in fitting if config.num_warps == 4] or fitting
        return of_4[len(of_4) // 2]
    return choose


def _outputs(made):
    import torch
    if isinstance(made, torch.Tensor):
        return [made]
    if isinstance(made, dict):
        made = made.values()
    return [tensor for item in made or () if item is not None for tensor in _outputs(item)] if not isinstance(made, (int, float, str, bool)) else []


def _differs(got, wanted):
    """(root mean square of the difference, greatest) as shares of what is wanted; infinity where one alone is not a number."""
    import torch
    if got.shape != wanted.shape:
        return math.inf, math.inf
    if not got.dtype.is_floating_point:
        return (0.0, 0.0) if torch.equal(got, wanted.to(got.dtype)) else (math.inf, math.inf)
    got, wanted = got.double() if got.numel() < 1 << 20 else got.float(), wanted.double() if got.numel() < 1 << 20 else wanted.float()
    strange = ~torch.isfinite(wanted)
    if not torch.equal(strange, ~torch.isfinite(got)):
        return math.inf, math.inf
    difference = (got - wanted).masked_fill_(strange, 0)
    wanted = wanted.masked_fill(strange, 0)
    if not wanted.numel():
        return 0.0, 0.0
    return (difference.norm() / (wanted.norm() + 1e-30)).item(), (difference.abs().max() / (wanted.abs().max() + 1e-30)).item()


def _run(case, world, build, keep):
    """The results and the launches of a case in that world; keep: what the launches' tensors hold is kept for world.changed."""
    modules = [world.module(name) for name in case.modules]
    world.choose, world.prunes = _chooser(case), case.prunes
    world.launches, world.kept = [], {} if keep else None
    with world:
        made = _outputs(build(*modules))
    launches, world.launches = world.launches, None
    return made, launches


def _checked(case, found, device, keep=False):
    """Builds the case, runs it in each world; (launches by implementation, what differs, what went wrong with
    what is wanted, what must stay alive)."""
    import cases
    import torch
    built = case.build(cases.Make(device))
    build, want = built if isinstance(built, tuple) else (built, None)
    made, launches = {}, {}
    for name, world in found.items():
        made[name], launches[name] = _run(case, world, build, keep)
        if device != "cpu":
            torch.cuda.synchronize()
    differs, failed = {}, None
    if device != "cpu":
        names, wanted = list(made), []
        try:
            wanted = _outputs(want()) if want else []
        except Exception as error:
            failed = f"what is wanted: {type(error).__name__}: {error}"[:300]
        for i, name in enumerate(names):
            if wanted:
                differs[f"{name} from what is wanted"] = [_differs(a, b) for a, b in zip(made[name], wanted)]
            if i:
                differs[f"{names[0]} from {name}"] = [_differs(a, b) for a, b in zip(made[names[0]], made[name])]
                if len(made[names[0]]) != len(made[name]):
                    raise ValueError("another number of results")
    # The libraries' own tensors are alive in the launches alone; the modules' memories (tables by address) go with the case.
    return launches, differs, failed, (build, made)


def _grouped(case, launches):
    """Launches by kernel name, in order."""
    groups = {}
    for launch in launches:
        if case.only is None or launch.name in case.only:
            groups.setdefault(launch.name, []).append(launch)
    return groups


def _wrong(case, differs):
    for what, each in differs.items():
        for i, (rms, most) in enumerate(each):
            # What is wanted is computed another way: twice as far.
            allowed = 2 if what.endswith("wanted") else 1
            if not (rms <= case.rms * allowed and most <= case.most * allowed):
                return f"result {i}: {what} by {rms:.2g} (greatest {most:.2g})"
    return None


def _restore(changed):
    """Memory holds again what it held: counters begin at zero, and what is sorted in place is unsorted."""
    import torch
    with torch.inference_mode():  # some of it is of tensors that were made in this mode
        for memory, before in changed:
            memory.copy_(before)


def _timed(groups, changed, repetitions, flush):
    """Microseconds of each implementation's launches, which take turns; changed: by implementation what is restored in front of each.
    The GPU waits in front of them until they are issued: on a slow host launches are what would be timed."""
    import torch
    times = {name: [] for name in groups}
    for name, launches in groups.items():
        for _ in range(2):
            _restore(changed[name])
            for launch in launches:
                launch.run()
    torch.cuda.synchronize()
    order = list(groups)
    for i in range(repetitions):
        for name in order if i % 2 == 0 else order[::-1]:
            _restore(changed[name])
            flush.zero_()
            torch.cuda._sleep(AHEAD * len(groups[name]))
            began, ended = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            began.record()
            for launch in groups[name]:
                launch.run()
            ended.record()
            times[name].append((began, ended))
    torch.cuda.synchronize()
    return {name: statistics.median(a.elapsed_time(b) for a, b in pairs) * 1000 for name, pairs in times.items()}


def _tool(name):
    import triton
    for folder in ("/usr/local/cuda/bin", os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin")):
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    raise FileNotFoundError(name)


def _counted(compiled, keep):
    """What one compiled kernel takes; keep: where PTX and SASS are written, without their endings, or None."""
    ptx, cubin = compiled.asm["ptx"], compiled.asm["cubin"]
    body = re.sub(r"//[^\n]*|^\s*\.(loc|file)[^\n]*$|^\s*\.section[^}]*}", "", ptx, flags=re.M)
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(bytes(cubin))
        file.flush()
        used = subprocess.run([_tool("cuobjdump"), "-res-usage", file.name], capture_output=True, text=True).stdout
        sass = subprocess.run([_tool("nvdisasm"), "-c", file.name], capture_output=True, text=True).stdout
    lines = [line for line in sass.splitlines() if re.match(r"\s+/\*[0-9a-f]{4,}\*/", line)]
    if keep:
        os.makedirs(os.path.dirname(keep), exist_ok=True)
        for ending, text in (("ptx", ptx), ("sass", sass)):
            with open(f"{keep}.{ending}", "w") as file:
                file.write(text)
    registers = re.search(r"REG:(\d+)", used)
    return {"registers": int(registers.group(1)) if registers else 0, "spills": sum(" STL" in line or " LDL" in line for line in lines),
            "shared": compiled.metadata.shared, "instructions": sum(" NOP" not in line for line in lines), "warps": compiled.metadata.num_warps,
            "ptx": hashlib.sha256(re.sub(r"\s+", " ", body).encode()).hexdigest()[:16]}


def child(task, folder, implementations, repetitions, names, ptx):
    """Does the task for each case and says so, one line of JSON each."""
    os.environ["TORCHDYNAMO_DISABLE"] = "1"  # torch.compile would make kernels of its own
    import contextlib
    import cases
    import torch
    device = "cpu" if task == "compile" else "cuda"
    if device == "cpu":
        os.environ.setdefault("NESO_TARGET", "sm_90a")
    say = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries print
    import stubs
    with stubs.without_gpu() if device == "cpu" else contextlib.nullcontext():
        known = cases.load()
        flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda") if task == "time" else None
        for name in names:
            case = known[name]
            print(json.dumps({"begins": name}), file=say, flush=True)
            row = {"case": name}
            try:
                found = {who: worlds.World(who, folder, device) for who in implementations}
                launches, differs, failed, alive = _checked(case, found, device, keep=task == "time")
                row["differs"] = {what: [list(pair) for pair in each] for what, each in differs.items()}
                wrong = _wrong(case, differs) or failed
                if wrong:
                    row["wrong"] = wrong
                groups = {who: _grouped(case, launches[who]) for who in implementations}
                kernels = list(groups[implementations[0]])
                if any(list(group) != kernels for group in groups.values()):
                    raise ValueError(f"other kernels: {groups}")
                row["kernels"] = {}
                changed = {who: world.changed() for who, world in found.items()} if task == "time" else None
                for kernel in kernels:
                    if task == "time":
                        row["kernels"][kernel] = _timed(
                            {who: groups[who][kernel] for who in implementations}, {who: changed[who][kernel] for who in implementations}, repetitions, flush)
                    elif task == "compile":
                        row["kernels"][kernel] = {
                            who: _counted(groups[who][kernel][0].compiled,
                                          ptx and os.path.join(ptx, re.sub(r"\W+", "_", f"{name}.{kernel}").strip("_"), who))
                            for who in implementations}
                launches = alive = groups = None
            except Exception as error:
                import traceback
                row["error"] = f"{type(error).__name__}: {error}"[:600]
                row["trace"] = traceback.format_exc()[-1500:]
            launches = alive = groups = found = changed = None
            if device != "cpu":
                try:
                    torch.cuda.synchronize()
                    torch.cuda.empty_cache()
                except Exception as error:
                    row.setdefault("error", f"{type(error).__name__}: {error}"[:600])
                    print(json.dumps(row), file=say, flush=True)
                    os._exit(1)  # a context that failed once fails from then on
            print(json.dumps(row), file=say, flush=True)


# ---- all cases


class Work:
    """Processes that do a task for cases; one that dies or is silent for long costs the case that it was at."""

    def __init__(self, task, options, told):
        self.task, self.options, self.told = task, options, told
        self.rows = {}

    def _process(self, names):
        o = self.options
        command = [sys.executable, "-u", os.path.abspath(__file__), "child", o.folder, "--task", self.task, "--impl", o.impl,
                   "--repetitions", str(o.repetitions), "--cases", json.dumps(names)] + (["--ptx", o.ptx] if o.ptx else [])
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
            at, done, timer = None, [], None
            for line in process.stdout:
                if timer:
                    timer.cancel()
                row = json.loads(line)
                if "begins" in row:
                    at = row["begins"]
                    timer = threading.Timer(SILENCE, process.kill)
                    timer.start()
                else:
                    at = None
                    self._done(row)
                    done.append(row["case"])
            if timer:
                timer.cancel()
            status = process.wait()
            if at or not done:
                errors.seek(0)
                at = at or names[0]
                self._done({"case": at, "error": f"the process ended with {status}: {errors.read()[-800:]}"})
                done.append(at)
        return [name for name in names if name not in done]

    def _done(self, row):
        self.rows[row["case"]] = row
        self.told(row)

    def _all(self, names):
        while names:
            names = self._process(names)

    def run(self, names, jobs):
        jobs = max(1, min(jobs, len(names)))
        threads = [threading.Thread(target=self._all, args=(names[i::jobs],)) for i in range(jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.rows


def _mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def _lines(rows):
    """(name, what each implementation has) of each kernel; a case of one kernel has the case's name alone."""
    for name, row in sorted(rows.items()):
        kernels = row.get("kernels") or {}
        for kernel, has in kernels.items():
            yield name if len(kernels) == 1 else f"{name}: {kernel}", has


def _table(rows, implementations):
    mine = implementations[0]
    lines = list(_lines(rows))
    wrong = {name for name, row in rows.items() if "wrong" in row}
    print(f"\n{'us':64} " + " ".join(f"{who:>9}" for who in implementations) + "  ratio")
    if len(implementations) == 1:
        for name, has in lines:
            print(f"{name[:64]:64} {has[mine]:9.1f}")
        return
    other = implementations[1]
    lines = sorted(((has[other] / has[mine], name, has) for name, has in lines), key=lambda line: line[0])
    for ratio, name, has in lines:
        print(f"{name[:64]:64} " + " ".join(f"{has[who]:9.1f}" for who in implementations) + f"  {ratio:.3f}" + "  WRONG" * (name.split(": ")[0] in wrong))
    ratios = [line[0] for line in lines]
    print(f"{len(ratios)} kernels of {len({name.split(': ')[0] for _, name, _ in lines})} cases: geometric mean {_mean(ratios):.3f}, "
          f"{sum(r < 0.995 for r in ratios)} below 0.995, lowest {min(ratios, default=math.nan):.3f}")


def _failures(rows):
    failed = {name: row for name, row in rows.items() if "error" in row or "wrong" in row}
    for name, row in sorted(failed.items()):
        print(f"{'WRONG' if 'wrong' in row else 'failed'}: {name}: {row.get('wrong') or row['error']}".replace("\n", " ")[:700])
    return failed


def _write(path, rows):
    if path:
        with open(path, "w") as file:
            json.dump(rows, file, indent=1)


def _names(options):
    import cases
    known = sorted(cases.load())
    if options.only:
        words = options.only.split(",")
        known = [name for name in known if any(word in name for word in words)]
    if options.shard:
        i, n = map(int, options.shard.split("/"))
        known = known[i - 1::n]
    return known


def run(options):
    names = _names(options)
    began = time.time()
    checked = Work("check", options, lambda row: print(f"checked {row['case']}" + (" FAILED" if "error" in row else " WRONG" if "wrong" in row else ""), flush=True)
                   ).run(names, options.jobs)
    print(f"{len(names)} cases compiled and compared in {time.time() - began:.0f} s", flush=True)
    rows = dict(checked)
    _write(options.out, rows)
    _failures(rows)
    good = [name for name in names if "error" not in checked[name]]

    def told(row):
        rows[row["case"]] = row
        _write(options.out, rows)
        for name, has in _lines({row["case"]: row}):
            print(f"{name[:64]:64} " + " ".join(f"{us:9.1f}" for us in has.values()), flush=True)
    Work("time", options, told).run(good, 1)
    _write(options.out, rows)
    _table(rows, options.impl.split(","))
    _failures(rows)
    print(f"{time.time() - began:.0f} s")


def compiled(options):
    names = _names(options)
    rows = {}

    def told(row):
        rows[row["case"]] = row
        _write(options.out, rows)
        print("FAILED" if "error" in row else "compiled", row["case"], file=sys.stderr, flush=True)
    Work("compile", options, told).run(names, options.jobs)
    implementations = options.impl.split(",")
    print(f"\n{'':64} " + " ".join(f"{who + ': registers, spills, shared, instructions':>44}" for who in implementations))
    for name, has in _lines(rows):
        print(f"{name[:64]:64} " + " ".join(f"{h['registers']:18} {h['spills']:5} {h['shared']:8} {h['instructions']:10}" for h in (has[who] for who in implementations)))
    if options.beside:
        with open(options.beside) as file:
            before = dict(_lines(json.load(file)))
        mine = implementations[0]
        print(f"\nanother PTX than in {options.beside}: before, now")
        count = 0
        for name, has in _lines(rows):
            old, new = before.get(name, {}).get(mine), has[mine]
            if old and old["ptx"] != new["ptx"]:
                count += 1
                print(f"{name[:64]:64} " + " ".join(f"{key} {old[key]} {new[key]} " for key in ("registers", "spills", "shared", "instructions", "warps") if old[key] != new[key]))
        print(count, "of", sum(1 for _ in _lines(rows)))
    _failures(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("fetch", "pack", "run", "compile", "list", "child"))
    parser.add_argument("folder")
    parser.add_argument("archive", nargs="?")
    parser.add_argument("--only", help="words, by commas: cases that have one of them in their name")
    parser.add_argument("--impl", default="neso,triton")
    parser.add_argument("--repetitions", type=int, default=21)
    parser.add_argument("--shard", help="i/n: each n-th case from the i-th on")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out")
    parser.add_argument("--ptx", help="a folder for PTX and SASS of each kernel")
    parser.add_argument("--beside", help="what an earlier `compile --out` wrote")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    parser.add_argument("--cases", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.what == "fetch":
        fetch(options.folder)
    elif options.what == "pack":
        pack(options.folder, options.archive)
    elif options.what == "run":
        run(options)
    elif options.what == "compile":
        compiled(options)
    elif options.what == "list":
        print("\n".join(_names(options)))
    else:
        child(options.task, options.folder, options.impl.split(","), options.repetitions, json.loads(options.cases), options.ptx)


if __name__ == "__main__":
    main()
