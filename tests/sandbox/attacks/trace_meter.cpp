// attack: traces the meter, reads and writes its memory, and takes its descriptors, by every call that does
// must: accepted
// prints: DENIED
#include <cstdio>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#define TRY(call) if ((call) >= 0) puts("CANARY " #call)
int main() {
    char room[64];
    iovec here = {room, sizeof room}, there = {(void *)0x400000, sizeof room};
    TRY(ptrace(PTRACE_ATTACH, 1, nullptr, nullptr));
    TRY(ptrace(PTRACE_SEIZE, 1, nullptr, nullptr));
    TRY(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr));
    TRY(process_vm_readv(1, &here, 1, &there, 1, 0));
    TRY(process_vm_writev(1, &here, 1, &there, 1, 0));
    int meter = (int)syscall(SYS_pidfd_open, 1, 0);
    for (int descriptor = 0; descriptor < 32; descriptor++) TRY(syscall(438, meter, descriptor, 0)); // pidfd_getfd
    TRY(syscall(440, meter, &there, 1, 4, 0));                                                      // process_madvise
    TRY(syscall(448, meter, 0));                                                                    // process_mrelease
    TRY(syscall(SYS_kcmp, 1, getpid(), 0, 0, 0));
    TRY(syscall(SYS_move_pages, 1, 0, nullptr, nullptr, nullptr, 0));
    TRY(syscall(SYS_migrate_pages, 1, 64, room, room));
    TRY(syscall(SYS_get_robust_list, 1, &here.iov_base, &here.iov_len));
    TRY(open("/proc/1/mem", O_RDWR));
    puts("DENIED");
}
