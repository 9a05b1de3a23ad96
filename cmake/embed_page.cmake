# Writes OUT, a C file with the files of cli/view as texts (cli/view.h). Run with cmake -P: the build needs no other
# tool. Bytes are written as numbers, so that any content passes unchanged.
set(arrays "")
foreach(name html css js)
  file(READ ${FOLDER}/page.${name} hex HEX)
  string(REGEX REPLACE "(................................................................)" "\\1\n\t" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND arrays "static const unsigned char ${name}[] = {\n\t${hex}0x00\n};\n")
endforeach()
file(WRITE ${OUT}.new
"/* Made from cli/view by cmake/embed_page.cmake. */
#include \"cli/view.h\"

${arrays}
const ViewPage view_page = {(const char *)html, (const char *)css, (const char *)js};
")
file(RENAME ${OUT}.new ${OUT})
