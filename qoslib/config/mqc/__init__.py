"""The modular QoS command line of Cisco and its relatives."""
