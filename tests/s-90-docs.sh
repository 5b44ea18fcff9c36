#!/bin/bash
# What is committed as documentation is what the sources say.
. "$(dirname "$0")/lib.sh"
root=$(dirname "$TESTS")
reference=$SKEIN_TESTBIN/../docs/reference

ok "docs/REFERENCE.md is what 'make docs' prints" \
  diff -u "$root/docs/REFERENCE.md" <("$reference" markdown)
ok "skein.conf is what 'make docs' prints" \
  diff -u "$root/skein.conf" <("$reference" conf)
ok "skein.conf with everything uncommented is accepted" bash -c '
  mkdir -p "$SKEIN_HOME" &&
  sed -n "s/^#\([a-z_]* = .\)/\1/p" "$1" >"$SKEIN_HOME/skein.conf" &&
  [ "$(wc -l <"$SKEIN_HOME/skein.conf")" -gt 20 ] &&
  skein help >/dev/null' - "$root/skein.conf"
for verb in $(skein help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
  ok "README or the manual page tells of 'skein $verb'" \
    grep -q "$verb" "$root/README.md" "$root/cli/skein.1"
done
# Nothing of a machine may stand in the tree, and no link may lead nowhere.
ok "no absolute path of a machine in the tree" bash -c '
  cd "$1" && git rev-parse -q --is-inside-work-tree >/dev/null 2>&1 || exit 0
  ! git grep -nE "/(root|work)/|/home/[a-z]" -- . ":!tests"' - "$root"
for doc in README.md ARCHITECTURE.md docs/CHAINS.md docs/EVALUATION.md tests/README.md; do
  [[ -e $root/$doc ]] || continue
  for link in $(grep -o ']([^)#:]*)' "$root/$doc" | sed 's/^](//; s/)$//'); do
    ok "$doc: $link is there" test -e "$(dirname "$root/$doc")/$link"
  done
done
ok "nothing is left to be filled in" bash -c '! grep -nE "@[A-Z]{3,}@|TODO|FIXME|XXX" \
  "$1"/*.md "$1"/docs/*.md' - "$root"
done_testing
