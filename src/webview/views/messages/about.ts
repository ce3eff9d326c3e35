import type { ViewAbout } from '../about.js';

export const messages: ViewAbout = {
  id: 'messages',
  key: '7',
  isOffered: ({ snapshot, hasVirtualThreads }) =>
    snapshot === undefined || snapshot.hasMessages || hasVirtualThreads,
  titleKey: ({ hasVirtualThreads }) => (hasVirtualThreads ? 'view.virtualThreads' : 'view.messages'),
};
