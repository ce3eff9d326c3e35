/** Recordings of the program whose truth is known, and of others that end with the test. */
import assert from 'node:assert/strict';
import { JavaProgram, type ProgramName, type RunOptions } from '../rigs/jvm/programs.js';
import { Recordings, socketFolders } from './recordings.js';

export class TruthPrograms extends Recordings {
  readonly #programs: JavaProgram[] = [];

  /** Starts the program with these of its parts; it may be attached to whatever its JDK's defaults are. */
  async truth(
    parts: string[],
    more: { vmArgs?: string[]; below?: string[]; env?: NodeJS.ProcessEnv } = {},
  ): Promise<JavaProgram> {
    return await this.program('truth', { ...more, args: [this.file('truth.txt'), ...parts] });
  }

  async program(name: ProgramName, options: RunOptions): Promise<JavaProgram> {
    const program = await JavaProgram.start(name, {
      ...options,
      vmArgs: [
        '-XX:+IgnoreUnrecognizedVMOptions',
        '-XX:+EnableDynamicAgentLoading',
        ...(options.vmArgs ?? []),
      ],
    });
    this.#programs.push(program);
    return program;
  }

  /** Ends the programs and takes the files away; nothing of a recording is left of them. */
  async end(): Promise<void> {
    for (const program of this.#programs.splice(0)) await program.kill();
    assert.deepEqual(socketFolders(), [], 'no socket folder is left');
    this.remove();
  }
}
