export const methodsTexts = {
  'view.methods': 'Methods',
  'key.methods': 'Methods',
} as const;
