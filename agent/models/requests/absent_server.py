"""Finds out, without sending anything, that nothing listens where a model on this machine should be."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

LONGEST_S = 1.0


def refused_connection(server: str) -> str:
    """Why a server on this machine cannot be there; empty: it can, or that is not known.

    Only a refused connection says so. Other machines are left alone: a proxy may stand between, or a network that is
    slow today.

    Args:
        server: host, port and path of an API.
    """
    try:
        parts = urlsplit(f"//{server}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    if port is None or not _is_here(host) or (getproxies() and not proxy_bypass(host)):
        return ""
    try:
        socket.create_connection((host, port), LONGEST_S).close()
    except ConnectionRefusedError as error:
        return str(error)
    except OSError:
        return ""
    return ""


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
