/** The real adb server, on its own port and with its own home, so that it knows nothing of this machine's devices. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

export class AdbServerProcess {
  private constructor(
    readonly port: number,
    private readonly home: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(): Promise<AdbServerProcess> {
    const home = await mkdtemp(path.join(tmpdir(), 'btrace-adb-'));
    await mkdir(path.join(home, '.android'));
    const port = await freePort();
    const child = spawn('adb', ['-L', `tcp:localhost:${port}`, 'nodaemon', 'server'], {
      env: environment(home, port),
      stdio: 'ignore',
    });
    const server = new AdbServerProcess(port, home, child);
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`adb ended with code ${child.exitCode}`);
      await delay(20);
    }
    return server;
  }

  /** The adb program against this server; what it printed. */
  async adb(...args: string[]): Promise<string> {
    const options = { env: environment(this.home, this.port) };
    const { stdout, stderr } = await promisify(execFile)('adb', ['-P', String(this.port), ...args], options);
    return stdout + stderr;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await ended;
    }
    await rm(this.home, { recursive: true, force: true });
  }
}

function environment(home: string, port: number): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HOME: home,
    ANDROID_ADB_SERVER_PORT: String(port),
    ADB_MDNS_AUTO_CONNECT: '0',
  };
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
