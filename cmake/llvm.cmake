# Finds LLVM (22 is the reference; 19 and newer are meant to work) with the NVPTX target.
#
#   NESO_LLVM         AUTO: used where it is found; ON: must be there; OFF: not looked for
#   NESO_LLVM_STATIC  link LLVM's static libraries, with nothing of them visible: what is handed out. Without it libLLVM.so is
#                     linked, which is faster to build
#
# Sets NESO_LLVM_FOUND, _VERSION, _INCLUDE and _LINK (libraries and link options).
set(NESO_LLVM AUTO CACHE STRING "Use LLVM, which makes code for GPUs: AUTO, ON, OFF")
option(NESO_LLVM_STATIC "Link LLVM's static libraries into libneso-codegen.so" ${NESO_DIST})

set(NESO_LLVM_FOUND FALSE)
if(NESO_LLVM STREQUAL "OFF")
  return()
endif()

# CMake's package of LLVM wants a C++ compiler and packages that linking to it does not need, so the figures come
# from llvm-config, found beside the package or on the path.
set(names)
set(folders)
foreach(version 22 21 20 19)
  list(APPEND names llvm-config-${version})
  list(APPEND folders /usr/lib/llvm-${version}/bin /usr/lib/llvm${version}/bin /opt/homebrew/opt/llvm@${version}/bin)
endforeach()
if(LLVM_DIR)
  list(PREPEND folders ${LLVM_DIR}/../../../bin)
endif()
find_program(NESO_LLVM_CONFIG NAMES ${names} llvm-config HINTS ${folders} DOC "llvm-config of LLVM 19 or newer")
if(NOT NESO_LLVM_CONFIG)
  if(NESO_LLVM STREQUAL "ON")
    message(FATAL_ERROR "LLVM was asked for and not found: set NESO_LLVM_CONFIG to llvm-config of LLVM 19 or newer")
  endif()
  message(STATUS "LLVM was not found: libneso-codegen.so, which makes code for GPUs, is not built")
  return()
endif()

function(neso_llvm_config out)
  execute_process(COMMAND ${NESO_LLVM_CONFIG} ${ARGN} OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE status ERROR_QUIET)
  if(status)
    set(text "")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

neso_llvm_config(NESO_LLVM_VERSION --version)
neso_llvm_config(NESO_LLVM_INCLUDE --includedir)
neso_llvm_config(targets --targets-built)
string(REGEX REPLACE "[^0-9.].*" "" number "${NESO_LLVM_VERSION}")
set(problem)
if(number VERSION_LESS 19)
  set(problem "LLVM ${NESO_LLVM_VERSION} is too old, 19 is the least")
elseif(NOT targets MATCHES "NVPTX")
  set(problem "LLVM ${NESO_LLVM_VERSION} has no NVPTX target")
elseif(NOT EXISTS ${NESO_LLVM_INCLUDE}/llvm-c/Core.h)
  set(problem "LLVM ${NESO_LLVM_VERSION} has no headers (llvm-dev)")
endif()

# Static libraries of what LLVM is built with: Debian's are in zlib1g-dev and libzstd-dev.
set(static_missing)
if(NESO_LLVM_STATIC)
  foreach(library libLLVMCore.a libz.a libzstd.a libstdc++.a)
    execute_process(COMMAND ${CMAKE_C_COMPILER} --sysroot=${CMAKE_SYSROOT} -print-file-name=${library}
      OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT EXISTS "${found}")
      neso_llvm_config(folder --libdir)
      if(NOT EXISTS "${folder}/${library}")
        list(APPEND static_missing ${library})
      endif()
    endif()
  endforeach()
  if(static_missing)
    message(WARNING "no ${static_missing}: libneso-codegen.so is linked to libLLVM.so, which must be wherever it runs")
    set(NESO_LLVM_STATIC OFF)
  endif()
endif()

set(components core analysis bitwriter irreader bitreader linker passes nvptx)
set(linking --link-shared)
if(NESO_LLVM_STATIC)
  set(linking --link-static)
endif()
neso_llvm_config(libraries ${linking} --libs ${components})
neso_llvm_config(folder --libdir)
if(NOT problem AND NOT libraries)
  set(problem "LLVM ${NESO_LLVM_VERSION} cannot be linked with ${linking}")
endif()
if(problem)
  # A later run looks again: another one may have been installed.
  set(NESO_LLVM_CONFIG NESO_LLVM_CONFIG-NOTFOUND CACHE FILEPATH "llvm-config of LLVM 19 or newer" FORCE)
  if(NESO_LLVM STREQUAL "ON")
    message(FATAL_ERROR "${problem}")
  endif()
  message(STATUS "${problem}: libneso-codegen.so, which makes code for GPUs, is not built")
  return()
endif()

separate_arguments(libraries)
# Copies of LLVM's archives without tables for unwinding, a twentieth of what is handed out: LLVM throws no
# exceptions, and of its frames only a debugger would want them. A copy is made anew when its archive is.
function(neso_llvm_without_unwinding from to)
  file(MAKE_DIRECTORY ${to})
  foreach(library ${libraries})
    string(REGEX REPLACE "^-l(.*)$" "lib\\1.a" archive "${library}")
    if(EXISTS ${from}/${archive} AND ${from}/${archive} IS_NEWER_THAN ${to}/${archive})
      execute_process(COMMAND ${CMAKE_OBJCOPY} -R .eh_frame -R .rela.eh_frame ${from}/${archive} ${to}/${archive}
        RESULT_VARIABLE status)
      if(status)
        message(FATAL_ERROR "${CMAKE_OBJCOPY} fails for ${from}/${archive}")
      endif()
    endif()
  endforeach()
endfunction()

# Writes rows of what LLVM's table of passes reaches and no pipeline here names, for src/llvm/compat/left_out.c. What is
# kept: the passes of codegen/to_ptx.c and what they are made of; analyses, and managers of passes.
function(neso_llvm_left_out archive out)
  set(kept "AlwaysInliner|EarlyCSE|InstCombine|LICM|LoopSimplify|LCSSA|Verifier")
  execute_process(COMMAND ${CMAKE_NM} -u ${archive} OUTPUT_VARIABLE names ERROR_QUIET)
  string(REGEX MATCHALL "_ZNK?4llvm[0-9]+[A-Za-z0-9_]*Pass(3runE|13printPipelineE|C[12]E|D[12]Ev)[A-Za-z0-9_]*" passes "${names}")
  string(REGEX MATCHALL "_ZNK?4llvm11PassBuilder[0-9]+(build|add)[A-Z][A-Za-z0-9_]*" pipelines "${names}")
  list(APPEND passes ${pipelines})
  list(REMOVE_DUPLICATES passes)
  list(FILTER passes EXCLUDE REGEX "${kept}")
  set(rows)
  set(number 0)
  foreach(symbol IN LISTS passes)
    string(APPEND rows "LEFT_OUT(${number}, \"${symbol}\")\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${out} CONTENT "${rows}" @ONLY)
endfunction()

set(NESO_LLVM_LEFT_OUT)
set(NESO_LLVM_LINK -L${folder} ${libraries})
if(NESO_LLVM_STATIC)
  if(NESO_DIST AND CMAKE_OBJCOPY)
    neso_llvm_without_unwinding(${folder} ${PROJECT_BINARY_DIR}/llvm)
    list(PREPEND NESO_LLVM_LINK -L${PROJECT_BINARY_DIR}/llvm)
    set(NESO_LLVM_LEFT_OUT ${PROJECT_BINARY_DIR}/generated/llvm/left_out.inc)
    neso_llvm_left_out(${folder}/libLLVMPasses.a ${NESO_LLVM_LEFT_OUT})
  endif()
  # Compression and the C++ run time go in as well: nothing but the C library stays outside. libxml2, libedit and z3
  # are not reached from what is used.
  list(APPEND NESO_LLVM_LINK -Wl,--exclude-libs,ALL -static-libstdc++ -static-libgcc -l:libz.a -l:libzstd.a
    -l:libstdc++.a -lgcc_eh -lgcc ${CMAKE_DL_LIBS})
  # One function for those whose code is the same, of which LLVM's templates make many: a tenth of the library.
  if(NESO_DIST AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    include(CheckLinkerFlag)
    check_linker_flag(C "-fuse-ld=gold;-Wl,--icf=safe" NESO_LINKER_FOLDS)
    if(NESO_LINKER_FOLDS)
      list(APPEND NESO_LLVM_LINK -fuse-ld=gold -Wl,--icf=safe)
    endif()
  endif()
else()
  list(APPEND NESO_LLVM_LINK -Wl,-rpath,${folder})
endif()
set(NESO_LLVM_FOUND TRUE)
message(STATUS "LLVM ${NESO_LLVM_VERSION}: ${NESO_LLVM_CONFIG}")
