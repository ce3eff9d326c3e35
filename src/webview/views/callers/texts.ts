export const callersTexts = {
  'view.callers': 'Callers',
  'key.callers': 'Callers and callees',
  'callers.callers': 'Called by',
  'callers.callees': 'Calls',
  'callers.noCallers': 'Called by nobody that was seen',
  'callers.noCallees': 'Calls nothing that was seen',
  'callers.none': 'Nothing of this weight in this range and these threads: no method to begin with.',
} as const;
