/** What is recorded of a system: events of its kernel, and, by the names of presets, categories of Android. */

/** In every recording. Kernels may lack some of them. */
export const schedulerEvents = [
  'sched/sched_switch',
  'sched/sched_waking',
  'sched/sched_wakeup_new',
  'sched/sched_blocked_reason',
  'task/task_newtask',
  'task/task_rename',
  'power/cpu_frequency',
];
const categories = ['am', 'binder_driver', 'dalvik', 'gfx', 'input', 'view', 'wm'];

export interface SystemChoice {
  readonly events: readonly string[];
  readonly categories: readonly string[];
}

/** What each preset looks at. */
export const systemPresets = {
  /** The scheduler, and what Android itself tells of the app's threads. */
  usual: { events: schedulerEvents, categories },
  /** Packages, resources, the system server, and files that are read. */
  startUp: {
    events: [
      ...schedulerEvents,
      'block/block_rq_issue',
      'block/block_rq_complete',
      'sched/sched_process_exit',
    ],
    categories: [...categories, 'database', 'pm', 'res', 'ss'],
  },
  /** Frames, from the touch to the screen. */
  jank: {
    events: [...schedulerEvents, 'power/cpu_idle', 'power/clock_set_rate'],
    categories: [...categories, 'hal', 'res', 'sm', 'video'],
  },
  /** Disks, file systems and databases. */
  io: {
    events: [
      ...schedulerEvents,
      ...['block/block_rq_issue', 'block/block_rq_complete'],
      ...['ext4/ext4_sync_file_enter', 'ext4/ext4_sync_file_exit'],
      ...['f2fs/f2fs_sync_file_enter', 'f2fs/f2fs_sync_file_exit'],
    ],
    categories: [...categories, 'database', 'disk'],
  },
} as const satisfies Record<string, SystemChoice>;

export type SystemPreset = keyof typeof systemPresets;
