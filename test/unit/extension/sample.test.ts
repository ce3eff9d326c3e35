// The recording that comes with the extension, with the sources of its program; and the steps of the walkthrough that begins with it.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { root } from '../../../scripts/setup.mjs';
import { decodeRecording } from '../../../src/trace/index.js';

const folder = path.join(root, 'media/sample');

describe('the sample recording', () => {
  it('is small, whole, and recorded from a program that works and waits', () => {
    const file = path.join(folder, 'shop.btrace');
    assert.ok(statSync(file).size <= 200_000);
    const trace = decodeRecording(readFileSync(file)).trace();
    assert.deepEqual([trace.problems, trace.complete], [[], true]);
    assert.equal(trace.info.targetName, 'com.example.shop.Shop');
  });

  it('has beside it the sources of its program, with the methods that it recorded', () => {
    const { methods } = decodeRecording(readFileSync(path.join(folder, 'shop.btrace'))).trace();
    const texts = new Map<string, string>();
    for (let method = 0; method < methods.count; method++) {
      const [className, name, file] = [methods.className(method), methods.name(method), methods.file(method)];
      // Classes that the JVM makes have no file.
      if (!className.startsWith('com.example.shop.') || file === '') continue;
      const text = texts.get(file) ?? readFileSync(path.join(folder, 'com/example/shop', file), 'utf8');
      texts.set(file, text);
      if (/^\w+$/.test(name))
        assert.ok(text.includes(` ${name}(`), `${file} has no ${name}: npm run sample records it anew`);
    }
    assert.ok(texts.size >= 4, [...texts.keys()].join());
  });
});

interface Step {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly media: { readonly markdown: string };
  readonly completionEvents: readonly string[];
}

describe('the walkthrough', () => {
  const { contributes } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    contributes: { walkthroughs: readonly { readonly steps: readonly Step[] }[] };
  };
  const texts = JSON.parse(readFileSync(path.join(root, 'package.nls.json'), 'utf8')) as Record<
    string,
    string
  >;
  const steps = contributes.walkthroughs.flatMap((one) => one.steps);

  it('begins with the sample, and ticks a step by what was done, never by what was asked for', () => {
    assert.equal(steps[0]!.id, 'sample');
    assert.match(texts['walkthrough.sample.description']!, /\(command:btrace\.openSample\)/);
    for (const { id, completionEvents } of steps)
      for (const event of completionEvents) assert.match(event, /^onContext:/, id);
  });

  it('has words and a page for each step', () => {
    for (const { title, description, media } of steps) {
      for (const key of [title, description]) assert.ok(texts[key.replaceAll('%', '')], key);
      assert.ok(statSync(path.join(root, media.markdown)).size > 0);
    }
  });
});
