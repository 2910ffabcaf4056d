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

# until_true CONDITION...: tries for half a minute
until_true() {
  local end=$((SECONDS + 30))
  until "$@"; do
    [ $SECONDS -lt $end ] || return
    sleep 0.1
  done
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

# One member, two, one again: each record is read once, as the leaver commits.
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
member() {
  kcat -b "$bootstrap" -G "shared-$topic" -X auto.offset.reset=earliest -X heartbeat.interval.ms=300 \
    -X partition.assignment.strategy=roundrobin -u "$topic-0" "$topic-1" > "$work/$1.out" 2> "$work/$1.err" &
}
to_both() {
  for number in 0 1; do
    printf '%s\n' "$1" | timeout 30 kcat -b "$bootstrap" -P -t "$topic-$number" -p 0 2>&1
  done
}
holds() { [ "$(grep -a 'assigned:' "$work/$1.err" | tail -1 | grep -o '\[0\]' | wc -l)" = "$2" ]; }
have_read() { [ "$(cat "$work"/*.out | wc -l)" = "$1" ]; }
to_both alone
member 1
first=$!
until_true holds 1 2
until_true have_read 2
member 2
second=$!
until_true holds 1 1 && until_true holds 2 1
to_both shared
until_true have_read 4
kill -TERM "$first"
wait "$first"
until_true holds 2 2
to_both again
until_true have_read 6
kill -TERM "$second"
wait "$second"
step "two members share, one goes on" "again again alone alone shared shared" "$(sort "$work"/*.out | lines)"

printf 'tx1\ntx2\n' | timeout 30 kcat -b "$bootstrap" -P -t "$topic" -p 0 -X transactional.id="$topic" > /dev/null 2>&1
step "transaction committed" "a b c d e f tx1 tx2" "$(consume -X isolation.level=read_committed)"

# A transaction that ends by a signal is aborted.
fifo="$(mktemp -u)"
mkfifo "$fifo"
kcat -b "$bootstrap" -P -t "$topic" -p 0 -X transactional.id="$topic" < "$fifo" > /dev/null 2>&1 &
kcat_pid=$!
exec 8> "$fifo"
# Enough for kcat to begin with: it reads by blocks.
yes lost | head -2000 >&8
is_written() { consume -X isolation.level=read_uncommitted | grep -q lost; }
until_true is_written
kill -TERM "$kcat_pid"
printf '\n' >&8
exec 8>&-
wait "$kcat_pid" 2> /dev/null
rm -f "$fifo"
step "transaction aborted" "a b c d e f tx1 tx2" \
  "$(consume -X isolation.level=read_committed | sed 's/ *$//')"

offset="$(timeout 30 kcat -b "$bootstrap" -Q -t "$topic:0:-2" 2> /dev/null | lines)"
step "list offsets" "$topic [0] offset 0" "$offset"
exit $failed
