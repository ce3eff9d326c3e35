/** The collectors of a JDK, and what else decides how the JVM lays out its memory. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import type { Jdk } from './programs.js';

export const collectors: Readonly<Record<string, readonly string[]>> = {
  Serial: ['-XX:+UseSerialGC'],
  Parallel: ['-XX:+UseParallelGC'],
  G1: ['-XX:+UseG1GC'],
  Shenandoah: ['-XX:+UseShenandoahGC'],
  'generational Shenandoah': ['-XX:+UseShenandoahGC', '-XX:ShenandoahGCMode=generational'],
  ZGC: ['-XX:+UseZGC'],
  'generational ZGC': ['-XX:+UseZGC', '-XX:+ZGenerational'],
};

export const layouts: Readonly<Record<string, readonly string[]>> = {
  'compressed class pointers': ['-XX:+UseCompressedClassPointers'],
  'plain class pointers': ['-XX:-UseCompressedClassPointers'],
  'compact headers': ['-XX:+UseCompactObjectHeaders'],
};

/** Whether a JDK takes these options: each answer costs the start of a JVM, and the storms ask before each one. */
const answers = new Map<string, boolean>();

/** False where this JDK was built without it, or says that it has it no longer. */
export function knows({ home }: Jdk, way: readonly string[]): boolean {
  const question = [home, ...way].join('\n');
  let answer = answers.get(question);
  if (answer === undefined) {
    const { status, stderr } = spawnSync(path.join(home, 'bin/java'), [...way, '--version'], {
      encoding: 'utf8',
    });
    answer = status === 0 && stderr === '';
    answers.set(question, answer);
  }
  return answer;
}
