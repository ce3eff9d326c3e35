export const timelineTexts = {
  'view.timeline': 'Timeline',
  'key.timeline': 'Timeline',
} as const;
