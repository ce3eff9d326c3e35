/** What `planted/` is run with, and the rule that has to tell it first. */
import { type Planted, withSeconds } from '../planted.js';

export interface PlantedJava extends Planted {
  readonly vmArgs?: readonly string[];
  /** It takes the kernel's scheduler to see it. */
  readonly needsSystem?: boolean;
}

/** So that collections have something to do all the time. */
const smallHeap = ['-Xmx96m', '-XX:+UseSerialGC'];

const alone: readonly PlantedJava[] = [
  { causes: 'HeldLock=40', rule: 'lockContention', says: /HeldLock\.bookOrder.*"settler", (ran|was in)/s },
  {
    causes: 'HeldWhileReading=40',
    rule: 'lockContention',
    says: /HeldWhileReading\.lookUp.*"cache filler", itself waited in SlowServer\.ask/s,
  },
  { causes: 'Convoy=40', rule: 'lockContention', says: /Convoy\.count/ },
  { causes: 'Deadlocked=20', rule: 'deadlock', says: /2 threads/ },
  { causes: 'SlowReads=40', rule: 'mainThreadWait', says: /files and sockets in SlowServer\.ask/ },
  { causes: 'Sleeps=40', rule: 'mainThreadWait', says: /sleeps .* in Sleeps\.retryLater/ },
  {
    causes: 'PollsForResult=40',
    rule: 'mainThreadWait',
    says: /PollsForResult\.awaitPicture, to look again/,
  },
  {
    causes: 'WaitsForWorker=40',
    rule: 'mainThreadWait',
    says: /another thread in WaitsForWorker\.search.*"indexer".* (ran|in) Work\./s,
  },
  { causes: 'Garbage=40', rule: 'collections', says: /Garbage\.remember on "main"/, vmArgs: smallHeap },
  {
    causes: 'GarbageOfAnother=40',
    rule: 'collections',
    says: /GarbageOfAnother\.importRow on "importer"/,
    vmArgs: smallHeap,
  },
  { causes: 'ClassLoads=40', rule: 'classLoading', says: /ClassLoads\.loadPlugins/ },
  { causes: 'Compiles=40', rule: 'compilation', says: /compilers/ },
  { causes: 'HotLoop=40', rule: 'hotMethod', says: /HotLoop\.countDuplicates/ },
  { causes: 'HotInBackground=40', rule: 'hotMethod', says: /HotInBackground\.spinUntilChanged.*"refresher"/ },
  { causes: 'ThreadPerTask=40', rule: 'manyThreads', says: /"listener-\*"/ },
  { causes: 'HandOffs=40', rule: 'handOvers', says: /HandOffs\.askAdder/ },
  { causes: 'Crowded=40', rule: 'noCore', says: /"main" is ready/, needsSystem: true },
];

/** The same, with a second cause that takes less of a request. */
const second: readonly string[] = [
  'SlowReads=12',
  'ClassLoads=12',
  'Sleeps=12',
  'SlowReads=12',
  'HotLoop=12',
  'HotLoop=8',
  'SlowReads=12',
  'HeldLock=12',
  'Sleeps=12',
  'Sleeps=12',
  'HeldLock=12',
  'Sleeps=10',
  'Sleeps=12',
  'SlowReads=8',
  'Sleeps=12',
  'HeldLock=8',
  'SlowReads=12',
];

export const plantedPrograms: readonly PlantedJava[] = withSeconds(alone, second);

/** Programs of which there is nothing to say. */
export const healthyPrograms: readonly string[] = [
  'Mixed=40',
  'IdleServer=40',
  'QueuedWork=40',
  'ShortLocks=40',
  'TwoWorkers=40',
  'QueuedWork=40 IdleServer=20',
];

/** Those of `npm test`: of different rules, and one healthy one. */
export const fewPrograms = {
  planted: ['HeldWhileReading=40', 'Garbage=40', 'WaitsForWorker=40 HeldLock=12'],
  healthy: ['QueuedWork=40'],
};
