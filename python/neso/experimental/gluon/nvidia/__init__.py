"""What host code of Gluon kernels imports."""
