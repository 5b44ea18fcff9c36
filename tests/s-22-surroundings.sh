#!/bin/bash
#
# s-22-surroundings - the supervisor where the world is not as it should be:
# foreign locales, homes of any name, broken files, a full disk, signals that
# its starter ignores
#
# The stages are tests/dummy-stage.sh.

. "$(dirname "$0")/lib.sh"

dummy=$TESTS/dummy-stage.sh
export SKEIN_STAGES=$SCRATCH/table
export SKEIN_RESTART_DELAY_MIN=100 SKEIN_RESTART_DELAY_MAX=400 SKEIN_STOP_GRACE=2
printf '%s y %q %s\n' one "$dummy" one two "$dummy" two >"$SKEIN_STAGES"

leave() {
  mountpoint -q "$SCRATCH/small" && { silent s down; umount "$SCRATCH/small"; }
  cleanup
}
trap leave EXIT

s() { skein-supervise --timeout 10 "$@"; }

environment_of() { tr '\0' '\n' <"/proc/$(supervised "$1" pid)/environ"; }

# ---- a locale where 0.5 is no number and i is not between a and z

if localedef -i tr_TR -f UTF-8 "$SCRATCH/tr_TR.UTF-8" >/dev/null 2>&1; then
  export LOCPATH=$SCRATCH
  turkish() { silent env LC_ALL=tr_TR.UTF-8 skein-supervise --timeout 10 "$@"; }
  printf 'silent y %q silent\n' "$dummy" >>"$SKEIN_STAGES"
  ok 'up in a Turkish locale' turkish up
  like "$(environment_of one)" 'LC_ALL=tr_TR.UTF-8' 'which is what a stage gets'
  ok 'restart in it' turkish restart silent
  ok 'down in it' turkish down
  SKEIN_RESTART_DELAY_MIN=soon turkish up
  is $? 100 'the names of settings are the same in it'
  unset LOCPATH
else
  for what in 1 2 3 4 5; do
    ok "a Turkish locale # SKIP cannot be made here" true
  done
fi

# ---- a home's name

name=$(printf 'ä%.0s' {1..40})
SKEIN_HOME=$SCRATCH/$name
like "$(LC_ALL=C.UTF-8 s up 2>&1)" 'bytes; a home.s path has at most 85' \
  'a path is measured in bytes, not in characters'
SKEIN_HOME=$SCRATCH/home

# ---- settings

conf=$SKEIN_HOME/skein.conf
ok 'up' silent s --timeout 08 up
echo 'stop_grace = often' >"$conf"
out=$(unset SKEIN_STOP_GRACE; s down 2>&1)
is "$? ${out##*$'\n'}" '0 stopped' 'a wrong setting does not keep one from down'
like "$out" 'skein.conf:1: stop_grace must be a number' 'but is named'
out=$(unset SKEIN_STOP_GRACE; SKEIN_WATCHDOG= s run 2>&1); is $? 100 'run refuses it'
like "$out" 'WATCHDOG: watchdog must be.*skein.conf:1: stop_grace must' \
  'and names every one that is wrong'
for line in 'watchdog = 20 30' 'watchdog = 20 # seconds' ' watchdog =' \
    'watchdog = 0x14' 'watchdog = a[$(touch owned)]'; do
  echo "$line" >"$conf"
  out=$(unset SKEIN_WATCHDOG; s run 2>&1)
  is $? 100 "no number: $line"
done
echo "$(printf '# watchdog = 1\n\twatchdog=009 \r')" >"$conf"
echo 'restart_delay_min = 500' >>"$conf"
echo 'restart_delay_max = 100' >>"$conf"
unset SKEIN_RESTART_DELAY_MIN SKEIN_RESTART_DELAY_MAX
ok 'blanks, a return and zeros do no harm' silent s up
echo retry >"$SKEIN_HOME/two.mode"
silent s --timeout 0 restart two
twice() { (($(supervised two restarts) >= 2)); }
wait_for 10 twice
is "$(grep -c 'two: exit 111, next start in 500 ms' \
  "$SKEIN_HOME/log/supervisor.log")" 2 'no wait is shorter than the first'
rm "$SKEIN_HOME/two.mode" "$conf"
s down >/dev/null
export SKEIN_RESTART_DELAY_MIN=100 SKEIN_RESTART_DELAY_MAX=400

# ---- a stage that refuses before it has a log of its own

printf '#!/bin/sh\necho "three[$$] fatal: this is wrong" >&2; exit 100\n' \
  >"$SCRATCH/refuses"
chmod +x "$SCRATCH/refuses"
echo "three y $SCRATCH/refuses" >>"$SKEIN_HOME/stages"
like "$(s up 2>&1)" 'three refuses.*fatal: this is wrong' 'up shows why'
like "$(skein status 2>&1)" 'three +refused .*last exit 100: see log/three.log' \
  'status shows how it ended, and where to look'
s down >/dev/null
sed -i '/^three/d' "$SKEIN_HOME/stages"

# ---- the script is changed while it runs

mkdir "$SCRATCH/bin"
cp "$TESTS"/../scripts/{skein-supervise,supervise-*.sh} "$SCRATCH/bin/"
ok 'up from a copy' silent "$SCRATCH/bin/skein-supervise" up
printf '\ntouch %q\n' "$SCRATCH/read-on" >>"$SCRATCH/bin/skein-supervise"
ok 'down' silent s down
ok 'nothing of the changed script was run' test ! -e "$SCRATCH/read-on"

# ---- files that say what they should not

ok 'up' silent s up
cp "$SKEIN_HOME/run/supervisor.pid" "$SCRATCH/pid"
echo 'a[$(touch owned)]' >"$SKEIN_HOME/run/supervisor.pid"
out=$(s up 2>&1)
is "$? $out" "1 skein-supervise: runs on $SKEIN_HOME already, pid unknown" \
  'a broken pid file: up says that it runs'
kill -KILL "$(<"$SCRATCH/pid")"
cat >"$SKEIN_HOME/run/supervisor.status" <<'S'
supervisor a[$(touch owned)] 7
stage a[$(touch owned)] pid 1 since 7 restarts 0 state up last_exit -
stage two pid b[$(touch owned)] since 7 restarts 0 state up last_exit -
stage
S
ok 'nor does a broken status keep it from starting' silent s up
ok 'nothing in them was executed' test ! -e "$SKEIN_HOME/owned" -a ! -e owned

# ---- what the caller ignores, and what it insists on

s down >/dev/null
(trap '' TERM HUP; export POSIXLY_CORRECT=1; silent s up)
is $? 0 'up where TERM is ignored and POSIX is the law'
out=$(s down 2>&1); is "$? $out" '0 stopped' 'down ends one whose starter ignored TERM'

# ---- a command below the home

mkdir "$SKEIN_HOME/programs"
cp "$dummy" "$SKEIN_HOME/programs/"
ok 'a stage is replaced' silent s replace two "$dummy" two
sed -i 's#^two .*#two y programs/dummy-stage.sh two#' "$SKEIN_HOME/stages"
ok 'up finds a command below the home from elsewhere' silent s up
like "$(tr '\0' ' ' <"/proc/$(supervised two pid)/cmdline")" ' programs/dummy-stage' \
  'and it runs'
s down >/dev/null

# ---- another user

ok 'up' silent s up
if ((EUID == 0)) && command -v setpriv >/dev/null; then
  chmod -R a+rX "$SCRATCH/bin"
  chmod 755 "$SCRATCH"
  out=$(setpriv --reuid 65534 --clear-groups "$SCRATCH/bin/skein-supervise" down 2>&1)
  is "$? $out" "1 skein-supervise: $SKEIN_HOME: cannot be looked into" \
    'a stranger is not told that nothing runs'
else
  ok 'another user # SKIP needs root and setpriv' true
fi
s down >/dev/null

# ---- many at once

for i in 1 2 3 4; do
  s up >"$SCRATCH/up.$i" 2>&1; echo "$?" >"$SCRATCH/rc.$i" &
done
wait
is "$(sort "$SCRATCH"/rc.? | tr '\n' ' ')" '0 1 1 1 ' 'of four ups one starts it'
is "$(cat "$SCRATCH"/up.? | grep -c "already, pid\|was faster, pid")" 3 \
  'the others say who has'
is "$(cat "$SCRATCH"/up.? | grep -c 'runs on:')" 0 'and ask nobody to mend it'
s down >/dev/null

# ---- a disk that is full when it starts

mkdir "$SCRATCH/small"
if mount -t tmpfs -o size=64k none "$SCRATCH/small" 2>/dev/null; then
  SKEIN_HOME=$SCRATCH/small/home
  silent s up
  silent s down
  fill() { head -c 1000000 /dev/zero 2>/dev/null >>"$SCRATCH/small/fill"; }
  fill
  silent s --timeout 1 up
  is "$? $(cat "$SKEIN_HOME/run/supervisor.pid")" '1 ' 'on a full disk up fails'
  out=$(s down); is "$? $out" '0 stopped' 'but down stops what has no pid file'
  silent s --timeout 1 up
  rm "$SCRATCH/small/fill"
  ok 'when there is room, all is well' wait_for 10 holds two state up
  ok 'and the supervisor can be spoken to' silent s restart two
  s down >/dev/null
  umount "$SCRATCH/small"
else
  for what in 1 2 3 4; do
    ok "a full disk # SKIP cannot mount a tmpfs" true
  done
fi

done_testing
