"""A script, as far as a verdict on a run of it goes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScriptSubject:
    """What is to know about a script in order to judge a run of it."""

    name: str
    title: str
    file: str
    about: tuple[str, ...] = ()
    """the checks that it is about: one of them that saw nothing makes the run unknown"""
    expects_violation: str | None = None
    """this check has to be red"""
    broken_too: tuple[str, ...] = ()
    """these are red with it, of necessity, and no others"""
    target: str = ""
    """what to type after `shaketable run`, quoted for a shell; without it FILE::NAME"""
