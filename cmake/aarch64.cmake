# For machines with 64-bit ARM processors, built on another one, by Debian's gcc-aarch64-linux-gnu and
# g++-aarch64-linux-gnu (the C++ run time that LLVM's static libraries need). make wheel MACHINE=aarch64 does
# all of this:
#
#   scripts/sysroot FOLDER
#   cmake --preset dist --toolchain cmake/aarch64.cmake -B build/aarch64 -DCMAKE_SYSROOT=FOLDER
#     CMAKE_SYSROOT     a folder with the headers and libraries of such a machine: a root of Debian's arm64
#     NESO_LLVM_CONFIG  llvm-config of LLVM for it, when it is not that folder's; run by qemu-aarch64-static
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L "${CMAKE_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# The interpreter that is found is this machine's, and knows nothing of headers for the other one.
file(GLOB python_headers "${CMAKE_SYSROOT}/usr/include/python3.*")
if(python_headers)
  list(GET python_headers -1 Python3_INCLUDE_DIR)
endif()
