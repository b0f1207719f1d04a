"""The playground in a browser, and on the site."""

import base64
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_serving.playground.server import PAGE_FILES, PlaygroundServer

# What the site adds to the pages: its styles, and a playground with a way back.

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tools" / "docs"))
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
def styled_page(browser: Any) -> Any:
    styled_page = browser.new_page(viewport={"width": 400, "height": 800})
    yield styled_page
    styled_page.close()


@pytest.mark.parametrize("is_styled", [True, False])
def test_what_is_copied_has_no_prompt_and_code_in_tables_is_whole(
    styled_page: Any, is_styled: bool
) -> None:
    styles = (ROOT / "docs" / "site.css").read_text("utf-8") if is_styled else ""
    styled_page.set_content(PAGE.format(styles=styles))
    assert (styled_page.inner_text("pre code").split("\n")[0] == "pip install x") == is_styled
    assert ("installed" not in styled_page.inner_text("pre")) == is_styled
    lines = styled_page.evaluate("document.querySelector('td code').getClientRects().length")
    assert (lines == 1) == is_styled


def test_only_the_playground_of_the_site_has_a_link_to_the_pages(styled_page: Any) -> None:
    source = Path(make_site.ROOT / "agent_serving/playground/page/index.html").read_text("utf-8")
    assert "index.html" in PAGE_FILES
    for text, is_seen in ((source, False), (of_the_site(source), True)):
        styled_page.set_content(text)
        assert styled_page.locator("#home").is_visible() == is_seen
    assert styled_page.locator("#home").get_attribute("href") == "../"
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


# The playground in a browser, with a mouse and with keys alone.

TURN = "**Thought:** hm\nAction: search\nAction Input: lakes"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with PlaygroundServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.url
        server.shutdown()
        thread.join()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    page = browser.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    settle(page)
    yield page
    page.close()
    assert not said
    assert all(url.startswith((address, "data:")) for url in asked)


def settle(page: Any) -> None:
    """Wait until what is shown is that of the newest state."""
    page.locator('#output[aria-busy="false"]').wait_for()


def view(page: Any, name: str) -> str:
    page.get_by_role("tab", name=name).click()
    settle(page)
    text: str = page.inner_text("#output")
    return text


def state_in(url: str) -> str:
    """Return the JSON that an address holds."""
    written = url.partition("#")[2]
    return base64.urlsafe_b64decode(written + "=" * (-len(written) % 4)).decode()


@pytest.mark.parametrize(("micros", "time"), [(0, "< 0.1 ms"), (12.4, "12 µs"), (2000, "2.0 ms")])
def test_the_time_is_said_as_exactly_as_it_is_known(page: Any, micros: float, time: str) -> None:
    found = {"html": "", "dialect": "react", "parsed_us": micros}
    page.route("**/answer", lambda route: route.fulfill(json=found))
    page.fill("#text", TURN)
    settle(page)
    assert page.inner_text("#state") == f"Parsed as react in {time}."


def test_the_state_has_a_line_of_its_own_on_a_phone(page: Any) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    state, button = (page.locator(name).bounding_box() for name in ("#state", "#share"))
    assert state["y"] >= button["y"] + button["height"]
    assert state["height"] < 30


def test_every_view_shows_something(page: Any) -> None:
    page.fill("#text", TURN)
    page.fill("#tools", "search")
    assert "repaired" in view(page, "Reading")
    assert "ToolNamed" in view(page, "Stream")
    assert "Stop sequences" in view(page, "Prompt")
    assert "root ::=" in view(page, "Grammar")
    assert "tool_calls" in view(page, "Response template")
    assert "get_parser('react', tools=" in view(page, "Python")


def test_a_text_of_a_model_adds_no_element(page: Any) -> None:
    page.fill(
        "#text", '<img src=x onerror="alert(1)"><b id=evil>\nFinal Answer: <script>1</script>'
    )
    for name in ("Reading", "Stream", "Prompt", "Grammar", "Python"):
        view(page, name)
        assert page.locator("#output img, #output script, #evil").count() == 0


def test_cuts_are_moved_by_mouse_and_by_keys(page: Any) -> None:
    page.fill("#text", TURN)
    view(page, "Stream")
    page.fill("#size", "10")
    page.get_by_role("button", name="Cut", exact=True).click()
    handles = page.get_by_role("slider")
    count = handles.count()
    assert count == (len(TURN) - 1) // 10
    first = handles.first
    assert first.get_attribute("aria-valuenow") == "10"
    first.focus()
    page.keyboard.press("ArrowRight")
    assert handles.first.get_attribute("aria-valuenow") == "11"
    box = handles.first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 40, box["y"], steps=4)
    page.mouse.up()
    assert int(handles.first.get_attribute("aria-valuenow")) > 11
    handles.first.focus()
    page.keyboard.press("Delete")
    assert handles.count() == count - 1
    settle(page)
    assert page.locator("#output tbody tr").count() == count + 1


def test_no_cut_is_lost_by_keys(page: Any) -> None:
    page.fill("#text", "one two three")
    view(page, "Stream")
    page.fill("#size", "5")
    page.get_by_role("button", name="Cut", exact=True).click()
    page.get_by_role("slider").first.focus()
    for key in ("End", "ArrowRight", "PageUp"):
        page.keyboard.press(key)
    cuts = page.get_by_role("slider")
    assert [each.get_attribute("aria-valuenow") for each in cuts.all()] == ["9", "10"]
    page.keyboard.press("Delete")
    page.keyboard.press("Delete")
    assert cuts.count() == 0
    assert page.evaluate("document.activeElement.id") == "cut"  # the focus is not lost either


def test_a_link_to_a_note_leaves_everything_as_it_is(page: Any) -> None:
    page.fill("#text", TURN)
    view(page, "Stream")
    page.get_by_role("button", name="Cut", exact=True).click()
    cuts = page.get_by_role("slider").count()
    view(page, "Reading")
    page.locator("#output a.ap-ref").first.click()
    assert page.evaluate("document.activeElement.innerText") == "1 repaired"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className") == "ap-ref ap-repaired"
    view(page, "Stream")
    assert page.get_by_role("slider").count() == cuts > 0


def test_the_tabs_go_round_by_keys(page: Any) -> None:
    page.get_by_role("tab", name="Reading").focus()
    for key, name in [("End", "Python"), ("ArrowRight", "Reading"), ("ArrowLeft", "Python")]:
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.innerText") == name
        assert page.get_by_role("tabpanel", name=name).count() == 1
    page.keyboard.press("Home")
    assert page.get_by_role("tab", selected=True).inner_text() == "Reading"


def test_typing_changes_the_address_seldom(page: Any) -> None:
    """Safari throws an error after 100 changes in a short time."""
    page.evaluate("""() => {
        window.changes = 0;
        history.replaceState = () => { window.changes += 1; };
        const text = document.getElementById("text");
        for (let i = 0; i < 200; i++) text.dispatchEvent(new Event("input"));
    }""")
    settle(page)
    page.get_by_role("tab", name="Stream").click()
    page.wait_for_timeout(1_000)
    assert 1 <= page.evaluate("window.changes") <= 2


def test_the_address_holds_the_whole_state(page: Any, browser: Any) -> None:
    page.fill("#text", TURN + " 桥 🧀")
    page.fill("#tools", "search")
    page.select_option("#mode", "strict")
    view(page, "Stream")
    page.get_by_role("button", name="Cut", exact=True).click()
    settle(page)
    page.wait_for_url(lambda url: '"cuts":[8,' in state_in(url))
    other = browser.new_page()
    other.goto(page.url)
    settle(other)
    assert other.input_value("#text") == TURN + " 桥 🧀"
    assert other.input_value("#mode") == "strict"
    assert other.inner_text("#output") == page.inner_text("#output")
    other.close()


def test_another_dialect_brings_its_example(page: Any) -> None:
    page.select_option("#dialect", "hermes")
    settle(page)
    assert "<tool_call>" in page.input_value("#text")
    page.fill("#text", "mine")
    page.select_option("#dialect", "xml")
    assert page.input_value("#text") == "mine"


def test_a_wrong_list_of_tools_is_said(page: Any) -> None:
    page.fill("#tools", "[1")
    settle(page)
    assert "EOF while parsing" in page.inner_text("#output .problem")
