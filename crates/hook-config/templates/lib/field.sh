# field KEY... : prints what stands under the keys in the JSON on stdin, one key inside the other.
# Fails where the input is not JSON, and where there is no text, number or boolean at that place.
field() {
  LC_ALL=C awk -v path="$*" '
    { text = text $0 "\n" }
    END {
      count = split(path, want, " "); pos = 1; len = length(text)
      value(0, 1); space()
      if (pos <= len || !found) exit 1
      printf "%s", result
    }
    function at() { return substr(text, pos, 1) }
    function space() { while (pos <= len && at() ~ /[ \t\r\n]/) pos++ }
    function keep(depth, on, what, is) { if (on && depth == count) { result = what; found = is } }
    function value(depth, on,   key, c) {
      space(); c = at()
      if (c == "{" || c == "[") {
        keep(depth, on, "", 0); pos++; space()
        if (at() == (c == "{" ? "}" : "]")) { pos++; return }
        for (;;) {
          key = ""
          if (c == "{") {
            space(); if (at() != "\"") exit 1
            key = string(0); space(); if (at() != ":") exit 1
            pos++
          }
          value(depth + 1, on && c == "{" && depth < count && key == want[depth + 1])
          space()
          if (at() == ",") { pos++; continue }
          if (at() != (c == "{" ? "}" : "]")) exit 1
          pos++; return
        }
      }
      if (c == "\"") { on = on && depth == count; keep(depth, on, string(!on), 1); return }
      if (!match(substr(text, pos, 64), /^(true|false|null|-?[0-9][0-9.eE+-]*)/)) exit 1
      key = substr(text, pos, RLENGTH); pos += RLENGTH
      keep(depth, on, key, key != "null")
    }
    # The text at a quote; with `skip` only its end is looked for.
    function string(skip,   out, c, part, end) {
      out = ""; pos++
      while (pos <= len) {
        part = substr(text, pos, 1024)
        end = match(part, /["\\]/) ? RSTART - 1 : length(part)
        if (!skip) out = out substr(part, 1, end)
        pos += end; c = at()
        if (c == "\"") { pos++; return out }
        if (c != "\\") continue
        c = substr(text, pos + 1, 1); pos += 2
        if (c == "u") c = letter()
        else if (c !~ /^["\\\/bfnrt]$/) exit 1
        else if (c == "n") c = "\n"
        else if (c == "t") c = "\t"
        else if (c == "r") c = "\r"
        else if (c == "b" || c == "f") c = " "
        if (!skip) out = out c
      }
      exit 1
    }
    function hex(digits,   i, d, n) {
      n = 0
      for (i = 1; i <= 4; i++) {
        d = substr(digits, i, 1); if (d !~ /^[0-9a-fA-F]$/) exit 1
        n = n * 16 + index("0123456789abcdef", tolower(d)) - 1
      }
      return n
    }
    function letter(   n, low) {
      n = hex(substr(text, pos, 4)); pos += 4
      if (n >= 55296 && n <= 56319 && substr(text, pos, 2) == "\\u") {
        low = hex(substr(text, pos + 2, 4)); pos += 6
        n = 65536 + (n - 55296) * 1024 + low - 56320
      }
      if (n == 0) return " "
      if (n < 128) return sprintf("%c", n)
      if (n < 2048) return sprintf("%c%c", 192 + int(n / 64), 128 + n % 64)
      if (n < 65536) return sprintf("%c%c%c", 224 + int(n / 4096), 128 + int(n / 64) % 64, 128 + n % 64)
      return sprintf("%c%c%c%c", 240 + int(n / 262144), 128 + int(n / 4096) % 64, 128 + int(n / 64) % 64, 128 + n % 64)
    }
  '
}
