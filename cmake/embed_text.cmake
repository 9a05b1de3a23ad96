# Writes OUT, a C file with the text of FILE as an array NAME, which HEADER declares.
file(READ ${FILE} hex HEX)
string(REGEX REPLACE "(................................................................)" "\\1\n\t" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE ${OUT}.new "/* Made by cmake/embed_text.cmake. */
#include \"${HEADER}\"

const char ${NAME}[] = {
\t${hex}0x00
};
")
file(RENAME ${OUT}.new ${OUT})
