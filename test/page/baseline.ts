/** Gives the page a recording to compare with, as its host does. */
import type { PageUnderTest } from './page-rig.js';

export async function giveBaseline(
  open: PageUnderTest,
  bytes: Uint8Array,
  name = 'before.btrace',
): Promise<void> {
  await open.post({ type: 'baseline', name, totalBytes: bytes.length });
  await open.page.evaluate((base64) => {
    const data = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer;
    window.postMessage({ type: 'baselineBytes', data }, '*', [data]);
  }, Buffer.from(bytes).toString('base64'));
  await open.post({ type: 'baselineEnd' });
  await open.hear('compared');
}
