# supervise-home.sh - what stands in a home: the process table, settings, and
# what a supervisor says of its stages; sourced by skein-supervise

# --------------------------------------------------------- words and commands

# split_words TEXT - into words[]; ' and " quote, \ takes the next character,
# nothing is expanded.
split_words() {
  local rest=$1 word='' begun=0

  words=()
  while [[ -n $rest ]]; do
    if [[ $rest =~ ^[[:space:]]+ ]]; then
      ((begun)) && words+=("$word")
      word='' begun=0
    elif [[ $rest =~ ^\'([^\']*)\' || $rest =~ ^\"([^\"]*)\" ||
        $rest =~ ^\\(.) || $rest =~ ^([^[:space:]\'\"\\]+) ]]; then
      word+=${BASH_REMATCH[1]} begun=1
    else
      reason="unfinished quote at: ${rest:0:20}"
      return 1
    fi
    rest=${rest:${#BASH_REMATCH[0]}}
  done
  ((begun)) && words+=("$word")
  return 0
}

# quote_words WORD... - into quoted, as split_words and sh(1) both read them.
quote_words() {
  local word safe='^[A-Za-z0-9_@%+=:,./-]+$'

  quoted=''
  for word; do
    [[ $word =~ $safe ]] || word="'${word//\'/\'\\\'\'}'"
    quoted+=" $word"
  done
  quoted=${quoted# }
}

# valid_name WORD - asked before a word from outside becomes a subscript: bash
# would expand what it finds there.
valid_name() {
  [[ $1 =~ ^[a-z][a-z0-9_-]{0,31}$ ]]
}

# valid_pid WORD - asked of what a file says before it is computed with; 0 is
# nobody's.
valid_pid() {
  [[ $1 =~ ^(0|[1-9][0-9]{0,9})$ ]]
}

# find_program WORD - its path into program.
find_program() {
  local dir

  if [[ $1 == */* ]]; then
    program=$1
    [[ -f $1 && -x $1 ]]
    return
  fi
  for dir in {"$own_dir","$real_dir"}{,/../libexec/skein}; do
    program=$dir/$1
    [[ -f $program && -x $program ]] && return 0
  done
  hash -r  # it may have been installed elsewhere since
  program=$(type -P -- "$1")
}

# exec_stage STAGE COMMAND [WRAPPER...]
exec_stage() {
  if ! split_words "$2" || ! find_program "${words[0]}"; then
    warn "$1: command not found: $2"
    exit 127
  fi
  export SKEIN_HOME=$home
  give_locale
  exec "${@:3}" "$program" "${words[@]:1}" \
    --home "$home" --log "$home/log/$1.log"
}

# ---------------------------------------------------------- the process table

declare -A table_wait table_command
table_names=()

# parse_line LINE - one line of the table into name, flag, command and words;
# or 1 and the reason.
parse_line() {
  name='' flag='' command=''
  read -r name flag command <<<"$1"
  reason=''
  if [[ ${1//$'\t'/} == *[[:cntrl:]]* ]]; then
    reason='control character'
  elif ! valid_name "$name"; then
    reason="bad stage name: ${name@Q}"
  elif [[ $name == supervisor ]]; then
    reason='supervisor is not a name for a stage'
  elif [[ $flag != [yn] ]]; then
    reason="second column must be y or n, not ${flag@Q}"
  elif [[ -z $command ]]; then
    reason='no command'
  else
    split_words "$command" && ((${#words[@]})) && [[ -n ${words[0]} ]] &&
      return 0
    reason=${reason:-no command}
  fi
  return 1
}

# load_table FILE - into table_names[], table_wait[], table_command[].  Every
# broken line is named; with any of them the table counts as unreadable.
load_table() {
  local file=$1 line number=0 broken=0 name flag command

  table_names=() table_wait=() table_command=()
  if [[ ! -f $file || ! -r $file ]]; then
    warn "$file: not a readable file"
    return 1
  fi
  while IFS= read -r line || [[ -n $line ]]; do
    ((++number))
    [[ $line =~ ^[[:blank:]]*(#|$) ]] && continue
    if parse_line "$line"; then
      [[ ! -v table_wait[$name] ]] || reason="a second line for $name"
    fi
    if [[ -n $reason ]]; then
      warn "$file:$number: $reason"
      broken=1
      continue
    fi
    table_names+=("$name")
    table_wait[$name]=$flag
    table_command[$name]=$command
  done <"$file"
  if ((!broken && !${#table_names[@]})); then
    warn "$file: no stage in it"
    broken=1
  fi
  return $broken
}

# find_shipped - the table that came with skein, into shipped.
find_shipped() {
  for shipped in ${SKEIN_STAGES:+"$SKEIN_STAGES"} \
      {"$own_dir","$real_dir"}/{stages,../share/skein/stages} \
      "$own_dir"/../../{share/skein,scripts}/stages; do
    [[ -f $shipped ]] && return 0
  done
  warn "no process table found beside $own_dir"
  return 1
}

# prepare_home - make what is missing in HOME, its process table included.
prepare_home() {
  # A Unix socket's name has at most 107 bytes, and sockets live in HOME/run.
  ((${#home} <= 85)) ||
    die $EX_REFUSE "$home: ${#home} bytes; a home's path has at most 85"
  mkdir -p -- "$home" && [[ -w $home && -O $home ]] ||
    die $EX_REFUSE "$home: not a folder of yours that can be written"
  mkdir -p -m 700 -- "$home/run" "$home/log" &&
    chmod -- 700 "$home/run" "$home/log" ||
    die $EX_REFUSE "$home: cannot prepare it"
  [[ -e $home/stages ]] && return
  find_shipped || exit $EX_REFUSE
  cat -- "$shipped" >"$home/stages.$$" &&
    mv -f -- "$home/stages.$$" "$home/stages" && return
  rm -f -- "$home/stages.$$"
  die $EX_REFUSE "$home/stages: cannot be written"
}

# ------------------------------------------------------------------- settings

# read_conf - HOME/skein.conf, as common/conf.c reads it, into conf[] and, for
# people, conf_place[].  A line that is no setting is the stages' to refuse.
declare -A conf conf_place
read_conf() {
  local line number=0
  local line_is='^[[:space:]]*([a-z_]+)[[:space:]]*=[[:space:]]*(.*[^[:space:]])?'

  conf=() conf_place=()
  [[ -f $home/skein.conf ]] || return
  while IFS= read -r line || [[ -n $line ]]; do
    ((++number))
    [[ $line =~ $line_is ]] || continue
    conf[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
    conf_place[${BASH_REMATCH[1]}]=$home/skein.conf:$number
  done <"$home/skein.conf"
}

# setting NAME UNIT DEFAULT LEAST MOST - as common/params.def has it, from
# $SKEIN_NAME, else HOME/skein.conf, else the default; as milliseconds into the
# variable NAME_ms.  A wrong one is named and the default counts.
setting() {
  local env=SKEIN_${1^^} unit=$2 value=${conf[$1]-$3} from=${conf_place[$1]-}
  local -n ms=${1}_ms
  local factor=1

  [[ -v $env ]] && value=${!env} from=\$$env
  [[ $unit == ms ]] || factor=1000
  ms=$(($3 * factor))
  if ! [[ $value =~ ^[0-9]{1,7}$ ]] ||
      ((10#$value < $4 || 10#$value > $5)); then
    warn "$from: $1 must be a number of $unit from $4 to $5, not ${value@Q}"
    return 1
  fi
  ms=$((10#$value * factor))
}

# load_settings - 1 if any is wrong.
load_settings() {
  local wrong=0

  read_conf
  setting restart_delay_min ms 100 10 60000 || wrong=1
  setting restart_delay_max ms 10000 10 600000 || wrong=1
  setting restart_reset s 10 1 86400 || wrong=1
  setting watchdog s 20 0 86400 || wrong=1
  setting stop_grace s 10 1 3600 || wrong=1
  # Who asks for a long first wait does not want the next to be shorter.
  ((restart_delay_max_ms >= restart_delay_min_ms)) ||
    restart_delay_max_ms=$restart_delay_min_ms
  return $wrong
}

# ---------------------------------------------------------- supervisor.status

declare -A S_pid S_state S_line S_exit
# read_status - supervisor.status into S_*; 1 when there is none.
read_status() {
  local what name number began again how code lines=() line

  S_names=() S_supervisor=0 S_pid=() S_state=() S_line=() S_exit=()
  { mapfile -t lines <"$home/run/supervisor.status"; } 2>/dev/null
  for line in "${lines[@]}"; do
    read -r what name _ number _ began _ again _ how _ code <<<"$line"
    case $what in
      supervisor) valid_pid "$name" && S_supervisor=$name ;;
      stage)
        valid_name "$name" && valid_pid "$number" || continue
        S_names+=("$name")
        S_pid[$name]=$number S_state[$name]=$how S_exit[$name]=$code
        S_line[$name]=$line
        ;;
    esac
  done
  ((S_supervisor))
}

# is_ours PID SUPERVISOR - does that process belong to that supervisor and home?
is_ours() {
  local variable hits=0 all=()

  (($1 > 0)) || return 1
  { mapfile -t -d '' all <"/proc/$1/environ"; } 2>/dev/null
  for variable in "${all[@]}"; do
    [[ $variable == "SKEIN_SUPERVISOR_PID=$2" ||
      $variable == "SKEIN_HOME=$home" ]] && ((++hits))
  done
  ((hits == 2))
}

# clear_leftovers - what a supervisor that was killed has left.  Its stages end
# by themselves at the end of their lifeline; one that cannot (it is stopped,
# it hangs) is killed here.
clear_leftovers() {
  local name deadline=$((EPOCHSECONDS + 2)) left

  while read_status; do
    left=()
    for name in "${S_names[@]}"; do
      is_ours "${S_pid[$name]}" "$S_supervisor" && left+=("$name")
    done
    ((${#left[@]})) || break
    if ((EPOCHSECONDS > deadline)); then
      for name in "${left[@]}"; do
        warn "$name: outlived its supervisor, killing it pid=${S_pid[$name]}"
        kill -s KILL -- "${S_pid[$name]}" "-${S_pid[$name]}" 2>/dev/null
      done
    fi
    sleep 0.1
  done
  rm -f -- "$home"/run/*.status "$home"/run/*.status.* "$home"/run/{control,lifeline}
}
