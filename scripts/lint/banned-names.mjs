// Old names of concepts, held out by lint: the glossary in ARCHITECTURE.md gives each concept one name. A row here bans the
// names that a row of the glossary replaced, as whole identifiers, in any case and with or without underscores.

/** The name to use, and the names that it replaced. */
const replaced = [
  ['cpuTimer, "CPU timer"', 'asyncSelf'],
  ['externalSampler, "external sampler"', 'asyncOutside lookOutside walkOutside'],
  [
    'external…, "external recording"',
    'outsideOnly outsideSession outsideRecording outsideProgram recordOutside fromOutside',
  ],
  ['otherThreadWalk', 'beginAside commitAside'],
  ['waitSample, "wait sample"', 'blockingSample blockingSamples blockedSample blockedSamples'],
  ['wait: waitNs, waitTime, isWait', 'blockedNs blockedTime isBlocked'],
  ['publishWait', 'announceBlock announceWait'],
  ['recordWaker, shouldCaptureWakeup', 'tellWaker worthWaking'],
  ['openWait, isOpenWait', 'stillWaits'],
  ['loopMessage', 'ownMessage lastMessage'],
  ['agentStretch', 'ownStretch ownStretched'],
  ['myCode, "my code"', 'onlyMyCode onlyMine ownCode isOwnClass ownPackages ownPrefixes'],
  ['hide (frames), collapse (rows) or merge (samples)', 'isFolded toggleFolded unfolded foldTrace foldPaths'],
  ['retraceMapping', 'knownMappings wantedMapping mappingExcerpt pageMapping mappingWanted'],
  ['retrace', 'unmap unmapped deobfuscate deobfuscated deobfuscation'],
  ['openSourceInPlace', 'openBeside'],
];

const plain = (name) => name.replaceAll('_', '').toLowerCase();

const useOf = new Map(
  replaced.flatMap(([use, names]) =>
    names.split(' ').map((name) => /** @type {const} */ ([plain(name), use])),
  ),
);

/** The banned names in the sources (path → text), one line each. */
export function complaints(sources) {
  const said = [];
  for (const [file, source] of Object.entries(sources))
    for (const { 0: name, index } of source.matchAll(/[A-Za-z_]\w*/g)) {
      const use = useOf.get(plain(name));
      if (use === undefined) continue;
      const line = source.slice(0, index).split('\n').length;
      said.push(`${file}:${line}: "${name}" is an old name: use ${use}`);
    }
  return said;
}
