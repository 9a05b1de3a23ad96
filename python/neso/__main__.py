"""`python -m neso program.py args`: runs a program, with this package under the name `triton`."""

import os
import runpy
import sys

USAGE = """usage: python -m neso PROGRAM.py [ARGUMENT...]
       python -m neso -m MODULE [ARGUMENT...]
       python -m neso -c CODE [ARGUMENT...]
Runs a program in which `import triton` gives neso."""


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE)
        return 0 if arguments else 2
    from . import _alias
    _alias.install()
    if arguments[0] == "-m":
        if len(arguments) < 2:
            print(USAGE, file=sys.stderr)
            return 2
        sys.argv = arguments[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments[0] == "-c":
        if len(arguments) < 2:
            print(USAGE, file=sys.stderr)
            return 2
        sys.argv = ["-c"] + arguments[2:]
        sys.path[0] = ""
        text = arguments[1]
        exec(text, {"__name__": "__main__"})
    else:
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
