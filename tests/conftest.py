"""What all tests share: the option that writes expected outputs anew, and which of them run one after the other."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite",
        action="store_true",
        help="write what came out into the data files of tests/data; the diff is then the review",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where tests run on several cores (`make test`), those with real processes stay on one: beside what is simulated,
    and never beside each other."""
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        if _plays_for_real(item):
            item.add_marker(pytest.mark.xdist_group("real"))


def _plays_for_real(item: pytest.Item) -> bool:
    callspec = getattr(item, "callspec", None)
    return bool({"command", "real"} & set(item.path.parts)) or (callspec is not None and "real" in item.nodeid)


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--rewrite"))
