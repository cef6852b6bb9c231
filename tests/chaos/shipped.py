"""The chaos scripts that we ship. Of the matrix of crashes, of those in a long queue, of the many ways to disturb a
migration or to lose a message, and of groups under all their policies, which few bodies tell, some stand for all where
a test is not about them; test_migration_crashes.py, test_slow_migration_crashes.py, test_disturbed_migrations.py and
test_group_scripts.py play each."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from shaketable.harness.scripting.targets import scripts_of_ours

ALL: Final = scripts_of_ours()
MATRIX: Final = [script for script in ALL if Path(script.file).name == "migration_crashes.py"]
SLOW: Final = [script for script in ALL if Path(script.file).name == "slow_migration_crashes.py"]
DISTURBED: Final = [
    script
    for script in ALL
    if Path(script.file).name
    in (
        "cut_off_while_committing.py",
        "disconnected_while_migrating.py",
        "first_ones_lost.py",
        "messages_astray.py",
        "one_way_while_migrating.py",
        "split_with_data.py",
    )
]
GROUPS: Final = [script for script in ALL if Path(script.file).name.startswith("group_")]
FEW: Final = [*MATRIX, *SLOW, *DISTURBED, *GROUPS]
SOUND_GROUPS: Final = [script for script in GROUPS if script.expects_violation is None]
STAND_FOR_ALL: Final = [*MATRIX[::16], *SLOW[:1], *DISTURBED[::8], *SOUND_GROUPS[::16]]
_LEFT_OUT: Final = {script.name for script in FEW} - {script.name for script in STAND_FOR_ALL}
SHIPPED: Final = [script for script in ALL if script.name not in _LEFT_OUT]
