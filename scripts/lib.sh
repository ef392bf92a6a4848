# Shared by the scripts of this folder: stages with a budget, and a summary at the end.
# shellcheck shell=bash
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
PATH="$PWD/third_party/tools/bin:$PATH"
mkdir -p artifacts/logs
passed=0 failed=0 skipped=0
summary=() lanes=() started=0

# stage NAME MINUTES COMMAND…: runs it under a time budget; prints its output when it fails.
stage() {
  local name=$1 minutes=$2 began=$SECONDS rc=0
  shift 2
  echo "==> $name"
  timeout --kill-after=20 "$((minutes * 60))" "$@" || rc=$?
  local took=$((SECONDS - began))
  if [ "$rc" -eq 0 ]; then
    passed=$((passed + 1)); summary+=("$(printf 'passed   %5ds of %2dm  %s' "$took" "$minutes" "$name")")
  else
    failed=$((failed + 1))
    [ "$rc" -eq 124 ] && name="$name (over its budget)"
    summary+=("$(printf 'FAILED   %5ds of %2dm  %s' "$took" "$minutes" "$name")")
    echo "==> FAILED: $name (exit $rc)"
  fi
  return 0
}

# skip NAME REASON: a stage this machine cannot run. MCPULSE_REQUIRE_ALL=1 makes that a failure.
skip() {
  if [ "${MCPULSE_REQUIRE_ALL:-0}" = 1 ]; then
    failed=$((failed + 1)); summary+=("FAILED                  $1: $2")
  else
    skipped=$((skipped + 1)); summary+=("skipped                 $1: $2")
  fi
}

# lane FUNCTION ARGUMENT…: runs a function of stages beside what follows. Its output is shown when it is joined.
lane() {
  local log="artifacts/logs/lane-$((++started))"
  rm -f "$log.result"
  (
    passed=0 failed=0 skipped=0 summary=() lanes=()
    "$@"
    declare -p passed failed skipped summary | sed 's/^declare [-a]* /lane_/' >"$log.result"
  ) >"$log.log" 2>&1 </dev/null &
  lanes+=("$log $!")
}

# join: waits for every lane and takes over what it counted. A lane that left no result has failed.
join() {
  local entry log lane_passed lane_failed lane_skipped lane_summary
  for entry in "${lanes[@]}"; do
    log=${entry% *}
    wait "${entry#* }"
    cat "$log.log"
    lane_passed=0 lane_failed=1 lane_skipped=0 lane_summary=("FAILED                  $log did not end")
    # shellcheck disable=SC1090
    [ -f "$log.result" ] && source "$log.result"
    passed=$((passed + lane_passed)) failed=$((failed + lane_failed)) skipped=$((skipped + lane_skipped))
    summary+=("${lane_summary[@]}")
  done
  lanes=()
}

# finish TITLE: prints the summary and exits non-zero when a stage failed.
finish() {
  echo
  echo "$1:"
  printf '  %s\n' "${summary[@]}"
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}
