#!/bin/bash
#
# dummy-stage - a stage in the eyes of the supervisor, and no more
#
# dummy-stage.sh NAME [--flag ...] --home HOME --log FILE
#
# It beats, is ready, ends at SIGTERM and at the end of its lifeline.  A word in
# HOME/NAME.mode makes it misbehave, read once at the start:
#   refuse   exit 100          retry   exit 111
#   mute     never writes its status file
#   deaf     does not end at SIGTERM
#   slow     is ready only when HOME/NAME.go exists

name=$1 home='' log='' mode='' state=starting beat=0
shift
while (($#)); do
  case $1 in
    --home) home=$2; shift ;;
    --log) log=$2; shift ;;
    *) printf '%s\n' "$1" >>"$SKEIN_HOME/$name.args" ;;
  esac
  shift
done
[[ -f $home/$name.mode ]] && read -r mode <"$home/$name.mode"
printf 'dummy %s pid %d mode %s\n' "$name" "$$" "${mode:-none}" >>"$log"

case $mode in
  refuse) echo "this setting is wrong" >>"$log"; exit 100 ;;
  retry) exit 111 ;;
esac
if [[ $mode == deaf ]]; then
  trap : TERM
else
  trap 'exit 0' TERM
fi

life_fd=${SKEIN_LIFELINE_FD-}
[[ -n $life_fd ]] || exec {life_fd}<> <(:)  # unsupervised: one that never ends

while :; do
  if [[ $mode != slow || -e $home/$name.go ]]; then
    state=ready
  fi
  if [[ $mode != mute ]]; then
    printf '%s\n' "pid $$" "state $state" "beat $((++beat))" "cursor 7" \
      "rate 0" "since ${EPOCHREALTIME/[.,]*/}000" "note nothing to do" \
      >"$home/run/$name.status.$$" &&
      mv "$home/run/$name.status.$$" "$home/run/$name.status"
  fi
  read -r -t 0.3 -u "$life_fd" _
  (($? > 128)) || exit 0
done
