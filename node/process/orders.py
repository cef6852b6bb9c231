"""Carries out what the harness orders over the control socket, once the node runs."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.core.commands import LeaveCommand
from shaketable.node.process import control
from shaketable.node.process.driver import Driver
from shaketable.node.process.line import Line


class Orders:
    def __init__(self, driver: Driver, line: Line, stop: Callable[[], None]) -> None:
        self._driver = driver
        self._line = line
        self._stop = stop
        driver.carry_out = self.carry_out

    def carry_out(self, order: control.Order | control.NotUnderstood) -> None:
        """Each numbered order is answered, when it is done."""
        driver, shell = self._driver, self._driver.shell
        match order:
            case control.Probe(nonce=nonce, to=to, padding=padding):
                self._line.say(control.ProbeSent(nonce, driver.transport.probe(to, nonce, padding)))
                return
            case control.TakeSnapshot(order=number):
                transport = driver.transport
                facts, useless = transport.facts(), dict(transport.useless)
                self._line.say(control.Snapshot(number, shell.now(), facts, transport.received, useless))
                return
            case control.Stop():
                self._stop()
                return
            case control.NotUnderstood(order=number, why=why):
                self._line.say(control.Done(number, why))
                return
            case control.Run():
                self._line.say(control.CannotRun("it runs already"))
                return
            case control.AddLinks(links=links, handshake_limit=limit):
                driver.add_links(links, limit)
            case control.ArmFilter() as f:
                shell.filters.arm(f.fault, f.does, f.kinds, f.to, f.count, f.delay)
            case control.DisarmFilter(fault=fault):
                shell.disarm_filter(fault)
            case control.SetClock(jump=jump, rate_ppm=rate_ppm):
                shell.set_clock(jump, rate_ppm)
            case control.ArmHold() as h:
                shell.arm_hold(h.fault, h.event, h.after, h.nth, h.where)
            case control.Release(fault=fault):
                if not shell.release(fault):
                    self._line.say(control.Done(order.order, "it never came to hold there"))
                    return
            case control.LeaveGracefully():
                # Answered first: the process may be gone when its member has left.
                self._line.say(control.Done(order.order))
                driver.command(LeaveCommand())
                return
            case control.Command(command=command):
                driver.command(command)
        self._line.say(control.Done(order.order))
