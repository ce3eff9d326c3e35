// What is found in VS Code's window and clicked in one go, inside the page. VS Code uses the elements of a list's rows again for other
// rows, notifications move as others come, and lenses as an edit shifts the lines: between a look from outside and a click after it
// something else may be under the mouse.
import type { Page } from 'playwright-core';
import { anyMoment } from '../until.js';

export interface Wanted {
  readonly css: string;
  /** In all of the element's text, or in that of its `part`. */
  readonly text: RegExp;
  readonly part?: string;
  /** Only inside an element that has that text. */
  readonly within?: { readonly css: string; readonly text: RegExp };
}

export interface ClickOptions {
  readonly timeout: number;
  /** The element is not clicked where that fits it, such as one that is shown already. */
  readonly unless?: string;
}

export interface Keys {
  readonly key: string;
  readonly code: string;
  readonly keyCode: number;
  readonly ctrlKey: boolean;
}

const plain = ({ source, flags }: RegExp) => ({ source, flags });

/**
 * Clicks the first such element that a person could click: one that is drawn, and has nothing over its middle. Waits until there is
 * one. Nothing in the page runs between the look and the click.
 */
export async function clickInPage(page: Page, wanted: Wanted, options: ClickOptions): Promise<void> {
  const { css, part, within } = wanted;
  const given = {
    ...{ css, part, unless: options.unless, text: plain(wanted.text) },
    within: within && { css: within.css, text: plain(within.text) },
  };
  try {
    // In this function no other has a name: tsx would call a helper that the page has not.
    await until(options.timeout, () =>
      page.evaluate(({ css, part, unless, text, within }) => {
        const pattern = new RegExp(text.source, text.flags);
        const around = within && new RegExp(within.text.source, within.text.flags);
        const places =
          within === undefined
            ? [document]
            : Array.from(document.querySelectorAll(within.css)).filter((one) =>
                around!.test(one.textContent),
              );
        const found = places
          .flatMap((place) => Array.from(place.querySelectorAll(css)))
          .filter((one) =>
            pattern.test((part === undefined ? one : one.querySelector(part))?.textContent ?? ''),
          );
        for (const one of found) {
          if (unless !== undefined && one.matches(unless)) return true;
          const { left, top, width, height } = one.getBoundingClientRect();
          if (width === 0 || height === 0) continue;
          const [clientX, clientY] = [left + width / 2, top + height / 2];
          const over = document.elementFromPoint(clientX, clientY);
          if (over === null || !one.contains(over)) {
            one.scrollIntoView({ block: 'nearest' }); // it is looked at again then
            continue;
          }
          const event = { bubbles: true, cancelable: true, composed: true, view: window, detail: 1 };
          for (const type of ['mousedown', 'mouseup', 'click'])
            over.dispatchEvent(new MouseEvent(type, { ...event, clientX, clientY }));
          return true;
        }
        return false;
      }, given),
    );
  } catch (error) {
    const where = within === undefined ? '' : ` in ${within.css} with ${String(within.text)}`;
    const all = await page
      .locator(css)
      .allTextContents()
      .catch(() => []);
    throw new Error(
      `Nothing to click: ${css} with ${String(wanted.text)}${where}. There is: ${JSON.stringify(all.slice(0, 40))}`,
      { cause: error },
    );
  }
}

/**
 * Presses the keys that open one of VS Code's lists to type into, wherever the focus is, and types `text` once that list is there:
 * the one whose field begins with `value` and has a placeholder like that.
 */
export async function askInPage(
  page: Page,
  keys: Keys,
  field: { readonly value: string; readonly placeholder: RegExp },
  text: string,
  timeout: number,
): Promise<void> {
  await page.evaluate(
    (keys) =>
      void document
        .querySelector('.monaco-workbench')
        ?.dispatchEvent(
          new KeyboardEvent('keydown', { ...keys, bubbles: true, cancelable: true, composed: true }),
        ),
    keys,
  );
  await until(timeout, () =>
    page.evaluate(
      ({ value, placeholder, text }) => {
        const input = document.querySelector<HTMLInputElement>('.quick-input-widget input[type="text"]');
        if (input?.checkVisibility() !== true || !input.value.startsWith(value)) return false;
        if (!new RegExp(placeholder.source, placeholder.flags).test(input.placeholder)) return false;
        input.value = text;
        input.dispatchEvent(new InputEvent('input', { bubbles: true }));
        return true;
      },
      { value: field.value, placeholder: plain(field.placeholder), text },
    ),
  );
}

/** Looks until it is so. Not by Playwright's way, which looks again in the next page where a click has reloaded this one. */
async function until(timeout: number, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + timeout; !(await isSo());) {
    // eslint-disable-next-line btrace/test-time -- as long as its caller waits, who tries again
    if (Date.now() > end) throw new Error(`It was not there within ${timeout / 1000} s`);
    await anyMoment(50);
  }
}
