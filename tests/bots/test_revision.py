"""Bots from commits: named, read, played, and refused in sentences."""

import os
import shutil
from pathlib import Path

import pytest

from arena.bots.bundle import read_bundle
from arena.bots.faults import BotError
from arena.bots.revision import _bundle_at, find_revision, history, missing_files
from arena.bots.spec import find_bot, find_bots
from arena.errors import ArenaError, BotWarning
from arena.lab.single_game import play_game
from arena.lab.tournament import run_tournament
from arena.league.submission import named_bot, read_submission, submission_of
from arena.tournament.bot_list import command_field
from arena.tournament.config import ConfigError, load_config
from tests.repository import Repository

BOT = "class Mybot:\n    def act(self, view, moves):\n        return moves[{number}]\n"


@pytest.fixture
def repository(tmp_path, monkeypatch):
    if shutil.which("git") is None:
        pytest.skip("Git is not installed")
    monkeypatch.chdir(tmp_path)
    return Repository()


@pytest.fixture
def commits(repository):
    """Three versions of a bot, and the working file."""
    made = [repository.commit(f"take {number}", bots__mybot=BOT.format(number=number)) for number in range(3)]
    Path("bots/mybot.py").write_text(BOT.format(number=-1))
    return made


def refusal(text: str) -> str:
    with pytest.raises(BotError) as error:
        find_bot(text)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_revision_is_the_file_of_that_commit(commits):
    bot = find_bot("bots/mybot.py@HEAD~1:depth=2")
    assert bot.bundle.files["mybot.py"].content.decode() == BOT.format(number=1)
    assert bot.name == f"mybot@{bot.source_hash[:10]}:depth=2"
    assert bot.spec == f"bots/mybot.py@{commits[1]}:depth=2"
    assert (bot.labels["commit"], bot.labels["subject"]) == (commits[1], "take 1")
    assert find_bot(f"bots/mybot.py@{commits[1][:8]}").source_hash == bot.source_hash
    assert find_bot("old=bots/mybot.py@main").name == "old"
    assert find_bot(bot.spec).source_hash == bot.source_hash


def test_a_working_file_beside_its_revisions_is_named_alike(commits):
    working, old = find_bots(["bots/mybot.py", "bots/mybot.py@HEAD"])
    assert working.name == f"mybot@{working.source_hash[:10]}" != old.name
    assert (working.labels["commit"], working.labels["named"]) == ("", "bots/mybot.py")
    assert find_bots(["bots/mybot.py", "random"])[0].name == "mybot"


def test_equal_bots_are_one_row_and_nothing_is_played_of_one(commits, repository):
    repository.git("tag", "again")
    found = find_bots(["bots/mybot.py@HEAD", "bots/mybot.py@again", "random"])
    assert [bot.name.partition("@")[0] for bot in found] == ["mybot", "random"]
    assert len(find_bots(["bots/mybot.py@HEAD", "bots/mybot.py@HEAD:depth=2"])) == 2
    with pytest.raises(BotError, match="nothing changed"):
        find_bots(["bots/mybot.py@HEAD", "bots/mybot.py@again"])


def test_the_rule_of_bundles_is_the_same_over_a_commit(repository):
    repository.commit(
        "all",
        ann__ann="import helper\nimport inner.deep\n",
        ann__helper="x = 1\n",
        ann__inner____init__="",
        ann__inner__deep="y = 2\n",
        ann__unused="z = 3\n",
        **{"ann__weights.bin": "w", "ann__notes.md": "n", "ann__data__table.txt": "t", "ann__.hidden.txt": "h"},
    )
    os.symlink("weights.bin", "ann/link.bin")
    os.symlink("data", "ann/more")
    Path("ann/weights.bin").chmod(0o755)
    repository.commit("links")
    there, then = read_bundle(Path("ann/ann.py").resolve()), find_bot("ann/ann.py@HEAD").bundle
    assert (there.files, there.hash) == (then.files, then.hash)
    assert {"link.bin", "more/table.txt", "helper.py"} <= {*then.files}


def test_the_history_of_a_link_is_that_of_the_file_that_it_leads_to(repository):
    Path("bots").mkdir()
    os.symlink("../src/real.py", "bots/named.py")
    commits = [repository.commit(f"take {number}", src__real=BOT.format(number=number)) for number in range(3)]
    assert [file.commit for file in history("bots/named.py", "last-5", Path())] == commits


def test_links_out_of_the_folder_submodules_and_lfs_are_refused(repository):
    repository.commit("one", ann__ann=BOT.format(number=0), other="x = 1\n")
    os.symlink("../other.py", "ann/data.txt")
    repository.commit("link")
    assert "a link that leads out of the bot's folder" in (said := refusal("ann/ann.py@HEAD"))
    assert "arena-" not in said
    os.symlink("/etc/passwd", "out.py")
    repository.commit("out")
    assert "there is no out.py" in refusal("out.py@HEAD")
    Path("ann/data.txt").unlink()
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{repository.git('rev-parse', 'HEAD')},ann/sub")
    repository.git("commit", "-q", "-m", "sub")
    assert "has a submodule" in refusal("ann/ann.py@HEAD")
    repository.git("rm", "-q", "--cached", "ann/sub")
    repository.commit("lfs", **{"ann__big.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n"})
    assert "lies in Git LFS" in refusal("ann/ann.py@HEAD")


def test_wrong_input_is_answered_in_a_sentence(commits, repository, tmp_path, monkeypatch):
    assert "did you mean 'main'" in refusal("bots/mybot.py@mian")
    assert "there is no revision '--output=x'" in refusal("bots/mybot.py@--output=x")
    assert "there is no revision" in refusal("bots/mybot.py@HEAD\n--all")
    assert "names no revision" in refusal("bots/mybot.py@")
    assert "did you mean 'bots/mybot.py'" in refusal("bots/mybt.py@HEAD")
    assert "one is wanted here" in refusal("bots/mybot.py@HEAD~2..")
    assert "one is wanted here" in refusal("bots/mybot.py@last-2")
    for text in ("greedy@HEAD", "package.module:Class@HEAD", "cmd:python3 bots/mybot.py@HEAD"):
        assert "revision" in refusal(text)
    repository.git("mv", "-f", "bots/mybot.py", "bots/newer.py")
    Path("bots/newer.py").write_text(BOT.format(number=2))
    repository.commit("rename")
    assert "it was called bots/mybot.py then" in refusal("bots/newer.py@HEAD~1")
    assert find_bot("bots/mybot.py@HEAD~1").labels["subject"] == "take 2"
    repository.git("clone", "-q", "--depth", "1", f"file://{tmp_path}", "shallow")
    assert "git fetch --unshallow" in refusal("shallow/bots/newer.py@HEAD~2")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert "Git is not installed" in refusal("bots/newer.py@HEAD")


def test_a_file_of_settings_names_revisions_from_its_folder_or_from_here(commits, repository):
    repository.commit("other", other__bots__eve=BOT.format(number=0))
    Path("configs").mkdir()
    for folder, spec in (
        ("configs", "bots/mybot.py@HEAD"),
        ("configs", "bots/gone.py@HEAD~9"),
        ("other", "bots/eve.py@HEAD"),
    ):
        Path(folder, "cup.toml").write_text(f'bots = ["{spec}", "random"]\n')
        if "gone" in spec:
            with pytest.raises(ConfigError, match="bots, entry 1"):
                load_config(Path(folder, "cup.toml"))
        else:
            stem = Path(spec.partition("@")[0]).stem
            assert load_config(Path(folder, "cup.toml"), exist=True).bots[0].name.startswith(f"{stem}@")


def test_nothing_of_the_repository_runs_and_nothing_is_checked_out(commits, repository):
    told = Path("told")
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        hook = Path(".git/hooks", name)
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\necho {name} >> {told.resolve()}\n")
        hook.chmod(0o755)
    repository.git("config", "core.fsmonitor", f"echo monitor >> {told.resolve()}; false")
    repository.git("config", "filter.f.smudge", f"tee -a {told.resolve()}")
    Path(".gitattributes").write_text("*.py filter=f\n")
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("*") if ".git/" not in str(path)}
    _bundle_at.cache_clear()
    assert len(command_field(["bots/mybot.py@last-9", "bots/mybot.py"])) == 4
    assert not told.exists()
    assert {path: path.stat().st_mtime_ns for path in Path().rglob("*") if ".git/" not in str(path)} == before


def test_patterns_and_folders_stand_for_the_files_of_the_commit(repository):
    repository.commit("two", bots__ann=BOT.format(number=0), bots__bob=BOT.format(number=1), bots___help="x = 1\n")
    Path("bots/ann.py").unlink()
    repository.commit("one", sub__inner__eve=BOT.format(number=2))
    stems = lambda *texts: [bot.name.partition("@")[0] for bot in command_field(texts)]  # noqa: E731
    assert stems("bots/@HEAD~1") == stems("bots/*.py@HEAD~1") == ["ann", "bob"]
    assert stems("**/*.py@HEAD") == ["bob", "eve"]
    with pytest.raises(BotError, match="found no bot file"):
        command_field(["bots/x*.py@HEAD"])
    with pytest.raises(BotError, match="is for one bot"):
        command_field(["mine=bots/@HEAD~1"])


def test_a_history_has_the_commits_that_changed_the_bot(commits, repository):
    here = Path()
    Path("bots/mybot.py").write_text(BOT.format(number=2))
    repository.commit("docs", README="x = 1\n", bots__other="y = 1\n")
    subjects = lambda text: [file.about.subject for file in history("bots/mybot.py", text, here)]  # noqa: E731
    assert subjects("last-2") == ["take 1", "take 2"]
    assert subjects(f"{commits[0]}..") == ["take 1", "take 2"]
    assert subjects("last-9")[0] == "take 0"
    repository.git("tag", "last-2", commits[0])
    assert find_revision("bots/mybot.py", "last-2", here).commit == commits[0]
    with pytest.raises(BotError, match="no commit of"):
        history("bots/mybot.py", "HEAD..", here)


def test_files_that_the_commit_lacks_are_named(repository):
    repository.commit("one", bots__mybot=BOT.format(number=0))
    Path("bots/mybot_weights.bin").write_bytes(b"w")
    with pytest.warns(BotWarning, match=r"plays without mybot_weights\.bin"):
        find_bot("bots/mybot.py@HEAD")
    repository.commit("two")
    missing_files.cache_clear()
    assert missing_files(find_revision("bots/mybot.py", "HEAD~1", Path())) == []


def test_revisions_play(commits):
    game = play_game("bots/mybot.py@HEAD", "bots/mybot.py@HEAD~1", seed=1)
    assert game.plies
    run = run_tournament(["bots/mybot.py@HEAD~1", "bots/mybot.py", "random"], games=2, workers=1, isolation="process")
    rows = run.standings.set_index("bot")
    assert sorted(rows["commit"]) == sorted(["", "", commits[1]])
    assert not Path("results").joinpath(".bots").exists()


def test_a_version_is_submitted_and_the_server_reads_no_revision(commits):
    sent = read_submission("bots/mybot.py@HEAD~2", author="Ann")
    assert (sent.name, sent.entry) == ("mybot", "mybot.py")
    assert sent.files["mybot.py"].content.decode() == BOT.format(number=0)
    with pytest.raises(ArenaError, match="is not a Python file"):
        submission_of(sent.files, named_bot("mybot.py@HEAD"))
