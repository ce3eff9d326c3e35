import assert from 'node:assert/strict';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { circles, importGraph } from '../../scripts/lint/circles.mjs';

describe('imports', () => {
  it('form no circle in src', () => {
    const graph = importGraph(path.join(root, 'src'));
    assert.ok(graph.size > 300, `${graph.size} files`);
    const found = circles(graph).map((circle) => circle.map((file) => path.relative(root, file)));
    assert.deepEqual(found, []);
  });

  it('that form a circle are found', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'outside']],
      ['c', ['a', 'd']],
      ['d', []],
    ]);
    assert.deepEqual(circles(graph), [['a', 'b', 'c']]);
  });
});
