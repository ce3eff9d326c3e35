import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { scanDeclarations } from '../../../src/symbols/scan/declarations.js';
import type { Language } from '../../../src/symbols/scan/tokens.js';
import { cpuMs } from '../cpu-time.js';

const noiseMs = 100;

function scanMs(text: string, language: Language): number {
  const begin = cpuMs();
  scanDeclarations(text, language, 'A.java');
  return cpuMs() - begin;
}

describe('the time that a scan takes', () => {
  it('is that of the text, however long its lines are', () => {
    const text = (separator: string): string =>
      `class A { int[] all = {${`1,${separator}`.repeat(150_000)}}; void f() {} }`;
    const inLines = scanMs(text('\n'), 'java');
    const inOne = scanMs(text(' '), 'java');
    assert.ok(inOne < 3 * inLines + noiseMs, `${String(inOne)} ms, ${String(inLines)} ms in lines`);
  });

  for (const language of ['kotlin', 'cpp', 'java'] as const) {
    it(`grows with the text alone where nothing closes what it opens: ${language}`, () => {
      const text = (times: number): string => `val x: ${'a<'.repeat(times)}`;
      const short = scanMs(text(4000), language);
      const long = scanMs(text(16_000), language);
      assert.ok(long < 7 * short + noiseMs, `${String(long)} ms, ${String(short)} ms for a quarter of it`);
    });
  }
});
