"""SONiC: the tables of `config_db.json`."""

from qoslib.config.sonic.reader import is_sonic, read_sonic

__all__ = ["is_sonic", "read_sonic"]
