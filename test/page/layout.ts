/** What a person could not see or press as the page is laid out: words that are cut off, controls outside or over each other. */
import type { Page } from 'playwright-core';

/** In words, one a fault; an empty list where all is well. */
export function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const named = (one: Element): string =>
      `${one.localName}.${one.getAttribute('class') ?? ''} "${(one.getAttribute('aria-label') ?? one.textContent).slice(0, 40)}"`;
    const isShown = (one: Element): boolean =>
      one.checkVisibility({ visibilityProperty: true }) &&
      one.closest('.sr-only, svg, .chart, .minimap') === null;
    const roots = Array.from(document.querySelectorAll('dialog[open]'));
    const root = roots[0] ?? document.getElementById('btrace')!;
    const all = Array.from(root.querySelectorAll('*')).filter(isShown);
    /** What can be scrolled to is not lost. */
    const scrolls = (one: Element, axis: 'x' | 'y'): boolean => {
      for (let up = one.parentElement; up !== null; up = up.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(up);
        if (/auto|scroll/.test(axis === 'x' ? overflowX : overflowY)) return true;
      }
      return false;
    };
    for (const one of all) {
      const box = one.getBoundingClientRect();
      if (box.width === 0 || box.height === 0) continue;
      // The strip that is cut off is meant to be.
      const left = box.left + (one.matches('.facts, .fact') ? 14 : 0);
      if ((left < -1 || box.right > innerWidth + 1) && !scrolls(one, 'x'))
        faults.push(`${named(one)} is beside the page: ${Math.round(box.left)} to ${Math.round(box.right)}`);
      if ((box.top < -1 || box.bottom > innerHeight + 1) && !scrolls(one, 'y'))
        faults.push(`${named(one)} is below the page: ${Math.round(box.top)} to ${Math.round(box.bottom)}`);
      const style = getComputedStyle(one);
      const isCut = /hidden|clip/.test(style.overflowX) && one.scrollWidth > one.clientWidth + 1;
      // Words may end in dots where their title has all of them.
      const isTitled = style.textOverflow === 'ellipsis' && one.closest('[title]') !== null;
      if (isCut && one.clientWidth > 0 && !isTitled && one.children.length === 0)
        faults.push(`${named(one)} is cut off: ${one.clientWidth} of ${one.scrollWidth}`);
    }
    // What a control of the kit is drawn as, which may be wider than the room that it is given.
    for (const one of all.filter(({ shadowRoot }) => shadowRoot !== null)) {
      const room = one.getBoundingClientRect();
      const parts = [
        one.shadowRoot!.querySelectorAll('.root, .control'),
        one.querySelectorAll('span'),
      ].flatMap((found) => Array.from<Element>(found));
      for (const part of parts) {
        const { width, right } = part.getBoundingClientRect();
        if (width > 0 && (right > room.right + 1 || part.scrollHeight > room.height + 1))
          faults.push(`${named(one)} is larger than its room`);
      }
    }
    const boxes =
      '.toolbar, .trust-line, .lock-waits, .middle, .stage, .details, .figure-view, .timeline, .compare-bar, .callers-middle, .button-row';
    for (const outer of all.filter((one) => one.matches(boxes))) {
      const limit = outer.getBoundingClientRect();
      for (const one of Array.from(outer.querySelectorAll('*')).filter(isShown)) {
        const box = one.getBoundingClientRect();
        const isFree = /absolute|fixed/.test(getComputedStyle(one).position);
        if (box.height === 0 || isFree || isScrolledWithin(one, outer)) continue;
        if (box.bottom > limit.bottom + 1 || box.right > limit.right + 1)
          faults.push(`${named(one)} crosses ${named(outer)}`);
      }
    }
    function isScrolledWithin(one: Element, outer: Element): boolean {
      for (let up = one.parentElement; up !== null && up !== outer; up = up.parentElement)
        if (/auto|scroll|hidden/.test(getComputedStyle(up).overflowY)) return true;
      return /auto|scroll/.test(getComputedStyle(outer).overflowY);
    }
    const controls = all.filter(
      (one) =>
        one.matches(
          'button, a, input, vscode-button, vscode-checkbox, vscode-dropdown, vscode-text-field, [role=tab], .fact, .search-found',
        ) && !one.matches('.gutter *'),
    );
    // What flows with words has a box in each line.
    const inner = controls
      .flatMap((one) => Array.from(one.getClientRects(), (line) => ({ one, box: seen(one, line) })))
      .filter(({ box }) => box.right > box.left);
    for (const [at, { one, box }] of inner.entries()) {
      for (const { one: other, box: its } of inner.slice(at + 1)) {
        if (one.contains(other) || other.contains(one)) continue; // itself, too
        const x = Math.min(box.right, its.right) - Math.max(box.left, its.left);
        const y = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
        if (x > 1 && y > 1) faults.push(`${named(one)} and ${named(other)} lie over each other`);
      }
    }
    /** Of its box what no scroller hides. */
    function seen(one: Element, line: DOMRect): { left: number; right: number; top: number; bottom: number } {
      let { left, right, top, bottom } = line;
      for (let up = one.parentElement; up !== null; up = up.parentElement) {
        if (getComputedStyle(up).overflow === 'visible') continue;
        const box = up.getBoundingClientRect();
        [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
        [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
      }
      return bottom > top ? { left, right, top, bottom } : { left: 0, right: 0, top: 0, bottom: 0 };
    }
    return faults;
  });
}

/** Controls that a click on their middle does not come to, once they are scrolled to. */
export function coveredControls(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    Array.from(
      document.querySelectorAll<HTMLElement>(
        '#btrace :is(button, a, input, vscode-button, vscode-checkbox, vscode-dropdown, vscode-text-field)',
      ),
    )
      .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.closest('.gutter') === null)
      .filter((one) => {
        one.scrollIntoView({ block: 'nearest', inline: 'nearest' });
        const box = one.getBoundingClientRect();
        const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        return hit === null || !(one === hit || one.contains(hit));
      })
      .map((one) => `${one.localName}.${one.className} ${one.getAttribute('aria-label') ?? one.textContent}`),
  );
}
