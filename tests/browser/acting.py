"""Waiting for Streamlit, which draws anew and drops keys while its script runs."""

from playwright.sync_api import FloatRect, Locator, Page, expect


def settled(page: Page) -> None:
    """When the script has ended: a list that is opened before would be closed by what it draws."""
    expect(page.locator("[data-testid='stApp'][data-test-script-state='notRunning']")).to_be_visible(timeout=120_000)


def move(page: Page, name: str, *keys: str) -> None:
    """Presses keys on a slider, each when the script has ended: one that runs may drop a key."""
    for key in keys:
        settled(page)
        page.get_by_role("slider", name=name).press(key)


def box_of(part: Locator) -> FloatRect:
    """Where a part of the page stands, when the script has ended: one that runs may just be replacing it."""
    settled(part.page)
    box = part.bounding_box()
    assert box is not None
    return box
