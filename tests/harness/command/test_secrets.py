"""A cluster's password is in no report, recording, log, history or complaint, whichever way it was given."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.command.command_helpers import Ran, here, write
from tests.lengths import LONG

from shaketable.harness.console.values import values_of
from shaketable.node.config import DEFAULT, HIDDEN, SettingError, without_secrets
from shaketable.tui.engine.facts import again, words_of, words_without_secrets
from shaketable.tui.engine.protocol import Begin

SECRET = "not-to-be-told"
GIVEN = ("--set", "rest_enabled=true", "--set", "rest_groups=CLUSTER_READ CLUSTER_WRITE")
FAILS = """
await cluster.form("n1")
await cluster.form("n2", settings={"cluster_password": "not-to-be-told-either", "merging": False})
answer = await cluster.set_member_list("n1", ["n1", "127.0.0.1:5709"])
assert answer.ok, answer
assert (await cluster.set_member_list("n2", ["n2"])).ok
await cluster.expect(cluster.that.agree("n1", "n2"), within=0)
"""


@pytest.mark.parametrize("world", ["sim", pytest.param("real", marks=LONG)])
def test_a_run_that_fails_tells_all_but_the_password(
    world: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = here(
        capsys, "run", write(tmp_path, FAILS, name="secretive"), "--world", world, "--preset", "fast", *GIVEN,
        "--set", f"cluster_password={SECRET}", "--report", tmp_path / "out",
    )  # fmt: skip
    assert ran.code == 1, ran
    assert "n2" in ran.out
    assert SECRET not in ran.out + ran.err
    assert f"cluster_password={HIDDEN}" in ran.out.replace("'", ""), "how to do it again"
    files = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    reports = {"report.html", "report.md", "report.json", "junit.xml"}
    assert reports | {"run.json", "verdict.json", "n1.jsonl", "harness.jsonl"} <= {file.name for file in files}
    assert [file.name for file in files if SECRET.encode() in file.read_bytes()] == []


@pytest.mark.parametrize(
    "given",
    [
        [f"cluster_password={SECRET}", f"cluster_password={SECRET}2"],
        [f"cluster_pasword={SECRET}", f"cluster_passwords={SECRET}"],
        [f"hazelcast.password={SECRET}"],
        [f"cluster_password={SECRET}", "rest_groups=CLUSTER_SHUTDOWN"],
        [f"cluster_password={SECRET}", "rest_host=everywhere"],
        ["rest_groups=CLUSTER_WRITE"],
    ],
)
def test_no_complaint_about_settings_tells_it(
    given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = write(tmp_path, 'await cluster.form("n1")')
    words = [word for each in given for word in ("--set", each)]
    ran: Ran = here(capsys, "run", script, "--world", "sim", *words)
    said = ran.refused()
    assert SECRET not in said


def test_settings_do_not_show_it() -> None:
    settings = DEFAULT.with_values({"cluster_password": SECRET})
    assert SECRET not in repr(settings)
    assert settings.outside()["cluster_password"] == HIDDEN
    assert settings.with_secrets()["cluster_password"] == SECRET
    assert DEFAULT.outside()["cluster_password"] == ""
    with pytest.raises(SettingError) as refused:
        DEFAULT.with_values({"cluster_password": [SECRET]})
    assert SECRET not in str(refused.value)
    assert without_secrets({"cluster_password": SECRET, "merging": False}) == {
        "cluster_password": HIDDEN, "merging": False,
    }  # fmt: skip


def test_the_screens_show_how_to_begin_again_without_it() -> None:
    begin = Begin("real", 1, values={"cluster_password": SECRET})
    assert SECRET not in again(begin)
    assert f"cluster_password={SECRET}" in words_of(begin)


def test_no_command_line_of_ours_has_it() -> None:
    begin = Begin("real", 1, values={"cluster_password": SECRET, "merging": "false"})
    words, variables = words_without_secrets(begin)
    assert SECRET not in " ".join(words)
    assert "merging=false" in words
    assert SECRET in variables.values()


def test_it_may_come_from_a_file_or_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "password").write_text(f"{SECRET}\n")
    monkeypatch.setenv("OUR_PASSWORD", SECRET)
    for given in (f"file:{tmp_path / 'password'}", "env:OUR_PASSWORD", SECRET):
        assert values_of([f"cluster_password={given}"]) == {"cluster_password": SECRET}
    assert values_of(["cluster_name=env:OUR_PASSWORD"]) == {"cluster_name": "env:OUR_PASSWORD"}, "no secret"


def test_a_file_or_variable_without_it_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "long").write_text("x" * 5000)
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    story = write(tmp_path, 'await cluster.form("n1")')
    for given, complaint in (
        ("env:NOT_SET_ANYWHERE", "there is no variable NOT_SET_ANYWHERE"),
        (f"file:{tmp_path / 'none'}", "the file cannot be read: no such file or directory"),
        (f"file:{tmp_path}", "the file cannot be read: is a directory"),
        (f"file:{tmp_path / 'long'}", "longer than 4096 bytes"),
        (f"file:{tmp_path / 'binary'}", "no text in UTF-8"),
    ):
        here(capsys, "run", story, "--world", "sim", "--set", f"cluster_password={given}").refused(complaint)
