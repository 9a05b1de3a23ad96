"""Facts about NVIDIA GPUs that programs ask for."""
