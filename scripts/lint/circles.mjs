// Finds circles among the imports of src/, type imports included: a file of a circle cannot be read, moved or tested alone.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const importPattern = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^'\n]{1,200})'/g;

/** Maps each file to the files that it imports, as absolute paths. */
export function importGraph(folder) {
  const files = readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((file) => file.endsWith('.ts'));
  return new Map(
    files.map((file) => [
      file,
      [...readFileSync(file, 'utf8').matchAll(importPattern)].map(([, specifier]) =>
        path.resolve(path.dirname(file), specifier.replace(/\.js$/, '.ts')),
      ),
    ]),
  );
}

/** The circles of a graph, each as the list of files that import one another (Tarjan's strongly connected components). */
export function circles(graph) {
  const order = new Map(); // file → when it was met
  const lowest = new Map(); // file → the earliest file on the stack that it reaches
  const stack = [];
  const found = [];
  const visit = (file) => {
    order.set(file, order.size);
    lowest.set(file, order.get(file));
    stack.push(file);
    for (const imported of graph.get(file) ?? []) {
      if (!graph.has(imported)) continue;
      if (!order.has(imported)) visit(imported);
      if (stack.includes(imported)) lowest.set(file, Math.min(lowest.get(file), lowest.get(imported)));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    if (circle.length > 1) found.push(circle);
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}
