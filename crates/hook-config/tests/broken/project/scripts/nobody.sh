#!/usr/local/bin/no-such-shell
exit 2
