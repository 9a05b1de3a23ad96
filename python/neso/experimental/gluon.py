"""Gluon is not here; importing it says so."""
raise ImportError("neso has no triton.experimental.gluon: Gluon is not part of this version", name=__name__)
