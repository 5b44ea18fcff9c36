#!/bin/bash
#
# s-24-setup - scripts/setup installs what is missing, and no more
#
# apt and dpkg are stand-ins, first in PATH: they keep what is installed in a
# file, and speak the language of the locale as the real ones do.

. "$(dirname "$0")/lib.sh"

setup=$TESTS/../scripts/setup
fake=$SCRATCH/fake
mkdir "$fake"
: >"$SCRATCH/installed"
export SCRATCH
stand_in() {
  { echo '#!/bin/bash'; cat; } >"$fake/$1"
  chmod +x "$fake/$1"
}
stand_in dpkg-query <<'E'
while read -r name; do echo "$name ii "; done <"$SCRATCH/installed"
E
stand_in apt-cache <<'E'
case $LC_ALL in C) word=Candidate ;; *) word=Installationskandidat ;; esac
[[ ${*: -1} == libmsgpack-dev ]] && echo "  $word: (none)" || echo "  $word: 1.0"
E
stand_in apt-get <<'E'
echo "$*" >>"$SCRATCH/calls"
[[ " $* " != *" install "* ]] && exit
[[ ! -e $SCRATCH/broken ]] || { echo 'E: no network' >&2; exit 100; }
for word; do [[ $word == -* || $word == install ]] || echo "$word"; done \
  >>"$SCRATCH/installed"
E
stand_in sudo <<'E'
[[ $1 == -n ]] && shift
"$@"
E
run_setup() { env PATH="$fake:$PATH" LC_ALL=de_DE.UTF-8 bash "$setup" "$@" 2>&1; }

out=$(run_setup --check); is $? 1 '--check: all is missing'
like "$out" 'gcc.*libzmq3-dev.*jq' 'and is listed'
ok 'nothing was installed for that' test ! -e "$SCRATCH/calls"

touch "$SCRATCH/broken"
out=$(run_setup); is $? 1 'apt fails: so do we'
like "$out" 'E: no network.*apt-get install failed: gcc' 'and say what it said'
rm "$SCRATCH/broken" "$SCRATCH/calls"

out=$(run_setup); is $? 0 'what is missing is installed, in a German locale'
is "$(wc -l <"$SCRATCH/calls")" 2 'with fresh lists, in one go'
like "$(cat "$SCRATCH/calls")" 'libmsgpack-c-dev' \
  'by the name that this release has'

rm "$SCRATCH/calls"
out=$(run_setup); is "$? $(grep -v setlocale <<<"$out")" '0 ' \
  'once more: nothing to do, nothing to say'
ok 'and apt is not asked' test ! -e "$SCRATCH/calls"

sed -i '/^jq$/d' "$SCRATCH/installed"
is "$(run_setup --check | grep -v setlocale)" jq 'one is missing: it is named'
out=$(SKEIN_SETUP=no run_setup); is $? 0 'SKEIN_SETUP=no: left alone'
ok 'indeed' test ! -e "$SCRATCH/calls"
out=$(run_setup --frobnicate); is $? 2 'a wrong option is refused'

done_testing
