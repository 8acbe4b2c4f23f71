"""The progress file in every state that a file can be in."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from kubekata.grading.result import KataResult
from kubekata.practice import attempts, hints
from kubekata.practice.store import Store, StoreUnavailable, open_store, opening
from kubekata.practice.store.opening import FILE
from kubekata.practice.store.schema import STEPS, VERSION
from tests.cli.conftest import ROOT

RESULT = KataResult("kata-01", "Double", "katas/kata-01-double/kata.py", 40, passed=False, pass_mark=80)


def opened(home: Path) -> Store:
    store = open_store(home, write=True)
    assert store is not None
    return store


def fill(home: Path, count: int = 1) -> None:
    with opened(home) as store:
        for number in range(count):
            attempts.record(store, RESULT, f"x = {number}\n")


def python(code: str, *arguments: str | Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


class TestRemembering:
    def test_an_attempt_comes_back_whole(self, tmp_path: Path) -> None:
        with opened(tmp_path) as store:
            hints.take(store, "kata-01", 1)
            made = attempts.record(store, RESULT, "x = 'é'\r\n")
            assert attempts.history(store, "kata-01") == [made]
            assert attempts.text(store, made.id) == "x = 'é'\r\n"
            assert attempts.result(store, made.id) == RESULT
            assert (made.hints, made.score, made.passed) == (1, 40, False)

    def test_work_counts_from_the_last_sign_of_it_and_breaks_do_not(self, tmp_path: Path) -> None:
        with opened(tmp_path) as store:
            assert attempts.record(store, RESULT, "").worked == 0, "nobody knows when it began"
            store.change("UPDATE attempts SET at = at - 7200")
            assert attempts.record(store, RESULT, "").worked == 0, "that was a break"
            attempts.visit(store, "kata-01")
            store.change("UPDATE attempts SET at = at - 7200")
            store.change("UPDATE visits SET at = at - 300")
            assert attempts.record(store, RESULT, "").worked == pytest.approx(300, abs=30)

    def test_reading_makes_nothing(self, tmp_path: Path) -> None:
        assert open_store(tmp_path / "new", write=False) is None
        assert not (tmp_path / "new").exists()

    def test_the_folder_ignores_itself(self, tmp_path: Path) -> None:
        fill(tmp_path / "home")
        assert (tmp_path / "home/.gitignore").read_text() == "*\n"

    def test_it_is_one_file_in_wal_mode(self, tmp_path: Path) -> None:
        with opened(tmp_path) as store:
            assert store.row("PRAGMA journal_mode")[0] == "wal"
            assert store.row("PRAGMA user_version")[0] == VERSION


class TestVersions:
    def test_steps_that_a_file_has_not_seen_are_taken(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fill(tmp_path)
        monkeypatch.setattr(opening, "STEPS", (*STEPS, ("ALTER TABLE attempts ADD COLUMN mood TEXT",)))
        monkeypatch.setattr(opening, "VERSION", VERSION + 1)
        store = open_store(tmp_path, write=False)
        assert store is not None
        with store:
            assert store.row("SELECT mood FROM attempts")["mood"] is None
            assert store.row("PRAGMA user_version")[0] == VERSION + 1

    def test_a_step_that_fails_changes_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fill(tmp_path)
        broken = ("ALTER TABLE attempts ADD COLUMN mood TEXT", "ALTER TABLE nowhere ADD COLUMN x TEXT")
        with monkeypatch.context() as patch:
            patch.setattr(opening, "STEPS", (*STEPS, broken))
            patch.setattr(opening, "VERSION", VERSION + 1)
            with pytest.raises(StoreUnavailable):
                opened(tmp_path)
        with opened(tmp_path) as store:
            assert len(attempts.history(store)) == 1
            assert "mood" not in dict(store.row("SELECT * FROM attempts"))

    @pytest.mark.parametrize("write", [True, False])
    def test_a_newer_file_is_refused_and_left_alone(self, tmp_path: Path, write: bool) -> None:
        fill(tmp_path)
        with opened(tmp_path) as store:
            store.change(f"PRAGMA user_version = {VERSION + 1}")
        before = (tmp_path / FILE).read_bytes()
        with pytest.raises(StoreUnavailable, match="newer kubekata"):
            open_store(tmp_path, write=write)
        assert (tmp_path / FILE).read_bytes() == before


class TestDamage:
    @pytest.mark.parametrize("write", [True, False])
    @pytest.mark.parametrize("how", ["text", "torn", "zeros"])
    def test_a_damaged_file_is_kept_and_a_fresh_one_begun(
        self, tmp_path: Path, how: str, write: bool
    ) -> None:
        fill(tmp_path, 50)
        path = tmp_path / FILE
        whole = path.read_bytes()
        damaged = {
            "text": b"this is no database, and it is longer than a header of one has to be. " * 9,
            "torn": whole[: len(whole) // 2],
            "zeros": whole[:100] + bytes(4096) + whole[4196:],
        }[how]
        path.write_bytes(damaged)
        notices = []
        # A look at the head of a torn file may find nothing; whoever writes next checks all of it.
        for writes in (write, True):
            store = open_store(tmp_path, write=writes)
            assert store is not None
            with store:
                notices.append(store.notice)
        assert "was damaged" in "".join(notices)
        with opened(tmp_path) as store:
            assert attempts.history(store) == []
        (kept,) = tmp_path.glob("progress.damaged-*.sqlite3")
        assert kept.read_bytes() == damaged
        with opened(tmp_path) as store:
            assert store.notice == ""

    def test_two_terminals_keep_it_once(self, tmp_path: Path) -> None:
        (tmp_path / FILE).write_bytes(b"damaged" * 100)

        def begin() -> None:
            with opened(tmp_path) as store:
                attempts.record(store, RESULT, "x = 1\n")

        threads = [threading.Thread(target=begin) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(list(tmp_path.glob("progress.damaged-*.sqlite3"))) == 1
        with opened(tmp_path) as store:
            assert len(attempts.history(store)) == 4


class TestAdversity:
    def test_two_terminals_at_once(self, tmp_path: Path) -> None:
        code = """
            import sys
            from pathlib import Path
            from tests.practice.test_store import fill
            fill(Path(sys.argv[1]), 40)
        """
        running = [python(code, tmp_path) for _ in range(2)]
        for process in running:
            _, errors = process.communicate(timeout=120)
            assert process.returncode == 0, errors
        with opened(tmp_path) as store:
            assert len(attempts.history(store)) == 80

    def test_kill_in_the_middle_of_a_write(self, tmp_path: Path) -> None:
        fill(tmp_path)
        code = """
            import sys, time
            from pathlib import Path
            from kubekata.practice.store import open_store
            store = open_store(Path(sys.argv[1]), write=True)
            with store.transaction():
                store.add("visits", kata="kata-01", at=1.0)
                print("written", flush=True)
                time.sleep(600)
        """
        process = python(code, tmp_path)
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == "written\n"
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with opened(tmp_path) as store:
            assert store.notice == ""
            assert store.rows("SELECT * FROM visits") == []
            assert len(attempts.history(store)) == 1

    def test_a_disk_that_is_full(self, tmp_path: Path) -> None:
        fill(tmp_path)
        code = """
            import resource, signal, sqlite3, sys
            from pathlib import Path
            from kubekata.practice.store import open_store
            from kubekata.practice.store.opening import reason
            from tests.practice.test_store import RESULT, attempts
            home = Path(sys.argv[1])
            with open_store(home, write=True) as store:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
                try:
                    attempts.record(store, RESULT, "x" * 100_000)
                except sqlite3.Error as error:
                    print(reason(error, home / "progress.sqlite3"))
        """
        process = python(code, tmp_path)
        printed, errors = process.communicate(timeout=60)
        assert "the disk is full" in printed, errors
        with opened(tmp_path) as store:
            assert len(attempts.history(store)) == 1

    def test_a_lock_that_somebody_holds(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fill(tmp_path)
        monkeypatch.setattr(opening, "_WAIT_FOR_OTHERS", 0.1)
        with opened(tmp_path) as holder, opened(tmp_path) as other:
            holder.change("BEGIN IMMEDIATE")
            with pytest.raises(sqlite3.OperationalError) as caught:
                attempts.record(other, RESULT, "x = 1\n")
            assert "another terminal" in opening.reason(caught.value, tmp_path / FILE)

    def test_a_place_that_is_no_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        with pytest.raises(StoreUnavailable, match="KUBEKATA_HOME"):
            open_store(tmp_path / "file/home", write=True)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_a_folder_that_may_not_be_written(self, tmp_path: Path) -> None:
        fill(tmp_path)
        tmp_path.chmod(0o555)
        try:
            with pytest.raises(StoreUnavailable, match="cannot be written"):
                open_store(tmp_path, write=True)
            store = open_store(tmp_path, write=False)
            assert store is not None
            with store:
                assert len(attempts.history(store)) == 1
        finally:
            tmp_path.chmod(0o755)
