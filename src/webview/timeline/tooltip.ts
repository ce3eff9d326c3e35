/** A few words beside the pointer. */
import { IntervalState } from '../../trace/model/trace.js';
import { element } from '../element.js';
import { formatNs, formatQuantity, formatShare } from '../../trace/measure/quantities.js';
import type { ViewContext } from '../model.js';
import { plainText } from '../names.js';
import { text } from '../texts.js';
import { counterAt } from './counter-renderer.js';
import { cpuShare } from './flame-renderer.js';
import type { Hit } from './hit.js';
import { describeWait, waitLength } from './waits.js';

const offset = 14;

export class Tooltip {
  readonly root = element('div', { class: 'tooltip', role: 'presentation' });
  readonly #context: ViewContext;

  constructor(context: ViewContext) {
    this.#context = context;
    this.root.hidden = true;
  }

  show(hit: Hit | undefined, x: number, y: number): void {
    const lines = hit === undefined ? [] : this.#lines(hit);
    this.root.hidden = lines.length === 0;
    if (lines.length === 0) return;
    this.root.replaceChildren(
      ...lines.map((line, at) =>
        element('div', { class: at === 0 ? 'tooltip-title' : 'tooltip-line' }, line),
      ),
    );
    const { width, height } = this.root.getBoundingClientRect();
    const left = x + offset + width > window.innerWidth ? Math.max(0, x - offset - width) : x + offset;
    const top = y + offset + height > window.innerHeight ? Math.max(0, y - offset - height) : y + offset;
    this.root.style.transform = `translate(${left}px, ${top}px)`;
  }

  #lines(hit: Hit): string[] {
    const { model } = this.#context;
    const { snapshot, names } = model;
    if (snapshot === undefined) return [];
    if (hit.kind === 'counter') {
      const value = counterAt(hit.place.counter, hit.timeNs);
      return value === undefined
        ? []
        : [`${plainText(hit.place.counter.name)}: ${formatQuantity(value, hit.place.counter.unit)}`];
    }
    const { thread } = hit.place;
    if (hit.kind === 'strip') return [];
    if (hit.kind === 'call') {
      const { chart } = thread;
      const method = chart.method[hit.row] ?? 0;
      const wall = (chart.end[hit.row] ?? 0) - (chart.begin[hit.row] ?? 0);
      const times = [text('call.wall', { value: formatNs(wall) })];
      if (snapshot.info.hasCpu) {
        const cpu = {
          value: formatNs(chart.cpu[hit.row] ?? 0),
          share: formatShare(cpuShare(chart, hit.row)),
        };
        times.push(text('call.cpu', cpu));
      }
      return [names.short(method), names.packageName(method), times.join(' · ')].filter(
        (line) => line !== '',
      );
    }
    if (hit.kind === 'block') {
      const { blocks } = thread;
      return [describeWait(blocks, hit.row, snapshot), waitLength(blocks, hit.row)];
    }
    const { spans } = thread;
    const length = formatNs((spans.end[hit.row] ?? 0) - (spans.begin[hit.row] ?? 0));
    if (spans.state[hit.row] === IntervalState.Gap) return [text('timeline.gap'), length];
    return [text('timeline.waiting'), length];
  }
}
