/** Every key of the page, in one table: the handler runs it, `?` lists it, a host may remap it. */
import type { TextKey } from './texts.js';

export type CommandId =
  | 'zoomIn'
  | 'zoomOut'
  | 'panLeft'
  | 'panRight'
  | 'caller'
  | 'callee'
  | 'before'
  | 'after'
  | 'zoomAll'
  | 'focus'
  | 'openSource'
  | 'openBeside'
  | 'escape';

export interface KeyBinding {
  readonly command: CommandId;
  /** `KeyboardEvent.key`, letters in lower case; "Mod+" is Ctrl or Cmd. */
  readonly keys: readonly string[];
  readonly text: TextKey;
  /** Where it works; everywhere when missing. */
  readonly where?: 'timeline' | 'chart';
}

export const keyTable: readonly KeyBinding[] = [
  { command: 'zoomIn', keys: ['w', '+', '='], text: 'key.zoomIn', where: 'timeline' },
  { command: 'zoomOut', keys: ['s', '-'], text: 'key.zoomOut', where: 'timeline' },
  { command: 'panLeft', keys: ['a'], text: 'key.panLeft', where: 'timeline' },
  { command: 'panRight', keys: ['d'], text: 'key.panRight', where: 'timeline' },
  { command: 'zoomAll', keys: ['0'], text: 'key.zoomAll', where: 'timeline' },
  { command: 'caller', keys: ['ArrowUp'], text: 'key.caller', where: 'chart' },
  { command: 'callee', keys: ['ArrowDown'], text: 'key.callee', where: 'chart' },
  { command: 'before', keys: ['ArrowLeft'], text: 'key.before', where: 'chart' },
  { command: 'after', keys: ['ArrowRight'], text: 'key.after', where: 'chart' },
  { command: 'focus', keys: ['f'], text: 'key.focus', where: 'timeline' },
  { command: 'openSource', keys: ['Enter'], text: 'key.openSource', where: 'chart' },
  { command: 'openBeside', keys: ['Mod+Enter'], text: 'key.openBeside', where: 'chart' },
  { command: 'escape', keys: ['Escape'], text: 'key.escape' },
];

/** "Mod+Enter" for the event, in the table's words. Shift counts only where it does not make another letter. */
export function keyOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key : event.key;
  return event.ctrlKey || event.metaKey ? `Mod+${key}` : key;
}

export function bindingFor(key: string): KeyBinding | undefined {
  return (
    keyTable.find((binding) => binding.keys.includes(key)) ??
    keyTable.find((binding) => binding.keys.includes(key.length === 1 ? key.toLowerCase() : key))
  );
}
