/* arc4random of our own, for LLVM's static libraries: Debian builds them against glibc 2.36, which has it, and nothing else
 * in the library needs one newer than 2.34. LLVM draws names of temporary files with it. */
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

uint32_t arc4random(void);

uint32_t arc4random(void)
{
	uint32_t value = 0;
	int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return (uint32_t)getpid();
	if (read(file, &value, sizeof value) != (ssize_t)sizeof value)
		value ^= (uint32_t)getpid();
	close(file);
	return value;
}
