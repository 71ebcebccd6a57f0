"""What axe-core finds that would keep somebody out."""

from axe_playwright_python.sync_playwright import Axe

#: What of a notebook is ours: the rest is JupyterLab's, and what plotly draws is plotly's.
OURS = {
    "include": [".qoslib-explorer, .qoslib-packets, .qoslib-predict"],
    "exclude": [".js-plotly-plot"],
}


def barriers(page, within=None):
    """The serious and critical violations in a page, or in what a selector finds in it."""
    # To preload would ask for style sheets again, by addresses that are wrong in a subfolder.
    options = {"resultTypes": ["violations"], "preload": False}
    found = Axe().run(page, within, options).response["violations"]
    return [
        f"{each['id']}: {node['html'][:200]}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]
