/**
 * The scripts that trace a device's system. Each prints "tracing PID FILE" when the trace has begun, and after it was told "stop",
 * "done CODE" when the file is whole. At its end, however it comes, it ends the trace and deletes the file.
 */
import { pushFolder } from './device-shell.js';

/** Where the service may write, and the shell may read and delete. */
const traceFolder = '/data/misc/perfetto-traces';
/** Holds the number of the shell that has switched the service on. */
const mark = `${pushFolder}/btrace-traced`;
/** Holds the number of the shell that looks whether others trace, and acts by that. */
const lock = `${pushFolder}/btrace-traced-lock`;

/** The line that a script says, before it ends, where another recording is in its way. */
export const busyLine = 'busy';

/**
 * The same in both scripts. A process lives that has these scripts' own words in its command: after a restart of the device the
 * number of one that was cut off belongs to another program. A script that traces has a file here with its number, so that
 * others see it from the first moment: the service's own folder is not the shell's to write into.
 */
const shared = `lives() { [ -n "$1" ] && grep -q 'btrace-[$][$]' "/proc/$1/cmdline" 2>/dev/null; }
held=
alone() { # until it is the only one that looks and acts; for 5 s at most, as one that was killed may be in its way
  n=0
  until (set -C; echo $$ >${lock}) 2>/dev/null; do
    n=$((n + 1))
    one=$(cat ${lock} 2>/dev/null) # empty: it is gone by now, or is being written
    if { [ -n "$one" ] || [ $n -ge 50 ]; } && ! lives "$one"; then rm -f ${lock}; fi
    [ $n -ge 50 ] && return
    sleep 0.1
  done
  held=1
}
done_alone() { [ -n "$held" ] && rm -f ${lock}; held=; }
other() { # the number of another script that traces in this way
  for one in ${pushFolder}/btrace-*.$1; do
    one=\${one##*/btrace-}
    one=\${one%.$1}
    if [ "$one" != $$ ] && lives "$one"; then echo "$one"; return; fi
  done
}
clear_old() { # what scripts have left that were killed
  for old in ${pushFolder}/btrace-*.$1; do
    one=\${old##*/btrace-}
    [ -f "$old" ] && ! lives "\${one%.$1}" || continue
    [ $1 = atrace ] && atrace --async_stop >/dev/null 2>&1 # it would trace on
    rm -f "$old"
  done
}`;
const trap = `trap over EXIT
trap 'exit 1' HUP INT TERM
trap '' PIPE`;

/** `feed`: the command that gives the configuration to the service. */
export const serviceScript = (feed: string): string => `
f=${traceFolder}/btrace-$$.pftrace
here=${pushFolder}/btrace-$$.tracing
on=
${shared}
over() {
  trap '' HUP INT TERM
  if [ -n "$on" ] && [ -n "$!" ]; then kill -TERM $!; kill -KILL $!; fi 2>/dev/null
  rm -f "$f"
  [ -n "$held" ] || alone
  rm -f "$here"
  if [ "$(cat ${mark} 2>/dev/null)" = $$ ]; then
    heir=$(other tracing)
    if [ -n "$heir" ]; then
      echo "$heir" >${mark}
    else
      setprop persist.traced.enable 0
      rm -f ${mark}
    fi
  fi
  done_alone
}
${trap}
command -v perfetto >/dev/null || exit 70
for old in ${traceFolder}/btrace-*.pftrace; do
  p=\${old##*/btrace-}
  lives "\${p%.pftrace}" && continue
  pkill -f "$old" 2>/dev/null # the service's client, where the script alone was killed
  rm -f "$old"
done
alone
clear_old tracing
clear_old atrace
if [ -n "$(other atrace)" ]; then echo ${busyLine}; exit 73; fi
: >"$here"
owner=$(cat ${mark} 2>/dev/null)
if [ -n "$owner" ] && ! lives "$owner"; then
  echo $$ >${mark}
elif [ "$(getprop persist.traced.enable)" != 1 ]; then
  echo $$ >${mark}
  setprop persist.traced.enable 1 || exit 71
  n=0
  until [ "$(getprop init.svc.traced)" = running ] || [ $n -ge 50 ]; do n=$((n + 1)); sleep 0.1; done
fi
done_alone
on=1
${feed} -o "$f" >&2 &
echo "tracing $! $f"
read -r line
[ "$line" = stop ] || exit 1
kill -INT $! 2>/dev/null
wait $!
code=$?
on=
echo "done $code"
read -r line
exit 0
`;

/** The kernel has one buffer for atrace: to begin one trace empties that of another, and to end it ends both. */
export const atraceScript = (args: string): string => `
f=${pushFolder}/btrace-$$.atrace
on=
${shared}
over() {
  trap '' HUP INT TERM
  if [ -n "$on" ]; then atrace --async_stop >/dev/null 2>&1; fi
  rm -f "$f"
  done_alone
}
${trap}
command -v atrace >/dev/null || exit 70
alone
if [ -n "$(other atrace)$(other tracing)" ]; then echo ${busyLine}; exit 73; fi
clear_old tracing
clear_old atrace
: >"$f" || exit 71
done_alone
on=1
atrace --async_start ${args} >&2 || exit 72
echo "tracing $$ $f"
read -r line
[ "$line" = stop ] || exit 1
atrace --async_stop >"$f"
code=$?
on=
echo "done $code"
read -r line
exit 0
`;
