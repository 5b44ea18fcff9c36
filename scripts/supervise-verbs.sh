# supervise-verbs.sh - what people ask of a supervisor; sourced by
# skein-supervise
#
# They find it by its lock, speak to it through its control FIFO or by a signal,
# and see in supervisor.status what came of it.

declare -A was was_pid  # before an order: the stage's line and its pid

# find_supervisor - its pid into supervisor; 1 when none runs.  The lock says
# so, a pid alone could be anybody's by now; a shared lock, so that two clients
# who ask at once do not take each other for the supervisor.
find_supervisor() {
  local dir tries

  for dir in "$home" "$home/run"; do
    [[ ! -d $dir || -x $dir ]] || die 1 "$dir: cannot be looked into"
  done
  supervisor=0
  [[ -e $home/run/supervisor.lock ]] || return 1
  flock -n -s "$home/run/supervisor.lock" true && return 1
  # It writes its pid a moment after it has the lock.
  for ((tries = 0; tries < 20; tries++)); do
    { read -r supervisor <"$home/run/supervisor.pid"; } 2>/dev/null
    valid_pid "$supervisor" && ((supervisor)) &&
      kill -0 "$supervisor" 2>/dev/null && return 0
    supervisor=0
    sleep 0.05
  done
  return 0
}

need_supervisor() {
  find_supervisor || die 1 "not running on $home"
}

# tell LINE... - to the supervisor.  Opened for both directions: neither waits
# for a reader nor makes a plain file.
tell() {
  [[ -p $home/run/control ]] || die 1 "$home/run/control: no such FIFO"
  printf '%s\n' "$@" 1<>"$home/run/control"
}

# show_log NAME - the end of its log, and what the supervisor's log has of it:
# who ends before it has opened its own speaks only there.
show_log() {
  local own=$home/log/$1.log all=$home/log/supervisor.log

  show_lines "$own" "$(tail -n 5 -- "$own" 2>/dev/null)"
  [[ $own == "$all" ]] ||
    show_lines "$all" "$(grep -aw -e "$1" -- "$all" 2>/dev/null | tail -n 3)"
}

show_lines() {
  [[ -n $2 ]] || return
  printf '  last lines of %s:\n' "$1" >&2
  printf '    %s\n' "${2//$'\n'/$'\n    '}" >&2
}

set_deadline() { deadline_us=$((${EPOCHREALTIME//[.,]/} + timeout * 1000000)); }
time_is_left() { ((${EPOCHREALTIME//[.,]/} < deadline_us)); }

# is_off STAGE GOAL - it was started and found itself switched off.
is_off() {
  [[ $2 == up && ${S_state[$1]-} == off && ${S_line[$1]} != "${was[$1]-}" ]]
}

# await STATE STAGE... - until each is in that state, and in a life other than
# was_pid[STAGE]; 1 and the reason when one refuses or time runs out.
await() {
  local goal=$1 name pending
  shift

  set_deadline
  while :; do
    pending=()
    read_status
    # What an earlier supervisor left is no news.
    ((S_supervisor == supervisor)) || S_state=() pending=(supervisor)
    for name; do
      [[ ${S_state[$name]-} == "$goal" &&
        ${S_pid[$name]} != "${was_pid[$name]-}" ]] ||
        is_off "$name" "$goal" || pending+=("$name")
      if [[ ${S_state[$name]-} == refused && $goal == up &&
          ${S_line[$name]} != "${was[$name]-}" ]]; then
        warn "$name refuses to run, exit ${S_exit[$name]}"
        show_log "$name"
        return 1
      fi
    done
    ((${#pending[@]})) || return 0
    if ! kill -0 "$supervisor" 2>/dev/null; then
      if find_supervisor; then
        warn "another supervisor was faster, pid $supervisor"
      else
        warn 'the supervisor is gone'
        show_log supervisor
      fi
      return 1
    fi
    time_is_left || break
    sleep 0.05
  done
  for name in "${pending[@]}"; do
    warn "$name is not $goal after $timeout s: ${S_state[$name]-unknown}," \
      "last exit ${S_exit[$name]--}"
  done
  show_log "${pending[0]}"
  return 1
}

# waited_for - the stages that `up` waits for, into wanted[].
waited_for() {
  local name

  load_table "$home/stages" || exit 1
  wanted=()
  for name in "${table_names[@]}"; do
    [[ ${table_wait[$name]} == n ]] || wanted+=("$name")
  done
}

print_stages() {
  local name

  read_status
  for name in "${S_names[@]}"; do
    printf '%-12s %-9s pid %d\n' "$name" "${S_state[$name]}" "${S_pid[$name]}"
  done
}

# find_commands - 1, and each of the table's that is not there is named.
find_commands() {
  local name missing=0

  for name in "${table_names[@]}"; do
    split_words "${table_command[$name]}"
    find_program "${words[0]}" && continue
    warn "$home/stages: $name: command not found: ${words[0]}"
    missing=1
  done
  return $missing
}

# start_supervisor - in the background, its pid into supervisor.  env undoes
# what our caller ignores: who ignored TERM would never end.
start_supervisor() {
  (
    close_inherited
    give_locale
    exec env --default-signal setsid \
      "$self" --home "$home" run --log "$home/log/supervisor.log" \
      </dev/null >>"$home/log/supervisor.log" 2>&1
  ) &
  supervisor=$!
}

up() {
  local started

  if [[ ${1-} == --foreground ]]; then
    shift
    run "$@"
    return
  fi
  (($# == 0)) || usage
  prepare_home
  if find_supervisor; then
    ((supervisor)) || supervisor=unknown
    die 1 "runs on $home already, pid $supervisor"
  fi
  load_settings || exit $EX_REFUSE
  waited_for
  cd -- "$home" || exit 1  # where the stages are started
  find_commands || exit 1
  start_supervisor
  started=$supervisor
  if await up "${wanted[@]}"; then
    print_stages
    return
  fi
  # It may be gone, or another one may have been faster.
  ((supervisor == started)) && kill -0 "$started" 2>/dev/null &&
    warn "the rest runs on: mend it and 'skein restart STAGE', or 'skein down'"
  exit 1
}

ready() {
  (($# == 0)) || usage
  set_deadline
  until find_supervisor; do
    time_is_left || die 1 "not running on $home"
    sleep 0.1
  done
  waited_for
  await up "${wanted[@]}"
}

# clear_if_free - clear_leftovers, but never under a supervisor that starts now.
clear_if_free() (
  exec {lock_fd}<>"$home/run/supervisor.lock" && flock -n "$lock_fd" &&
    clear_leftovers
)

down() {
  local patience

  (($# == 0)) || usage
  if ! find_supervisor; then
    [[ -e $home/run/supervisor.lock ]] && clear_if_free
    info 'not running'
    return
  fi
  # A wrong setting must not keep anybody from stopping.
  load_settings
  if ((supervisor)); then
    kill -s TERM -- "$supervisor" 2>/dev/null
  elif [[ -p $home/run/control ]]; then
    tell down  # the disk was too full for its pid; else it is ending already
  fi
  # The lock is the supervisor's alone: when it is free, all are gone.
  patience=$((stop_grace_ms / 1000 + 5))
  if ! flock -s -w "$patience" "$home/run/supervisor.lock" true; then
    ((supervisor)) || die 1 "$home: somebody holds the lock but has no pid"
    warn "the supervisor does not end, killing it pid=$supervisor"
    kill -s KILL -- "$supervisor"
    flock -s -w 5 "$home/run/supervisor.lock" true ||
      die 1 "$home/run/supervisor.lock is still held"
    clear_if_free
  fi
  info 'stopped'
}

# order VERB GOAL [STAGE...] - have the supervisor do it and see it done.
order() {
  local verb=$1 goal=$2 name lines=()
  shift 2

  need_supervisor
  read_status
  (($#)) || set -- "${S_names[@]}"
  for name; do
    valid_name "$name" && [[ -v S_line[$name] ]] ||
      die 1 "no stage ${name@Q}; there are: ${S_names[*]}"
    was[$name]=${S_line[$name]}
    [[ $verb == restart ]] && was_pid[$name]=${S_pid[$name]}
    lines+=("$verb $name")
  done
  tell "${lines[@]}"
  await "$goal" "$@"
}

reload_by_client() {
  load_table "$home/stages" || exit 1
  need_supervisor
  tell reload
}

# -------------------------------------------------------------------- replace

# uses_here WORD... - does any of them name a file relative to this folder?
uses_here() {
  local word

  for word; do
    [[ $word != [/-]* && -e $word ]] && return 0
  done
  return 1
}

# filter_line STAGE CMD ARG... - the command that lets a filter decide.
filter_line() {
  local stage=$1 text here='' verb
  shift

  # One word is a line for sh, unless it is a program with a blank in its path.
  if (($# == 1)) && ! [[ -f $1 && -x $1 ]]; then
    text=$1
    split_words "$text" || die 1 "$reason"
  else
    words=("$@")
    quote_words "$@"
    text=$quoted
  fi
  verb=${words[0]-}
  if [[ -z $verb ]]; then
    die 1 'empty command'
  elif [[ $verb =~ ^[A-Za-z0-9_./+-]+$ ]]; then
    type -- "$verb" >/dev/null 2>&1 || die 1 "command not found: $verb"
  fi
  if uses_here "${words[@]}"; then
    quote_words "$PWD"
    here="cd $quoted && "
  fi
  quote_words "skein-$stage" --exec "$here$text"
}

# program_line CMD ARG... - the command that runs another program as the stage.
program_line() {
  (($#)) && [[ -n $1 ]] || die 1 'empty command'
  find_program "$1" || die 1 "command not found: $1"
  if uses_here "$@"; then
    set -- env -C "$PWD" "$program" "${@:2}"
  fi
  quote_words "$@"
}

# shipped_line STAGE - the command that came with skein.
shipped_line() {
  find_shipped && load_table "$shipped" || exit 1
  [[ -v table_wait[$1] ]] || die 1 "$shipped has no stage $1"
  quoted=${table_command[$1]}
}

# put_command STAGE COMMAND - change that one line of HOME/stages.
put_command() {
  local line name flag out=''

  while IFS= read -r line || [[ -n $line ]]; do
    if [[ ! $line =~ ^[[:blank:]]*(#|$) ]]; then
      read -r name flag _ <<<"$line"
      [[ $name == "$1" ]] &&
        printf -v line '%-12s %-5s %s' "$name" "$flag" "$2"
    fi
    out+=$line$'\n'
  done <"$home/stages"
  printf %s "$out" >"$home/stages.$$" && load_table "$home/stages.$$" &&
    mv -f -- "$home/stages.$$" "$home/stages" && return
  rm -f -- "$home/stages.$$"
  die 1 "$home/stages: not changed"
}

replace() {
  local stage=${1-} table_fd

  (($# >= 2)) || usage
  shift
  prepare_home
  # The folder's own lock: two replacements at once must not undo each other.
  exec {table_fd}<"$home" && flock "$table_fd" || exit 1
  load_table "$home/stages" || exit 1
  valid_name "$stage" && [[ -v table_wait[$stage] ]] ||
    die 1 "no stage ${stage@Q} in $home/stages; there are: ${table_names[*]}"
  case $1 in
    --back)
      (($# == 1)) || usage
      shipped_line "$stage"
      ;;
    --exec)
      shift
      [[ ${1-} == -- ]] && shift
      filter_line "$stage" "$@"
      ;;
    *)
      [[ $1 == -- ]] && shift
      program_line "$@"
      ;;
  esac
  [[ $quoted != *[[:cntrl:]]* ]] ||
    die 1 'a command in the table cannot hold a control character'
  put_command "$stage" "$quoted"
  exec {table_fd}<&-
  info "$stage: $quoted"
  if find_supervisor; then
    tell reload
    order restart up "$stage"
  else
    info 'not running; it counts from the next start'
  fi
}

exec_alone() {
  (($# == 1)) || usage
  prepare_home
  load_table "$home/stages" || exit $EX_REFUSE
  valid_name "$1" && [[ -v table_wait[$1] ]] ||
    die $EX_REFUSE "no stage ${1@Q} in $home/stages"
  cd -- "$home" || exit $EX_REFUSE
  exec_stage "$1" "${table_command[$1]}"
}
