# not a test: a package that imports.py uses
from .shared import SCALE, twice
