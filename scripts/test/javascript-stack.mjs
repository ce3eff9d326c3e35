// Where a Node.js process that was started with `--inspect-port=0` stands in its JavaScript, also where that never comes to rest.
// Linux only: SIGUSR1 opens its debugger at any free port, and `node inspect` asks there.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const answersWithinMs = 5000;

/** The option without which all processes would want one port. */
export const anyPort = '--inspect-port=0';

/** What it waits in, innermost first, or why that is not known. */
export async function javascriptStack(pid) {
  if (process.platform !== 'linux') return 'not known on this system';
  try {
    const before = portsOf(pid);
    process.kill(pid, 'SIGUSR1');
    for (const end = Date.now() + answersWithinMs; Date.now() < end; await delay(50)) {
      const port = portsOf(pid).find((one) => !before.includes(one));
      if (port !== undefined) return await askedAt(port);
    }
    return 'its debugger does not open';
  } catch (error) {
    return error.message;
  }
}

/** Of this machine alone, where somebody listens. */
function portsOf(pid) {
  const sockets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
    } catch {
      return undefined; // closed meanwhile
    }
  });
  return readFileSync(`/proc/${pid}/net/tcp`, 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.includes(inode))
    .map(([, local]) => parseInt(local.split(':')[1], 16));
}

async function askedAt(port) {
  const asks = spawn(process.execPath, ['inspect', `127.0.0.1:${port}`], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const limit = setTimeout(() => asks.kill('SIGKILL'), answersWithinMs);
  const ask = (what) => asks.stdin.write(`${what}\n`);
  // What it is asked before it is ready goes unheard.
  const again = setInterval(ask, 500, 'pause');
  let said = '';
  let isPaused = false;
  asks.stdin.on('error', () => undefined); // it has ended
  asks.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
    if (!isPaused && /break in /.test(said)) {
      isPaused = true;
      clearInterval(again);
      ask('bt');
    }
    if (/#\d[^]*debug> $/.test(said)) asks.kill('SIGKILL');
  });
  await new Promise((resolve) => asks.once('close', resolve));
  clearTimeout(limit);
  clearInterval(again);
  const frames = said.match(/^(?:.*> )?#\d+ .*$/gm);
  return frames?.map((frame) => frame.replace(/^.*> #/, '#')).join('\n') ?? 'none: it waits';
}
