"""How the lessons' Jupyter server speaks to the page: at once, and of large files too.

A kernel answers a slider with several short messages. TCP keeps the second back until the page
has acknowledged the first, and the page takes up to 40 ms over that (Nagle's algorithm of RFC 896
beside the delayed acknowledgements of RFC 1122, section 4.2.3.2).

A file that a reader loads comes in one message. Of more than tornado takes unasked, 10 MiB, neither
page nor kernel hears again; so the server takes more, and the kernel tells what is allowed.
"""

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class AtOnce(ZMQChannelsWebsocketConnection):
    """Between a page and a kernel, without Nagle's algorithm."""

    def connect(self):
        self.websocket_handler.set_nodelay(True)
        return super().connect()


c = get_config()  # noqa: F821 (Jupyter puts it here)
c.ServerApp.kernel_websocket_connection_class = AtOnce
c.ServerApp.tornado_settings = {"websocket_max_message_size": 256 * 2**20}
