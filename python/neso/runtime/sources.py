"""Sources of functions: their text, where it is in a file or near at hand, and the names that it reads."""

import ast
import inspect
import re
import sys

from .. import _native

# ---- sources ----


def read_lines(function):
    """Lines of a function with its decorators, and the number of the first."""
    made = getattr(function, "__neso_source__", None)
    if made is not None:
        return made.splitlines(True), 1
    try:
        return inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        text = lost_source(function)
        if text is None:
            raise ValueError("the source of @jit functions must be there: in a file, or in linecache for code made by "
                             "exec") from error
    lines = text.splitlines(True)
    first = function.__code__.co_firstlineno
    return inspect.getblock(lines[first - 1:]), first


def _made_from(text, code):
    for mode in ("exec", "single"):
        try:
            if compile(text, code.co_filename, mode, code.co_flags & _FUTURE_FLAGS, True) == code:
                return True
        except (SyntaxError, ValueError, TypeError):
            pass
    return False


_FUTURE_FLAGS = 0x1ffe0000


def lost_source(function):
    """Text of code that was given to exec or typed in: a string near at hand that compiles to just this code."""
    name = function.__code__.co_filename
    frame = inspect.currentframe()
    while frame is not None and not (frame.f_code.co_filename == name and frame.f_code.co_name == "<module>"):
        frame = frame.f_back
    if frame is None:
        return None
    code = frame.f_code
    caller = frame.f_back
    for _ in range(4):
        if caller is None:
            break
        for text in list(caller.f_locals.values()) + list(caller.f_code.co_consts):
            if isinstance(text, str) and "def" in text and function.__name__ in text and _made_from(text, code):
                return text
        caller = caller.f_back
    if name == "<string>" and getattr(sys, "orig_argv", None) and "-c" in sys.orig_argv:
        text = sys.orig_argv[sys.orig_argv.index("-c") + 1]
        return text if _made_from(text, code) else None
    return _typed(code)


def _typed(code):
    """The last lines of the history of the prompt that make the code."""
    history = sys.modules.get("readline")
    if history is None:
        return None
    count = history.get_current_history_length()
    text = ""
    for back in range(min(count, 400)):
        text = (history.get_history_item(count - back) or "") + "\n" + text
        if "def" in text and _made_from(text, code):
            return text
    return None


def read_source(function):
    """Text from its `def` on without indentation, the line of the `def`, its indentation."""
    lines, first = read_lines(function)
    return cut(lines, max(first, 1))


DEF = re.compile(r"^(?:async\s+)?def\s+(\w+)\s*\(", re.MULTILINE)


def _dedent(lines):
    """Without the first line's indentation; comments may stand left of it."""
    indent = lines[0][:len(lines[0]) - len(lines[0].lstrip())] if lines else ""
    return "".join(line.removeprefix(indent) if line.startswith(indent) else line.lstrip() if line.lstrip()[:1] in ("#", "") else line
                   for line in lines)


def cut(lines, first):
    text = _dedent(lines)
    found = DEF.search(text)
    if found is None:
        raise ValueError("only functions made by `def` can be kernels")
    skipped = text[:found.start()].count("\n")
    line = lines[skipped] if skipped < len(lines) else ""
    indent = len(line) - len(line.lstrip()) if "\t" not in line[:len(line) - len(line.lstrip())] else 0
    return text[found.start():], first + skipped, indent


# ---- what a function reads ----


_HEAD_END = re.compile(r"\)[^()\n]*:[ \t]*(#.*)?\n")


def annotated(text, names):
    """Those of the names that the head of a function annotates."""
    end = _HEAD_END.search(text)
    head = text[:end.end()] if end else text
    return {name for name in names if re.search(rf"(?<![\w.]){name}\s*:", head)}


class Reader:
    """Names of a function that are not its own, with the attributes taken of them. As upstream has it, a name that is read before the function
    gives it a value, in the order of the text, is a global there."""

    def __init__(self, text):
        bound, early, body, head, defaults = _native.names(text) or names_by_ast(text)
        self.bound = set(bound)
        self.body_names, self.paths = set(), {}
        for path in body:
            name, *attributes = path.split(".")
            self.body_names.add(name)
            if name not in self.bound:
                for length in range(len(attributes), 0, -1):
                    self.paths[name, tuple(attributes[:length])] = True
        self.defaults = {path.partition(".")[0] for path in defaults}
        self.all_names = self.body_names.union(path.partition(".")[0] for path in head)
        self.globals = (self.all_names - self.bound).union(early)


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def names_by_ast(text):
    """_native.names of a text with what kernels cannot have."""
    function = ast.parse(text).body[0]
    given = function.args
    bound = {a.arg for a in given.posonlyargs + given.args + given.kwonlyargs + [given.vararg, given.kwarg] if a is not None}
    early = set()

    def read(nodes):
        paths = {}
        todo = nodes[::-1]
        while todo:
            node = todo.pop()
            kind = type(node)
            if kind is list:
                todo.extend(node[::-1])
            if not isinstance(node, ast.AST):
                continue
            if kind is ast.arg:
                bound.add(node.arg)
            elif kind is ast.Name and type(node.ctx) is ast.Store:
                bound.add(node.id)
            elif kind in (ast.MatchAs, ast.MatchStar) and node.name:
                bound.add(node.name)
            elif kind is ast.Name and node.id not in bound:
                early.add(node.id)
            path, inner = [], node
            while isinstance(inner, ast.Attribute):
                path.insert(0, inner.attr)
                inner = inner.value
            if isinstance(inner, ast.Name):
                paths[".".join([inner.id] + path)] = True
            # What is given a value comes before the value, as in statements.
            fields = node._fields if kind not in _COMPREHENSIONS else node._fields[::-1]
            todo.extend([getattr(node, field, None) for field in fields][::-1])
        return paths

    body = read(function.body)
    early &= bound
    found_early = set(early)
    defaults = [node for node in given.defaults + given.kw_defaults if node is not None]
    head = [value for field, value in ast.iter_fields(function) if field != "body"]
    return bound, found_early, body, read(head), read(defaults)
