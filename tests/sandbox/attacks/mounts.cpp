// attack: mounts, unmounts, moves and remounts, with the old calls and with the new ones
// must: accepted
// prints: DENIED
#include <cstdio>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>
#define CANARY_UNLESS_REFUSED(call) if ((call) >= 0) puts("CANARY " #call)
int main() {
    CANARY_UNLESS_REFUSED(mount("none", "/tmp", "tmpfs", 0, nullptr));
    CANARY_UNLESS_REFUSED(mount("/", "/tmp", nullptr, MS_BIND, nullptr));
    CANARY_UNLESS_REFUSED(mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND, nullptr));
    CANARY_UNLESS_REFUSED(mount("proc", "/tmp", "proc", 0, nullptr));
    CANARY_UNLESS_REFUSED(mount("cgroup2", "/tmp", "cgroup2", 0, nullptr));
    CANARY_UNLESS_REFUSED(umount2("/usr", MNT_DETACH));
    CANARY_UNLESS_REFUSED(umount2("/proc", MNT_DETACH));
    CANARY_UNLESS_REFUSED(umount2("/tmp", MNT_FORCE));
    CANARY_UNLESS_REFUSED(chroot("/tmp"));
    CANARY_UNLESS_REFUSED(syscall(SYS_pivot_root, "/tmp", "/tmp"));
    CANARY_UNLESS_REFUSED(syscall(428, AT_FDCWD, "/", 1));              // open_tree
    CANARY_UNLESS_REFUSED(syscall(429, AT_FDCWD, "/", AT_FDCWD, "/tmp", 0)); // move_mount
    CANARY_UNLESS_REFUSED(syscall(430, "tmpfs", 0));                    // fsopen
    CANARY_UNLESS_REFUSED(syscall(433, AT_FDCWD, "/", 0));              // fspick
    CANARY_UNLESS_REFUSED(syscall(442, AT_FDCWD, "/", 0, nullptr, 0));  // mount_setattr
    CANARY_UNLESS_REFUSED(open("/usr/probe", O_CREAT | O_WRONLY, 0600));
    puts("DENIED");
}
