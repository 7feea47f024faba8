"""What a sandboxed process sees, may write and inherits; and that there is no sandbox but a whole one."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.bots.isolation import sandbox
from arena.bots.isolation.sandbox import SandboxMissing, SandboxRefused, check_folder, sandboxed
from arena.bots.limits import BotLimits
from tests.bots.isolation.inside import PROGRAM, confined, learn, need_sandbox, run

READ_ONLY = "OSError 30"


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot's folder, with a neighbour that is none of its business."""
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.py").write_text("answer = 42", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    return folder


# ---------------------------------------------------------------- what it sees


@pytest.mark.sandbox
def test_the_file_system_holds_python_the_arena_and_the_bot(bot: Path) -> None:
    """All files and folders are walked over; what was shown on purpose is taken off, and nothing may be left."""
    packages = [entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))]
    house = Path(arena.__file__).parent
    code = f"checkout = {str(house.parent)!r}; shown = {[str(house), str(bot), *packages]!r}"
    code += """
shown += ["/proc", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/lib", "/lib32", "/lib64", "/libx32"]
shown += [os.path.join(base, name) for base in (sys.base_prefix, sys.prefix) for name in ("lib", "lib64")]
shown += ["/nix/store", "/gnu/store", *(path for path in sys.path if path not in ("", checkout))]
files = []
for root, folders, names in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(root, name) not in shown]
    files += [os.path.join(root, name) for name in names]
tell([os.getcwd(), os.listdir(), files, os.listdir(os.path.dirname(os.getcwd()))])
"""
    where, own, files, beside = learn(code, bot)
    assert (where, own, beside) == (str(bot), ["bot.py"], ["bot"])
    rest = [path for path in files if not path.startswith("/dev/") and path != "/etc/ld.so.cache"]
    known = [path for path in rest if "/bin/python" in path or path.endswith((".toml", "/pyvenv.cfg"))]
    assert sorted(set(rest) - set(known)) == []
    assert {os.path.basename(path) for path in rest if path.endswith(".toml")} >= {"iello-base.toml"}


@pytest.mark.sandbox
def test_names_with_a_dot_results_and_leagues_are_covered(bot: Path) -> None:
    (bot / ".env").write_text("secret", encoding="utf-8")
    for name in (".git", "results", "leagues", "openings"):
        (bot / name).mkdir()
        (bot / name / "file").write_text("content", encoding="utf-8")
    code = """
tell({
    "env": attempt(lambda: open(".env").read()),
    "write": attempt(lambda: open(".git/new", "w")),
    **{name: os.listdir(name) for name in (".git", "results", "leagues", "openings")},
})
"""
    assert learn(code, bot) == {
        "env": "PermissionError 13",
        "write": READ_ONLY,
        ".git": [],
        "results": [],
        "leagues": [],
        "openings": ["file"],
    }


@pytest.mark.slow
@pytest.mark.sandbox
def test_the_first_process_has_nothing_of_ours(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "secret")
    of_the_first, host = learn('tell([open("/proc/1/environ").read(), os.uname().nodename])', bot, **PROGRAM)
    assert "secret" not in of_the_first
    assert host == "sandbox"


@pytest.mark.sandbox
def test_what_bubblewrap_is_given_is_not_handed_on(bot: Path) -> None:
    ended = run(confined((sys.executable, "-I", "-c", "import os; print(os.getenv('A'))"), bot), {"A": "1"})
    assert (ended.stdout, ended.stderr) == ("None\n", "")


# ---------------------------------------------------------------- what it may do


@pytest.mark.sandbox
def test_it_is_nobody_without_rights(bot: Path) -> None:
    code = """
lines = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
tell([os.getuid(), os.getgid(), {name: int(lines[name], 16) for name in lines if name.startswith("Cap")},
      lines["NoNewPrivs"], lines["Seccomp"], attempt(lambda: os.setuid(0))])
"""
    user, group, capabilities, no_new, filtered, root = learn(code, bot, **PROGRAM)
    assert (user, group) == (65534, 65534)
    assert len(capabilities) == 5
    assert not any(capabilities.values())
    assert (no_new, filtered, root) == ("1", "2", "OSError 22")


@pytest.mark.sandbox
@pytest.mark.parametrize("more", [{}, PROGRAM], ids=["python", "other"])
def test_it_writes_nowhere(bot: Path, more: dict[str, Any]) -> None:
    code = """
written = []
for root, folders, names in os.walk("/"):
    if root.count("/") > 4 or root.endswith("/fd"):  # what lies deeper is on the same mounts; fd: its own pipes
        folders.clear()
        continue
    for path in [os.path.join(root, "m-7c1e"), *(os.path.join(root, name) for name in names[:5])]:
        try:
            with open(path, "a"): written.append(path)
        except OSError:
            pass
tell([written, attempt(lambda: os.mkdir("/m-7c1e")),
      attempt(lambda: open("bot.py", "a")), attempt(lambda: os.remove("bot.py")),
      attempt(lambda: os.chmod("/dev/null", 0o666))])
"""
    written, *others = learn(code, bot, **more)
    places = ("/dev/null", "/dev/random", "/dev/urandom", "/dev/std")
    assert [path for path in written if not path.startswith(places)] == []
    assert others == [READ_ONLY, READ_ONLY, READ_ONLY, "PermissionError 1"]
    assert learn("tell(attempt(lambda: open('/proc/sys/kernel/core_pattern', 'w')))", bot, **PROGRAM) == READ_ONLY
    assert list(bot.iterdir()) == [bot / "bot.py"]
    assert stat.S_IMODE(os.stat("/dev/null").st_mode) & 0o666 == 0o666


@pytest.mark.sandbox
def test_it_stays_on_its_processors(bot: Path) -> None:
    code = "tell([attempt(lambda: os.sched_setaffinity(0, {0})), attempt(lambda: os.nice(5))])"
    assert learn(code, bot) == ["PermissionError 1", "PermissionError 1"]


@pytest.mark.sandbox
def test_waiting_signals_are_bounded_for_each_sandbox(bot: Path) -> None:
    """All of the user's together are bounded, too: one sandbox must not be able to use them up for the others."""
    need_sandbox()
    if not sandbox.counts_inside() or not os.access("/usr/bin/prlimit", os.X_OK):
        pytest.skip("here they are not counted for a sandbox alone, or there is no prlimit")
    code = """
import ctypes, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
libc = ctypes.CDLL(None)
tell(next(n for n in range(1 << 20) if libc.sigqueue(os.getpid(), int(signal.SIGRTMIN), ctypes.c_void_p(0))))
"""
    assert learn(code, bot, limits=BotLimits(processes=50), **PROGRAM) == 50


# ---------------------------------------------------------------- bots in other languages


@pytest.mark.sandbox
def test_programs_of_the_system_run(bot: Path) -> None:
    ended = run(confined(("/bin/sh", "-c", 'read line < bot.py; echo "$line"'), bot, system=True))
    assert (ended.stdout, ended.stderr) == ("answer = 42\n", "")
    code = "import os; print([path for path in ('/etc/passwd', '/etc/hosts', '/root/.bashrc') if os.path.exists(path)])"
    for python in {"/usr/bin/python3", "/usr/local/bin/python3"}:
        if os.access(python, os.X_OK):
            ended = run(confined((python, "-I", "-c", code), bot, system=True))
            assert (ended.stdout, ended.stderr) == ("[]\n", "")


@pytest.mark.sandbox
def test_a_program_of_the_bot_runs(bot: Path) -> None:
    script = bot / "mybot"
    script.write_text("#!/bin/sh\necho hello $1\n", encoding="utf-8")
    script.chmod(0o755)
    assert run(confined((str(script), "you"), bot, system=True)).stdout == "hello you\n"


@pytest.mark.sandbox
def test_a_program_elsewhere_is_refused(bot: Path) -> None:
    need_sandbox()
    with pytest.raises(SandboxRefused, match="put the program there"):
        sandboxed(confined((str(bot.parent / "mybot"),), bot, system=True))


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("folder", "reason"),
    [
        ("/", "folder of the system"),
        ("/usr/lib", "folder of the system"),
        ("~", "home folder|folder of the system"),
        ("~/Downloads", "documents of yours"),
        ("~/nowhere", "no folder"),
    ],
)
def test_a_folder_with_more_than_a_bot_is_refused(
    folder: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "people" / "ann"
    (home / "Downloads").mkdir(parents=True)
    (home / "bots").mkdir()
    monkeypatch.setenv("HOME", str(home))
    with pytest.raises(SandboxRefused, match=reason):
        check_folder(Path(folder).expanduser())
    check_folder(home / "bots")


def test_without_bubblewrap_the_sandbox_refuses_with_the_remedy(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(bot))
    with pytest.raises(SandboxMissing, match=r"not installed \(.*bubblewrap.*--isolation process.*your files"):
        sandboxed(confined((sys.executable,), bot))


Fake = Callable[[str], None]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Put a program called `bwrap` before all others; what it does is given as a script."""

    def put(script: str) -> None:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        program = folder / "bwrap"
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    return put


def test_a_bubblewrap_that_is_not_permitted_is_named_with_its_words(bot: Path, fake: Fake) -> None:
    fake(
        'case "$1" in --version) echo bubblewrap 0.8.0;; '
        '*) echo "bwrap: No permissions to create new namespace" >&2; exit 1;; esac'
    )
    with pytest.raises(SandboxMissing, match=r"No permissions to create new namespace\).*--isolation process"):
        sandboxed(confined((sys.executable,), bot))


def test_an_old_bubblewrap_is_refused(bot: Path, fake: Fake) -> None:
    fake('case "$1" in --version) echo bubblewrap 0.4.1;; esac')
    with pytest.raises(SandboxMissing, match=r"bubblewrap 0\.4\.1 at .* is too old; install version 0\.5"):
        sandboxed(confined((sys.executable,), bot))


def test_other_systems_have_no_sandbox(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SandboxMissing, match="needs Linux"):
        sandboxed(confined((sys.executable,), bot))


@pytest.mark.sandbox
def test_root_needs_the_filter(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it root's bots could change the mode of /dev/null, which is the machine's."""
    need_sandbox()
    monkeypatch.setattr(sandbox, "has_filter", lambda: False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(SandboxMissing, match="ordinary user"):
        sandboxed(confined((sys.executable,), bot))


@pytest.mark.sandbox
@pytest.mark.parametrize("more", [{}, PROGRAM], ids=["python", "other"])
def test_the_temporary_folders_are_empty_and_take_no_file(bot: Path, more: dict[str, Any]) -> None:
    """Not even of no bytes: those would take memory of the kernel that no limit counts."""
    code = """
makers = (lambda path: open(path, "w"), os.mkdir, os.mkfifo, lambda path: os.symlink("x", path))
folders = ("/tmp", "/dev/shm")
def leftovers(folder):
    return [path for path, _, names in os.walk(folder) for name in names if not path.startswith(tuple(shown))]
tell([*map(leftovers, folders), *(attempt(lambda: make(folder + "/m-7c1e")) for folder in folders for make in makers)])
"""
    shown = [str(bot), str(Path(arena.__file__).parents[1]), *sys.path]
    code = f"shown = {[path for path in shown if path]!r}\n{code}"
    assert learn(code, bot, **more) == [[], [], *[READ_ONLY] * 8]
