"""Programs that run inside the lab's namespaces; each is a file that needs Python alone."""
