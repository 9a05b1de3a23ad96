/* What arrived at the driver that is not there, for programs in other languages. */
#include <stdint.h>
int look_begin(void);
uint64_t look_argument(int index);
uint32_t look_grid(int axis);
