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
# Nothing of a machine may stand in the tree.
ok "no absolute home or work path in the tree" bash -c '
  cd "$1" && ! git grep -nE "/(root|work|home/[a-z]+)/" -- . ":!tests/data" |
    grep -v "home/a/"' - "$root"
done_testing
