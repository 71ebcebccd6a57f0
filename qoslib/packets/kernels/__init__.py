"""What runs for each packet, compiled: numbers and arrays, rules chosen by the codes of `codes`."""
