// attack: calls parts of the kernel that have often had holes, or that change the machine
// must: accepted
// prints: DENIED
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <initializer_list>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <unistd.h>
#define TRY(call) if ((call) >= 0) puts("CANARY " #call)
int main() {
    char room[512] = {};
    bpf_attr map = {};
    map.map_type = BPF_MAP_TYPE_ARRAY, map.key_size = 4, map.value_size = 4, map.max_entries = 1;
    TRY(syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof map));
    perf_event_attr counter = {};
    counter.type = PERF_TYPE_SOFTWARE, counter.size = sizeof counter, counter.exclude_kernel = 1;
    TRY(syscall(SYS_perf_event_open, &counter, 0, -1, -1, 0));
    TRY(syscall(SYS_userfaultfd, 1));
    TRY(syscall(425, 4, room));                        // io_uring_setup
    TRY(syscall(SYS_fanotify_init, 0, 0));
    TRY(syscall(SYS_open_by_handle_at, -100, room, 0));
    TRY(syscall(SYS_init_module, room, 1, ""));
    TRY(syscall(SYS_finit_module, 0, "", 0));
    TRY(syscall(SYS_delete_module, "loop", 0));
    TRY(syscall(SYS_kexec_load, 0, 0, nullptr, 0));
    TRY(syscall(SYS_kexec_file_load, 0, 0, 0, "", 0));
    TRY(reboot(RB_DISABLE_CAD));
    TRY(syscall(SYS_swapon, "/tmp/x", 0));
    TRY(syscall(SYS_acct, "/tmp/x"));
    TRY(syscall(SYS_quotactl, 0, "", 0, room));
    TRY(sethostname("CANARY", 6));
    TRY(setdomainname("CANARY", 6));
    timeval time = {0, 0};
    TRY(settimeofday(&time, nullptr));
    timespec moment = {0, 0};
    TRY(clock_settime(CLOCK_REALTIME, &moment));
    timex adjustment = {};
    adjustment.modes = ADJ_OFFSET;
    TRY(adjtimex(&adjustment));
    TRY(syscall(SYS_syslog, 3, room, sizeof room));
    TRY(syscall(SYS_vhangup));
#ifdef __x86_64__
    TRY(syscall(SYS_iopl, 3));
    TRY(syscall(SYS_ioperm, 0x70, 2, 1));
    TRY(syscall(SYS_modify_ldt, 0, room, sizeof room));
#endif
    puts("DENIED");
}
