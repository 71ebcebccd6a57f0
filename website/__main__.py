"""Make the static site in build/site: `make site`, or python -m website.

The pages need Sphinx, and what they show is stored in the repository: no lesson is run. Results
of solutions, and what sliders show before an engine runs in the page, are kept in build/.
"""

from website import build, check_examples, grids, live, shown


def main() -> None:
    """Make the site, and say where it is and how large."""
    site = build.make()
    grids.write(site / "_static" / "grids")
    for name, raw in check_examples.files().items():
        (site / "_static" / "qoslib" / name).write_bytes(raw)
    lessons = {path.stem: shown.pickled(path) for path in shown.lessons()}
    lacks = live.write(site / "live", live.sources(), lessons)["lacks"]
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    print(f"{site.relative_to(build.ROOT)}: {size / 1e6:.1f} MB")
    if lacks:
        print(f"  without engines: {lacks}")
    print("  look at it with: python -m http.server --bind 127.0.0.1 --directory build/site")


if __name__ == "__main__":
    main()
