"""Functions that run in a forked child."""

import os
import traceback


def in_child(function):
    """Run a function in a forked child, and return the text that it returned or raised."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            text = str(function())
        except BaseException as error:
            text = "".join(traceback.format_exception_only(error))
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text
