/**
 * An instance of tracefs for one recording: buffers, events and clock of its own, so that nobody else's tracing is
 * touched. A small guard process makes it and removes it again when this process ends, also by `kill -9`: the guard
 * waits for the end of a pipe that only we hold. If both are killed, the next guard removes what they left.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { TargetError } from '../target.js';

const places = ['/sys/kernel/tracing', '/sys/kernel/debug/tracing'];
const ownMount = '/sys/kernel/tracing';
const prefix = 'btrace-';
const readyMs = 10_000;

/**
 * $1: tracefs, empty where it must be mounted, which only this process and those that look through it then see.
 * $2: the name of the instance. An instance whose maker has ended is removed; the kernel refuses to remove one in use.
 */
const guardScript = `
trap '' INT TERM HUP
root=$1
if [ -z "$root" ]; then
  mount -t tracefs nodev ${ownMount} || exit 3
  root=${ownMount}
fi
for old in "$root"/instances/${prefix}*; do
  pid=\${old##*/${prefix}}
  pid=\${pid%%-*}
  [ -d "$old" ] && [ ! -d "/proc/$pid" ] && rmdir "$old" 2>/dev/null
done
mkdir "$root/instances/$2" || exit 4
echo ready
read -r line
tries=0
until rmdir "$root/instances/$2" 2>/dev/null || [ ! -d "$root/instances/$2" ] || [ $tries -ge 100 ]; do
  tries=$((tries + 1))
  sleep 0.1
done
`;

export interface TraceInstance {
  /** Its folder, as this process reaches it. */
  readonly dir: string;
  /** Removes it. All its files must have been closed. */
  remove(): Promise<void>;
}

async function usableRoot(): Promise<string | undefined> {
  for (const place of places) {
    const isUsable = await access(path.join(place, 'instances'), constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isUsable) return place;
  }
  return undefined;
}

export function noTracefs(why: string): TargetError {
  return new TargetError(
    'not-permitted',
    `The kernel's trace cannot be recorded: ${why}.`,
    'Run as root, or let your group in: sudo mount -o remount,gid=$(id -g) /sys/kernel/tracing && sudo chmod -R g+rwX /sys/kernel/tracing. Or record without --system.',
  );
}

export async function openInstance(): Promise<TraceInstance> {
  const root = await usableRoot();
  const isMounted = places.some((place) => existsSync(path.join(place, 'instances')));
  if (root === undefined && (isMounted || process.getuid?.() !== 0))
    throw noTracefs(
      isMounted
        ? 'this user may not make an instance of tracefs'
        : 'tracefs is not mounted, or not for this user',
    );
  const name = `${prefix}${process.pid}-${randomBytes(4).toString('hex')}`;
  const shell = ['sh', '-c', guardScript, 'btrace-guard', root ?? '', name];
  const [program = '', ...args] =
    root === undefined ? ['unshare', '--mount', '--propagation', 'private', ...shell] : shell;
  // Of a group of its own: Ctrl-C is for us, and ends the guard only through us.
  const guard = spawn(program, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  await ready(guard);
  guard.unref();
  const seenFrom = root ?? `/proc/${guard.pid}/root${ownMount}`;
  const over = new Promise<void>((resolve) => guard.once('exit', () => resolve()));
  const dir = path.join(seenFrom, 'instances', name);
  return {
    dir,
    async remove() {
      guard.stdin.end();
      await over;
      // Where somebody killed the guard.
      await rmdir(dir).catch(() => undefined);
    },
  };
}

async function ready(guard: ChildProcess): Promise<void> {
  let said = '';
  guard.stderr?.on('data', (data: Buffer) => (said = (said + data.toString()).slice(0, 1000)));
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      guard.stdin?.end();
      reject(
        new TargetError(
          'timeout',
          'The kernel’s trace cannot be recorded: making an instance of tracefs took too long.',
          'Try again, or record without --system.',
        ),
      );
    }, readyMs);
    guard.once('error', (error) => reject(noTracefs(error.message)));
    guard.once('exit', () => reject(noTracefs(said.trim() || 'its guard ended')));
    guard.stdout?.once('data', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  guard.removeAllListeners('exit');
}
