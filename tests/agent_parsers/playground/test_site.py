"""What the site adds to the pages: its styles, and a playground with a way back."""

import sys
from pathlib import Path
from typing import Any

import pytest

from agent_parsers.playground.server import PAGE_FILES

DOCS = Path(__file__).parents[3] / "docs"
sys.path.insert(0, str(DOCS))
try:
    import make_site
    from site_playground import of_the_site
finally:
    sys.path.pop(0)

PAGE = """\
<style>.md-typeset code {{ word-break: break-word }}</style><style>{styles}</style>
<pre><code data-md-copying><span class="gp">$ </span>pip install x
<span class="go">installed</span>
</code></pre>
<div class="md-typeset" style="width: 6em; overflow: auto"><table><tr>
<td><code>max_retries_of_the_agent</code></td><td>how many</td></tr></table></div>
"""


@pytest.fixture
def page(browser: Any) -> Any:
    page = browser.new_page(viewport={"width": 400, "height": 800})
    yield page
    page.close()


@pytest.mark.parametrize("is_styled", [True, False])
def test_what_is_copied_has_no_prompt_and_code_in_tables_is_whole(
    page: Any, is_styled: bool
) -> None:
    styles = (DOCS / "site.css").read_text("utf-8") if is_styled else ""
    page.set_content(PAGE.format(styles=styles))
    assert (page.inner_text("pre code").split("\n")[0] == "pip install x") == is_styled
    assert ("installed" not in page.inner_text("pre")) == is_styled
    lines = page.evaluate("document.querySelector('td code').getClientRects().length")
    assert (lines == 1) == is_styled


def test_only_the_playground_of_the_site_has_a_link_to_the_pages(page: Any) -> None:
    source = Path(make_site.ROOT / "agent_parsers/playground/page/index.html").read_text("utf-8")
    assert "index.html" in PAGE_FILES
    for text, is_seen in ((source, False), (of_the_site(source), True)):
        page.set_content(text)
        assert page.locator("#home").is_visible() == is_seen
    assert page.locator("#home").get_attribute("href") == "../"
    assert 'content="page"' in of_the_site(source)


def test_what_the_site_takes_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(make_site, "find_spec", lambda _name: None)
    monkeypatch.setattr(make_site.shutil, "which", lambda _name: None)
    monkeypatch.setattr(sys, "argv", ["make_site.py"])
    assert make_site.main() == 1
    said = capsys.readouterr().err
    assert 'pip install -e ".[docs]"' in said
    assert "npm" in said
