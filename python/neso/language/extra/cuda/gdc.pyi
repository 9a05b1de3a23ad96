# Made by scripts/reference from signatures.py and docs.py (make reference).
def gdc_wait() -> None:
    """Waits until the launch before this one, which it overlaps (launch_pdl=True), has ended and its stores can be read.

        >>> tl.extra.cuda.gdc_wait()
    """

def gdc_launch_dependents() -> None:
    """Lets the launch behind this one begin (launch_pdl=True), once each program of this one has come here.

        >>> tl.extra.cuda.gdc_launch_dependents()
    """
