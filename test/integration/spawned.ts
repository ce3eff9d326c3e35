import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AgentCommand, RunningCommand } from '../../src/targets/local/launch.js';

/** A command that is started with the agent in it, whose output nobody reads. */
export async function spawned({ args, env }: AgentCommand): Promise<RunningCommand> {
  const child = spawn(args[0]!, args.slice(1), { env, stdio: 'ignore' });
  const exit = once(child, 'exit').then(([code]) => Number(code));
  await once(child, 'spawn');
  return { exit, kill: (signal) => void child.kill(signal) };
}
