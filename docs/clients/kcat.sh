#!/usr/bin/env bash
# kcat.sh HOST:PORT RUN: the steps of run-all.sh with kcat (librdkafka).
set -u
bootstrap="$1"
topic="kcat-$2"
failed=0

# step NAME EXPECTED ACTUAL
step() {
  if [ "$2" = "$3" ]; then
    echo "ok       kcat        $1"
  else
    echo "FAILED   kcat        $1: expected '$2', got '$3'"
    failed=1
  fi
}

lines() { tr '\n' ' ' | sed 's/ $//'; }

consume() {
  timeout 30 kcat -b "$bootstrap" -C -t "$topic" -o beginning -e -q "$@" 2>&1 | lines
}

printf 'a\nb\nc\n' | timeout 30 kcat -b "$bootstrap" -P -t "$topic" -p 0 -X acks=all 2>&1
step "produce acks=all, consume" "a b c" "$(consume)"

printf 'd\ne\n' | timeout 30 kcat -b "$bootstrap" -P -t "$topic" -p 0 -X enable.idempotence=true 2>&1
step "produce idempotent" "a b c d e" "$(consume)"

for codec in gzip snappy lz4; do
  printf '%s\n' "$codec" | timeout 30 kcat -b "$bootstrap" -P -t "$topic-z" -p 0 -z "$codec" 2>&1
done
step "produce gzip, snappy, lz4" "gzip snappy lz4" \
  "$(timeout 30 kcat -b "$bootstrap" -C -t "$topic-z" -o beginning -e -q 2>&1 | lines)"

group() {
  timeout 40 kcat -b "$bootstrap" -G "group-$topic" -X auto.offset.reset=earliest -e -q "$topic" 2>&1 | lines
}
step "consumer group reads all" "a b c d e" "$(group)"
printf 'f\n' | timeout 30 kcat -b "$bootstrap" -P -t "$topic" -p 0 2>&1
step "consumer group goes on at its commit" "f" "$(group)"

printf 'tx1\ntx2\n' | timeout 30 kcat -b "$bootstrap" -P -t "$topic" -p 0 -X transactional.id="$topic" > /dev/null 2>&1
step "transaction committed" "a b c d e f tx1 tx2" "$(consume -X isolation.level=read_committed)"

# A transaction that ends by a signal is aborted.
fifo="$(mktemp -u)"
mkfifo "$fifo"
kcat -b "$bootstrap" -P -t "$topic" -p 0 -X transactional.id="$topic" < "$fifo" > /dev/null 2>&1 &
kcat_pid=$!
exec 8> "$fifo"
printf 'lost\n' >&8
sleep 3
kill -TERM "$kcat_pid"
printf '\n' >&8
exec 8>&-
wait "$kcat_pid" 2> /dev/null
rm -f "$fifo"
step "transaction aborted" "a b c d e f tx1 tx2" \
  "$(consume -X isolation.level=read_committed | sed 's/ *$//')"

offset="$(timeout 30 kcat -b "$bootstrap" -Q -t "$topic:0:-2" 2>&1 | lines)"
step "list offsets" "$topic [0] offset 0" "$offset"
exit $failed
