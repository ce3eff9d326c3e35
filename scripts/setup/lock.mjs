// One setup at a time: two runs started together must not install into the same folder.
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import process from 'node:process';

function holder(file) {
  try {
    const [pid, host] = readFileSync(file, 'utf8').split(' ');
    return { pid: Number(pid), host };
  } catch {
    return undefined; // released between our look and our read
  }
}

function isGone({ pid, host }) {
  if (host !== hostname() || !(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Runs `work` while holding the lock file; waits for another holder, and takes over from one that died. */
export async function withLock(file, work, onWait = () => {}) {
  mkdirSync(path.dirname(file), { recursive: true });
  for (let told = false; ;) {
    try {
      const fd = openSync(file, 'wx');
      writeSync(fd, `${process.pid} ${hostname()}`);
      closeSync(fd);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const other = holder(file);
    if (other && isGone(other)) {
      rmSync(file, { force: true });
      continue;
    }
    if (other && !told) {
      told = true;
      onWait(other);
    }
    await new Promise((wake) => setTimeout(wake, 200));
  }
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}
