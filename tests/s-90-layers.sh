#!/bin/bash
# Who may know whom: the source keeps to the layers that ARCHITECTURE.md draws.
. "$(dirname "$0")/lib.sh"
cd "$(dirname "$TESTS")" || exit 1
folders='assess chainer classify cli common compactor ingest linker monitor query store'

# includers HEADER: the files that include it, tests and benchmarks aside
includers() {
  local f
  # shellcheck disable=SC2086
  for f in $folders; do grep -lE "^#include [<\"]$1[>\"]" "$f"/*.[ch]; done | paste -sd ' '
}
is "$(includers lmdb.h)" common/db.c 'one file knows LMDB'
is "$(includers zmq.h)" common/bus.c 'one file knows ZeroMQ'
is "$(includers 'msgpack(/.*)?.h')" common/msg_object.h 'one header knows msgpack-c'
is "$(includers common/msg_object.h)" 'common/msg.c common/msg_tree.c' '  for the files of msg'
is "$(includers curl/curl.h)" 'assess/http.c store/skein-embed.c' 'two programs know libcurl'

# reaches FOLDER: the other folders whose headers it includes, common aside
reaches() {
  sed -nE 's/^#include "([a-z]+)\/.*/\1/p' "$1"/*.[ch] | sort -u | grep -vxE "common|$1" | paste -sd ' '
}
is "$(sed -nE 's/^#include "(.*)"/\1/p' common/*.[ch] | grep -v ^common/ | sort -u)" store/tables.def \
  'common knows no stage, and of the store only which tables there are'
for folder in classify ingest linker monitor; do
  is "$(reaches $folder)" '' "$folder stands on common alone"
done
is "$(sed -nE 's/^#include "(.*)"/\1/p' chainer/*.[ch] | grep -vE '^(common|chainer)/' | sort -u)" store/embed.h \
  'chainer shares only the vectors of words'
is "$(reaches compactor)" classify 'compactor shares only how text is read'
is "$(includers common/stage_impl.h | tr ' ' '\n' | grep -E '^(assess|cli|monitor)/')" cli/check_deep.c \
  "the skeleton's inside is no program's but the one's that makes tables again"

# systemd starts what skein's own supervisor does.
is "$(sed -n 's/^Wants=skein@\(.*\)\.service/\1/p' scripts/systemd/skein.target | paste -sd ' ')" \
  "$(awk '/^[a-z]/ { print $1 }' scripts/stages | paste -sd ' ')" 'the target has every process of the table'
done_testing
