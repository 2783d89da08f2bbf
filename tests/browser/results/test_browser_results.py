"""What the page draws for each kind of return value."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from support.extensions.results import RESULTS, Drip
from support.result_sheet import OTHER_LOOKS, ROOM, ResultSheet
from workroom import JobHandle, Room
from workroom.testing.processes import ServerProcess

Look = Callable[[Locator], None]

_INK = """canvas => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let at = 0; at < data.length; at += 4) colours.add(data.slice(at, at + 3).join());
    return colours.size;
}"""


def text(wanted: str) -> Look:
    return lambda panel: expect(result_of(panel)).to_contain_text(wanted)


def cards(**values: str) -> Look:
    def look(panel: Locator) -> None:
        for name, value in values.items():
            card = panel.locator("dl > div").filter(
                has=panel.page.locator("dt", has_text=re.compile(f"^{name}$"))
            )
            expect(card.locator("dd")).to_have_text(value)

    return look


def table(columns: list[str], first: list[str], rows: int) -> Look:
    def look(panel: Locator) -> None:
        found = panel.get_by_role("table").first
        expect(found.get_by_role("columnheader")).to_have_text(columns)
        expect(found.locator("tbody tr")).to_have_count(rows)
        expect(found.locator("tbody tr").first.get_by_role("cell")).to_have_text(first)

    return look


def plot(traces: int, *texts: str) -> Look:
    """Lines of Plotly, with these axes or titles."""

    def look(panel: Locator) -> None:
        figure = panel.locator(".js-plotly-plot").first
        expect(figure.locator(".scatterlayer .trace")).to_have_count(traces)
        for each in texts:
            expect(figure).to_contain_text(each)

    return look


def image(width: int, count: int = 1) -> Look:
    def look(panel: Locator) -> None:
        found = result_of(panel).locator("img")
        expect(found).to_have_count(count)
        expect(found.first).to_have_js_property("complete", True)
        assert found.first.evaluate("image => image.naturalWidth") >= width

    return look


def canvas(label: str, colours: int) -> Look:
    def look(panel: Locator) -> None:
        found = panel.get_by_role("img", name=label).first
        expect(found).to_be_visible()
        assert found.evaluate(_INK) >= colours

    return look


def pdf(panel: Locator) -> None:
    sheet = panel.locator("canvas[data-state=drawn]")
    expect(sheet).to_be_visible()
    assert sheet.evaluate(_INK) > 10
    expect(panel).to_contain_text("1 page")


def chart(panel: Locator) -> None:
    expect(panel.locator("[data-state=drawn] svg")).to_be_visible()
    expect(panel.locator("svg .mark-rect.role-mark path")).to_have_count(4)
    expect(panel.locator("svg")).to_contain_text(["Rain"])


def heatmap(panel: Locator) -> None:
    expect(panel.locator(".js-plotly-plot .hm image")).to_have_count(1)


def markdown(panel: Locator) -> None:
    expect(panel.get_by_role("heading", name="Method")).to_be_visible()
    expect(panel.locator("math")).to_have_count(2)
    expect(panel.locator("math msubsup")).to_have_count(1)
    expect(panel.locator("code .hljs-keyword").first).to_have_text("def")
    expect(panel.get_by_role("cell", name="1.008")).to_be_visible()


def html(panel: Locator) -> None:
    frame = panel.locator("iframe")
    expect(frame).to_have_attribute("sandbox", "")
    inner = frame.content_frame
    expect(inner.get_by_role("heading", name="Report")).to_be_visible()
    expect(inner.locator("p")).to_have_css("color", "rgb(0, 128, 128)")
    assert panel.page.evaluate("window.hacked") is None


def media(selector: str) -> Look:
    def look(panel: Locator) -> None:
        expect(panel.locator(selector)).to_be_visible()
        assert panel.locator(selector).get_attribute("controls") is not None

    return look


def sound(panel: Locator) -> None:
    media("audio")(panel)
    panel.page.wait_for_function("() => document.querySelector('audio').duration === 0.5")


def gallery(panel: Locator) -> None:
    image(200, 5)(panel)


def download(name: str, content: bytes) -> Look:
    def look(panel: Locator) -> None:
        with panel.page.expect_download() as started:
            panel.locator("a[download]").first.click()
        assert started.value.suggested_filename == name
        assert Path(started.value.path()).read_bytes() == content

    return look


def csv_file(panel: Locator) -> None:
    expect(panel.get_by_role("link", name="people.csv")).to_be_visible()
    table(["name", "age"], ["ada", "36"], 2)(panel)


def text_file(panel: Locator) -> None:
    cards(lines="1")(panel)
    panel.get_by_role("button", name="Show").click()
    expect(panel).to_contain_text("some notes")


def parts(panel: Locator) -> None:
    cards(words="2")(panel)
    table(["name"], ["ada"], 2)(panel)
    expect(panel.get_by_role("img", name="picture")).to_be_visible()


def tree(panel: Locator) -> None:
    found = panel.get_by_role("tree", name="Values").first
    expect(found.get_by_role("treeitem", name="deeper")).to_be_visible()
    found.get_by_role("button", name=re.compile("deeper")).click()
    found.get_by_role("button", name=re.compile("^1: ")).click()
    expect(found.get_by_role("treeitem", name="deepest")).to_be_visible()


def large_array(panel: Locator) -> None:
    """A tree of 20,480 numbers is not in the document as such."""
    found = panel.get_by_role("tree", name="Values").first
    expect(found.get_by_role("treeitem").first).to_be_visible()
    found.get_by_role("button", name=re.compile(r"0: \[")).first.click()
    assert panel.page.evaluate("document.querySelectorAll('*').length") < 2000


def large_result(panel: Locator) -> None:
    expect(panel).to_contain_text("20,000 rows")
    expect(panel.get_by_role("link", name="result.json")).to_be_visible()
    panel.get_by_label("Search Result").fill("19,999")
    expect(panel.get_by_role("table").locator("tbody tr")).to_have_count(1)


def no_step(panel: Locator) -> None:
    """A billion ticks would freeze the tab."""
    plot(1, "hostile")(panel)
    assert panel.locator(".xtick").count() < 50


def lines_with_a_gap(panel: Locator) -> None:
    plot(1, "index")(panel)
    expect(panel.locator(".scatterlayer .js-line")).to_have_count(2)


DRAWN: dict[str, Look] = {
    "nothing": lambda panel: expect(panel).to_contain_text("No return value."),
    "number": text("3.14159"),
    "boolean": text("True"),
    "not a number": text("NaN"),
    "large integer": text("1180591620717411303424"),
    "complex number": text("1 \N{MINUS SIGN} 2i"),
    "text": text("All is well."),
    "link": lambda panel: expect(panel.get_by_role("link", name="example.org")).to_have_attribute(
        "rel", "noreferrer noopener"
    ),
    "time": cards(finished="29 Feb 2024, 12:30:00 UTC"),
    "flat dict": cards(pi="3.14159", samples="1,000,000", converged="True", worst="-Infinity"),
    "model": cards(a="5.43", periodic="True", made="29 Feb 2024, 12:30:00 UTC"),
    "dataclass": lambda panel: (cards(slope="2", intercept="1.5")(panel), plot(1, "index")(panel))[0],
    "numbers": plot(1, "index"),
    "numbers with gaps": lines_with_a_gap,
    "points": plot(1, "x", "y"),
    "curves": plot(2, "epoch", "loss", "accuracy"),
    "small matrix": lambda panel: expect(panel.get_by_role("cell")).to_have_text(
        ["1", "0.5", "0.5", "Infinity"]
    ),
    "matrix": canvas("Heatmap of Result", 50),
    "pixels": canvas("Image of Result", 1000),
    "records": table(["word", "count"], ["it", "6"], 2),
    "nested records": table(["name", "fit.slope", "fit.ok"], ["run 0", "0", "false"], 12),
    "pandas frame": table(["element", "energy", "count"], ["H", "-13.6", "0"], 20),
    "pandas series": table(["index", "value"], ["mean", "1.5"], 2),
    "polars frame": table(["city", "people"], ["Ulm", "126,000"], 2),
    "matplotlib": image(400),
    "plotly": plot(2, "Two waves", "time"),
    "plotly heatmap": heatmap,
    "altair": chart,
    "image": image(200),
    "large image": image(240),
    "gallery": gallery,
    "svg": image(80),
    "bytes": download("Result.bin", b"\x00\x01\x02"),
    "sound": sound,
    "video": media("video"),
    "pdf": pdf,
    "markdown": markdown,
    "html": html,
    "csv file": csv_file,
    "text file": text_file,
    "atoms": lambda panel: (text("H2O")(panel), text("Properties=species:S:1:pos:R:3")(panel))[0],
    "parts": parts,
    "deep": tree,
    "large array": large_array,
    "large result": large_result,
    "strange": lambda panel: (text("<Strange thing")(panel), text("only the repr")(panel))[0],
    "hostile plot": no_step,
    "hostile chart": text("This chart cannot be drawn."),
}


def result_of(panel: Locator) -> Locator:
    return panel.get_by_role("region", name="Result", exact=True).first


def test_every_kind_has_a_look() -> None:
    assert DRAWN.keys() == RESULTS.keys()


@pytest.mark.parametrize("kind", DRAWN)
def test_a_result_is_drawn_as_what_it_is(sheet: ResultSheet, jobs: dict[str, JobHandle], kind: str) -> None:
    jobs[kind].result(timeout=60)
    panel = sheet.open(jobs[kind].id)

    DRAWN[kind](panel)

    assert sheet.faults(panel) == []


@pytest.mark.full
@pytest.mark.parametrize("kind", DRAWN)
def test_a_result_has_no_faults_at_the_other_widths_and_themes(
    sheet: ResultSheet, jobs: dict[str, JobHandle], kind: str
) -> None:
    jobs[kind].result(timeout=60)
    panel = sheet.open(jobs[kind].id)
    DRAWN[kind](panel)

    assert sheet.faults(panel, OTHER_LOOKS) == []


def test_a_table_is_searched_sorted_and_downloaded(sheet: ResultSheet, jobs: dict[str, JobHandle]) -> None:
    jobs["pandas frame"].result(timeout=60)
    panel = sheet.open(jobs["pandas frame"].id)
    rows = panel.get_by_role("table").locator("tbody tr")
    energy = panel.get_by_role("columnheader", name="energy")

    expect(rows.nth(4).get_by_role("cell").nth(1)).to_have_text("NaN")
    expect(rows.first.get_by_role("cell").nth(2)).to_have_css("text-align", "right")
    panel.get_by_role("button", name="count").click()
    panel.get_by_role("button", name="count").click()
    expect(rows.first.get_by_role("cell").nth(2)).to_have_text("29,000")
    panel.get_by_label("Search Result").fill("he")
    expect(rows).to_have_count(10)
    expect(panel).to_contain_text("10 of 30 rows")
    expect(energy).to_have_attribute("aria-sort", "none")
    with sheet.page.expect_download() as started:
        panel.get_by_role("button", name="Download Result as CSV").click()
    lines = Path(started.value.path()).read_text().splitlines()
    assert lines[0] == "element,energy,count"
    assert lines[1] == "He,-0.0162,28000"
    assert "He,NaN,4000" in lines


def test_images_open_in_a_lightbox(sheet: ResultSheet, jobs: dict[str, JobHandle]) -> None:
    jobs["gallery"].result(timeout=60)
    panel = sheet.open(jobs["gallery"].id)

    panel.get_by_role("button", name="Result 2").click()
    box = sheet.page.get_by_role("dialog")
    expect(box).to_contain_text("2 of 5")
    sheet.page.keyboard.press("ArrowRight")
    expect(box.get_by_role("img", name="Result 3")).to_be_visible()
    box.get_by_role("button", name="Previous image").click()
    expect(box).to_contain_text("2 of 5")
    sheet.page.keyboard.press("Escape")
    expect(box).to_have_count(0)


def test_a_curve_is_also_a_table(sheet: ResultSheet, jobs: dict[str, JobHandle]) -> None:
    jobs["curves"].result(timeout=60)
    panel = sheet.open(jobs["curves"].id)

    panel.get_by_text("Table", exact=True).click()

    table(["epoch", "loss", "accuracy"], ["0", "1", "0"], 20)(panel)


def test_plots_follow_the_theme(sheet: ResultSheet, jobs: dict[str, JobHandle]) -> None:
    jobs["plotly"].result(timeout=60)
    panel = sheet.open(jobs["plotly"].id)
    plot(2)(panel)
    grid, label = panel.locator(".gridlayer path").first, panel.locator(".xtick text").first

    expect(grid).to_have_css("stroke", "rgb(227, 230, 234)")
    with sheet.on({"width": 1440, "height": 900}, "dark"):
        expect(grid).to_have_css("stroke", "rgb(59, 59, 59)")
        expect(label).to_have_css("fill", "rgb(201, 201, 201)")


def test_a_switch_shows_the_json_and_a_button_copies_python_that_fetches_it(
    sheet: ResultSheet, jobs: dict[str, JobHandle], server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs["flat dict"].result(timeout=60)
    panel = sheet.open(jobs["flat dict"].id)

    panel.get_by_text("JSON", exact=True).click()
    expect(panel.get_by_label("JSON").last).to_contain_text('"value": "-Infinity"')
    panel.get_by_role("button", name="Copy Python that fetches this result").click()
    expect(panel.get_by_role("button", name="Copied")).to_be_visible()
    code = sheet.page.evaluate("navigator.clipboard.readText()")

    monkeypatch.setenv("WORKROOM_USER", "eve")
    names: dict[str, object] = {}
    exec(code, names)
    assert names["result"] == {
        "pi": 3.14159265,
        "samples": 1_000_000,
        "converged": True,
        "worst": float("-inf"),
    }
    assert f'Room("{ROOM}", "{server.url}")' in code


def test_items_grow_while_the_job_runs_and_stay(
    sheet: ResultSheet, ada: Room, gate: Callable[[str], Path]
) -> None:
    expected: dict[str, Look] = {
        "text": text("one two "),
        "records": table(["step", "loss"], ["0", "1"], 2),
        "images": image(200, 2),
    }
    for kind, look in expected.items():
        job = ada.submit(Drip(kind=kind, gate=str(gate(kind))))
        panel = sheet.open(job.id, "Running")
        items = panel.get_by_role("region", name="Items", exact=True)
        expect(items).to_contain_text("1 item so far")

        gate(kind).touch()

        expect(panel).to_contain_text("Completed")
        look(panel)
        assert sheet.faults(panel) == []


def test_what_was_yielded_stays_visible_after_a_failure(sheet: ResultSheet, ada: Room) -> None:
    job = ada.submit(Drip(kind="failure"))

    panel = sheet.open(job.id, "Failed")

    expect(panel.get_by_role("region", name="Items", exact=True)).to_contain_text("one")
    expect(panel.get_by_role("alert")).to_contain_text("no more")


def test_the_last_preview_stays_after_the_end(sheet: ResultSheet, ada: Room) -> None:
    job = ada.submit(Drip(kind="preview"))
    job.result(timeout=60)

    panel = sheet.open(job.id)

    expect(panel.get_by_role("button", name="Last preview")).to_be_visible()
    expect(panel).to_contain_text("half way")
