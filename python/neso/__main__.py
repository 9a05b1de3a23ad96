"""`python -m neso program.py args`: what `python program.py args` does, with this package under the name `triton`."""

import os
import runpy
import sys

from . import _alias


def _start_again(arguments):
    """This Python once more, by its own command line without `-m neso`. Does not return; or does, where it cannot be done."""
    given = getattr(sys, "orig_argv", [])
    head = len(given) - len(arguments)
    if not sys.executable or sys.flags.ignore_environment or given[head - 2:] != ["-m", "neso", *arguments]:
        return
    environment = {**os.environ, **_alias.environment(os.environ.get("PYTHONPATH"))}
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execve(sys.executable, [given[0], *given[1:head - 2], *arguments], environment)
    except OSError:
        pass


def main(arguments):
    _start_again(arguments)
    # Something else runs this module (a profiler, a debugger), or the environment is not to be used.
    _alias.install()
    if arguments[:1] == ["-m"]:
        sys.argv = arguments[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments[:1] == ["-c"]:
        sys.argv = ["-c", *arguments[2:]]
        sys.path[0] = ""
        exec(arguments[1], {"__name__": "__main__"})
    elif arguments and (os.path.exists(arguments[0]) or not arguments[0].startswith("-")):
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        if not os.path.exists(arguments[0]):
            print(f"{sys.executable}: can't open file {os.path.abspath(arguments[0])!r}: [Errno 2] No such file or directory", file=sys.stderr)
            return 2
        runpy.run_path(arguments[0], run_name="__main__")
    else:
        import subprocess
        return subprocess.call([sys.executable, *arguments], env={**os.environ, **_alias.environment(os.environ.get("PYTHONPATH"))})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
