/** What the timeline says of the call, wait, gap or counter under the pointer. */
import { IntervalState } from '../../trace/model/trace.js';
import { formatNs, formatQuantity, formatShare } from '../../trace/measure/quantities.js';
import type { ViewContext } from '../model.js';
import { plainText } from '../names.js';
import { text } from '../texts.js';
import { TooltipBox } from '../tooltip-box.js';
import { counterAt } from './counter-renderer.js';
import { cpuShare } from './flame-renderer.js';
import type { Hit } from './hit.js';
import { describeCore, describeStates } from './state-renderer.js';
import { describeWait, waitLength } from './waits.js';

export class Tooltip {
  readonly #box = new TooltipBox();
  readonly root = this.#box.root;
  readonly #context: ViewContext;

  constructor(context: ViewContext) {
    this.#context = context;
  }

  /** `nsPerPixel`: of the chart; what is narrower than a pixel is told by its shares. */
  show(hit: Hit | undefined, x: number, y: number, nsPerPixel = 1): void {
    this.#box.show(hit === undefined ? [] : this.#lines(hit, nsPerPixel), x, y);
  }

  #lines(hit: Hit, nsPerPixel: number): string[] {
    const { model } = this.#context;
    const { snapshot, names } = model;
    if (snapshot === undefined) return [];
    if (hit.kind === 'counter') {
      const { counter } = hit.place;
      const value = counterAt(counter, hit.timeNs);
      if (value === undefined) return [];
      const shown = formatQuantity(value, counter.unit);
      return [text('joined.value', { name: plainText(counter.name), value: shown })];
    }
    if (hit.kind === 'core') {
      const { core } = hit.place;
      const nameOf = (tid: number): string => model.taskName(tid);
      return core === undefined ? [] : describeCore(core.strip, hit.timeNs, nsPerPixel, nameOf);
    }
    const { thread } = hit.place;
    if (hit.kind === 'strip') return [];
    if (hit.kind === 'state') {
      const states = model.scheduling?.threads.get(thread.index);
      return states === undefined ? [] : describeStates(states, hit.timeNs, nsPerPixel);
    }
    if (hit.kind === 'section') {
      const { sections } = hit.place;
      if (sections === undefined) return [];
      const name = model.scheduling?.sectionNames[sections.method[hit.row] ?? 0] ?? '';
      const length = (sections.end[hit.row] ?? 0) - (sections.begin[hit.row] ?? 0);
      return [plainText(name), text('timeline.section'), formatNs(length)];
    }
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
    if (hit.kind === 'wait') {
      const { waits } = thread;
      return [describeWait(waits, hit.row, snapshot), waitLength(waits, hit.row)];
    }
    const { spans } = thread;
    const length = formatNs((spans.end[hit.row] ?? 0) - (spans.begin[hit.row] ?? 0));
    if (spans.state[hit.row] === IntervalState.Gap) return [text('timeline.gap'), length];
    return [text('timeline.waiting'), length];
  }
}
