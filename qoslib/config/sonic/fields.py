"""The tables of SONiC on quality of service, and the fields of each."""

import re

from qoslib.config.lines import SLIP, nearest

__all__ = ["lost_by", "near_table"]

_PAUSES = "Pauses of single priorities (IEEE 802.1Qbb) are left out."
_INWARDS = "What is kept for packets as they come in is left out."
_COLOURS = "Packets have no colour here: thresholds of yellow and red are left out."
_LABELS = "Classes of MPLS labels are left out."
_MARKS = "The new mark is left out: streams keep the mark that you give them."
_TRIMS = "Packets that are cut to their headers are left out."
#: Stands for any number, and for any port.
_NUMBER, _PORT = "0", "Ethernet0"
_METER = ("meter_type", "mode", "color", "color_source", "cir", "cbs", "pir", "pbs")
_ACTIONS = tuple(f"{colour}_packet_action" for colour in ("green", "yellow", "red"))
_LIMITS = ("min_threshold", "max_threshold", "drop_probability")
#: Table -> field -> what is lost by leaving it out, empty where nothing is.
_TABLES: dict[str, dict[str, str]] = {
    "PORT": {"speed": "", "pfc_asym": _PAUSES},
    "QUEUE": {"scheduler": "", "wred_profile": ""},
    "SCHEDULER": {
        **dict.fromkeys(("type", "weight", "meter_type", "cir", "pir", "pbs"), ""),
        "cbs": "The burst at the guaranteed rate is left out.",
        "priority": "The order of strict queues is that of their numbers here.",
    },
    "WRED_PROFILE": {
        **{f"green_{name}": "" for name in _LIMITS},
        **{f"{colour}_{name}": _COLOURS for colour in ("yellow", "red") for name in _LIMITS},
        **{"wred_green_enable": "", "ecn": ""},
        **dict.fromkeys(("wred_yellow_enable", "wred_red_enable"), _COLOURS),
    },
    "BUFFER_POOL": {
        **dict.fromkeys(("type", "mode", "size"), ""),
        "xoff": _PAUSES,
        "percentage": "The size of the pool is asked for, not worked out of its share.",
    },
    "BUFFER_PROFILE": {
        **dict.fromkeys(("pool", "size", "dynamic_th", "static_th"), ""),
        **dict.fromkeys(("xon", "xoff", "xon_offset", "headroom_type"), _PAUSES),
        "packet_discard_action": _TRIMS,
    },
    "BUFFER_QUEUE": {"profile": ""},
    "DSCP_TO_TC_MAP": {_NUMBER: ""},
    "DOT1P_TO_TC_MAP": {_NUMBER: ""},
    "TC_TO_QUEUE_MAP": {_NUMBER: ""},
    "TC_TO_DSCP_MAP": {_NUMBER: _MARKS},
    "TC_TO_DOT1P_MAP": {_NUMBER: _MARKS},
    "PORT_QOS_MAP": {
        **dict.fromkeys(("dscp_to_tc_map", "dot1p_to_tc_map", "tc_to_queue_map"), ""),
        **{"scheduler": "", "tc_to_dscp_map": _MARKS, "tc_to_dot1p_map": _MARKS},
        **dict.fromkeys(("pfc_enable", "pfcwd_sw_enable", "pfc_to_queue_map"), _PAUSES),
        **{"pfc_to_pg_map": _PAUSES, "tc_to_pg_map": _INWARDS},
        **dict.fromkeys(("dscp_to_fc_map", "exp_to_fc_map", "mpls_tc_to_tc_map"), _LABELS),
    },
    "BUFFER_PG": {"profile": _INWARDS},
    "BUFFER_PORT_INGRESS_PROFILE_LIST": {"profile_list": _INWARDS},
    "BUFFER_PORT_EGRESS_PROFILE_LIST": {
        "profile_list": "The total that a port may take of its pools is left out."
    },
    "TC_TO_PRIORITY_GROUP_MAP": {_NUMBER: _INWARDS},
    "MAP_PFC_PRIORITY_TO_QUEUE": {_NUMBER: _PAUSES},
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {_NUMBER: _PAUSES},
    "PFC_PRIORITY_TO_QUEUE_MAP": {_NUMBER: _PAUSES},
    "PFC_WD": dict.fromkeys(
        (
            *("action", "detection_time", "restoration_time", "pfc_stat_history"),
            *("POLL_INTERVAL", "BIG_RED_SWITCH"),
        ),
        _PAUSES,
    ),
    "CABLE_LENGTH": {_PORT: "Room for packets on their way while a port pauses is left out."},
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER": dict.fromkeys(
        ("default_dynamic_th", "over_subscribe_ratio", "max_headroom_size"), _PAUSES
    ),
    "LOSSLESS_TRAFFIC_PATTERN": dict.fromkeys(("mtu", "small_packet_percentage"), _PAUSES),
    "POLICER": dict.fromkeys((*_METER, *_ACTIONS), "The policers of access lists are left out."),
    "PORT_STORM_CONTROL": {"kbps": "Limits on packets to many are left out."},
    "DSCP_TO_FC_MAP": {_NUMBER: _LABELS},
    "EXP_TO_FC_MAP": {_NUMBER: _LABELS},
    "MPLS_TC_TO_TC_MAP": {_NUMBER: _LABELS},
    "SWITCH_TRIMMING": dict.fromkeys(("size", "dscp_value", "tc_value", "queue_index"), _TRIMS),
}
#: Tables of which only some fields are about quality of service.
_WIDE = {"PORT"}
_WORDS = re.compile(r"QUEUE|SCHEDULER|BUFFER|WRED|QOS|PFC|POLICER|(?:^|_)(?:TC|DSCP|DOT1P|FC)_")
_OTHER = re.compile(r"COUNTER|WATERMARK|TELEMETRY")


def lost_by(table: str, field: str) -> str | None:
    """What is lost by leaving out a field: empty if nothing, ``"?"`` if it is not known.

    >>> lost_by("SCHEDULER", "weight"), lost_by("SCHEDULER", "wieght"), lost_by("VLAN", "mtu")
    ('', '?', None)
    """
    known = _TABLES.get(table)
    if known is None:
        return "?" if near_table(table) else None
    if not field and table not in _WIDE:
        return "" if any(not lost for lost in known.values()) else next(iter(known.values()))
    any_one = _NUMBER if field.isdecimal() else _PORT if field[-1:].isdecimal() else field
    found = known.get(field, known.get(any_one))
    other = table in _WIDE and not _WORDS.search(field.upper())
    return found if found is not None or other else "?"


def near_table(table: str) -> bool:
    """Whether a table that is not known is one on quality of service, or a slip for one."""
    if table in _TABLES or _OTHER.search(table):
        return False
    return bool(_WORDS.search(table) or nearest(table, _TABLES, SLIP))
