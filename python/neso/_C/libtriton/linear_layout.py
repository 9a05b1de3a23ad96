"""LinearLayout, where upstream's extension has it."""

from ...tools.linear_layout import LinearLayout  # noqa: F401
