/** What R8 writes into comments as JSON: where a class came from, what it made up, how lines of outlines go back. */

export type MappingInformation =
  | { readonly id: 'version'; readonly version: MapVersion }
  | { readonly id: 'sourceFile'; readonly fileName: string }
  | { readonly id: 'synthesized' }
  | { readonly id: 'outline' }
  | { readonly id: 'outlineCallsite'; readonly positions: ReadonlyMap<number, number> }
  | { readonly id: 'residualSignature'; readonly signature: string }
  | { readonly id: 'rewriteFrame'; readonly throws: readonly string[]; readonly removeInner: number };

/** 2.2 → [2, 2] */
export type MapVersion = readonly [major: number, minor: number];

export const noVersion: MapVersion = [0, 0];
export const newestVersion: MapVersion = [2, 2];

const prefix = 'com.android.tools.r8.';

/** Information counts from the version it came with; in an older file it is a plain comment. */
const since: Readonly<Record<string, MapVersion>> = {
  synthesized: [1, 0],
  outline: [2, 0],
  outlineCallsite: [2, 0],
  rewriteFrame: [2, 0],
  residualsignature: [2, 2],
};

export function atLeast(version: MapVersion, wanted: MapVersion): boolean {
  return version[0] > wanted[0] || (version[0] === wanted[0] && version[1] >= wanted[1]);
}

/** As R8 writes it: what is told after it counts from this version. */
export function versionLine(version: MapVersion): string {
  return `# {"id":"${prefix}mapping","version":"${version.join('.')}"}\n`;
}

/** Undefined for plain comments, and for what is not known or not valid at this version. */
export function parseInformation(line: string, version: MapVersion): MappingInformation | undefined {
  const open = line.indexOf('{');
  const close = line.lastIndexOf('}');
  if (open < 0 || close < open) return undefined;
  const json = parseLoosely(line.slice(open, close + 1));
  const id = json?.['id'];
  if (json === undefined || typeof id !== 'string') return undefined;
  if (id === 'sourceFile') {
    return typeof json['fileName'] === 'string' ? { id, fileName: json['fileName'] } : undefined;
  }
  if (!id.startsWith(prefix)) return undefined;
  const name = id.slice(prefix.length);
  if (name === 'mapping') return { id: 'version', version: versionOf(json['version']) };
  const first = since[name];
  if (first === undefined || !atLeast(version, first)) return undefined;
  switch (name) {
    case 'synthesized':
    case 'outline':
      return { id: name };
    case 'outlineCallsite':
      return { id: name, positions: positionsOf(json['positions']) };
    case 'residualsignature':
      return typeof json['signature'] === 'string'
        ? { id: 'residualSignature', signature: json['signature'] }
        : undefined;
    case 'rewriteFrame':
      return rewriteOf(json['conditions'], json['actions']);
    default:
      return undefined;
  }
}

/** R8 writes strict JSON; its documentation, and tools that follow it, use single quotes and bare keys. */
function parseLoosely(text: string): Record<string, unknown> | undefined {
  const attempts = [text, text.replaceAll("'", '"').replace(/([{,]\s*)([A-Za-z_]\w*)\s*:/g, '$1"$2":')];
  for (const attempt of attempts) {
    try {
      const value: unknown = JSON.parse(attempt);
      if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
    } catch {
      continue; // the looser reading is next; after that it is a plain comment
    }
  }
  return undefined;
}

function versionOf(value: unknown): MapVersion {
  const found = typeof value === 'string' ? /^(\d+)\.(\d+)/.exec(value) : null;
  // "experimental" and the like: whatever it holds is newer than what is known.
  return found === null ? newestVersion : [Number(found[1]), Number(found[2])];
}

function positionsOf(value: unknown): ReadonlyMap<number, number> {
  const positions = new Map<number, number>();
  if (typeof value !== 'object' || value === null) return positions;
  for (const [from, to] of Object.entries(value)) {
    if (/^\d+$/.test(from) && typeof to === 'number') positions.set(Number(from), to);
  }
  return positions;
}

/** A condition or action that is not known makes the whole rule one that never applies. */
function rewriteOf(conditions: unknown, actions: unknown): MappingInformation | undefined {
  if (!Array.isArray(conditions) || !Array.isArray(actions)) return undefined;
  const throws: string[] = [];
  for (const condition of conditions) {
    const type = typeof condition === 'string' ? /^throws\((L[^;]+;)\)$/.exec(condition)?.[1] : undefined;
    if (type === undefined) return undefined;
    throws.push(type.slice(1, -1).replaceAll('/', '.'));
  }
  let removeInner = 0;
  for (const action of actions) {
    const count = typeof action === 'string' ? /^removeInnerFrames\((\d+)\)$/.exec(action)?.[1] : undefined;
    if (count === undefined) return undefined;
    removeInner += Number(count);
  }
  return { id: 'rewriteFrame', throws, removeInner };
}
