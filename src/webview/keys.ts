/** Every key of the page, in one table: the handler runs it, `?` lists it, a person may choose others. */
import type { PageView } from '../protocol/messages.js';
import type { TextKey } from './texts.js';
import { views } from './views/registry.js';

export type CommandId =
  | PageView
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
  | 'range'
  | 'measure'
  | 'waker'
  | 'collapse'
  | 'pin'
  | 'hide'
  | 'solo'
  | 'openSource'
  | 'openSourceInPlace'
  | 'copyName'
  | 'menu'
  | 'back'
  | 'forward'
  | 'find'
  | 'nextMatch'
  | 'previousMatch'
  | 'details'
  | 'help'
  | 'escape';

export interface KeyBinding {
  readonly command: CommandId;
  /** `KeyboardEvent.key`; a capital letter is with Shift; before it "Mod+" (Ctrl or Cmd), "Alt+", and "Shift+" where it is no letter. */
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
  { command: 'focus', keys: ['f'], text: 'key.focus', where: 'timeline' },
  { command: 'caller', keys: ['ArrowUp'], text: 'key.caller', where: 'chart' },
  { command: 'callee', keys: ['ArrowDown'], text: 'key.callee', where: 'chart' },
  { command: 'before', keys: ['ArrowLeft'], text: 'key.before', where: 'chart' },
  { command: 'after', keys: ['ArrowRight'], text: 'key.after', where: 'chart' },
  { command: 'openSource', keys: ['Enter'], text: 'key.openSource', where: 'chart' },
  { command: 'openSourceInPlace', keys: ['Mod+Enter'], text: 'key.openSourceInPlace', where: 'chart' },
  { command: 'range', keys: ['r'], text: 'key.range', where: 'timeline' },
  { command: 'measure', keys: ['m'], text: 'key.measure', where: 'timeline' },
  { command: 'waker', keys: ['l'], text: 'key.waker', where: 'timeline' },
  { command: 'collapse', keys: ['t'], text: 'key.collapse', where: 'timeline' },
  { command: 'pin', keys: ['p'], text: 'key.pin', where: 'timeline' },
  { command: 'hide', keys: ['h'], text: 'key.hide', where: 'timeline' },
  { command: 'solo', keys: ['o'], text: 'key.solo' },
  { command: 'copyName', keys: ['c'], text: 'key.copyName' },
  { command: 'menu', keys: ['ContextMenu', 'Shift+F10'], text: 'key.menu', where: 'chart' },
  { command: 'back', keys: ['Backspace'], text: 'key.back' },
  { command: 'forward', keys: ['Shift+Backspace'], text: 'key.forward' },
  { command: 'find', keys: ['/', 'Mod+f'], text: 'key.find' },
  { command: 'nextMatch', keys: ['n'], text: 'key.nextMatch' },
  { command: 'previousMatch', keys: ['N'], text: 'key.previousMatch' },
  ...views.map(({ id, key }): KeyBinding => ({ command: id, keys: [key], text: `key.${id}` })),
  { command: 'details', keys: ['i'], text: 'key.details' },
  { command: 'help', keys: ['?'], text: 'key.help' },
  { command: 'escape', keys: ['Escape'], text: 'key.escape' },
];

/** "Mod+Enter" for the event, in the table's words. */
export function keyOf(event: KeyboardEvent): string {
  const mod = event.ctrlKey || event.metaKey ? 'Mod+' : '';
  const shift = event.shiftKey && event.key.length > 1 ? 'Shift+' : '';
  return `${mod}${event.altKey ? 'Alt+' : ''}${shift}${event.key}`;
}

let current: readonly KeyBinding[] = keyTable;

/** As the table, with the keys that a person chose. */
export function bindings(): readonly KeyBinding[] {
  return current;
}

/** `chosen`: keys by command; no key at all switches a command's keys off. A key that was another command's is so no more. */
export function useKeys(chosen: Readonly<Record<string, readonly string[]>>): void {
  const taken = new Set(keyTable.flatMap(({ command }) => chosen[command] ?? []));
  current = keyTable.map((binding) => {
    const own = Object.hasOwn(chosen, binding.command) ? chosen[binding.command] : undefined;
    return { ...binding, keys: own ?? binding.keys.filter((key) => !taken.has(key)) };
  });
}

/** A key with Shift that has no meaning of its own means the key: Caps Lock must not switch letters off. */
export function bindingFor(key: string): KeyBinding | undefined {
  const unshifted = key.length === 1 ? key.toLowerCase() : key.replace('Shift+', '');
  return (
    current.find((binding) => binding.keys.includes(key)) ??
    current.find((binding) => binding.keys.includes(unshifted))
  );
}

const shownKeys: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Backspace: '⌫',
  ' ': 'Space',
  PageUp: 'Page Up',
  PageDown: 'Page Down',
  ContextMenu: 'Menu',
};

/** As a person knows the key. */
export function shownKey(key: string): string {
  const letter = key.replace(/^(Mod\+)?(Alt\+)?(Shift\+)?/, '');
  const shown = shownKeys[letter] ?? (letter.length === 1 ? letter.toUpperCase() : letter);
  const isShifted = key.includes('Shift+') || (letter.length === 1 && letter !== letter.toLowerCase());
  const mod = key.startsWith('Mod+') ? `${isMac() ? '⌘' : 'Ctrl'}+` : '';
  return `${mod}${key.includes('Alt+') ? 'Alt+' : ''}${isShifted ? 'Shift+' : ''}${shown}`;
}

function isMac(): boolean {
  return navigator.userAgent.includes('Mac');
}
