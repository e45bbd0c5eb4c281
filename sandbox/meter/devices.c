/*
 * Whoever starts a sandbox as root gives it device files that root owns: inside, they belong to the program, which could
 * change their mode and times, and with them the machine's. A mount that is read-only forbids that, while the devices can
 * still be written. bwrap keeps the flag when it binds them; it cannot set it without making them unusable.
 */
#define _GNU_SOURCE
#include "meter.h"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

void launch_with_guarded_devices(char **command) {
    static const char *const devices[] = {
        "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty",
    };
    if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0) { /* a root that may not do it owns no devices that matter */
        if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) die("/");
        for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
            const char *path = devices[i];
            if (access(path, F_OK) != 0) continue;
            if (mount(path, path, NULL, MS_BIND, NULL) != 0) die(path);
            if (mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NOEXEC, NULL) != 0) die(path);
        }
    }
    execv(command[0], command);
}
