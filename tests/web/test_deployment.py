"""What the files of deploy/ and the workflows promise to those who use them as they are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")

from arena.web.app import MAX_FORM_BYTES, MAX_HEAD_BYTES, UPLOADS
from arena.web.backend import WebSettings
from arena.web.server import MAX_CONNECTIONS
from tests.bots.isolation.inside import need_sandbox

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CADDY = shutil.which("caddy")


# A machine for root's commands whose users, /srv and ports are its own and vanish with it. Its systemctl runs what the
# unit's ExecStart says, as the unit's user.
_MACHINE = """
mount -t tmpfs -o mode=755 tmpfs /srv
mkdir /srv/etc /srv/python /srv/libraries
cp -a /etc/. /srv/etc
mount --bind /srv/etc /etc
mount --bind "$BASE" /srv/python
mount --bind "$LIBRARIES" /srv/libraries
mkdir -p /etc/systemd/system
runuser -u nobody -- python3 -c 'import numpy, uvicorn' && runuser -u nobody -- bwrap --ro-bind / / true || exit 77
python3 -c 'import fcntl, socket; fcntl.ioctl(socket.socket(), 0x8914, b"lo" + bytes(14) + b"\\1" + bytes(15))' # lo up
of_unit() { sed -n "s/^$1=//p" /etc/systemd/system/arena.service; }
systemctl() {
    test "$*" = "enable --now arena"
    (cd "$(of_unit WorkingDirectory)" && exec runuser -u "$(of_unit User)" -- $(of_unit ExecStart)) &
}
"""
_ASK = """
import time, urllib.request
for attempt in range(600):
    try:
        print("the page:", urllib.request.urlopen("http://127.0.0.1:8000/").read().decode())
        break
    except OSError:
        time.sleep(0.2)
"""


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.sandbox
def test_the_page_for_systemd_by_the_letter(tmp_path: Path) -> None:
    """As another user, who can neither read nor write the checkout. The engine is not compiled, to save a minute."""
    need_sandbox()
    pytest.importorskip("setuptools", minversion="77")
    apart = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")
    programs = ("unshare", "runuser", "useradd")
    if os.geteuid() != 0 or not all(map(shutil.which, programs)) or subprocess.run([*apart, "true"]).returncode:
        pytest.skip(f"needs root, namespaces, and {', '.join(programs)}")
    if not (ROOT / "arena").exists():
        pytest.skip("needs a checkout")
    checkout = tmp_path / "checkout"
    for name in ("arena", "bots", "configs", "deploy", "examples"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.c"))
    for path in filter(Path.is_file, ROOT.iterdir()):
        shutil.copy(path, checkout)
    checkout.chmod(0o700)
    text = (ROOT / "docs" / "howto" / "deployment.md").read_text(encoding="utf-8")
    block = re.search(r"## With systemd\n.*?```bash\n(.*?)```", text, re.DOTALL)
    assert block
    script = f"{_MACHINE}{block[1]}python3 -c '{_ASK}'\nstat -c 'by %U' leagues/open/web.sqlite"
    environment = {
        "BASE": sys.base_prefix,
        "LIBRARIES": sysconfig.get_path("purelib"),
        "HOME": "/root",
        "PATH": "/srv/python/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "LD_LIBRARY_PATH": "/srv/python/lib",
        "PYTHONPATH": "/srv/libraries",  # what pip would fetch
        "ARENA_NO_COMPILE": "1",
        "PIP_FORCE_REINSTALL": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
    }
    command = [*apart, "bash", "-euxc", script]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=600)
    if done.returncode == 77:
        pytest.skip("other users cannot run this Python or start a sandbox")
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
    assert "– open</title>" in done.stdout
    assert "sign-in#token=" in done.stdout
    assert "by arena" in done.stdout


def test_the_proxy_sends_complete_forms_and_no_more_than_the_server_takes() -> None:
    text = (DEPLOY / "Caddyfile").read_text()
    sizes = dict(re.findall(r"(@?\w+) (?:\{\n\t\tmax_size )?(\d+)(?:MB|KB|KiB)\n", text))
    assert f"@uploads path {' '.join(UPLOADS)}\n" in text
    assert int(sizes["@uploads"]) * 1_000_000 > (WebSettings().upload_mb << 20) + MAX_FORM_BYTES
    assert int(sizes["@others"]) << 10 == int(sizes["request_buffers"]) << 10 == MAX_FORM_BYTES
    assert int(sizes["max_header_size"]) * 1000 <= MAX_HEAD_BYTES
    most = re.search(r"max_conns_per_host (\d+)", text)
    assert most
    assert int(most[1]) < MAX_CONNECTIONS


@pytest.mark.skipif(CADDY is None, reason="Caddy is not installed")
def test_caddy_takes_its_file() -> None:
    assert CADDY
    command = [CADDY, "adapt", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")]
    assert subprocess.run(command, env={"LEAGUE_HOST": "league.test"}, stdout=subprocess.DEVNULL).returncode == 0
