"""Waiting for Streamlit."""

from playwright.sync_api import Page, expect


def settled(page: Page) -> None:
    """When the script has ended: a list that is opened before would be closed by what it draws."""
    expect(page.locator("[data-testid='stApp'][data-test-script-state='notRunning']")).to_be_visible(timeout=120_000)
