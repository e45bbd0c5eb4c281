/* Empties what can be written, and notices what cannot be emptied, so that the next run finds nothing of this one. */
#define _GNU_SOURCE
#include "meter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define DEEPEST 200         /* one descriptor a level */
#define MOST_ENTRIES 300000 /* about a second; more than that, and a new container is cheaper */
#define MOST_FILES 65536

static int same_device(int folder, dev_t device) {
    struct stat status;
    return fstat(folder, &status) == 0 && status.st_dev == device;
}

/* Docker makes the way to a mount point as root: nobody in here can have left anything in it. */
static int belongs_to_us(int folder) {
    struct stat status;
    return fstat(folder, &status) != 0 || status.st_uid == geteuid();
}

static int is_settable(const char *attribute) {
    return strncmp(attribute, "user.", 5) == 0 || strncmp(attribute, "system.posix_acl_", 17) == 0;
}

/* Attributes, access lists, flags, times and mode of a folder that stays could carry a message, too. */
static int reset_folder(int folder, mode_t mode) {
    char names[4096];
    const struct timespec epoch[2] = {{0, 0}, {0, 0}};
    int no_flags = 0;
    ssize_t length = flistxattr(folder, names, sizeof names);
    if (length < 0 && errno != ENOTSUP) return 1;
    for (ssize_t i = 0; i < length; i += (ssize_t)strlen(names + i) + 1) {
        if (is_settable(names + i) && fremovexattr(folder, names + i) != 0) return 1;
    }
    if (ioctl(folder, FS_IOC_SETFLAGS, &no_flags) != 0 && errno != ENOTTY && errno != EOPNOTSUPP) return 1;
    return fchmod(folder, mode) != 0 || futimens(folder, epoch) != 0;
}

/* Mounts below the folder, and the way to them, stay: they are read-only or were there before. */
static int empty_at(int parent, const char *name, dev_t device, int depth, long *budget) {
    struct dirent *entry;
    int failed = 0, kept = 0;
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0 || depth > DEEPEST) {
        if (folder >= 0) close(folder);
        return 1;
    }
    if (!same_device(folder, device) || (depth > 0 && !belongs_to_us(folder))) {
        close(folder);
        return 0;
    }
    DIR *entries = fdopendir(folder);
    if (entries == NULL) die("fdopendir");
    while (!failed && (entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (--*budget < 0) failed = 1;
        else if (unlinkat(folder, entry->d_name, 0) == 0) continue;
        else if (errno == EBUSY) kept = 1; /* a mounted file */
        else if (errno != EISDIR && errno != EPERM) failed = 1;
        else {
            fchmodat(folder, entry->d_name, 0700, 0);
            failed = empty_at(folder, entry->d_name, device, depth + 1, budget);
            if (!failed && unlinkat(folder, entry->d_name, AT_REMOVEDIR) != 0) {
                kept = errno == EBUSY || errno == ENOTEMPTY;
                failed = !kept;
            }
        }
    }
    if (!failed && (kept || depth == 0)) failed = reset_folder(folder, depth == 0 ? 01777 : 0755);
    closedir(entries);
    return failed;
}

int empty_folder(const char *path) {
    struct stat status;
    long budget = MOST_ENTRIES;
    chmod(path, 0700);
    if (stat(path, &status) != 0) return 1;
    return empty_at(AT_FDCWD, path, status.st_dev, 0, &budget);
}

/* A file takes about a kilobyte of the kernel's memory even if it is empty, and no resident set shows it. */
int holds_too_many_files(const char *path) {
    struct statvfs status;
    return statvfs(path, &status) == 0 && status.f_files - status.f_ffree > MOST_FILES;
}

/* Connections linger for a minute, and counters count on, as long as the network namespace lives. */
int network_was_used(void) {
    static const char *const tables[] = {"/proc/net/dev", "/proc/net/snmp"};
    static char first[2][8192];
    char now[sizeof *first];
    int used = 0;
    for (size_t i = 0; i < 2; i++) {
        int file = open(tables[i], O_RDONLY | O_CLOEXEC);
        if (file < 0) continue; /* a kernel without network */
        ssize_t got = read(file, now, sizeof now - 1);
        close(file);
        now[got < 0 ? 0 : got] = 0;
        if (*first[i] == 0) memcpy(first[i], now, sizeof now);
        used |= strcmp(first[i], now) != 0;
    }
    return used;
}
