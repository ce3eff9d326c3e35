/** Every text a person reads on the page, by key. English here; a host may override any of them by key. */
export const englishTexts = {
  'view.timeline': 'Timeline',
  'view.flameGraph': 'Flame Graph',
  'view.callTree': 'Call Tree',
  'view.bottomUp': 'Bottom-Up',
  'view.methods': 'Methods',
  'view.callers': 'Callers',
  'view.tabs': 'Views',
  'timeline.label': 'Flame chart. Arrow keys walk the calls, Enter opens the source, ? lists all keys.',
  'timeline.ruler': 'Time ruler: drag to select a range',
  'timeline.minimap': 'Overview of the whole recording',
  'timeline.threads': 'Threads',
  'timeline.blocked': 'blocked',
  'timeline.waiting': 'waiting, no CPU used',
  'timeline.gap': 'no evidence',
  'thread.fold': 'Fold thread {name}',
  'thread.unfold': 'Unfold thread {name}',
  'thread.pin': 'Pin thread {name} to the top',
  'thread.unpin': 'Unpin thread {name}',
  'thread.hide': 'Hide thread {name}',
  'thread.unnamed': 'Thread {tid}',
  'thread.main': 'main thread',
  'call.wall': 'Wall {value}',
  'call.cpu': 'CPU {value} ({share})',
  'name.unknown': 'unknown method {id}',
  'wait.MONITOR': 'waits for lock',
  'wait.WAIT': 'Object.wait',
  'wait.PARK': 'parked',
  'wait.SLEEP': 'sleeps',
  'wait.GC': 'waits for garbage collection',
  'wait.BINDER': 'binder call',
  'wait.IO': 'input/output',
  'wait.POLL': 'polls',
  'wait.SYNC_TO_DISK': 'writes to disk',
  'wait.MUTEX': 'waits for mutex',
  'wait.CONDITION': 'waits for condition',
  'wait.other': 'blocked',
  'wait.on': '{what} {type}',
  'wait.heldBy': 'held by {thread}',
  'key.zoomIn': 'Zoom in',
  'key.zoomOut': 'Zoom out',
  'key.panLeft': 'Pan left',
  'key.panRight': 'Pan right',
  'key.zoomAll': 'Show the whole recording',
  'key.caller': 'Select the caller',
  'key.callee': 'Select the longest callee',
  'key.before': 'Select the call before',
  'key.after': 'Select the call after',
  'key.focus': 'Zoom to the selection or range',
  'key.openSource': 'Open the source',
  'key.openBeside': 'Open the source beside',
  'key.escape': 'Clear: measure, selection, range, search',
  'open.waiting': 'Waiting for the recording…',
  'open.reading': 'Reading {name}: {share}',
  'open.decoding': 'Building calls…',
  'open.empty': 'This recording has no samples yet.',
  'open.notTrace': 'This is not a trace: {what}',
  'open.failed': 'The recording could not be shown: {what}',
} as const;

export type TextKey = keyof typeof englishTexts;

let overrides: Readonly<Record<string, string>> = {};

export function setTexts(texts: Readonly<Record<string, string>>): void {
  overrides = texts;
}

/** `{name}` in the text is replaced by `values.name`. */
export function text(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const template = Object.hasOwn(overrides, key) ? (overrides[key] ?? englishTexts[key]) : englishTexts[key];
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
