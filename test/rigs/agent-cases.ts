/**
 * Tests of the cases in a program of the agent's own tests (native-agent/tests/harness.h), which has been built: mocha wants the names
 * before it runs the first test.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { buildLimitMs, built, run, runsIn } from '../abi/build.js';
import { lasts } from './until.js';

/** The command that arm64 code runs below. */
export const arm64 = ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'];

/** Of a process that runs one case. */
const caseLimitMs = 240_000;

export interface Program {
  readonly preset: string;
  readonly target: string;
  /** Of processes that run cases of a part, where it is not the usual limit. */
  readonly limitsMs?: Readonly<Record<string, number>>;
}

const linesOf = (text: string): string[] => text.trim().split('\n');

/** What a case's name begins with. */
const partOf = (name: string): string => name.slice(0, name.indexOf(':'));

/** Each case as one test, in a process of its own. */
export function testEachCase(title: string, { preset, target, limitsMs = {} }: Program): void {
  const binary = path.join(built(preset), target);

  describe(title, function () {
    for (const name of linesOf(run(binary, ['--list'], caseLimitMs))) {
      it(name, () => {
        const lines = linesOf(run(binary, [name], limitsMs[partOf(name)] ?? caseLimitMs));
        assert.ok(lines.includes(`ok ${name}`), lines.join('\n'));
      });
    }
  });
}

/** Each part as one test: a process for each case would take as long as the cases. */
export function testEachPart(
  title: string,
  { preset, target, below, limitsMs = {} }: Program & { readonly below: readonly string[] },
): void {
  // By a relative path, as few start them: under qemu /proc/self/exe then does not tell where a program lies. All others of these tests
  // are started by a whole one.
  const binary = path.relative(runsIn, path.join(built(preset), target));
  const listed = linesOf(run('env', [...below, binary, '--list'], buildLimitMs));

  describe(title, function () {
    lasts(this, buildLimitMs);

    const parts = new Map<string, string[]>();
    for (const name of listed) {
      parts.set(partOf(name), [...(parts.get(partOf(name)) ?? []), name]);
    }
    for (const [part, cases] of parts)
      it(`passes its unit tests: ${part}`, () => {
        assert.deepEqual(
          linesOf(run('env', [...below, binary, ...cases], limitsMs[part] ?? buildLimitMs)),
          cases.map((name) => `ok ${name}`),
        );
      });
  });
}
