"""Hosts, flows and their laws as compiled rules, chosen by the codes of `codes`."""
