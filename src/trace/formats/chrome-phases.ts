/** Phases of Chrome's events, which older producers of Perfetto's have too: those that are marks, not calls; nobody misses them here. */
export const markPhases = 'iIRnTpNODMVvcaA()';
