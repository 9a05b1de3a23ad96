"""Upstream's helpers for tests of its own IR. They match the text of one compiler; here there is another."""


class MatchError(ValueError):

    def __init__(self, message, module_str):
        super().__init__(message)
        self.module_str = module_str

    def __str__(self):
        return f"{super().__str__()}\n{self.module_str}"


def _refuse(*args, **kwargs):
    raise NotImplementedError("neso does not match upstream's IR by FileCheck: kernel.warmup(..., grid=...).asm['ttir'] "
                              "is the text, to be matched by your own means")


def run_filecheck(name, module_str, check_template):
    _refuse()


def run_parser(kernel_fn, args=(), kwargs=None, target=None):
    _refuse()


def run_filecheck_test(kernel_fn):
    _refuse()


def filecheck_test(fn):
    """A test that, when it is run, says why it cannot."""
    import functools

    @functools.wraps(fn)
    def test():
        _refuse()

    return test
