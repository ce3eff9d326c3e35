export const bottomUpTexts = {
  'view.bottomUp': 'Bottom-Up',
  'key.bottomUp': 'Bottom-up',
} as const;
