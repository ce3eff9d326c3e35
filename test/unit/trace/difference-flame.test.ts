/** The call trees of two traces in one flame graph: each figure against a slow count of stacks by name. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { compareTraces, type Comparison } from '../../../src/trace/compare/comparison.js';
import { differenceFlame } from '../../../src/trace/compare/difference-flame.js';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { importWhole } from '../formats/round-trip.js';

type Stacks = Readonly<Record<string, number>>;
/** Before, after and width of a chain of calls. */
type Figures = readonly [number, number, number];

/** Of collapsed stacks a sample is one. */
const ms = 1e6;

function traceOf(stacks: Stacks): Trace {
  const lines = Object.entries(stacks).map(([stack, samples]) => `${stack} ${samples}\n`);
  return importWhole(anyImporter(), Buffer.from(lines.join('')));
}

const compared = (before: Stacks, after: Stacks, scale = 1): Comparison =>
  compareTraces(
    { trace: traceOf(before), scope: wholeTrace },
    { trace: traceOf(after), scope: wholeTrace },
    scale,
  );

function shown(comparison: Comparison, least = 0, zoomed: readonly number[] = []): Record<string, Figures> {
  const flame = differenceFlame(comparison, 'wall', least, zoomed);
  const chains: string[] = [];
  const found: Record<string, Figures> = {};
  for (let row = 0; row < flame.count; row++) {
    const [of, method] = comparison.methods.of(flame.method[row]!);
    const above = chains[flame.parent[row]!];
    const chain =
      row === 0 ? '' : above === '' ? of.qualifiedName(method) : `${above};${of.qualifiedName(method)}`;
    chains.push(chain);
    found[chain] = [flame.before[row]! / ms, flame.after[row]! / ms, flame.width[row]! / ms];
  }
  return found;
}

/** Word by word: the larger self of every stack that begins with the chain. */
function slow(before: Stacks, after: Stacks): Record<string, Figures> {
  const stacks = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const chains = new Set(
    stacks.flatMap((stack) => {
      const names = stack.split(';');
      return names.map((_, at) => names.slice(0, at + 1).join(';'));
    }),
  );
  const sum = (chain: string, of: (stack: string) => number): number =>
    stacks
      .filter((stack) => chain === '' || stack === chain || stack.startsWith(`${chain};`))
      .reduce((all, stack) => all + of(stack), 0);
  const entries = ['', ...chains].map((chain): [string, Figures] => [
    chain,
    [
      sum(chain, (stack) => before[stack] ?? 0),
      sum(chain, (stack) => after[stack] ?? 0),
      sum(chain, (stack) => Math.max(before[stack] ?? 0, after[stack] ?? 0)),
    ],
  ]);
  return Object.fromEntries(entries);
}

function randomStacks(seed: number): Stacks {
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const stacks: Record<string, number> = {};
  for (let at = 0; at < 12; at++) {
    const names = Array.from({ length: 1 + random(5) }, () => `p.C.m${random(4)}`);
    stacks[names.join(';')] = 1 + random(50);
  }
  return stacks;
}

describe('the flame graph of two traces', () => {
  it('has the totals of both, and room for the larger self of each call', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const [before, after] = [randomStacks(seed), randomStacks(seed * 31 + 7)];
      assert.deepEqual(shown(compared(before, after)), slow(before, after), `seed ${seed}`);
    }
  });

  it('keeps the place of what is gone, and what moved is in both places', () => {
    const found = shown(compared({ 'main;old': 40, 'main;stays': 10 }, { 'main;stays;new': 30 }));
    assert.deepEqual(found, {
      '': [50, 30, 80],
      main: [50, 30, 80],
      'main;old': [40, 0, 40],
      'main;stays': [10, 30, 40],
      'main;stays;new': [0, 30, 30],
    });
  });

  it('leaves out what is too narrow to be seen, and brings it back where it is zoomed to', () => {
    const before = { 'main;big': 900, 'main;small;one': 6, 'main;small;two': 4 };
    const comparison = compared(before, before);
    assert.deepEqual(Object.keys(shown(comparison, 0.01)), ['', 'main', 'main;big', 'main;small']);
    const keys = ['main', 'small'].map((name) =>
      Array.from({ length: comparison.methods.count }, (_, at) => at).find((at) => {
        const [of, method] = comparison.methods.of(at);
        return of.qualifiedName(method) === name;
      }),
    ) as number[];
    assert.ok('main;small;two' in shown(comparison, 0.01, keys));
  });

  it('multiplies figures and widths of the trace before where it is scaled', () => {
    const found = shown(compared({ 'main;a': 10 }, { 'main;a': 30 }, 4));
    assert.deepEqual(found['main;a'], [40, 30, 40]);
  });
});
