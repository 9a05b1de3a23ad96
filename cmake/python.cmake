# The Python package: its files beside the extension, in <build>/python/neso, usable with PYTHONPATH=<build>/python.
# One extension for every CPython from 3.10 on (limited API). Left out where Python's headers are not there.
find_package(Python3 3.10 COMPONENTS Interpreter Development.Module)
if(NOT Python3_Development.Module_FOUND)
  message(STATUS "Python's headers (3.10 or newer) were not found: the Python package is not built")
  return()
endif()

set(python_out ${PROJECT_BINARY_DIR}/python/neso)
file(GLOB extension_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/ext/*.c)
add_library(neso_python MODULE ${extension_sources})
target_include_directories(neso_python SYSTEM PRIVATE ${Python3_INCLUDE_DIRS})
# Of the library's own headers it may include jit/rules.h (scripts/check-includes).
target_include_directories(neso_python PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(neso_python PRIVATE neso)
# libneso.so lies beside the extension in a wheel, and in the build folder here. No path is absolute: the extension of a build folder may
# be copied, as make wheel does.
set_target_properties(neso_python PROPERTIES
  PREFIX "" OUTPUT_NAME _native SUFFIX .abi3.so LIBRARY_OUTPUT_DIRECTORY ${python_out}
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN;$ORIGIN/../..")
if(APPLE)
  target_link_options(neso_python PRIVATE -undefined dynamic_lookup)
endif()

file(GLOB_RECURSE python_files RELATIVE ${PROJECT_SOURCE_DIR}/python CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/python/neso/*.py ${PROJECT_SOURCE_DIR}/python/neso/*.pyi ${PROJECT_SOURCE_DIR}/python/neso/py.typed)
set(python_copies)
foreach(file IN LISTS python_files)
  add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/python/${file}
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/python/${file} ${PROJECT_BINARY_DIR}/python/${file}
    DEPENDS ${PROJECT_SOURCE_DIR}/python/${file}
    VERBATIM)
  list(APPEND python_copies ${PROJECT_BINARY_DIR}/python/${file})
endforeach()
add_custom_target(neso_python_files ALL DEPENDS ${python_copies})

# What pip install . puts beside the Python files (pyproject.toml): all libraries in one folder, each one file.
set(wheel_parts neso_python neso)
foreach(name codegen remote)
  if(TARGET neso-${name})
    list(APPEND wheel_parts neso-${name})
  endif()
endforeach()
add_custom_target(neso_wheel_parts DEPENDS ${wheel_parts})
if(SKBUILD)
  set_target_properties(neso PROPERTIES VERSION ${NESO_ABI})
  set_target_properties(neso_python PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${wheel_parts} LIBRARY DESTINATION neso NAMELINK_SKIP COMPONENT python EXCLUDE_FROM_ALL)
endif()

# wheel: one file for every CPython from 3.10 on, with libneso.so in it, and libneso-codegen.so and libneso-remote.so.
set(NESO_WHEEL_OUT ${PROJECT_SOURCE_DIR}/dist CACHE PATH "Where the wheel goes")
set(wheel_more)
set(wheel_needs)
foreach(name codegen remote)
  if(TARGET neso-${name})
    list(APPEND wheel_more --${name} $<TARGET_FILE:neso-${name}>)
    list(APPEND wheel_needs neso-${name})
  endif()
endforeach()
add_custom_target(neso_wheel
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/python/wheel.py --version ${PROJECT_VERSION}
    --package ${PROJECT_SOURCE_DIR}/python/neso --extension $<TARGET_FILE:neso_python>
    --library $<TARGET_FILE:neso> --soname $<TARGET_SONAME_FILE_NAME:neso>
    --license ${PROJECT_SOURCE_DIR}/LICENSE --readme ${PROJECT_SOURCE_DIR}/docs/python.md
    --name ${PROJECT_SOURCE_DIR}/python/named/triton/__init__.py
    --machine ${CMAKE_SYSTEM_PROCESSOR} --strip ${CMAKE_STRIP} --out ${NESO_WHEEL_OUT} ${wheel_more}
  DEPENDS neso_python neso neso_python_files ${wheel_needs}
  VERBATIM)
