"""Where the project's files are, for tests in any folder."""

from pathlib import Path

#: The checkout.
ROOT = Path(__file__).resolve().parents[2]
#: Small configurations of each dialect, and the commands of their references.
CASES = ROOT / "tests" / "cases"
#: What tests share: samples, slow twins, programs in other languages.
SUPPORT = ROOT / "tests" / "support"
