"""The CPU: kernels are interpreted."""
