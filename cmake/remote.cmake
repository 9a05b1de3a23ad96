# libneso-remote.so, which speaks to remote caches: Redis by hiredis, HTTP (and what lies below both) by libcurl. hiredis is linked statically
# where that is there, as each release of it has another name; libcurl is the system's, so that its TLS is kept safe by the system, and is
# loaded when a remote cache is opened: what is handed out runs on systems with other libraries.
# Without them the library is not built, and a remote cache that is asked for is a warning.
#
#   NESO_REMOTE  AUTO: built where both are found; ON: must be; OFF: not looked for
set(NESO_REMOTE AUTO CACHE STRING "Build libneso-remote.so, for compile caches on other machines: AUTO, ON, OFF")
if(NESO_REMOTE STREQUAL "OFF")
  return()
endif()
find_path(NESO_HIREDIS_INCLUDE hiredis/hiredis.h)
find_library(NESO_HIREDIS_LIBRARY NAMES libhiredis.a hiredis)
find_path(NESO_CURL_INCLUDE curl/curl.h)
find_library(NESO_CURL_LIBRARY NAMES curl)
foreach(name HIREDIS CURL)
  if(NOT NESO_${name}_INCLUDE OR NOT NESO_${name}_LIBRARY)
    if(NESO_REMOTE STREQUAL "ON")
      message(FATAL_ERROR "NESO_REMOTE wants hiredis and libcurl with their headers; "
        "on Debian and Ubuntu: apt-get install libhiredis-dev libcurl4-openssl-dev")
    endif()
    message(STATUS "hiredis or libcurl was not found: libneso-remote.so, for compile caches on other machines, is not built")
    return()
  endif()
endforeach()

file(GLOB remote_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/remote/*.c)
add_library(neso-remote SHARED ${remote_sources})
target_include_directories(neso-remote PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_include_directories(neso-remote SYSTEM PRIVATE ${NESO_HIREDIS_INCLUDE} ${NESO_CURL_INCLUDE})
target_compile_definitions(neso-remote PRIVATE NESO_VERSION="${PROJECT_VERSION}")
set_target_properties(neso-remote PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/remote.map)
target_link_options(neso-remote PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/remote.map -Wl,--gc-sections -Wl,--exclude-libs,ALL)
if(NOT (CMAKE_C_FLAGS MATCHES "-fsanitize" AND CMAKE_C_COMPILER_ID MATCHES "Clang"))
  target_link_options(neso-remote PRIVATE -Wl,-z,defs)
endif()
target_include_directories(neso-remote SYSTEM PRIVATE ${NESO_CURL_INCLUDE})
target_link_libraries(neso-remote PRIVATE ${NESO_HIREDIS_LIBRARY} ${CMAKE_DL_LIBS} Threads::Threads)
install(TARGETS neso-remote LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
