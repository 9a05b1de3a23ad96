"""Facts about AMD GPUs that programs ask for."""
