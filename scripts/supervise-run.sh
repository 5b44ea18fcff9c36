# supervise-run.sh - the supervisor itself: `skein-supervise run`; sourced by it
#
# It reads the process table, starts each stage as its direct child, starts it
# again when it dies, and ends them all when it ends.  It knows nothing of
# entries, sockets or databases: what it knows of a stage is its exit status and
# HOME/run/STAGE.status.
#
#   table ──► starting ──► up                      exit 100 ──► refused
#                ▲          │  death, no beat      exit 99  ──► off
#                └ backoff ◄┘                      `stop`   ──► stopped
#
# One turn of its loop costs no fork: `read -t` on the control FIFO is the
# sleep, files are read with builtins, and bash has reaped a dead child before
# we ask.

readonly TICK_MS=200         # the longest time a death goes unnoticed
readonly EAGER_MS=2000       # after a change we look more often for so long,
readonly EAGER_TICK_MS=50    # namely every so often
readonly LOOK_MS=1000        # how often a stage that is up is looked at
readonly LOG_BYTES=4194304   # the supervisor's own log is turned beyond it
readonly LINE_CHARS=4096     # the longest line taken from the control FIFO

# ------------------------------------------------------------------ its state

# By stage.  pid is 0 when no process is there.  Times whose name ends in _at
# are on our own clock (see advance_clock), since is the world's.
declare -A command_of pid state since restarts last_exit
declare -A start_at look_at beat beat_at begun_at kill_at delay
declare -A after  # what its death means: '' unasked, start, stop, forget
names=()
stopping=0 dirty=1 status_at=0
clock=0 last_us=0 changed_at=0

# Our clock stands still while the machine sleeps, while we are stopped and
# when somebody sets the time: none of that is a stage's silence.
advance_clock() {
  local us=${EPOCHREALTIME//[.,]/}
  local step=$(((us - last_us) / 1000))

  if ((step < 0 || step > 1000)); then
    step=$((step < 0 ? 0 : 1000))
    last_us=$us
  else
    last_us=$((last_us + step * 1000))
  fi
  clock=$((clock + step))
}

# enter STAGE STATE - and remember that the world should be told.
enter() {
  state[$1]=$2
  dirty=1 changed_at=$clock
}

stamp_since() {
  local us=${EPOCHREALTIME//[.,]/}
  since[$1]=$((us / 1000))
}

write_pid() { printf '%d\n' "$$" >"$home/run/supervisor.pid"; }

write_status() {
  local name line text file=$home/run/supervisor.status

  ((clock >= status_at)) || return
  printf -v text 'supervisor %d %d\n' "$$" "$began_ms"
  for name in "${names[@]}"; do
    printf -v line \
      'stage %s pid %d since %d restarts %d state %s last_exit %s\n' \
      "$name" "${pid[$name]}" "${since[$name]}" "${restarts[$name]}" \
      "${state[$name]}" "${last_exit[$name]}"
    text+=$line
  done
  # There was no room for the pid if the disk was full when we started.
  { [[ -s $home/run/supervisor.pid ]] || write_pid; } &&
    printf %s "$text" >"$file.new" && mv -f -- "$file.new" "$file" &&
    dirty=0 && return
  # A full disk: say it, but not five times a second.
  status_at=$((clock + LOOK_MS))
  warn "$file: cannot be written"
}

# ------------------------------------------------------------------ one stage

# become STAGE - the background child's last act.  It keeps the reading end of
# the lifeline as descriptor 3 and nothing else of ours.  The order matters: it
# opens the reading end while it still holds the writing one, so the open
# cannot block, and end of file comes even if we died a moment ago.
become() {
  exec 3<"/proc/self/fd/$life_fd" </dev/null >&2 \
    {life_fd}>&- {control_fd}>&- {lock_fd}>&-
  export SKEIN_LIFELINE_FD=3 SKEIN_SUPERVISOR_PID=$$
  # env undoes what bash ignores in a background child, setsid keeps the Ctrl-C
  # of a terminal for the supervisor; both exec in place.
  exec_stage "$1" "${command_of[$1]}" env --default-signal setsid
}

add_stage() {
  names+=("$1")
  pid[$1]=0 restarts[$1]=0 last_exit[$1]=- after[$1]='' kill_at[$1]=0
  delay[$1]=$restart_delay_min_ms
  start_at[$1]=$clock
  stamp_since "$1"
  enter "$1" backoff
}

start_stage() {
  turn_log
  become "$1" &
  pid[$1]=$!
  begun_at[$1]=$clock look_at[$1]=$clock beat_at[$1]=$clock beat[$1]=''
  kill_at[$1]=0 after[$1]=''
  stamp_since "$1"
  enter "$1" starting
}

# signal_stage STAGE SIGNAL - to the stage, and to the group it leads.
signal_stage() {
  kill -s "$2" -- "${pid[$1]}" 2>/dev/null
  kill -s "$2" -- "-${pid[$1]}" 2>/dev/null
}

# end_stage STAGE NEXT - ask it to end; what then is in after[].
end_stage() {
  after[$1]=$2 changed_at=$clock
  ((kill_at[$1])) && return
  kill -s TERM -- "${pid[$1]}" 2>/dev/null
  kill_at[$1]=$((clock + stop_grace_ms))
}

# look_at_stage STAGE - read its status file; ready is noticed, silence kills.
look_at_stage() {
  local key value who=0 says='' count='' line lines=()

  { mapfile -t -n 32 lines <"$home/run/$1.status"; } 2>/dev/null
  for line in "${lines[@]}"; do
    key=${line%% *} value=${line#* }
    case $key in
      pid) who=$value ;;
      state) says=$value ;;
      beat) count=$value ;;
    esac
  done
  # A file left by an earlier life says nothing about this one.
  if [[ $who == "${pid[$1]}" ]]; then
    [[ $count == "${beat[$1]}" ]] || beat[$1]=$count beat_at[$1]=$clock
    if [[ ${state[$1]} == starting && $says == @(ready|blocked) ]]; then
      enter "$1" up
      info "$1: ready pid=${pid[$1]}"
    fi
  fi
  ((watchdog_ms && clock - beat_at[$1] >= watchdog_ms && !kill_at[$1])) &&
    judge_silence "$1"
  [[ ${state[$1]} == starting ]] || look_at[$1]=$((clock + LOOK_MS))
}

# judge_silence STAGE - its beat has stood still for too long.  On a full disk
# nobody can write a status file: that is no reason to kill anyone.
judge_silence() {
  local said="no beat for $((watchdog_ms / 1000)) s"
  local probe=$home/run/supervisor.probe

  beat_at[$1]=$clock
  if { printf 'probe\n' >"$probe"; } 2>/dev/null; then
    warn "$1: $said, killing it pid=${pid[$1]}"
    signal_stage "$1" KILL
  else
    warn "$1: $said, but nothing can be written to $home/run; left alone"
  fi
  rm -f -- "$probe"
}

# reap_stage STAGE - it is dead and bash knows how it died.
reap_stage() {
  local status how=exit

  # bash names who was killed on stderr; the log line below says it better.
  wait "${pid[$1]}" 2>/dev/null
  status=$?
  if ((status > 128)) && kill -l "$status" >/dev/null 2>&1; then
    status=SIG$(kill -l "$status") how=killed
  fi
  # None of its own children outlives it.
  kill -s KILL -- "-${pid[$1]}" 2>/dev/null
  pid[$1]=0 last_exit[$1]=$status
  stamp_since "$1"
  dirty=1
  case ${after[$1]} in
    start)
      delay[$1]=$restart_delay_min_ms
      start_stage "$1"
      ;;
    stop) enter "$1" stopped ;;
    forget) forget_stage "$1" ;;
    *) judge_death "$1" "$how" "$status" ;;
  esac
}

judge_death() {
  if [[ $3 == "$EX_REFUSE" ]]; then
    enter "$1" refused
    warn "$1: exit $3, it refuses; left down"
    return
  elif [[ $3 == "$EX_OFF" ]]; then
    enter "$1" off
    info "$1: switched off"
    return
  fi
  ((clock - begun_at[$1] >= restart_reset_ms)) &&
    delay[$1]=$restart_delay_min_ms
  start_at[$1]=$((clock + delay[$1]))
  restarts[$1]=$((restarts[$1] + 1))
  enter "$1" backoff
  warn "$1: $2 $3, next start in ${delay[$1]} ms restarts=${restarts[$1]}"
  delay[$1]=$((delay[$1] * 2))
  ((delay[$1] <= restart_delay_max_ms)) || delay[$1]=$restart_delay_max_ms
}

forget_stage() {
  local name kept=()

  for name in "${names[@]}"; do
    [[ $name == "$1" ]] || kept+=("$name")
  done
  names=("${kept[@]}")
  unset -v "pid[$1]" "state[$1]" "command_of[$1]"
  rm -f -- "$home/run/$1.status"
  info "$1: no longer in the table"
}

tick() {
  local name

  for name in "${names[@]}"; do
    if ((pid[$name] == 0)); then
      [[ ${state[$name]} == backoff ]] && ((clock >= start_at[$name])) &&
        start_stage "$name"
    elif ! kill -0 "${pid[$name]}" 2>/dev/null; then
      reap_stage "$name"
    else
      ((clock >= look_at[$name])) && look_at_stage "$name"
      if ((kill_at[$name] && clock >= kill_at[$name])); then
        warn "$name: did not end when asked, killing it pid=${pid[$name]}"
        signal_stage "$name" KILL
        kill_at[$name]=$((clock + stop_grace_ms))
      fi
    fi
  done
  ((dirty)) && write_status
}

# ------------------------------------------------------------------- commands

# hear SECONDS - wait that long for a line of the control FIFO and obey it.  A
# timeout may leave the beginning of a line in hand: it is kept for the next
# turn.
heard='' overlong=0
hear() {
  local part='' status

  IFS= read -r -t "$1" -n "$LINE_CHARS" -u "$control_fd" part
  status=$?
  heard+=$part
  if ((${#heard} >= LINE_CHARS)); then
    heard='' overlong=1
  fi
  if ((status != 0)); then
    # Neither a line nor a timeout: never spin on a FIFO that is broken.
    ((status > 128)) || sleep "$1"
    return
  fi
  ((${#part} < LINE_CHARS)) || return  # full, and the line goes on
  part=$heard heard=''
  if ((overlong)); then
    overlong=0
    warn 'control: line too long, dropped'
  elif [[ -n $part ]]; then
    obey "$part"
  fi
}

obey() {
  local verb stage rest

  read -r verb stage rest <<<"$1"
  case $verb in
    reload) [[ -z $stage ]] && reload && return ;;
    down) [[ -z $stage ]] && stopping=1 && return ;;
    restart | start | stop)
      if [[ -z $rest ]] && valid_name "$stage" && [[ -v pid[$stage] ]]; then
        info "control: $verb $stage"
        "${verb}_by_order" "$stage"
        return
      fi
      ;;
  esac
  printf -v rest %q "${1:0:80}"
  warn "control: not understood: $rest"
}

start_by_order() {
  if ((!pid[$1])); then
    delay[$1]=$restart_delay_min_ms
    start_stage "$1"
  elif [[ ${after[$1]} == stop ]]; then
    after[$1]=start
  fi
}

stop_by_order() {
  if ((pid[$1])); then
    end_stage "$1" stop
  else
    enter "$1" stopped
  fi
}

restart_by_order() {
  if ((pid[$1])); then
    end_stage "$1" start
  else
    start_by_order "$1"
  fi
}

# reload - take the table as it now stands: new stages start, missing ones end,
# the others run on and get their new command when they next start.
reload() {
  local name

  if ! load_table "$home/stages"; then
    warn "$home/stages: not taken, everything stays as it is"
    return 0
  fi
  for name in "${names[@]}"; do
    [[ -v table_wait[$name] ]] && continue
    if ((pid[$name])); then
      end_stage "$name" forget
    else
      forget_stage "$name"
    fi
  done
  for name in "${table_names[@]}"; do
    command_of[$name]=${table_command[$name]}
    if [[ ! -v pid[$name] ]]; then
      add_stage "$name"
    elif [[ ${after[$name]} == forget ]]; then
      after[$name]=start
    fi
  done
  info "table read: ${table_names[*]}"
}

# ------------------------------------------------------------------- its life

# turn_log - keep the log that we and whatever a stage says on stderr share
# from growing for ever.
turn_log() {
  local size

  [[ -n $log_file ]] || return
  size=$(stat -c %s -- "$log_file" 2>/dev/null)
  ((${size:-LOG_BYTES} < LOG_BYTES)) && return
  mv -f -- "$log_file" "$log_file.1"
  exec >>"$log_file" 2>&1
}

take_lock() {
  local other=unknown

  exec {lock_fd}<>"$home/run/supervisor.lock" || exit $EX_REFUSE
  # Clients try the lock for a moment to see whether we run, and hold it to
  # clear what was left: wait them out.
  if flock -w 3 "$lock_fd"; then
    write_pid || warn "$home/run/supervisor.pid: cannot be written"
    return
  fi
  [[ -f $home/run/supervisor.pid ]] && read -r other <"$home/run/supervisor.pid"
  die 1 "a supervisor runs on $home already, pid $other"
}

open_fifos() {
  mkfifo -m 600 -- "$home/run/control" "$home/run/lifeline" &&
    exec {control_fd}<>"$home/run/control" {life_fd}<>"$home/run/lifeline" ||
    die $EX_REFUSE "$home/run: cannot make a FIFO there"
  # Without a name nobody else can hold it open, nor a later supervisor keep
  # our stages alive; they open it through /proc/self/fd.
  rm -f -- "$home/run/lifeline"
}

stop_all() {
  local i name

  info 'stopping'
  for ((i = ${#names[@]} - 1; i >= 0; i--)); do
    stop_by_order "${names[i]}"
  done
  while one_lives; do
    read -r -t 0.05 -u "$control_fd" _
    advance_clock
    tick
  done
  for name in "${names[@]}"; do
    # A stage may have died over a fresh one that it had not put in place.
    rm -f -- "$home/run/$name.status" "$home/run/$name.status."*
  done
  rm -f -- "$home"/run/{control,supervisor.pid,supervisor.status}
  info 'stopped'
}

one_lives() {
  local name

  for name in "${names[@]}"; do
    ((pid[$name])) && return 0
  done
  return 1
}

run() {
  log_file=''
  if [[ ${1-} == --log && -n ${2-} ]]; then
    log_file=$(realpath -m -- "$2")
    exec >>"$log_file" 2>&1 || exit $EX_REFUSE
    shift 2
  fi
  (($# == 0)) || usage
  prepare_home
  logging=1
  close_inherited
  # Handlers, never '': what a shell ignores its children ignore too.
  trap 'stopping=1' TERM INT HUP
  trap : PIPE QUIT
  take_lock
  load_settings || exit $EX_REFUSE
  load_table "$home/stages" ||
    die $EX_REFUSE "$home/stages: broken, nothing started"
  clear_leftovers
  open_fifos
  cd -- "$home" || exit $EX_REFUSE
  last_us=${EPOCHREALTIME//[.,]/} began_ms=$((last_us / 1000))
  info "running on $home"
  reload
  keep_running
  stop_all
}

keep_running() {
  local ticked=-$TICK_MS turn_ms turn

  while ((!stopping)); do
    turn_ms=$((clock - changed_at < EAGER_MS ? EAGER_TICK_MS : TICK_MS))
    # A flood of control lines must not keep us from looking after the stages.
    if ((clock - ticked >= turn_ms)); then
      ticked=$clock
      tick
    fi
    if [[ ! -d $home/run ]]; then
      warn "$home/run is gone"
      break
    fi
    printf -v turn '0.%03d' "$turn_ms"
    hear "$turn"
    advance_clock
  done
}
