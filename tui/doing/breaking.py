"""Breaking things by hand: the menu of faults, undo, heal all, nodes that come and go, saving it all as a script.

Each call's receipt, or the trouble with it, is told when it has come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from shaketable.harness.faults.node_kinds import KILL, LEAVE, PAUSE, RESTART
from shaketable.harness.history.words.cluster import rounded
from shaketable.tui.doing.base import LINKS, Doing
from shaketable.tui.model.folds.receipt import receipt_of
from shaketable.tui.model.hands.calls import Call, heal
from shaketable.tui.model.hands.repeating import command_of_script
from shaketable.tui.model.hands.saving import save, written
from shaketable.tui.model.standing.possible import about, doing_what_to, lasting, present, whole_of


class Breaking(Doing):
    def __init__(self) -> None:
        super().__init__()
        self._healing: dict[int, bool] = {}
        """faults that are being healed by hand, and may not have ended yet"""
        self._last_verb = ""
        """the menu opens where it was left"""

    def ask_first(self, what: str, said: Sequence[str], then: Callable[[], None]) -> None:
        """Where nothing is said against it, and the screen shows the present, it is done without a question."""
        if self.session.in_the_past:
            here, there = rounded(self.session.time), rounded(self.session.present_time)
            said = *said, f"You look at {here}, and the cluster is at {there}.", "This is done there, now."
        if not said:
            then()
            return
        from shaketable.tui.dialogs.ask import Ask

        self.push_screen(Ask(f"{what}?", said), lambda yes: then() if yes else None)

    def do(self, call: Call) -> None:
        hands = self.hand()
        if hands is None:
            return
        before = len(self.session.store)
        hands.do(call, lambda trouble: self._done(call, trouble, before))
        if self.session.speed == 0:
            self.say(f"{written(call)}: the world stands; it takes effect when that goes on (space, or .)")
        self.draw()

    def _done(self, call: Call, trouble: str, before: int) -> None:
        if trouble:
            self.say(f"{written(call)}: {trouble}", True)
        else:
            self.say(f"✓ {written(call)}: {receipt_of(self.session.store, call, before)}")
        self.draw()

    # The menu

    def action_break_menu(self, verb: str = "") -> None:
        if self.hand() is None:
            return
        from shaketable.tui.dialogs.break_menu import BreakMenu

        marked = tuple(self.session.chosen.links) if self.present_screen == LINKS else ()

        def chosen(calls: Sequence[Call] | None) -> None:
            for call in calls or ():
                self._last_verb = call.verb
                self.do(call)
            if calls and marked:
                self.session.chosen.links.clear()

        self.push_screen(BreakMenu(self.session, verb or self._last_verb, marked), chosen)

    # Healing

    def action_undo(self) -> None:
        if self.hand() is None:
            return
        on = [fault for fault in lasting(present(self.session)) if fault.number not in self._healing]
        if on:
            last = on[-1]
            self.ask_first(f"Heal fault {last.number}: {last.verb} {about(last)}", (), lambda: self.heal(last.number))
        else:
            self.say("no fault is on that could be healed; what has ended, or never lasted, cannot be undone")

    def heal(self, number: int) -> None:
        hands = self.hand()
        if hands is None:
            return
        number = whole_of(self.session, number)
        fault = present(self.session).faults.get(number)
        if fault is None or fault.ended_at is not None or not fault.lasts:
            self.say(f"fault {number} is not on: there is nothing to heal", True)
            return
        self._healing[number] = True
        call, before = heal(number), len(self.session.store)

        def then(trouble: str) -> None:
            self._healing.pop(number, None)
            self._done(call, trouble, before)

        hands.heal(number, then)
        self.draw()

    def action_faults(self) -> None:
        if self.hand() is None:
            return
        if lasting(present(self.session)):
            self._choose_fault("fault")
        else:
            self.say("no fault is on")

    def action_heal_all(self) -> None:
        if self.hand() is None:
            return
        on = lasting(present(self.session))
        if not on:
            self.say("no fault is on")
        elif len(on) == 1:
            self.ask_first(f"Heal {on[0].verb} {about(on[0])}", (), lambda: self.heal(on[0].number))
        else:
            self._choose_fault("all")

    def _choose_fault(self, first: str) -> None:
        from shaketable.tui.dialogs.faults import ALL, Faults

        def chosen(target: str | None) -> None:
            if target == ALL:
                self.do(Call("heal_all"))
            elif target:
                self.heal(int(target.partition(":")[2]))

        self.push_screen(Faults(self.session, all_first=first == "all"), chosen)

    # Nodes

    def action_node_key(self, verb: str) -> None:
        if self.hand() is None:
            return
        node = self.session.chosen.node
        if not node:
            self.say(f"choose the node first, by ↑ ↓ or a click: {verb} is done to the chosen one", True)
            return
        what = doing_what_to(self.session, True).get(verb)
        if what is None:
            why_not = self.session.facts.cannot.get(verb) or self._state_of(node)
            self.say(f"{node} cannot be {PASSIVE[verb]}: {why_not}", True)
            return
        done = what.partition(" ")[0]
        self.ask_first(what.capitalize(), LASTING.get(done, ()), lambda: self.do(Call(done, (node,))))

    def _state_of(self, name: str) -> str:
        node = present(self.session).nodes.get(name)
        if node is None:
            return "there is no such node"
        if node.ended:
            return f"it has ended; {self.keys.get('restart', 'r')} starts it again"
        return "it is about to start" if not node.running else "it still runs; kill it, or let it leave, first"

    def action_one_more(self) -> None:
        self.ask_first("Start one more node", (), lambda: self.do(Call("start")))

    # Saving

    def action_save_script(self) -> None:
        from shaketable.tui.dialogs.save import SaveScript

        session, hands = self.session, self.source.hands

        def keep(path: Path, then: Callable[[str], None]) -> None:
            if hands is not None:
                hands.save(path, then)
            else:
                then(save(session.store, session.facts, path))

        def chosen(path: Path | None) -> None:
            if path is not None:
                self.keeper.keep_saved(path)
                self.say(
                    f"saved: {command_of_script(session.store.between(0, len(session.store)), session.facts, path)}"
                )

        self.push_screen(SaveScript(keep), chosen)


LASTING = {
    KILL.verb: ("The node crashes at once. With r a new one starts at its address, and it knows nothing.",),
    LEAVE.verb: ("The node leaves the cluster and ends. With r a new one starts at its address.",),
}
"""what cannot be undone, and is asked about"""
PASSIVE = {KILL.verb: "killed", PAUSE.verb: "paused", RESTART.verb: "started again", LEAVE.verb: "made to leave"}
