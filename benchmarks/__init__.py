"""Side by side with other simulators, and what a packet costs; nothing in qoslib imports it."""
