#!/usr/bin/env bash
# run-all.sh HOST:PORT [CLIENT...]
#
# Produces, consumes, commits and aborts against a broker with clients that know nothing of it:
#   kcat  confluent (python3-confluent-kafka)  kafkajs (npm)  java-4.4.0  java-3.9.1 (kafka-clients)
# Without CLIENT all of them run. Each step prints "ok" or "FAILED"; the exit code is 0 if all steps
# of all clients were ok, 1 if a step failed, 2 for wrong usage or a client that is not installed.
set -u
here="$(cd "$(dirname "$0")" && pwd)"
if [ $# -lt 1 ] || [[ "$1" != *:* ]]; then
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
bootstrap="$1"
shift
clients=("$@")
[ ${#clients[@]} -gt 0 ] || clients=(kcat confluent kafkajs java-4.4.0 java-3.9.1)
run="$(date +%s)-$$"
work="${TMPDIR:-/tmp}/fencepost-clients"
mkdir -p "$work"
worst=0

for _ in $(seq 50); do
  (exec 3<> "/dev/tcp/${bootstrap%:*}/${bootstrap##*:}") 2> /dev/null && break
  sleep 0.2
done

missing() {
  echo "MISSING  $1: $2" >&2
  return 2
}

run_kcat() {
  command -v kcat > /dev/null || { missing kcat "apt-get install kcat"; return; }
  bash "$here/kcat.sh" "$bootstrap" "$run"
}

run_confluent() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import confluent_kafka' 2> /dev/null; then
      "$python" "$here/confluent.py" "$bootstrap" "$run"
      return
    fi
  done
  missing confluent "apt-get install python3-confluent-kafka"
}

run_kafkajs() {
  command -v npm > /dev/null || { missing kafkajs "install Node.js"; return; }
  local modules="$work/kafkajs/node_modules" fresh="$work/kafkajs-$run"
  if [ ! -d "$modules/kafkajs" ]; then
    mkdir -p "$fresh"
    cp "$here/kafkajs/package.json" "$fresh/"
    (cd "$fresh" && npm install --silent --no-audit --no-fund > npm.log 2>&1) \
      || { missing kafkajs "npm install failed, see $fresh/npm.log"; return; }
    # Another run may have been faster.
    [ -d "$modules/kafkajs" ] || { rm -rf "$work/kafkajs"; mv "$fresh" "$work/kafkajs"; }
    rm -rf "$fresh"
  fi
  NODE_PATH="$modules" KAFKAJS_NO_PARTITIONER_WARNING=1 \
    node "$here/kafkajs/client.js" "$bootstrap" "$run"
}

# Compiles the same little program against the given version of kafka-clients.
run_java() {
  local version="$1" out="$work/java-$1" maven="mvn"
  [ -x "$here/../../mvnw" ] && maven="$here/../../mvnw"
  if [ ! -s "$out/classpath" ] || [ "$here/java/src/main/java/ClientCheck.java" -nt "$out/classpath" ]; then
    mkdir -p "$out"
    "$maven" -q -B -f "$here/java/pom.xml" -Dkafka.version="$version" -DbuildDirectory="$out" \
      compile dependency:build-classpath -Dmdep.outputFile="$out/classpath" > "$out/maven.log" 2>&1 \
      || { rm -f "$out/classpath"; missing "java-$version" "see $out/maven.log"; return; }
  fi
  java -cp "$out/classes:$(cat "$out/classpath")" ClientCheck "$bootstrap" "$run" "java-$version" \
    2> "$out/stderr.log"
}

for client in "${clients[@]}"; do
  case "$client" in
    kcat) run_kcat ;;
    confluent) run_confluent ;;
    kafkajs) run_kafkajs ;;
    java-*) run_java "${client#java-}" ;;
    *) echo "unknown client $client" >&2; exit 2 ;;
  esac
  code=$?
  [ $code -gt $worst ] && worst=$code
done
if [ $worst -eq 0 ]; then echo "all clients ok"; else echo "NOT all clients ok"; fi
exit $worst
