#!/usr/bin/env bash
# A step of action.yml: chooses the sandbox, and installs bubblewrap where it is needed.
#
#   SANDBOX      auto, docker or bubblewrap
#
# Sets the output `sandbox`.
set -euo pipefail

choose() {
    if [ "$SANDBOX" != auto ]; then
        echo "$SANDBOX"
    elif docker info >/dev/null 2>&1; then
        echo docker
    else
        echo bubblewrap
    fi
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

install_bubblewrap() {
    command -v bwrap >/dev/null && return 0
    if ! command -v apt-get >/dev/null; then
        echo "bubblewrap is missing. Install it in a step before this one, or use a runner with Docker." >&2
        return 1
    fi
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends bubblewrap
}

# Ubuntu 23.10 and newer let only programs with an AppArmor profile make user namespaces.
allow_namespaces() {
    [ "$(cat "${RESTRICTION:-/proc/sys/kernel/apparmor_restrict_unprivileged_userns}" 2>/dev/null)" = 1 ] || return 0
    profile=${PROFILES:-/etc/apparmor.d}/afterburner-bwrap
    as_root tee "$profile" >/dev/null <<PROFILE
abi <abi/4.0>,
include <tunables/global>
profile afterburner-bwrap $(command -v bwrap) flags=(unconfined) {
  userns,
}
PROFILE
    as_root apparmor_parser -r "$profile"
}

sandbox=$(choose)
if [ "$sandbox" = bubblewrap ]; then
    install_bubblewrap
    allow_namespaces
fi
echo "The sandbox is $sandbox."
echo "sandbox=$sandbox" >>"$GITHUB_OUTPUT"
