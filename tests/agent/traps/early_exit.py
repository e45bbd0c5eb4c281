"""Every check leaves its name in the log, also those after the first that failed."""


def all_pass(checks, log):
    passed = True
    for name, result in checks:
        if name not in log:
            log.append(name)
        passed = passed and result
    return passed


if __name__ == "__main__":
    log = []
    print(all_pass([("check %d" % number, True) for number in range(1500)], log), len(log))
    print(all_pass([("size", True), ("form", True), ("date", False)], log), log[-3:])
