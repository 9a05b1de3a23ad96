/* A command that others wait for ends with them: work that nobody takes is not gone on with.
 *
 * Signals need nothing of the kind: their own action ends the process, the system ends the
 * assembler with it, and what the library writes has no name until it is whole. */
#include "cli/cli.h"

#include <signal.h>
#include <unistd.h>

static pid_t parent; /* 0: the command was sent away from whoever started it, or its parent ended already */

static bool is_ignored(int signal_number)
{
	struct sigaction now;
	return sigaction(signal_number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* nohup has SIGHUP ignored, and a shell SIGINT for what it runs in the background without job
 * control. */
void follow_parent(void)
{
	bool alone = is_ignored(SIGHUP) || is_ignored(SIGINT) || getsid(0) == getpid();
	pid_t now = getppid();
	parent = alone || now == 1 ? 0 : now;
}

bool parent_lives(void *unused)
{
	(void)unused;
	return !parent || getppid() == parent;
}
