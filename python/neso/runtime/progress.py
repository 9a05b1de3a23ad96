"""How far long work is, as one line of the terminal that stderr is; nothing where it is none."""

import os
import sys
import threading
import time

_WIDTH = 24
_SOON = 0.5  # seconds: what is done before then shows nothing


class Progress:
    """`with Progress("what", total) as progress: ... progress.step("now this")`, from any thread."""

    def __init__(self, what, total):
        self._what, self._total, self._done = what, total, 0
        self._began = time.monotonic()
        self._text = ""
        self._drawn = self._shown = 0
        self._lock = threading.Lock()
        self._terminal = _is_terminal()
        self._colour = not os.environ.get("NO_COLOR")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with self._lock:
            if self._shown:
                sys.stderr.write("\r\033[K")
                sys.stderr.flush()
            self._terminal = False

    def step(self, text="", done=1):
        """So much more is done; text: what comes now."""
        with self._lock:
            self._done += done
            self._text = text or self._text
            now = time.monotonic()
            if not self._terminal or now - self._began < _SOON or now - self._drawn < 0.1:
                return
            self._drawn, self._shown = now, True
            full = self._done * _WIDTH // max(self._total, 1)
            line = f" {self._done}/{self._total}  {self._what}  {self._text}"
            bar = "[" + "#" * full + "-" * (_WIDTH - full) + "]"
            import shutil
            line = line[:max(shutil.get_terminal_size().columns - len(bar) - 1, 0)]
            green, plain = ("\033[32m", "\033[0m") if self._colour else ("", "")
            sys.stderr.write(f"\r\033[K{green}{bar}{plain}{line}")
            sys.stderr.flush()


def _is_terminal():
    try:
        return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):
        return False
