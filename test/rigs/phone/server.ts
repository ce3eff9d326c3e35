/** The real adb server, on its own port and with its own home, so that it knows nothing of this machine's devices. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { until } from '../until.js';

/** A server that was told to end may hang in its own exit, its port still open: adb 29 waits for a thread of its own there. */
const patienceMs = 5000;

export class AdbServerProcess {
  #child: ChildProcess | undefined;
  readonly #home: string;

  private constructor(
    readonly port: number,
    home: string,
  ) {
    this.#home = home;
  }

  static async start(): Promise<AdbServerProcess> {
    const home = await mkdtemp(path.join(tmpdir(), 'btrace-adb-'));
    await mkdir(path.join(home, '.android'));
    const server = new AdbServerProcess(await freePort(), home);
    await server.#run();
    return server;
  }

  /** Its environment for whoever is to use it, and to start it where it does not run. */
  get environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      HOME: this.#home,
      ANDROID_ADB_SERVER_PORT: String(this.port),
      ADB_MDNS_AUTO_CONNECT: '0',
    };
  }

  /** An adb program for whoever does not take an environment, but a path. */
  async program(): Promise<string> {
    const file = path.join(this.#home, 'adb');
    const { HOME, ADB_MDNS_AUTO_CONNECT } = this.environment;
    const lines = ['#!/bin/sh', `export HOME='${HOME}' ADB_MDNS_AUTO_CONNECT=${ADB_MDNS_AUTO_CONNECT}`];
    await writeFile(file, [...lines, 'exec adb "$@"', ''].join('\n'), { mode: 0o755 });
    return file;
  }

  /** Whoever starts it: until it is there. */
  async answering(): Promise<void> {
    await until('the adb server answers', () => answers(this.port));
  }

  async #run(): Promise<void> {
    const { port } = this;
    const child = spawn('adb', ['-L', `tcp:localhost:${port}`, 'nodaemon', 'server'], {
      env: this.environment,
      stdio: 'ignore',
    });
    this.#child = child;
    await until('the adb server answers', async () => {
      if (await answers(port)) return true;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`adb ended: ${child.exitCode ?? child.signalCode}`);
      return false;
    });
  }

  /** The adb program against this server; what it printed. */
  async adb(...args: string[]): Promise<string> {
    const options = { env: this.environment, timeout: 2 * patienceMs };
    const { stdout, stderr } = await promisify(execFile)('adb', ['-P', String(this.port), ...args], options);
    return stdout + stderr;
  }

  /** Ends the server, also one that somebody else has started on this port meanwhile; it can be started again. */
  async end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    } else if (await answers(this.port)) {
      await this.adb('kill-server').catch(() => ''); // nobody answers it any more: what follows sees to that
      const latest = Date.now() + patienceMs;
      while (await answers(this.port)) {
        if (Date.now() > latest) for (const pid of processesAt(this.#home)) process.kill(pid, 'SIGKILL');
        await delay(20);
      }
    }
  }

  /** As after `adb kill-server; adb start-server`. */
  async restart(): Promise<void> {
    await this.end();
    await this.#run();
  }

  async stop(): Promise<void> {
    await this.end();
    await rm(this.#home, { recursive: true, force: true });
  }
}

/** Those whose home this is. */
function processesAt(home: string): number[] {
  const isThere = (pid: number): boolean => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`HOME=${home}`);
    } catch {
      return false; // ended meanwhile
    }
  };
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isThere(pid));
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function answers(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
