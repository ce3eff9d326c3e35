export const callTreeTexts = {
  'view.callTree': 'Call Tree',
  'key.callTree': 'Call tree',
} as const;
