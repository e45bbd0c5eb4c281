// attack: puts a filter of its own over the sandbox's, which allows everything, and asks to answer calls by itself
// must: accepted
// prints: DENIED
#include <cstdio>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>
int main() {
    sock_filter allow[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    sock_fprog all = {1, allow};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_DISABLED, nullptr);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all);
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1 << 3 /* NEW_LISTENER */, &all);
    prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 2, 0, 0, 0);
    if (ptrace(PTRACE_SEIZE, 1, nullptr, nullptr) >= 0) puts("CANARY ptrace");
    if (syscall(SYS_unshare, 0x10000000) >= 0) puts("CANARY unshare");
    if (prctl(PR_GET_SECCOMP) != 2) puts("CANARY no filter");
    puts("DENIED");
    fflush(stdout);
}
