# Writes OUT, a C file with the SHA-256 of the files that LIST names, by their names and contents: what decides the code that is made
# of a kernel, besides LLVM. Run with cmake -P.
file(STRINGS ${LIST} files)
set(all "")
foreach(file IN LISTS files)
  file(SHA256 ${file} digest)
  get_filename_component(name ${file} NAME)
  string(APPEND all "${name} ${digest}\n")
endforeach()
string(SHA256 digest "${all}")
file(WRITE ${OUT}.new
"/* Made by cmake/source_hash.cmake. */
#include \"base/build.h\"

const char base_source_hash[] = \"${digest}\";
")
file(RENAME ${OUT}.new ${OUT})
