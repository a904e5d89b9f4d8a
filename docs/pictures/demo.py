#!/usr/bin/env python3
"""Makes docs/pictures/demo.svg from a real run of `hookline demo`.

    python3 docs/pictures/demo.py HOOKLINE            writes the picture
    python3 docs/pictures/demo.py HOOKLINE --check    says whether it is up to date

HOOKLINE is the binary, such as target/debug/hookline. It runs in a pseudo-terminal, so that the
picture is what a person sees. Times differ from run to run: they do not count as a difference.
"""

import html
import os
import pathlib
import pty
import re
import select
import struct
import sys
import fcntl
import termios

PICTURE = pathlib.Path(__file__).with_name("demo.svg")
COLUMNS, ROWS = 96, 60
CELL, LINE, SIZE = 8.4, 19, 14  # one column, one line, the letters
MARGIN, BAR = 20, 36
BACKGROUND, FOREGROUND = "#16181d", "#d7dae0"
COLOURS = {31: "#ff6b6b", 32: "#7bd88f", 33: "#f5c66b"}
FAINT, STRONG = "#7d8590", "#ffffff"
SGR = re.compile(r"\x1b\[([0-9;]*)m")
TIME = re.compile(r"[0-9]+(\.[0-9]+)? (ms|s)\b")


def run(binary):
    """What the command writes to a terminal of that size."""
    pid, terminal = pty.fork()
    if pid == 0:
        environment = {"PATH": os.environ["PATH"], "TERM": "xterm-256color"}
        if "TMPDIR" in os.environ:
            environment["TMPDIR"] = os.environ["TMPDIR"]
        os.execve(binary, [binary, "demo", "--fast"], environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    written = b""
    while select.select([terminal], [], [], 120)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        written += piece
    else:
        sys.exit("the demonstration says nothing for two minutes")
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code != 0:
        sys.exit(f"the demonstration failed with {code}:\n{written.decode()}")
    return written.decode().replace("\r\n", "\n")


def pieces(text):
    """Lines of (column, text, colour, bold)."""
    lines, line, column = [], [], 0
    colour, bold, faint = None, False, False
    for part in re.split(r"(\x1b\[[0-9;]*m|\n)", text):
        style = SGR.fullmatch(part)
        if style:
            for code in (int(code or 0) for code in style.group(1).split(";")):
                if code == 0:
                    colour, bold, faint = None, False, False
                elif code == 1:
                    bold = True
                elif code == 2:
                    faint = True
                elif code in COLOURS:
                    colour = COLOURS[code]
                else:
                    sys.exit(f"unknown colour code {code}: teach it to {__file__}")
        elif part == "\n":
            lines.append(line)
            line, column = [], 0
        elif "\x1b" in part:
            sys.exit(f"unknown escape sequence in {part!r}")
        elif part:
            fill = colour or (FAINT if faint else STRONG if bold else FOREGROUND)
            line.append((column, part, fill, bold))
            column += len(part)
    return lines + [line] if line else lines


def draw(lines):
    """The picture: a terminal with that text."""
    width = round(2 * MARGIN + COLUMNS * CELL)
    height = BAR + MARGIN + len(lines) * LINE
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="hookline demo in a terminal">',
        f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
    ]
    for place, fill in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        out.append(f'<circle cx="{MARGIN + 18 * place}" cy="18" r="6" fill="{fill}"/>')
    out.append(
        "<g font-family=\"ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace\" "
        f'font-size="{SIZE}" xml:space="preserve">'
    )
    for number, line in enumerate(lines):
        y = BAR + LINE * number + SIZE
        for column, text, fill, bold in line:
            start = len(text) - len(text.lstrip(" "))
            text = text.strip(" ")
            if not text:
                continue
            x = f"{MARGIN + (column + start) * CELL:.1f}"
            weight = ' font-weight="bold"' if bold else ""
            length = f"{len(text) * CELL:.1f}"
            out.append(
                f'<text x="{x}" y="{y}" fill="{fill}"{weight} textLength="{length}" '
                f'lengthAdjust="spacingAndGlyphs">{html.escape(text)}</text>'
            )
    out += ["</g>", "</svg>", ""]
    return "\n".join(out)


def timeless(picture):
    """The picture without what differs from run to run."""
    picture = re.sub(r' textLength="[0-9.]+"', "", picture)
    return TIME.sub("N ms", picture)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    picture = draw(pieces("$ hookline demo\n" + run(os.path.abspath(sys.argv[1]))))
    if "--check" not in sys.argv:
        PICTURE.write_text(picture)
        return
    if timeless(PICTURE.read_text()) != timeless(picture):
        sys.exit(f"{PICTURE} is stale; run: UPDATE=1 cargo test -p hook-cli --test demo_picture")


main()
