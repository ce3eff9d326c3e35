/** An exported page where only `workspace.fs` writes files: in one go, because it knows no other way. */
import { workspace } from 'vscode';
import type { HtmlFiles } from './export-html.js';
import { wholeBytes } from './whole-bytes.js';

/** As many arguments as a call may safely have. */
const charactersAtOnce = 0x8000;

export const htmlByVSCode: HtmlFiles = {
  canOpen: false,
  read: wholeBytes,
  base64(bytes) {
    let text = '';
    for (let at = 0; at < bytes.length; at += charactersAtOnce)
      text += String.fromCharCode(...bytes.subarray(at, at + charactersAtOnce));
    return btoa(text);
  },
  async write(target, parts, signal) {
    const texts: string[] = [];
    for await (const text of parts) texts.push(text);
    if (signal.aborted) return undefined;
    const bytes = new Uint8Array(await new Blob(texts).arrayBuffer());
    await workspace.fs.writeFile(target, bytes);
    return bytes.length;
  },
};
