"""Every page: its links lead on, its policy holds, it is of no great size."""

import gzip
import re
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag

import pytest

#: What the pages may weigh together, what the worker needs apart.
MOST_BYTES = 25e6


#: Elements without an end.
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Names(HTMLParser):
    """What a page links to, what in it can be linked to, and ends that fit no beginning."""

    def __init__(self):
        super().__init__()
        self.links, self.names, self.twice = [], set(), set()
        self.opened, self.stray = [], []

    def handle_endtag(self, tag):
        if tag not in VOID and (not self.opened or self.opened.pop() != tag):
            self.stray.append((tag, self.getpos()))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_starttag(self, tag, attrs):
        self.opened += [] if tag in VOID else [tag]
        for key, value in attrs:
            if key in ("href", "src") and value and tag != "base":
                self.links.append(value)
            elif key == "id":
                self.twice |= {value} & self.names
                self.names.add(value)


@pytest.fixture(scope="module")
def pages(site):
    found = {}
    for path in site.rglob("*.html"):
        if "live" not in path.relative_to(site).parts:
            found[path] = Names()
            found[path].feed(path.read_text(encoding="utf-8"))
    return found


def test_links_lead_to_files_and_to_places_in_them(site, pages):
    broken = []
    for path, page in pages.items():
        for link in page.links:
            file, anchor = urldefrag(link)
            if re.match(r"(data|blob|mailto|javascript):", file):
                continue
            target = (path.parent / unquote(file.partition("?")[0])).resolve() if file else path
            if not target.exists() or (
                anchor and target in pages and unquote(anchor) not in pages[target].names
            ):
                broken.append((path.name, link))
    assert broken == []


def test_every_element_ends_where_it_began(pages):
    """A browser moves what follows a stray end out of the article."""
    wrong = {path.name: page.stray[0] for path, page in pages.items() if page.stray}
    assert wrong == {}


def test_a_name_stands_for_one_place(pages):
    assert {path.name: page.twice for path, page in pages.items() if page.twice} == {}


def test_no_page_names_another_host(pages):
    found = {path.name: link for path, page in pages.items() for link in page.links if "//" in link}
    assert found == {}


def test_each_page_has_the_policy_that_forbids_other_hosts(pages):
    for path in pages:
        text = path.read_text(encoding="utf-8")
        policy = re.search(r'http-equiv="Content-Security-Policy"\s+content="([^"]*)"', text)
        assert policy, path.name
        assert "default-src 'none'" in policy[1]
        assert not re.search(r"\*|https?:", policy[1])


def test_pages_and_grids_are_small(site):
    files = [path for path in site.rglob("*") if path.is_file()]
    apart = site / "live"
    assert sum(path.stat().st_size for path in files if apart not in path.parents) <= MOST_BYTES


def test_every_link_of_a_lesson_to_a_word_opens_its_definition(site):
    for path in (site / "lessons").glob("[0-9]*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r'<a class="reference internal" href="glossary\.html#', text)


def test_a_lesson_can_be_downloaded(site):
    for path in (site / "lessons").glob("[0-9]*.html"):
        assert path.with_suffix(".ipynb").is_file()


def test_grids_of_all_lessons_come_fast(site):
    """Together about 0.6 MB, as a server sends them."""
    grids = (site / "_static/grids").glob("*.js")
    assert sum(len(gzip.compress(path.read_bytes())) for path in grids) <= 0.62e6
