"""What the files of deploy/ and the workflows promise to those who use them as they are."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")

from arena.web.app import MAX_FORM_BYTES, MAX_HEAD_BYTES, UPLOADS
from arena.web.server import MAX_CONNECTIONS
from arena.web.uploads import UploadLimits

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CADDY = shutil.which("caddy")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_unit_bounds_everything_together() -> None:
    """A bot that exceeds the memory must not end the server with it, as it would by default."""
    unit = (DEPLOY / "arena.service").read_text()
    for line in ("MemoryMax=", "TasksMax=", "LimitNOFILE=", "OOMPolicy=continue", "NoNewPrivileges=yes"):
        assert f"\n{line}" in unit


def test_containers_have_limits_and_no_rights() -> None:
    services = re.split(r"\n  (?=\w+:\n)", (DEPLOY / "compose.yaml").read_text().partition("\nvolumes:")[0])[1:]
    assert [service.partition(":")[0] for service in services] == ["arena", "proxy"]
    for service in services:
        for line in ("mem_limit: ", "pids_limit: ", "cap_drop: [ALL]", "read_only: true", "no-new-privileges:true"):
            assert line in service


def test_the_proxy_sends_complete_forms_and_no_more_than_the_server_takes() -> None:
    text = (DEPLOY / "Caddyfile").read_text()
    sizes = dict(re.findall(r"(@?\w+) (?:\{\n\t\tmax_size )?(\d+)(?:MB|KB|KiB)\n", text))
    assert f"@uploads path {' '.join(UPLOADS)}\n" in text
    assert int(sizes["@uploads"]) * 1_000_000 > (UploadLimits().mb << 20) + MAX_FORM_BYTES
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


def test_actions_and_images_are_pinned_by_a_hash() -> None:
    for path in WORKFLOWS:
        for action in re.findall(r"uses: (.*)", path.read_text()):
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", action), action
    images = re.findall(r"^FROM (\S+)", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    images += re.findall(r"image: (\S+)", (DEPLOY / "compose.yaml").read_text())
    assert len(images) == 3
    for image in images:
        assert re.fullmatch(r"\S+:\S+@sha256:[0-9a-f]{64}", image), image


def test_a_job_that_may_write_installs_nothing() -> None:
    for path in WORKFLOWS:
        for job in re.split(r"\n  (?=\w+:)", path.read_text().partition("\njobs:")[2]):
            assert not (re.search(r": write\b", job) and re.search(r"\b(pip|pipx|npm|apt-get)\b", job)), job
