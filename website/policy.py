"""What a page may load and where it may send anything: nothing but its own host."""

__all__ = ["POLICY"]

#: The content security policy of each page, for ``<meta http-equiv="Content-Security-Policy">``.
#: The theme has scripts and styles in the page, and plotly makes styles. A worker from a blob
#: obeys the policy of the page that began it; one from an address would obey none.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "worker-src blob:",
        "frame-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
    )
)
