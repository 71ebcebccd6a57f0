"""Say what a change does to the answers about configurations: those of a commit, and those of now.

python tools/behaviour.py COMMIT [FOLDER ...]

It takes every configuration that the tests of that commit read, 60 of them damaged by seed, and
each file of the folders. Both versions check them; a line for each text with the hash of both
documents goes to build/behaviour/hashes.tsv, and what differs is printed by kind, the most frequent
first. It ends with 1 if anything differs.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "behaviour"
#: Tests that read configurations, beside which the rest has few.
TESTS = ("config/**/test_*.py", "checks/**/test_*.py", "view/test_configuration.py")
#: Where a commit has them that is older than these folders.
TESTS += ("test_config*.py", "test_check*.py", "test_rules*.py", "test_explore_configuration.py")
#: No test's text is longer: those are of the time that reading takes [characters].
LONGEST = 100_000
DAMAGED, SEED = 60, 27
#: So many examples of one kind of difference are printed.
EXAMPLES = 3
#: Where the recorded texts go, for the plug-in of pytest that this file is too.
TEXTS = "QOSLIB_BEHAVIOUR_TEXTS"


def pytest_configure():
    """Keep what the tests give to `read` and `check`, a document a line."""
    from qoslib import config, findings

    kept, path = set(), Path(os.environ[TEXTS])

    def kept_of(called, names):
        def call(text, *given, **named):
            arguments = dict(zip(names, given, strict=False)) | named
            known = {key: arguments.get(key) for key in ("facts", "dialect", "traffic")}
            if isinstance(text, str) and len(text) <= LONGEST:
                try:
                    line = json.dumps({"text": text, **known}, default=dict, sort_keys=True)
                except (TypeError, ValueError):
                    line = ""
                if line and line not in kept:
                    kept.add(line)
                    with path.open("a", encoding="utf-8") as out:
                        out.write(f"{line}\n")
            return called(text, *given, **named)

        return call

    config.read = kept_of(config.read, ("interface", "facts", "dialect"))
    findings.check = kept_of(findings.check, ("file",))


def recorded(tree):
    """What the tests of a version read, and 60 of these texts damaged."""
    path = BUILD / "texts.jsonl"
    path.unlink(missing_ok=True)
    tests = [str(each) for pattern in TESTS for each in sorted((tree / "tests").glob(pattern))]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(tree), str(Path(__file__).parent)]),
        TEXTS: str(path),
    }
    command = (sys.executable, "-m", "pytest", "-q", "-p", "behaviour", "-p", "no:cacheprovider")
    subprocess.run((*command, *tests), cwd=tree, env=environment, stdout=subprocess.DEVNULL)
    found = sorted(path.read_text(encoding="utf-8").splitlines())
    random = Random(SEED)
    whole = [json.loads(line) for line in found]
    for number, each in enumerate(random.sample(whole, min(DAMAGED, len(whole)))):
        each["text"] = damaged(each["text"], random)
        whole.append(each | {"name": f"damaged {number}"})
    return whole


def damaged(text, random):
    """A text with a line cut, doubled, moved, indented otherwise or with a letter lost."""
    lines = text.splitlines() or [""]
    at = random.randrange(len(lines))
    line = lines[at]
    letter = random.randrange(len(line) or 1)
    lines[at : at + 1] = random.choice(
        [[], [line, line], [line.strip()], [f"  {line}"], [line[:letter]],
         [line[:letter] + line[letter + 1 :]]]
    )  # fmt: skip
    if random.random() < 0.2:
        random.shuffle(lines)
    return "\n".join(lines)


def public(folders):
    """The files of folders, which nobody says more about."""
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and path.suffix not in (".tsv", ".md"):
                text = path.read_bytes().decode("utf-8", "replace")
                yield {"text": text, "name": str(path.relative_to(folder))}


def documents(texts, answers):
    """Check texts with the version that is imported here, a document a line."""
    from qoslib.findings.check import check
    from qoslib.findings.document import document

    with Path(answers).open("w", encoding="utf-8") as out:
        for line in Path(texts).read_text(encoding="utf-8").splitlines():
            asked = json.loads(line)
            known = {key: asked.get(key) for key in ("facts", "dialect", "traffic")}
            try:
                said = document(check(asked["text"], **known))
            except Exception as error:
                said = {"error": f"{type(error).__name__}: {error}"}
            out.write(json.dumps(said, sort_keys=True) + "\n")


def answered(tree, name, texts):
    """What a version says of all texts."""
    path = BUILD / f"{name}.jsonl"
    here = "import sys, behaviour; behaviour.documents(*sys.argv[1:])"
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(tree), str(Path(__file__).parent)])
    }
    command = (sys.executable, "-c", here, str(texts), str(path))
    subprocess.run(command, cwd=tree, env=environment, check=True)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def leaves(document, path=""):
    """Each value of a document with its path; in a list, names say which, or else nothing."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield from leaves(value, f"{path}.{key}" if path else key)
    elif isinstance(document, list):
        for value in document:
            yield from leaves(value, f"{path}[]")
    else:
        yield path, document


def differences(old, new):
    """Kinds of difference, each with what only the old and what only the new document has."""
    before, after = Counter(leaves(old)), Counter(leaves(new))
    gone, come = defaultdict(list), defaultdict(list)
    for (path, value), count in (before - after).items():
        gone[path] += [value] * count
    for (path, value), count in (after - before).items():
        come[path] += [value] * count
    for path in sorted({*gone, *come}):
        yield path, gone[path], come[path]


def hashed(document):
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:16]


def shown(values):
    return ", ".join(re.sub(r"\s+", " ", str(value))[:100] for value in values[:4]) or "nothing"


def main(commit, *folders):
    BUILD.mkdir(parents=True, exist_ok=True)
    tree = BUILD / "tree"
    git = ("git", "-C", str(ROOT), "worktree")
    subprocess.run((*git, "remove", "--force", str(tree)), stderr=subprocess.DEVNULL)
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run((*git, "add", "--quiet", "--detach", str(tree), commit), check=True)
    try:
        texts = [*recorded(tree), *public(folders)]
        path = BUILD / "texts.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in texts), encoding="utf-8")
        print(f"{len(texts)} texts", flush=True)
        with ThreadPoolExecutor() as pool:
            versions = (tree, "old", path), (ROOT, "new", path)
            old, new = pool.map(lambda version: answered(*version), versions)
    finally:
        subprocess.run((*git, "remove", "--force", str(tree)), check=True)
    kinds, rows, differs = defaultdict(list), [], 0
    for asked, before, after in zip(texts, old, new, strict=True):
        name = asked.get("name") or hashed(asked)
        rows.append(f"{name}\t{hashed(before)}\t{hashed(after)}\n")
        differs += before != after
        for kind, gone, come in differences(before, after):
            kinds[kind].append(f"{name}: {shown(gone)} -> {shown(come)}")
    (BUILD / "hashes.tsv").write_text("".join(rows), encoding="utf-8")
    for kind, examples in sorted(kinds.items(), key=lambda each: -len(each[1])):
        print(f"\n{kind}: {len(examples)}")
        print("\n".join(f"  {each}" for each in examples[:EXAMPLES]))
    print(f"\n{differs} of {len(texts)} texts are answered in another way")
    return 1 if differs else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
