"""What upstream calls experimental."""
