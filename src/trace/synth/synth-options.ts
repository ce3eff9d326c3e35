/** How the made-up program of synth.ts is, and how it is sampled. */
export interface SynthOptions {
  readonly seed: number;
  /** Captures over all threads, merged ones included. */
  readonly samples: number;
  readonly threads: number;
  /** Mean depth of stacks. */
  readonly depth: number;
  readonly methods: number;
  /** Over all threads, which then carry them in turns: the waits that the agent sees are off their carriers. 0: none. */
  readonly virtualThreads: number;
  readonly intervalNs: number;
  /** Mean time in one place while working, in sample intervals. */
  readonly stretch: number;
  /** Share of stretches in which a thread waits instead of working. */
  readonly waiting: number;
  /** Share of waits that the agent sees as blocking samples; the others show as equal stacks without CPU time. */
  readonly blocking: number;
  /** Every so many samples the sampler misses a stretch of the program: makes gaps. 0: never. */
  readonly missEvery: number;
  /** Whether equal neighbours are merged, as a device does; without it a capture is a row. */
  readonly merge: boolean;
  readonly deflate: boolean;
}

export const synthDefaults: SynthOptions = {
  seed: 1,
  samples: 100_000,
  threads: 8,
  depth: 40,
  methods: 20_000,
  virtualThreads: 0,
  intervalNs: 1_000_000,
  stretch: 0.5,
  waiting: 0.01,
  blocking: 0.5,
  missEvery: 0,
  merge: true,
  deflate: false,
};
