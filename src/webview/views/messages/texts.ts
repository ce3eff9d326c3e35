export const messagesTexts = {
  'view.messages': 'Messages',
  'view.virtualThreads': 'Virtual Threads',
  'key.messages': 'Messages of a message loop, or virtual threads, the longest first',
  'messages.what': 'Message: where most of it went',
  'messages.what.hint': 'The innermost method that at least half of the message’s time was in',
  'messages.nothing': 'several things',
  'messages.missedFrame': 'missed a frame',
  'messages.hang': 'hang',
  'messages.id': 'Message {id} of {thread}',
  'messages.virtual': 'Virtual thread',
  'messages.virtual.what': 'Where most of it went',
  'messages.virtual.what.hint':
    'The innermost method that at least half of the virtual thread’s time on carriers was in',
  'messages.virtual.id': 'Virtual thread #{id}, first seen on {thread}',
  'messages.virtual.waited': 'Waited off carriers',
  'messages.virtual.waited.hint':
    'Sleeps, parks, Object.wait, locks and input/output of 1 ms and more, while it had left its carrier',
  'messages.virtual.times': '{count}×',
  'messages.virtual.longest': 'Longest wait',
  'messages.virtual.mostWaited': 'Most of it: {what} in {method}',
  'messages.virtual.where': 'Where virtual threads waited off their carriers',
  'messages.virtual.whereMost':
    'Where virtual threads waited off their carriers, without {count} waits of {time} together that the budget had no room for',
  'messages.virtual.notSeen':
    'Not seen: who ended these waits, and threads that waited from before the recording until after it.',
  'messages.virtual.unknown': 'not known',
  'messages.virtual.for': 'For',
  'messages.virtual.most': 'The {count} with the most CPU time, of {all} virtual threads that were seen',
  'messages.virtual.none': 'The threads in scope carried no virtual threads.',
  'messages.none':
    'This recording tells no messages apart. Of Android apps it does: one for each thing that the main thread was given to do.',
} as const;
