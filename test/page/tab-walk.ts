/** Goes through a page by Tab alone, as somebody without a mouse does. */
import type { Page } from 'playwright-core';

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

/** Every stop between the two ends, in the order of Tab, or of Shift+Tab. `seen` is told of each while it has the keyboard. */
export async function walk(
  page: Page,
  key: 'Tab' | 'Shift+Tab',
  seen: (stop: Stop) => Promise<void> = () => Promise.resolve(),
): Promise<Stop[]> {
  const [from, to] = key === 'Tab' ? ['before-page', 'after-page'] : ['after-page', 'before-page'];
  await page.evaluate((id) => {
    document.getElementById(id)!.focus();
    Object.assign(window, { reached: new Set<Element>() });
  }, from);
  const session = await page.context().newCDPSession(page);
  const stops: Stop[] = [];
  try {
    for (;;) {
      await page.keyboard.press(key);
      const focused = await session.send('Runtime.evaluate', {
        expression: `(() => {
          let focused = document.activeElement;
          if (focused === document.body) return undefined;
          window.reached.add(focused);
          while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
          return focused.id === '${to}' ? undefined : focused;
        })()`,
      });
      const { objectId } = focused.result;
      if (objectId === undefined) {
        const id = await page.evaluate(() => document.activeElement?.id);
        if (id === to) return stops;
        throw new Error(`${key} left the page after ${stops.at(-1)?.what ?? 'nothing'}`);
      }
      const stop = await describe(session, objectId);
      stops.push(stop);
      await seen(stop);
      if (stops.length > mostStops)
        throw new Error(`${key} does not come to the end: ${stops.map(({ what }) => what).join(', ')}`);
    }
  } finally {
    await session.detach();
  }
}

type Session = Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>;

async function describe(session: Session, objectId: string): Promise<Stop> {
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
