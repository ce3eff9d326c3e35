/** What `planted.cc` is run with, and the rule that has to tell it first. */
import { type Planted, withSeconds } from '../planted.js';

export interface PlantedNative extends Planted {
  /** The cause is work: it takes a core to see it. */
  readonly works?: boolean;
}

const alone: readonly PlantedNative[] = [
  { causes: 'HeldLock=40', rule: 'lockContention', says: /book_order/ },
  { causes: 'HotLoop=40', rule: 'hotMethod', says: /count_duplicates .* of "planted/, works: true },
  { causes: 'SlowReads=40', rule: 'mainThreadWait', says: /files and sockets in read_all/ },
  { causes: 'Sleeps=40', rule: 'mainThreadWait', says: /sleeps .* in retry_later/ },
  { causes: 'PageFaults=40', rule: 'pageFaults', says: /in find_in_catalogue .* major page faults/ },
];

const second = ['Sleeps=12', 'SlowReads=12', 'HotLoop=12', 'HeldLock=12', 'Sleeps=12'];

export const plantedNative: readonly PlantedNative[] = withSeconds(alone, second);

/** Programs of which there is nothing to say. */
export const healthyNative: readonly string[] = ['Mixed=40'];

/** Those of `npm test`. */
export const fewNative = { planted: ['SlowReads=40 HotLoop=12'], healthy: ['Mixed=40'] };
