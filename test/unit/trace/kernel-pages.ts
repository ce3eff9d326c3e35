/** Pages of a kernel's ring buffer as Linux 6 on 64 bits writes them, for tests and the bench. */
import {
  type EventFormat,
  type PageLayout,
  parseEventFormat,
  parsePageLayout,
} from '../../../src/trace/system/event-format.js';

const head = `format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

`;
const field = (declared: string, offset: number, size: number): string =>
  `\tfield:${declared};\toffset:${offset};\tsize:${size};\tsigned:0;\n`;

export const ids = { switch: 372, waking: 375, newTask: 205, rename: 204, frequency: 565, print: 5 };

export const formatTexts: readonly string[] = [
  `name: sched_switch\nID: ${ids.switch}\n${head}${field('char prev_comm[16]', 8, 16)}${field('pid_t prev_pid', 24, 4)}` +
    `${field('int prev_prio', 28, 4)}${field('long prev_state', 32, 8)}${field('char next_comm[16]', 40, 16)}` +
    `${field('pid_t next_pid', 56, 4)}${field('int next_prio', 60, 4)}\nprint fmt: "prev_comm=%s"\n`,
  `name: sched_waking\nID: ${ids.waking}\n${head}${field('char comm[16]', 8, 16)}${field('pid_t pid', 24, 4)}` +
    `${field('int prio', 28, 4)}${field('int target_cpu', 32, 4)}`,
  `name: task_newtask\nID: ${ids.newTask}\n${head}${field('pid_t pid', 8, 4)}${field('char comm[16]', 12, 16)}` +
    `${field('u64 clone_flags', 32, 8)}${field('short oom_score_adj', 40, 2)}`,
  `name: task_rename\nID: ${ids.rename}\n${head}${field('pid_t pid', 8, 4)}${field('char oldcomm[16]', 12, 16)}` +
    `${field('char newcomm[16]', 28, 16)}${field('short oom_score_adj', 44, 2)}`,
  `name: cpu_frequency\nID: ${ids.frequency}\n${head}${field('u32 state', 8, 4)}${field('u32 cpu_id', 12, 4)}`,
  `name: print\nID: ${ids.print}\n${head}${field('unsigned long ip', 8, 8)}${field('char buf[]', 16, 0)}`,
];

export const formats: readonly EventFormat[] = formatTexts.map((text) => parseEventFormat(text)!);
export const layout: PageLayout = parsePageLayout(
  field('u64 timestamp', 0, 8) + field('local_t commit', 8, 8) + field('char data', 16, 4080),
)!;

export interface KernelEvent {
  readonly time: number;
  readonly type: number;
  /** The thread that runs. */
  readonly pid: number;
  readonly flags?: number;
  readonly write: (view: DataView, at: number) => number;
}

function writeName(view: DataView, at: number, name: string): void {
  for (let i = 0; i < 15; i++) view.setUint8(at + i, name.charCodeAt(i) || 0);
}

export const switched = (
  time: number,
  [previous, previousName]: readonly [number, string],
  state: number,
  [next, nextName]: readonly [number, string],
  priority = 120,
): KernelEvent => ({
  ...{ time, type: ids.switch, pid: previous },
  write(view, at) {
    writeName(view, at + 8, previousName);
    view.setInt32(at + 24, previous, true);
    view.setUint32(at + 32, state, true);
    writeName(view, at + 40, nextName);
    view.setInt32(at + 56, next, true);
    view.setInt32(at + 60, priority, true);
    return 64;
  },
});

export const waking = (
  time: number,
  pid: number,
  [woken, name]: readonly [number, string],
  flags = 0,
): KernelEvent => ({
  ...{ time, type: ids.waking, pid, flags },
  write(view, at) {
    writeName(view, at + 8, name);
    view.setInt32(at + 24, woken, true);
    return 36;
  },
});

export const newTask = (
  time: number,
  pid: number,
  made: number,
  name: string,
  flags: number,
): KernelEvent => ({
  ...{ time, type: ids.newTask, pid },
  write(view, at) {
    view.setInt32(at + 8, made, true);
    writeName(view, at + 12, name);
    view.setUint32(at + 32, flags, true);
    return 44;
  },
});

export const renamed = (time: number, pid: number, name: string): KernelEvent => ({
  ...{ time, type: ids.rename, pid },
  write(view, at) {
    view.setInt32(at + 8, pid, true);
    writeName(view, at + 28, name);
    return 48;
  },
});

export const frequency = (time: number, core: number, kHz: number): KernelEvent => ({
  ...{ time, type: ids.frequency, pid: 0 },
  write(view, at) {
    view.setUint32(at + 8, kHz, true);
    view.setUint32(at + 12, core, true);
    return 16;
  },
});

export const printed = (time: number, pid: number, text: string): KernelEvent => ({
  ...{ time, type: ids.print, pid },
  write(view, at) {
    const bytes = new TextEncoder().encode(text);
    new Uint8Array(view.buffer).set(bytes, at + 16);
    return (16 + bytes.length + 1 + 3) & ~3;
  },
});

const most27 = 2 ** 27;

/** Events of one core in order of time → pages. `lost`: how many events had no room before the first page. */
export function pagesOf(events: readonly KernelEvent[], lost = 0): Uint8Array {
  const pages: Uint8Array[] = [];
  let page = new Uint8Array(0);
  let view = new DataView(page.buffer);
  let at = 0;
  let last = 0;
  const close = (): void => {
    if (page.length === 0) return;
    const missed = lost > 0 && pages.length === 0;
    if (missed) view.setUint32(at, lost, true);
    view.setUint32(8, at - 16 + (missed ? 0xc0000000 : 0), true);
    pages.push(page);
  };
  for (const event of events) {
    if (page.length === 0 || at + 128 > page.length) {
      close();
      page = new Uint8Array(4096);
      view = new DataView(page.buffer);
      view.setBigUint64(0, BigInt(event.time), true);
      at = 16;
      last = event.time;
    }
    let delta = event.time - last;
    last = event.time;
    if (delta >= most27) {
      view.setUint32(at, 30 | ((delta % most27) << 5), true);
      view.setUint32(at + 4, Math.floor(delta / most27), true);
      at += 8;
      delta = 0;
    }
    const size = event.write(view, at + 4);
    // Long ones have their length in a word of its own.
    const isLong = size > 28 * 4;
    if (isLong) {
      page.copyWithin(at + 8, at + 4, at + 4 + size);
      view.setUint32(at + 4, size + 4, true);
    }
    view.setUint32(at, ((delta << 5) | (isLong ? 0 : size / 4)) >>> 0, true);
    const from = at + (isLong ? 8 : 4);
    view.setUint16(from, event.type, true);
    view.setUint8(from + 2, event.flags ?? 0);
    view.setInt32(from + 4, event.pid, true);
    at = from + size;
  }
  close();
  const whole = new Uint8Array(pages.length * 4096);
  pages.forEach((one, row) => whole.set(one, row * 4096));
  return whole;
}
