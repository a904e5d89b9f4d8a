# holds PATTERN : whether the command holds the extended regular expression. Where nobody can look,
# it refuses.
holds() {
  printf '%s\n' "$flat" | grep -Eq -e "$1"
  case $? in
    0) return 0 ;;
    1) return 1 ;;
    *) refuse "this guard cannot look at the command, so it refuses" ;;
  esac
}
