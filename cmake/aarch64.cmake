# For machines with 64-bit ARM processors, built on another one, by Debian's gcc-aarch64-linux-gnu.
#
#   cmake --preset dist --toolchain cmake/aarch64.cmake -B build/aarch64 -DCMAKE_SYSROOT=FOLDER
#     CMAKE_SYSROOT     a folder with the headers and libraries of such a machine: a root of Debian's arm64
#     NESO_LLVM_CONFIG  a program that says where there is LLVM for it: that folder's llvm-config, run by
#                       qemu-aarch64-static
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L "${CMAKE_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
