"""Files become chaos scripts, and what is wrong with a file is one sentence that names the line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shaketable.harness.errors import UserError
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.scripts import load_scripts
from shaketable.node.core.env import MILLISECOND, SECOND

HEAD = """
from shaketable import Cluster, script
"""
GOOD = '''
@script(
    about=["settled"],
    settings={"heartbeat_interval_seconds": 1},
    expects_violation="view order",
    broken_too=["single authority"],
)
async def second_story(cluster: Cluster) -> None:
    """Its title.

    More of it."""


@script(about="settled")
async def first_story(cluster):
    pass
'''


def write(folder: Path, text: str, name: str = "stories.py") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(HEAD + text)
    return file


def refusal(*paths: Path) -> str:
    with pytest.raises(UserError) as raised:
        load_scripts(paths)
    sentence = str(raised.value)
    assert "\n" not in sentence
    return sentence


def test_scripts_come_in_the_order_of_their_lines_with_all_that_they_say(tmp_path: Path) -> None:
    second, first = load_scripts([write(tmp_path, GOOD)])
    assert (second.name, second.title, second.about) == ("second-story", "Its title.", ("settled",))
    assert (second.settings, second.expects_violation) == ({"heartbeat_interval_seconds": 1}, "view order")
    assert second.broken_too == ("single authority",)
    assert (first.name, first.title, first.about) == ("first-story", "first_story", ("settled",))


@pytest.mark.parametrize("mark", ["@script", "@script()", "@script(about=())"])
def test_a_script_need_not_say_what_it_is_about(mark: str, tmp_path: Path) -> None:
    (story,) = load_scripts([write(tmp_path, f"{mark}\nasync def story(cluster): ...\n")])
    assert (story.name, story.about) == ("story", ())


def test_a_script_may_compute_its_settings_of_those_of_the_run_and_the_command_line_is_stronger(tmp_path: Path) -> None:
    quarter = "lambda s: {'mastership_claim_timeout_seconds': s.heartbeat_timeout / 4e6}"
    (story,) = load_scripts(
        [write(tmp_path, f"@script(about=[], settings={quarter})\nasync def story(cluster): ...\n")]
    )
    assert Options("sim").settings(story).mastership_claim_timeout == 15 * SECOND
    assert Options("real").settings(story).mastership_claim_timeout == 750 * MILLISECOND
    slower = {"hazelcast.max.no.heartbeat.seconds": "80"}
    assert Options("sim", values=slower).settings(story).mastership_claim_timeout == 20 * SECOND
    named = {"mastership_claim_timeout_seconds": "3"}
    assert Options("sim", values=named).settings(story).mastership_claim_timeout == 3 * SECOND


INTERVAL = "hazelcast.heartbeat.interval.seconds"


@pytest.mark.parametrize("own", ["heartbeat_interval_seconds", INTERVAL])
@pytest.mark.parametrize("said", ["heartbeat_interval_seconds", INTERVAL])
@pytest.mark.parametrize("how", ["{{'{}': 1}}", "lambda s: {{'{}': 1}}"])
def test_the_command_line_is_stronger_by_whichever_name(tmp_path: Path, own: str, said: str, how: str) -> None:
    (story,) = load_scripts(
        [write(tmp_path, f"@script(about=[], settings={how.format(own)})\nasync def story(cluster): ...\n")]
    )
    assert Options("sim").settings(story).heartbeat_interval == SECOND
    assert Options("sim", values={said: "3"}).settings(story).heartbeat_interval == 3 * SECOND


def test_both_names_of_one_setting_in_one_source_are_a_mistake(tmp_path: Path) -> None:
    (story,) = load_scripts([write(tmp_path, "@script(about=[])\nasync def story(cluster): ...\n")])
    both = {"heartbeat_interval_seconds": "3", INTERVAL: "3"}
    with pytest.raises(UserError, match="heartbeat_interval_seconds is given already, by its other name"):
        Options("sim", values=both).settings(story)
    text = f"@script(about=[], settings={both})\nasync def story(cluster): ...\n"
    assert "is given already, by its other name" in refusal(write(tmp_path, text))


def test_a_script_may_be_for_one_world_alone(tmp_path: Path) -> None:
    text = "@script(about=[], worlds=['sim'])\nasync def alone(cluster): ...\n" + GOOD
    alone, everywhere, _ = load_scripts([write(tmp_path, text)])
    assert alone.why_not_in("real") == "it is for the sim world alone"
    assert not alone.why_not_in("sim")
    assert not everywhere.why_not_in("real")
    assert not everywhere.why_not_in("sim")


def test_a_folder_gives_the_scripts_of_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b.py", "a/c.py", "_helper.py", ".venv/x.py", "a/__pycache__/y.py"):
        story = Path(name).stem.strip("_")
        write(tmp_path, f"@script(about=[])\nasync def story_{story}(cluster: Cluster) -> None: ...\n", name)
    assert [s.name for s in load_scripts([tmp_path])] == ["story-c", "story-b"]


def test_what_only_looks_like_scripts_or_is_an_environment_s_is_not_imported(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    for name, text in {
        "build_env.py": "BUILD_SCRIPTS = []\nraise AssertionError('it was imported')",
        "settings.py": 'SCRIPTS = {"a": 1}\nraise AssertionError("it was imported")',
        "uses.py": "import shaketable\nprint(SCRIPTS)\nraise AssertionError('it was imported')",
        "env/lib/theirs.py": "from shaketable import script\n@script(about=[])\nasync def theirs(cluster): ...\n",
        "vendored/site-packages/theirs.py": "# @script\nraise AssertionError('it was imported')",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "env" / "pyvenv.cfg").touch()
    assert [s.name for s in load_scripts([tmp_path])] == ["second-story", "first-story"]


def test_a_file_beside_its_folder_is_taken_once(tmp_path: Path) -> None:
    file = write(tmp_path, GOOD)
    assert len(load_scripts([tmp_path, file, file])) == 2


MANY = '''
def losing(kind: str):
    async def body(cluster: Cluster) -> None:
        """Something is lost."""
        await cluster.form("n1", kind)

    return body


SCRIPTS = [script(about=[], name=f"a, {kind}: lost", title=f"{kind} is lost.")(losing(kind)) for kind in ("n2", "n3")]
OTHERS = (script(about=[])(losing("n4")), "and what is no script")
'''


def test_scripts_of_a_list_are_found_each_by_the_name_that_it_was_given(tmp_path: Path) -> None:
    write(tmp_path, MANY)
    assert [(s.name, s.title) for s in load_scripts([tmp_path])] == [
        ("a-n2-lost", "n2 is lost."), ("a-n3-lost", "n3 is lost."), ("body", "Something is lost."),
    ]  # fmt: skip


def test_a_list_may_have_bodies_that_another_file_makes(tmp_path: Path) -> None:
    write(tmp_path, MANY.partition("SCRIPTS")[0], "_makes.py")
    source = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nfrom _makes import losing\n"
    file = write(tmp_path, source + 'SCRIPTS = [script(about=[], name=name)(losing(name)) for name in ("n9", "n8")]\n')
    assert [(s.name, s.file) for s in load_scripts([file])] == [("n9", str(file)), ("n8", str(file))]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('again = script(about=[], name="a n2 lost")(losing("n2"))', "two scripts are named a-n2-lost"),
        ('SCRIPTS.append(script(about=[], name="x"))', "SCRIPTS is a list of scripts"),
        ("SCRIPTS = {}", "SCRIPTS is a list of scripts"),
        ("SCRIPTS = (script(about=[])(losing(n)) for n in ())", "SCRIPTS is a list of scripts"),
        ('script(about=[], name="../../elsewhere")', "name = '../../elsewhere': give letters"),
        ('script(about=[], name=" ")', "name = ' ': give letters"),
        ("script(about=[], name=5)", "name = 5: give letters"),
        ('script(about=[], title=["a", "title"])', "title = ['a', 'title']: give a sentence"),
    ],
)
def test_what_is_wrong_with_a_name_or_a_list_is_said(text: str, words: str, tmp_path: Path) -> None:
    file = write(tmp_path, f"{MANY}\n{text}\n")
    with pytest.raises(UserError, match=re.escape(words)):
        load_scripts([file])


def test_a_script_that_was_imported_belongs_to_its_own_file(tmp_path: Path) -> None:
    file = write(tmp_path, "from shaketable.chaos.cluster.form import form\n" + GOOD)
    assert [s.name for s in load_scripts([file])] == ["second-story", "first-story"]


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.py") == f"there is no file or folder {tmp_path / 'none.py'}"


def test_a_file_or_folder_without_scripts_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, "x = 1\n")
    assert refusal(file) == f"{file} holds no chaos script: mark one with @script"
    assert refusal(tmp_path).startswith(f"{tmp_path} holds no chaos script: give a file or a folder")


def test_a_file_that_is_no_python_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "story.txt"
    file.write_text("once upon a time")
    assert refusal(file) == f"{file} is no Python file: a chaos script ends in .py"


def test_a_value_of_the_users_may_make_sense_with_what_the_script_says_alone(tmp_path: Path) -> None:
    text = '@script(about=[], settings={"family": "gms"})\nasync def story(cluster): ...\n'
    (script,) = load_scripts([write(tmp_path, text)])
    assert Options(values={"legacy_fault": "lost failure"}).settings(script).legacy_fault == "lost failure"
    with pytest.raises(UserError, match="is a fault of family = 'cluster', and here it is 'gms'"):
        Options(values={"legacy_fault": "stale overwrite"}).settings(script)


def test_two_scripts_of_one_name_are_refused(tmp_path: Path) -> None:
    one, two = write(tmp_path, GOOD, "one.py"), write(tmp_path, GOOD, "two.py")
    assert refusal(tmp_path) == f"two scripts are named first-story ({one}, {two}): give each a name of its own"


COMPUTED = """
@script(about=[], settings=lambda s: {"heartbeat_interval_seconds": s.heartbeat_timeout / 10**6})
async def story(cluster): ...
"""
BROKEN = {
    "a syntax error": ("def :\n", ":3: the script cannot be read: invalid syntax"),
    "an error of its own": (
        "x = 1\ny = x / 0\n",
        ":4: the script cannot be loaded: ZeroDivisionError: division by zero",
    ),
    "an error in a function": ("def f():\n    return {}[1]\nf()\n", ":4: the script cannot be loaded: KeyError: 1"),
    "an import that fails": (
        "import no_such_module_here\n",
        ":3: the script cannot be loaded: ModuleNotFoundError: No module named 'no_such_module_here'",
    ),
    "an exit": ("import sys\nsys.exit(0)\n", ":4: the script cannot be loaded: SystemExit: 0"),
    "no async": (
        "@script(about=[])\ndef story(cluster): ...\n",
        ":3: story is no chaos script: it must be an async def without yield",
    ),
    "a yield": (
        "@script(about=[])\nasync def story(cluster):\n    yield\n",
        ":3: story is no chaos script: it must be an async def without yield",
    ),
    "no cluster": (
        "@script(about=[])\nasync def story(): ...\n",
        ":3: story takes one argument, the cluster, and no other",
    ),
    "more than a cluster": (
        "@script(about=[])\nasync def story(cluster, x): ...\n",
        ":3: story takes one argument, the cluster, and no other",
    ),
    "a wrong setting": (
        "@script(about=[], settings={'heartbeat_interval_seconds': 'x'})\nasync def story(cluster): ...\n",
        ":3: heartbeat_interval_seconds = 'x': give a number",
    ),
    "a wrong setting that is computed": (
        COMPUTED,
        ":4: heartbeat_timeout_seconds = 60 must be at least twice heartbeat_interval_seconds = 60",
    ),
    "settings without names": (
        "@script(about=[], settings=[1])\nasync def story(cluster): ...\n",
        ":3: settings: give names with their values, {'heartbeat_interval_seconds': 1}, not [1]",
    ),
    "settings with names that are none": (
        "@script(about=[], settings={1: 2})\nasync def story(cluster): ...\n",
        ":3: settings: give names with their values, {'heartbeat_interval_seconds': 1}, not {1: 2}",
    ),
    "computed settings without names": (
        "@script(about=[], settings=lambda s: 5)\nasync def story(cluster): ...\n",
        ":3: settings, computed of the run's: give names with their values, {'heartbeat_interval_seconds': 1}, not 5",
    ),
    "about nothing at all": (
        "@script(about=None)\nasync def story(cluster): ...\n",
        ":3: about = None: give a name or a list of names",
    ),
    "about a number": (
        "@script(about=[1])\nasync def story(cluster): ...\n",
        ":3: about = [1]: give a name or a list of names",
    ),
    "broken too, and expected": (
        "@script(about=[], expects_violation='settled', broken_too='settled')\nasync def story(cluster): ...\n",
        ":3: broken_too = ('settled',): settled is the expected violation itself",
    ),
    "broken too, but with what": (
        "@script(about=[], broken_too='settled')\nasync def story(cluster): ...\n",
        ":3: broken_too = ('settled',): with which violation? Name it as expects_violation",
    ),
    "no such check": (
        "@script(about=[], expects_violation='settled', broken_too=['calm'])\nasync def story(cluster): ...\n",
        ":3: there is no check 'calm'; there are view order,",
    ),
    "no world": ("@script(about=[], worlds=())\nasync def story(cluster): ...\n", ":3: worlds = (): give one or both"),
    "a wrong world": (
        "@script(about=[], worlds='dream')\nasync def story(cluster): ...\n",
        ":3: worlds = 'dream': give one or both of real, sim",
    ),
    "nothing that a system may do otherwise": (
        "@script(about=[], unless='any')\nasync def story(cluster): ...\n",
        ":3: unless = 'any': give some of one_by_one, any_best,",
    ),
    "checks that are not given by name": (
        "@script('settled')\nasync def story(cluster): ...\n",
        ":3: script is given everything by name, as about='settled'",
    ),
    "no coroutine, and no brackets": (
        "@script\ndef story(cluster): ...\n",
        ":3: story is no chaos script: it must be an async def without yield",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_be_loaded_is_one_sentence_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    text, sentence = BROKEN[name]
    file = write(tmp_path, text)
    assert refusal(file).startswith(f"{file}{sentence}")
    monkeypatch.chdir(tmp_path)
    assert sentence in refusal(Path("stories.py"))
