# Writes OUT, a C file with the table of front/names/lib_embed.h, from FILES. Run with cmake -P: the build needs
# no other tool. Bytes are written as numbers, so that any content passes unchanged.
set(arrays "")
set(rows "")
set(count 0)
list(SORT FILES)
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR len "${digits} / 2")
  string(REGEX REPLACE "(................................................................)" "\\1\n\t" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND arrays "static const unsigned char file_${count}[] = {\n\t${hex}0x00\n};\n")
  string(APPEND rows "\t{\"${name}\", (const char *)file_${count}, ${len}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT}.new
"/* Made from lib/ by cmake/embed.cmake. */
#include \"front/names/lib_embed.h\"

${arrays}
const FrontLibFile front_lib_files[] = {
${rows}\t{NULL, NULL, 0},
};
const size_t front_lib_count = ${count};
")
file(RENAME ${OUT}.new ${OUT})
