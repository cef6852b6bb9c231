"""What a deed needs: its nodes, one way or both, its values with their units; below them the line of a script that it
is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from shaketable.harness.errors import UserError
from shaketable.harness.faults.parameters import ADDRESSES, MAP, VALUES
from shaketable.harness.visible import visible
from shaketable.tui.dialogs.choice import Choice
from shaketable.tui.dialogs.row import Row
from shaketable.tui.model.hands.calls import BY_VERB, DEEDS, OF_A_LINK, OF_A_NODE, Call, Parameter
from shaketable.tui.model.hands.fields import complaint, offered, pairs_for, unit_of, words_for
from shaketable.tui.model.hands.filling_in import filled_in
from shaketable.tui.model.hands.groups import GROUPS, NODE, NODES, splits_of
from shaketable.tui.model.hands.rectangles import rectangles
from shaketable.tui.model.hands.saving import step_of
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.family import is_group, maps_of
from shaketable.tui.model.standing.possible import nodes_for, present, refused, why_not
from shaketable.tui.natural import naturally
from shaketable.tui.theme import look

MOST_FIELDS: Final = max(len(deed.parameters) for deed in DEEDS)
LONG: Final = (GROUPS, VALUES, ADDRESSES)
"""units of what has a row for itself"""
BOTH: Final = "both ways"
SEVERAL: Final = "space: one more node · *: all of them"
MANY: Final = 3
"""from so many nodes on they are counted"""
GROUP_KIND: Final = "healthmessage"
"""the kind of message that is offered in a group: its heartbeats"""


class Form(Vertical):
    DEFAULT_CSS: ClassVar[str] = """
    Form { padding: 0 0 0 1; }
    Form > #what { height: auto; margin: 0 0 1 0; }
    Form > #call { height: auto; margin: 1 0 0 0; }
    Form > #now { height: auto; }
    Form > Button { margin: 1 0 0 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "app.focus_previous", "field before", show=False),
        Binding("down", "app.focus_next", "next field", show=False),
    ]

    class Do(Message):
        def __init__(self, calls: Sequence[Call]) -> None:
            super().__init__()
            self.calls = calls

    def __init__(self, session: Session, marked: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(id="form")
        self._marked = marked
        self._all_marked = bool(marked)
        """a deed of links is done to all of them"""
        self._session = session
        self._deed = DEEDS[0]
        self._typed: dict[str, dict[str, str]] = {}
        """by verb, so that what was typed is there again when the user comes back to it"""
        self._link = ["", ""]

    def compose(self) -> ComposeResult:
        yield Static(id="what")
        yield Row(Choice(id="first"), id="row_first")
        yield Row(Choice(id="second"), id="row_second")
        yield Row(Choice(id="ways"), id="row_ways")
        for number in range(MOST_FIELDS):
            yield Row(Input(id=f"value{number}", compact=True), id=f"row_value{number}")
            yield Row(Choice(id=f"words{number}", by_mouse_alone=True), id=f"row_words{number}")
        yield Static(id="call")
        yield Static(id="now")
        yield Button("Do it", id="do", variant="primary", compact=True)

    # What is asked for

    def ask(self, verb: str) -> None:
        deed = self._deed = BY_VERB[verb]
        session, observed = self._session, present(self._session)
        nodes = nodes_for(deed, observed)
        if not any(self._link):
            self._link = [session.chosen.node, session.chosen.other]
        first, second = self._link
        first = first if first in nodes else next((node for node in nodes if node != second), "")
        second = second if second in nodes and second != first else next((n for n in nodes if n != first), "")
        several = deed.of == OF_A_LINK
        self._choice("first").offer(nodes, first, several=several)
        self._choice("second").offer(self._others(nodes), second, several=several)
        self._row("first", "from" if deed.of == OF_A_LINK else "node", deed.of in (OF_A_LINK, OF_A_NODE))
        self._row("second", "to", deed.of == OF_A_LINK)
        self._offer_ways()
        self._row("ways", "", deed.one_way or bool(self._there_marked()))
        typed = self._typed.setdefault(verb, {p.name: self._usual(p) for p in deed.parameters})
        for number in range(MOST_FIELDS):
            parameter = deed.parameters[number] if number < len(deed.parameters) else None
            self._row(f"value{number}", parameter.name.replace("_", " ") if parameter else "", parameter is not None)
            words = self._words(parameter) if parameter is not None else ()
            self._row(f"words{number}", "", bool(words))
            self.query_one(f"#row_value{number}").set_class(parameter is not None and parameter.unit in LONG, "-long")
            if parameter is not None:
                input_ = self._input(number)
                with input_.prevent(Input.Changed):
                    input_.value = typed[parameter.name]
                input_.suggester = SuggestFromList(words, case_sensitive=False) if words else None
        self.tell()

    def tell(self) -> None:
        """What is to be said of all that is filled in."""
        deed, theme = self._deed, self.app.theme
        reason = why_not(deed, self._session)
        title = Text(deed.verb.replace("_", " "), look(theme, "title"))
        title.append(f"  {deed.title}", look(theme, "plain"))
        self._static("what", title.append(" · ∞ until it is healed" if deed.lasts else "", look(theme, "dim")))
        for number, parameter in enumerate(deed.parameters):
            wrong = self._complaint(parameter)
            value = self._typed[deed.verb][parameter.name].strip()
            self._choice(f"words{number}").offer(offered(self._words(parameter), value), value, loosely=True)
            row = self.query_one(f"#row_value{number}", Row)
            row.note(f"✗ {wrong}" if wrong else unit_of(parameter), "bad" if wrong else "dim")
        calls, trouble = self._calls()
        steps = [f"✗ {reason or trouble}"] if reason or not calls else [step_of(call) for call in calls]
        said = "\n".join(visible(step) for step in steps)
        self._static("call", Text(said, look(theme, "bad" if reason or not calls else "fault")))
        late = "the screen stands in the past: this is done now\n" if not self._session.following else ""
        now = Text(late, look(theme, "warn"))
        self._static("now", now.append(SEVERAL if deed.of == OF_A_LINK else "", look(theme, "dim")))
        self.query_one("#do", Button).disabled = bool(reason) or not calls

    def first_field(self) -> Widget | None:
        return next((row.field for row in self.query(Row) if row.display), None)

    def submit(self) -> None:
        calls, _ = self._calls()
        if calls and not why_not(self._deed, self._session):
            self.post_message(self.Do(calls))
            return
        self.app.bell()
        for number, parameter in enumerate(self._deed.parameters):
            if self._complaint(parameter):
                self._input(number).focus()
                return

    def _calls(self) -> tuple[Sequence[Call], str]:
        """Or what is wrong. More than one only for links that were marked."""
        for parameter in self._deed.parameters:
            wrong = self._complaint(parameter)
            if wrong:
                return (), f"{parameter.name.replace('_', ' ')}: {wrong}"
        calls, trouble = self._filled()
        refusals = (refused(call, self._session.facts) for call in calls)
        refusal = next(filter(None, refusals), "")
        return ((), refusal) if refusal else (calls, trouble)

    def _filled(self) -> tuple[Sequence[Call], str]:
        deed, typed = self._deed, self._typed[self._deed.verb]
        if self._all_marked and (links := self._there_marked()):
            return self._to_marked(links)
        sides = [each if len(each) > 1 else "".join(each) for each in self._sides()]
        nodes = {OF_A_LINK: sides, OF_A_NODE: sides[:1]}.get(deed.of, [])
        ways = self._choice("ways").at if deed.one_way else 0
        try:
            return (filled_in(deed, nodes[::-1] if ways == 2 else nodes, typed, one_way=ways > 0),), ""
        except UserError as error:
            return (), str(error)

    def _to_marked(self, links: Sequence[tuple[str, str]]) -> tuple[Sequence[Call], str]:
        deed, typed = self._deed, self._typed[self._deed.verb]
        calls = []
        for *sides, both_ways in rectangles(links):
            nodes = [each if len(each) > 1 else "".join(each) for each in sides]
            try:
                calls.append(filled_in(deed, nodes, typed, one_way=not both_ways))
            except UserError as error:
                return (), str(error)
        return calls, ""

    def _there_marked(self) -> Sequence[tuple[str, str]]:
        """Of the marked links those that this deed can be done to."""
        if self._deed.of != OF_A_LINK or not self._marked:
            return ()
        nodes = nodes_for(self._deed, present(self._session))
        return [link for link in self._marked if link[0] in nodes and link[1] in nodes]

    def _complaint(self, parameter: Parameter) -> str:
        return complaint(self._deed, parameter, self._typed[self._deed.verb], self._there())

    def _there(self) -> list[str]:
        return sorted(present(self._session).nodes, key=naturally)

    def _another(self) -> str:
        """The other node that is spoken of: one that has ended, if one has."""
        nodes, names = present(self._session).nodes, self._there()
        return next((name for name in names if nodes[name].ended), names[-1] if names else "")

    def _words(self, parameter: Parameter) -> Sequence[str]:
        if parameter.unit in (NODE, NODES, ADDRESSES):
            return self._there()
        if parameter.unit == MAP:
            return maps_of(self._session.facts)
        if parameter.unit == VALUES:
            return pairs_for(self._typed[self._deed.verb])
        if parameter.unit == GROUPS:
            return splits_of(nodes_for(self._deed, present(self._session)))
        return words_for(parameter)

    def _usual(self, parameter: Parameter) -> str:
        if parameter.unit == "kind" and is_group(self._session.facts):
            return GROUP_KIND
        if not parameter.usual:
            return ""
        if parameter.unit in (NODE, NODES):
            return self._another()
        if parameter.unit == ADDRESSES:
            return " ".join(self._there())
        return next(iter(self._words(parameter)), "") if parameter.unit in (GROUPS, MAP) else parameter.usual

    # What is filled in

    def on_choice_changed(self, event: Choice.Changed) -> None:
        event.stop()
        number = (event.choice.id or "").removeprefix("words")
        if number.isdecimal():
            self._input(int(number)).value = event.choice.value
            return
        first, second, ways = self._choice("first"), self._choice("second"), self._choice("ways")
        self._all_marked = event.choice is ways and ways.at == len(self._ways())
        if event.choice is first:
            before, self._link[0] = self._link[0], first.value
            others = self._others(nodes_for(self._deed, present(self._session)))
            several = self._deed.of == OF_A_LINK
            second.offer(others, second.value if second.value in others else before, several=several)
        self._link[0] = first.value
        if self._deed.of == OF_A_LINK:
            self._link[1] = second.value
        self._offer_ways()
        self.tell()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        number = int((event.input.id or "value0").removeprefix("value"))
        if number < len(self._deed.parameters):
            self._typed[self._deed.verb][self._deed.parameters[number].name] = event.value
            self.tell()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.submit()

    def on_choice_submitted(self, event: Choice.Submitted) -> None:
        event.stop()
        self.submit()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.submit()

    def _offer_ways(self) -> None:
        ways, words, marked = self._choice("ways"), self._ways(), len(self._there_marked())
        at = len(words) if self._all_marked and marked else ways.at if ways.at < len(words) else 0
        words += [f"the {marked} marked"] if marked else []
        ways.offer(words, words[at])

    def _ways(self) -> list[str]:
        """Without the marked links."""
        if not self._deed.one_way:
            return [BOTH]
        first, second = (" ".join(each) if len(each) < MANY else f"{len(each)} nodes" for each in self._sides())
        return [BOTH, f"{first}→{second}", f"{second}→{first}"]

    def _others(self, nodes: Sequence[str]) -> Sequence[str]:
        """For the other side: those that are not on this one; all, where none is left."""
        those = self._choice("first").values
        return [node for node in nodes if node not in those] or (nodes if len(those) > 1 else ())

    def _sides(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self._choice("first").values, self._choice("second").values

    def _choice(self, name: str) -> Choice:
        return self.query_one(f"#{name}", Choice)

    def _input(self, number: int) -> Input:
        return self.query_one(f"#value{number}", Input)

    def _row(self, name: str, label: str, shown: bool) -> None:
        row = self.query_one(f"#row_{name}", Row)
        row.display = shown
        row.label(label)

    def _static(self, name: str, text: Text) -> None:
        self.query_one(f"#{name}", Static).update(text)
