"""Where a page holds the packet view, and what the view says of itself."""

ROOT = ".qoslib-packets"
QOS = f"document.querySelector('{ROOT}').qos"
TIME = f"Number(document.querySelector('{ROOT}').dataset.timeMs)"
