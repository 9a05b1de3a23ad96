# What the compile cache needs: SHA-256 of OpenSSL's libcrypto, and zstd. Static libraries go first: little of them is used, and
# what is handed out needs nothing at run time. Sets NESO_CACHE_LINK and NESO_CACHE_INCLUDE.
find_path(NESO_CRYPTO_INCLUDE openssl/sha.h)
find_library(NESO_CRYPTO_LIBRARY NAMES libcrypto.a crypto)
find_path(NESO_ZSTD_INCLUDE zstd.h)
find_library(NESO_ZSTD_LIBRARY NAMES libzstd.a zstd)
foreach(name CRYPTO ZSTD)
  if(NOT NESO_${name}_INCLUDE OR NOT NESO_${name}_LIBRARY)
    message(FATAL_ERROR "The compile cache needs OpenSSL's libcrypto and zstd with their headers; "
      "on Debian and Ubuntu: apt-get install libssl-dev libzstd-dev")
  endif()
endforeach()
set(NESO_CACHE_INCLUDE ${NESO_CRYPTO_INCLUDE} ${NESO_ZSTD_INCLUDE})
set(NESO_CACHE_LINK ${NESO_CRYPTO_LIBRARY} ${NESO_ZSTD_LIBRARY})
