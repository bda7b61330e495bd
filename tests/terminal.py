#!/usr/bin/env python3
"""Runs a command on a terminal of its own and answers its questions.

    terminal.py [PROMPT ANSWER]... -- COMMAND...

Waits for each prompt in turn, then types the answer; backslash escapes stand for control
characters, of which \\x03 is Control-C; an answer of !TERM sends that signal instead.  Writes what the terminal showed, then a line "echo on" or
"echo off" for the state it was left in.  The exit code is the command's, 128 + n after signal n,
and 99 if a prompt did not come within 30 seconds.
"""
import os
import pty
import select
import signal
import sys
import termios
import time


def read_some(master, shown, seconds):
    """Adds what the terminal shows; False at its end, or when the time is over."""
    if not select.select([master], [], [], max(seconds, 0))[0]:
        return False
    try:
        piece = os.read(master, 4096)
    except OSError:  # nobody has the terminal open
        return False
    shown += piece
    return bool(piece)


def wait_for(master, shown, start, prompt):
    """The place behind the prompt in what is shown from start, or None."""
    end = time.monotonic() + 30
    while prompt not in shown[start:]:
        if not read_some(master, shown, end - time.monotonic()):
            return None
    return shown.index(prompt, start) + len(prompt)


def main(arguments):
    split = arguments.index("--")
    dialogue, command = arguments[:split], arguments[split + 1:]
    master, slave = pty.openpty()
    child = os.fork()
    if child == 0:
        os.close(master)
        os.setsid()
        os.close(os.open(os.ttyname(slave), os.O_RDWR))  # it becomes the controlling terminal
        for fd in range(3):
            os.dup2(slave, fd)
        os.execvp(command[0], command)
    shown, at = bytearray(), 0
    for prompt, answer in zip(dialogue[::2], dialogue[1::2]):
        at = wait_for(master, shown, at, prompt.encode())
        if at is None:
            os.kill(child, signal.SIGKILL)
            break
        time.sleep(0.05)  # what is typed before the echo is off is flushed
        if answer.startswith("!"):
            os.kill(child, signal.Signals["SIG" + answer[1:]])
        else:
            os.write(master, answer.encode().decode("unicode_escape").encode("latin-1"))
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        while read_some(master, shown, 0.02):
            pass
        if pid:
            break
    sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
    print("echo", "on" if termios.tcgetattr(slave)[3] & termios.ECHO else "off")
    if at is None:
        return 99
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


sys.exit(main(sys.argv[1:]))
