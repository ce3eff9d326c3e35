/** Goes through a page by Tab alone, as somebody without a mouse does. */
import type { CDPSession, Page } from 'playwright-core';

/** What Tab came to. */
export interface Stop {
  /** Tag and class, and its name. */
  readonly what: string;
  readonly role: string;
  readonly name: string;
  readonly clip: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/** More than any page has. */
const mostStops = 150;

/** Before and after the page: where Tab comes from, and where it must come to. */
export async function addEnds(page: Page): Promise<void> {
  await page.evaluate(() => {
    const end = (id: string): HTMLElement => {
      const button = document.createElement('button');
      button.id = id;
      Object.assign(button.style, { position: 'fixed', top: '-40px', width: '20px' });
      return button;
    };
    document.body.prepend(end('before-page'));
    document.body.append(end('after-page'));
  });
}

/**
 * Every stop between the two ends, in the order of Tab, or of Shift+Tab. `seen` is told of each while it has the keyboard. `known`
 * has the elements that another walk came to, which are not looked at again; those that this one comes to first are added.
 */
export async function walk(
  page: Page,
  key: 'Tab' | 'Shift+Tab',
  seen: (stop: Stop, session: CDPSession) => Promise<void> = () => Promise.resolve(),
  known: Stop[] = [],
): Promise<Stop[]> {
  const [from, to] = key === 'Tab' ? ['before-page', 'after-page'] : ['after-page', 'before-page'];
  await page.evaluate(
    ([id, isFirst]) => {
      document.getElementById(id)!.focus();
      Object.assign(window, { reached: new Set<Element>() }, isFirst ? { known: [] } : {});
    },
    [from, known.length === 0] as const,
  );
  const session = await page.context().newCDPSession(page);
  const stops: Stop[] = [];
  try {
    for (;;) {
      await page.keyboard.press(key);
      // Which of `known` it is; one more where it is none of them.
      const focused = await session.send('Runtime.evaluate', {
        returnByValue: true,
        expression: `(() => {
          let focused = document.activeElement;
          if (focused === document.body) return 'nothing';
          window.reached.add(focused);
          while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
          if (focused.id === '${to}') return 'end';
          const at = window.known.indexOf(focused);
          return at < 0 ? window.known.push(focused) - 1 : at;
        })()`,
      });
      const at = focused.result.value as number | 'end' | 'nothing';
      if (at === 'end') return stops;
      if (at === 'nothing') throw new Error(`${key} left the page after ${stops.at(-1)?.what ?? 'nothing'}`);
      const stop = (known[at] ??= await describe(session, at));
      stops.push(stop);
      await seen(stop, session);
      if (stops.length > mostStops)
        throw new Error(`${key} does not come to the end: ${stops.map(({ what }) => what).join(', ')}`);
    }
  } finally {
    await session.detach();
  }
}

async function describe(session: CDPSession, at: number): Promise<Stop> {
  const element = await session.send('Runtime.evaluate', { expression: `window.known[${at}]` });
  const objectId = element.result.objectId!;
  const { nodes } = await session.send('Accessibility.getPartialAXTree', { objectId, fetchRelatives: false });
  const [node] = nodes;
  const name = String(node?.name?.value ?? '').trim();
  const { result } = await session.send('Runtime.callFunctionOn', {
    objectId,
    returnByValue: true,
    functionDeclaration: `function () {
      const host = this.getRootNode().host ?? this;
      const box = host.getBoundingClientRect();
      const [left, top] = [Math.max(0, Math.floor(box.left) - 3), Math.max(0, Math.floor(box.top) - 3)];
      return {
        what: host.localName + '.' + (host.getAttribute('class') ?? ''),
        clip: {
          x: left,
          y: top,
          width: Math.min(innerWidth, Math.ceil(box.right) + 3) - left,
          height: Math.min(innerHeight, Math.ceil(box.bottom) + 3) - top,
        },
      };
    }`,
  });
  const { what, clip } = result.value as Pick<Stop, 'what' | 'clip'>;
  return { what: `${what} "${name}"`, role: String(node?.role?.value ?? ''), name, clip };
}

/**
 * Controls that can be seen and pressed, and where Tab did not come: without those that are one of several behind one stop (a tab beside
 * the chosen one, a thread's buttons, for which the chart has keys).
 */
export function notReached(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { reached } = window as unknown as { reached: ReadonlySet<Element> };
    const controls =
      'button, a, input, select, textarea, summary, [onclick], [tabindex], vscode-button, vscode-checkbox, vscode-dropdown, vscode-text-field';
    const behindOne = '[role=tab][aria-selected=false], .gutter button';
    return (
      Array.from(document.querySelectorAll(controls))
        .filter((one) => one.checkVisibility({ visibilityProperty: true }))
        .filter((one) => !one.hasAttribute('disabled') && !one.matches(behindOne) && !reached.has(one))
        .filter((one) => !one.id.endsWith('-page'))
        // What takes the keyboard only when a program gives it: no control.
        .filter((one) => !(one.getAttribute('tabindex') === '-1' && !one.matches('button, vscode-button')))
        .map(
          (one) =>
            `${one.localName}.${one.getAttribute('class') ?? ''} ${one.getAttribute('aria-label') ?? ''}`,
        )
    );
  });
}
