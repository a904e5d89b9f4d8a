#!/bin/sh
# Before a command: refuses those that destroy more than a mistake should.
# A guard: what it cannot read it refuses.

{field}
refuse() {
  echo "guard-commands: $1" >&2
  exit 2
}
{holds}
command=$(field tool_input command) || refuse "the call cannot be read, so it is refused"
# One blank between words, wherever lines end.
set -f
# shellcheck disable=SC2086
set -- $command
flat="$*"

starts='(^|[^[:alnum:]_.-])'
place="[\"']?(/|~|\\\$HOME|\\\$\\{HOME\\}|\\.|\\.\\.|\\*)(/?\\*?)[\"']?( |;|&|\\||\\)|\$)"
if holds "${starts}rm (.* )?(-[[:alnum:]]*[rR][[:alnum:]]*|--recursive) (.* )?$place"; then
  refuse "rm would remove everything there; name the folders that are meant"
fi
if holds "${starts}(mkfs|wipefs)([. ]|\$)" || holds "${starts}dd (.* )?of=/dev/" ||
  holds '> ?/dev/(sd|hd|vd|nvme|disk|mmcblk)'; then
  refuse "this writes over a disk"
fi
if holds ':\(\) ?\{ ?:'; then
  refuse "this starts processes without end"
fi
if holds "${starts}ch(mod|own) (.* )?-[[:alnum:]]*R[[:alnum:]]* (.* )?$place"; then
  refuse "this changes the rights of everything there"
fi
if holds "${starts}(curl|wget) [^;&]*\\| ?(sudo )?(ba|da|z|k)?sh( |;|\$)"; then
  refuse "this runs what a stranger sends; download it, look at it, then run it"
fi
if holds "${starts}git (.* )?push (.* )?(-[[:alnum:]]*f[[:alnum:]]*|--force)( |\$)"; then
  refuse "push --force can lose the work of others; use --force-with-lease, or ask"
fi
exit 0
