export const flameGraphTexts = {
  'view.flameGraph': 'Flame Graph',
  'key.flameGraph': 'Flame graph',
  'flame.label': 'Flame graph. Arrow keys walk the frames, Enter opens the source, f zooms, 0 shows all.',
  'flame.all': 'all',
  'flame.outside': 'outside of any method',
  'flame.waits': '{name}, waiting',
  'flame.gaps': 'no evidence',
} as const;
