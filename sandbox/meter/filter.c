/*
 * The system calls that a payload may not make: what reaches beyond a process, what leaves something behind for the
 * next run, and what has often had holes in the kernel. Everything else is allowed, threads and children included.
 */
#define _GNU_SOURCE
#include "meter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#else
#error "The filter knows x86_64 and aarch64."
#endif

/* Numbers that are the same on both machines, for headers that are older than the calls. */
enum {
    NR_PIDFD_GETFD = 438, NR_PROCESS_MADVISE = 440, NR_MOUNT_SETATTR = 442, NR_QUOTACTL_FD = 443,
    NR_MEMFD_SECRET = 447, NR_OPEN_TREE_ATTR = 467,
};

#define NAMESPACES                                                                                                  \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)

static const int denied[] = {
    /* other processes, and what the meter relies on */
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, NR_PROCESS_MADVISE, NR_PIDFD_GETFD, SYS_kcmp,
    SYS_move_pages, SYS_migrate_pages, SYS_perf_event_open, SYS_sched_setaffinity, SYS_ioprio_set,
    /* namespaces and mounts */
    SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_move_mount, SYS_open_tree,
    SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, NR_MOUNT_SETATTR, NR_OPEN_TREE_ATTR, SYS_open_by_handle_at,
    SYS_fanotify_init,
    /* what outlives a process */
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_semget, SYS_semop,
    SYS_semctl, SYS_semtimedop, SYS_mq_open, SYS_add_key, SYS_request_key, SYS_keyctl,
    /* memory that no resident set shows */
    SYS_memfd_create, NR_MEMFD_SECRET,
    /* parts of the kernel that have often had holes */
    SYS_bpf, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_userfaultfd,
    /* the machine */
    SYS_kexec_load, SYS_kexec_file_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_reboot, SYS_swapon,
    SYS_swapoff, SYS_acct, SYS_quotactl, NR_QUOTACTL_FD, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex,
    SYS_clock_adjtime, SYS_sethostname, SYS_setdomainname, SYS_syslog, SYS_vhangup,
#ifdef __x86_64__
    SYS_iopl, SYS_ioperm, SYS_modify_ldt,
#endif
};

/* Allowed only upon the caller itself: the meter has the same user, and could be starved otherwise. */
static const int only_on_self[] = {
    SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr,
};

static const unsigned socket_families[] = {AF_UNIX, AF_INET, AF_INET6};

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define BLOCK 8

static struct sock_filter program[512];
static unsigned short length;

static void add(uint16_t code, uint32_t operand, uint8_t if_true, uint8_t if_false) {
    program[length++] = (struct sock_filter){code, if_true, if_false, operand};
}

static void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }

/* Every argument is a word of 64 bits of which the kernel looks at the lower half in the calls below. */
static void load_argument(int number) { load(offsetof(struct seccomp_data, args) + 8 * (size_t)number); }

static void answer(uint32_t action) { add(BPF_RET | BPF_K, action, 0, 0); }

static void refuse(int number) { answer(SECCOMP_RET_ERRNO | (uint32_t)number); }

/* Unless the system call is this one, the next `count` instructions are passed over. */
static void for_call(int number, uint8_t count) { add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, count); }

static int by_number(const void *left, const void *right) { return *(const int *)left - *(const int *)right; }

/* For each new filter the kernel looks at what becomes of every call there is, so whole blocks are passed over at once. */
static void filter_denied(void) {
    int numbers[LENGTH(denied)];
    memcpy(numbers, denied, sizeof denied);
    qsort(numbers, LENGTH(numbers), sizeof *numbers, by_number);
    for (size_t first = 0; first < LENGTH(numbers); first += BLOCK) {
        size_t count = LENGTH(numbers) - first < BLOCK ? LENGTH(numbers) - first : BLOCK;
        uint8_t length_of_block = (uint8_t)(2 * count);
        add(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)numbers[first + count - 1], (uint8_t)(length_of_block + 1), 0);
        add(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)numbers[first], 0, length_of_block);
        for (size_t i = first; i < first + count; i++) {
            for_call(numbers[i], 1);
            refuse(EPERM);
        }
    }
}

/* That of another process is the meter's; and the one on core files keeps the machine's handler of crashes away. */
static void filter_limits(void) {
    for_call(SYS_setrlimit, 4);
    load_argument(0);
    add(BPF_JMP | BPF_JEQ | BPF_K, RLIMIT_CORE, 0, 1);
    refuse(EPERM);
    answer(SECCOMP_RET_ALLOW);
    for_call(SYS_prlimit64, 10);
    load_argument(0);
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 7);
    load_argument(1);
    add(BPF_JMP | BPF_JEQ | BPF_K, RLIMIT_CORE, 0, 4);
    load_argument(2); /* a pointer to the new limit, both halves of it */
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
    load(offsetof(struct seccomp_data, args) + 8 * 2 + 4);
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    answer(SECCOMP_RET_ALLOW);
    refuse(EPERM);
}

static void filter_arguments(void) {
    for (size_t i = 0; i < LENGTH(only_on_self); i++) {
        for_call(only_on_self[i], 4);
        load_argument(0);
        add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
        answer(SECCOMP_RET_ALLOW);
        refuse(EPERM);
    }
    for_call(SYS_setpriority, 6); /* its first argument, 0, says that the second is a process; that, 0, is itself */
    load_argument(0);
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
    load_argument(1);
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    answer(SECCOMP_RET_ALLOW);
    refuse(EPERM);

    for_call(SYS_clone, 4);
    load_argument(0);
    add(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 1, 0);
    answer(SECCOMP_RET_ALLOW);
    refuse(EPERM);
    for_call(SYS_clone3, 1); /* its flags lie in memory, where no filter looks; libraries fall back to clone */
    refuse(ENOSYS);

    for_call(SYS_mmap, 4); /* what huge pages hold is in no resident set */
    load_argument(3);
    add(BPF_JMP | BPF_JSET | BPF_K, MAP_HUGETLB, 0, 1);
    refuse(ENOMEM);
    answer(SECCOMP_RET_ALLOW);

    /* The kernel is not even asked for other families and protocols: it would load modules for them. */
    for_call(SYS_socketpair, 4);
    load_argument(0);
    add(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 1);
    answer(SECCOMP_RET_ALLOW);
    refuse(EAFNOSUPPORT);
    for_call(SYS_socket, LENGTH(socket_families) + 8);
    load_argument(0);
    add(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 4); /* libraries look for addresses of the machine there */
    load_argument(2);
    add(BPF_JMP | BPF_JEQ | BPF_K, NETLINK_ROUTE, 0, 1);
    answer(SECCOMP_RET_ALLOW);
    refuse(EPROTONOSUPPORT);
    for (size_t i = 0; i < LENGTH(socket_families); i++) {
        add(BPF_JMP | BPF_JEQ | BPF_K, socket_families[i], (uint8_t)(LENGTH(socket_families) - i), 0);
    }
    refuse(EAFNOSUPPORT);
    answer(SECCOMP_RET_ALLOW);
}

int install_filter(void) {
    length = 0;
    load(offsetof(struct seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0);
    answer(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000U, 0, 1); /* the x32 table has other numbers for the same calls */
    refuse(ENOSYS);
#endif
    filter_denied();
    filter_limits();
    filter_arguments();
    answer(SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {length, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 ? 0 : errno;
}
