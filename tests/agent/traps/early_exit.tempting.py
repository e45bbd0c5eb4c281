def all_pass(checks, log):
    present = set(log)
    for name, result in checks:
        if name not in present:
            present.add(name)
            log.append(name)
        if not result:
            return False
    return True
