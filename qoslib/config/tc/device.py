"""The queues of a device as a sequence of commands leaves them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches

from qoslib.config.provenance import Provenance
from qoslib.config.records import Remark
from qoslib.config.source import ConfigurationError, TakesTooLongError, check_time
from qoslib.config.tc.command import INGRESS, Command
from qoslib.config.tc.filters import FILTERS, unknown_of_filter
from qoslib.config.tc.options import KINDS, left_out, options_of

__all__ = ["Device", "devices"]

#: Classes of these exist with the qdisc: any minor number of a qdisc with one child.
ONE_CHILD = ("tbf", "netem")
#: Qdiscs that the kernel made by itself are shown with this handle, all of them.
KERNELS_OWN = "0:"
#: The number of a filter without one: the first gets this, each further one less.
FIRST_PRIO = 49152
#: A word that is so near to an option is a slip of the pen, and tc refuses the command.
_NEAR = 0.8


@dataclass
class Device:
    """What hangs on a device."""

    name: str
    #: What is lost of commands that were taken.
    notes: Provenance
    #: The qdisc of packets that leave, and of those that come in.
    root: Command | None = None
    ingress: Command | None = None
    #: By handle.
    qdiscs: dict[str, Command] = field(default_factory=dict)
    #: By class, in the order in which they were made.
    classes: dict[str, Command] = field(default_factory=dict)
    #: Number and filter, in the order of the commands.
    filters: list[tuple[int, Command]] = field(default_factory=list)
    #: What comments call a class, the device or a mark.
    names: dict[str, str] = field(default_factory=dict)
    #: What sets the length of its own queue.
    queue_length: Command | None = None
    #: Whether a command makes it a device for redirected traffic, whatever its name.
    is_ifb: bool = False
    #: Class and the handle of the qdisc below it.
    below: dict[str, str] = field(default_factory=dict)
    #: The lowest number of the filters of each parent.
    lowest: dict[str, int] = field(default_factory=dict)
    #: How many classes each class has below it.
    children: Counter[str] = field(default_factory=Counter)
    #: Of a qdisc without one.
    next_handle: int = 0x8001
    #: Whether something that is not read may give packets their class.
    sorted_elsewhere: bool = False

    def hang(self, qdisc: Command) -> Command:
        """A qdisc below its parent, with a handle of its own if it has none."""
        if not qdisc.handle:
            qdisc = qdisc._replace(handle=f"{self.next_handle:x}:")
            self.next_handle += 1
        self.qdiscs[qdisc.handle] = qdisc
        self.below[qdisc.parent] = qdisc.handle
        return qdisc

    def child_of(self, parent: str) -> Command | None:
        """The qdisc below a class."""
        found = self.qdiscs.get(self.below.get(parent, ""))
        return found if found is not None and found.parent == parent else None

    def only_child_of(self, qdisc: Command) -> Command | None:
        """The qdisc below one that has a single class, whatever its number."""
        below = [each for each in self.qdiscs.values() if _major(each.parent) == qdisc.handle]
        return below[-1] if below else None

    def has(self, parent: str) -> bool:
        """Whether a class or a qdisc that can have children is there."""
        if parent in self.classes or parent in self.qdiscs:
            return True
        qdisc = self.qdiscs.get(_major(parent))
        if qdisc is None:
            return False
        if qdisc.kind in ("prio", "pfifo_fast", "mq", "mqprio", "multiq", "ets"):
            return int(parent.partition(":")[2] or "0", 16) <= bands(qdisc)
        return qdisc.kind in (*ONE_CHILD, "red", "sfq", "ingress", "clsact")

    def classes_of(self, qdisc: str) -> dict[str, Command]:
        """The classes of a qdisc, in their order."""
        return {classid: each for classid, each in self.classes.items() if _major(classid) == qdisc}

    def filters_of(self, parent: str) -> list[Command]:
        """The filters of a qdisc, as the kernel asks them."""
        own = [each for each in self.filters if each[1].parent == parent]
        return [command for _, command in sorted(own, key=lambda each: each[0])]

    def is_htb(self, classid: str) -> bool:
        """Whether a class is one of htb, and not the qdisc itself."""
        known = self.classes.get(classid)
        return known is not None and known.kind == "htb" and not classid.endswith(":")

    def makes(self, classid: str) -> bool:
        """Whether each class of the qdisc of a class is made by a command."""
        qdisc = self.qdiscs.get(_major(classid))
        return qdisc is None or qdisc.kind in ("htb", "drr", "qfq", "hfsc", "cbq")

    def remove_class(self, classid: str) -> None:
        """A class goes."""
        known = self.classes.pop(classid, None)
        if known is not None:
            self.children[known.parent] -= 1

    def remove(self, handle: str) -> list[Command]:
        """A qdisc goes, with its classes, filters and all below: what went."""
        gone, majors = list[Command](), [handle]
        while majors:
            major = majors.pop()
            qdisc = self.qdiscs.pop(major, None)
            gone += [qdisc] if qdisc else []
            for name in [name for name in self.classes if _major(name) == major]:
                gone.append(self.classes[name])
                self.remove_class(name)
            gone += [each for _, each in self.filters if _major(each.parent) == major]
            self.filters = [each for each in self.filters if _major(each[1].parent) != major]
            self.lowest = {at: low for at, low in self.lowest.items() if _major(at) != major}
            majors += [each.handle for each in self.qdiscs.values() if _major(each.parent) == major]
        return gone


def _major(handle: str) -> str:
    return handle.partition(":")[0] + ":"


def bands(qdisc: Command) -> int:
    """How many bands a qdisc of bands has; of a kind that is not read, as many as there may be."""
    if qdisc.kind not in ("prio", "pfifo_fast"):
        return 2**16
    given = options_of(qdisc)[0].get("bands")
    number = int(given.value) if given else 3
    if not 2 <= number <= 16:
        raise ConfigurationError(f"prio has 2 to 16 bands, not {number}", qdisc.line)
    return number


def devices(
    commands: Iterable[tuple[Command, dict[str, str]]], unread: dict[str, int]
) -> tuple[dict[str, Device], Provenance]:
    """Apply commands in their order, as the kernel does."""
    found: dict[str, Device] = {}
    notes = Provenance()
    for command, names in commands:
        check_time()
        device = found.setdefault(command.device, Device(command.device, notes))
        device.names |= names
        certain = not unread.keys() & {"", command.device}
        line, text = command.line, command.text
        try:
            unknown = _unknown(command)
            refused = _apply(device, command, certain)
        except TakesTooLongError:
            raise
        except ConfigurationError as error:
            if command.shown:
                raise
            notes.refused(line, text, error)
            continue
        if unknown and not refused:
            notes.unknown(line, text, unknown)
        if command.stab:
            notes.not_modelled(line, text, "The sizes that stab counts for frames are left out.")
        if refused:
            # It may begin with a handle, like ffe:1.
            notes.remarks.append(Remark("refused", line, text, refused))
    return found, notes


def _unknown(command: Command) -> str:
    """What is lost by the words of a command that tc does not have; empty where it has all."""
    word, known = "", list[str]()
    if command.thing == "filter":
        word = unknown_of_filter(command) if command.kind and command.verb != "delete" else ""
    elif (command.thing, command.kind) in KINDS and command.verb != "delete":
        word = next(iter(options_of(command)[1]), "")
        known = list(KINDS[command.thing, command.kind])
    near = [] if command.shown else get_close_matches(word, known, 1, _NEAR)
    if near:
        problem = f"{word[:40]!r} is no option of {command.kind}, did you mean {near[0]!r}?"
        raise ConfigurationError(problem, command.line)
    return left_out(word) if word else ""


def _apply(device: Device, command: Command, certain: bool) -> str:
    """Change a device by a command; what the kernel says where it refuses it."""
    if command.thing == "link" and command.kind == "ifb":
        device.is_ifb = True
        return ""
    if command.thing == "link":
        device.queue_length = command
        return ""
    if command.thing == "filter":
        return _filter(device, command, certain)
    if command.verb == "delete":
        return _delete(device, command)
    if not command.kind:
        raise ConfigurationError(f"{command.thing} without a kind, like htb", command.line)
    changes = command.verb == "change" and command.thing == "qdisc"
    if changes and (certain or _to_change(device, command)):
        return _change(device, command)
    if command.parent == "root" and command.thing == "qdisc":
        return _root(device, command)
    if command.kind in ("ingress", "clsact"):
        device.ingress = device.hang(command._replace(handle=INGRESS, parent=""))
        return ""
    if command.thing == "class" and command.parent in ("", "root") and command.verb != "change":
        command = command._replace(parent=_major(command.handle))
    if command.thing == "class" and ":" not in command.handle:
        raise ConfigurationError("a class needs its number, like classid 1:10", command.line)
    if certain:
        _check(device, command)
    return _below(device, command) if command.thing == "qdisc" else _class(device, command)


def _check(device: Device, command: Command) -> None:
    """Raise an error where what a command changes, or its parent, is not there."""
    if command.verb == "change":
        if command.handle not in device.classes and device.makes(command.handle):
            raise ConfigurationError(f"there is no {command.handle} to change", command.line)
    elif not command.shown and not device.has(command.parent):
        raise _missing(device, command.parent or "of this", command)


def _to_change(device: Device, command: Command) -> Command | None:
    """The qdisc that a command changes; None where it is not there, or a default of the kernel."""
    if command.parent:
        root = command.parent == "root"
        known = device.root if root else device.child_of(command.parent)
    else:
        known = device.qdiscs.get(command.handle)
    return None if known is None or known.handle == KERNELS_OWN else known


def _change(device: Device, command: Command) -> str:
    """A qdisc gets other options; what the kernel says where it refuses (Linux, sch_api.c)."""
    known = _to_change(device, command)
    if known is None:
        where = command.handle or f"qdisc at {command.parent}"
        raise ConfigurationError(f"there is no {where} to change", command.line)
    if known.kind != command.kind:
        made = f"Line {known.line} made this qdisc {known.kind}"
        return f"{made}, and `change` cannot alter its kind."
    if command.handle not in ("", known.handle):
        given = f"Line {known.line} gave this qdisc handle {known.handle}"
        return f"{given}, which `change` cannot alter."
    changed = device.hang(command._replace(handle=known.handle, parent=known.parent))
    if known.parent == "root":
        device.root = changed
    return ""


def _missing(device: Device, parent: str, command: Command) -> ConfigurationError:
    where = f" on {device.name[:40]}" if device.name else "; the command names no device (dev)"
    return ConfigurationError(f"the parent {parent} is missing{where}", command.line)


def _class(device: Device, command: Command) -> str:
    """A class comes, or changes; what the kernel says where it refuses it."""
    known = device.classes.get(command.handle)
    if known and command.verb == "add" and not command.shown:
        return f"{command.handle} exists since line {known.line}."
    keeps = known is not None and (command.verb == "change" or not command.parent)
    parent = known.parent if known is not None and keeps else command.parent
    if known is not None and parent != known.parent:
        return f"A class cannot move away from {known.parent}."
    if known is None:
        _becomes_inner(device, parent, command)
    device.classes[command.handle] = command._replace(parent=parent)
    return ""


def _becomes_inner(device: Device, parent: str, command: Command) -> None:
    """Above its first class a class loses its qdisc (Linux, net/sched/sch_htb.c)."""
    device.children[parent] += 1
    leaf = device.child_of(parent)
    if leaf is None or command.shown or not device.is_htb(parent):
        return
    lost = f"With the class of line {command.line} below {parent} the kernel deletes this."
    for gone in device.remove(leaf.handle):
        device.notes.not_modelled(gone.line, gone.text, lost)


def _root(device: Device, command: Command) -> str:
    known = device.root
    if known is not None:
        stays = known.kind not in ("noqueue", "mq")
        if stays and command.verb == "add" and not command.shown:
            return f"There is a root since line {known.line}."
        same = known.kind == command.kind and command.handle in ("", known.handle)
        if same and command.verb != "add":
            command = command._replace(handle=known.handle)
        else:
            device.remove(known.handle)
    device.root = device.hang(command)
    return ""


def _below(device: Device, command: Command) -> str:
    """A qdisc comes below a class; what the kernel says where it refuses it."""
    if command.handle == KERNELS_OWN:
        command = command._replace(handle="")
    known, handle = device.child_of(command.parent), command.handle
    if known is not None and command.verb == "add" and not command.shown:
        return f"{command.parent} has a qdisc since line {known.line}."
    elif device.is_htb(command.parent) and device.children[command.parent] > 0:
        return f"{command.parent} has classes below it, so it takes no qdisc."
    elif known is not None and handle in ("", known.handle):
        command = command._replace(handle=known.handle)
    elif handle in device.qdiscs:
        return f"{handle} exists since line {device.qdiscs[handle].line}."
    elif known is not None:
        device.remove(known.handle)
    device.hang(command)
    return ""


def _delete(device: Device, command: Command) -> str:
    if command.thing == "class":
        device.remove_class(command.handle)
    elif command.parent == "root":
        if device.root is not None:
            device.remove(device.root.handle)
        device.root = None
    elif command.kind in ("ingress", "clsact") or command.parent == INGRESS:
        device.remove(INGRESS)
        device.ingress = None
    else:
        below = device.child_of(command.parent)
        device.remove(below.handle if below else command.handle)
    return ""


def _filter(device: Device, command: Command, certain: bool) -> str:
    root = device.root.handle if device.root else ""
    parent = root if command.parent in ("", "root") else command.parent
    if command.verb == "delete":
        kept = [
            each
            for each in device.filters
            if each[1].parent != parent or (command.prio and each[1].prio != command.prio)
        ]
        device.filters = kept
        left = [number for number, each in kept if each.parent == parent]
        device.lowest[parent] = min([FIRST_PRIO + 1, *left])
        return ""
    if not command.kind:
        return "A filter needs a kind, like u32: this one is left out."
    if command.kind not in FILTERS and not command.shown:
        return f"{command.kind[:40]!r} is no kind of filter, like u32: this one is left out."
    missing = not parent or not (device.has(parent) or parent == "egress")
    if missing and certain and not command.shown:
        raise _missing(device, parent or "root", command)
    number = device.lowest.get(parent, FIRST_PRIO + 1) - 1
    if command.prio:
        digits = command.prio
        if not digits.isascii() or not digits.isdigit() or len(digits) > 10:
            raise ConfigurationError(f"{digits[:40]!r} is no number of a filter", command.line)
        number = int(digits) or number
    device.lowest[parent] = min(number, device.lowest.get(parent, number))
    device.filters.append((number, command._replace(parent=parent)))
    return ""
