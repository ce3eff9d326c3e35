/**
 * The HTML around the page: one document for a webview, one that stands alone with its data inside.
 *
 * Both allow no source but what they carry: a nonce for the script and its style, `blob:` for the worker that the
 * page starts from the worker bundle, which is asked for together with the script. Pure text in, text out, so that
 * extension and scripts can use it alike.
 */
import type { RetraceExcerpt, PageSettings } from './messages.js';

export interface WebviewHtmlOptions {
  /** `webview.asWebviewUri` of dist/page.js and dist/page-worker.js. */
  readonly scriptUri: string;
  readonly workerUri: string;
  /** Fresh and random for each document, at least 128 bits in base64. */
  readonly nonce: string;
  /** `webview.cspSource`. */
  readonly cspSource: string;
  /** `vscode.env.language`, for readers of the screen. */
  readonly language?: string;
}

/** What `default-src` says nothing of: where relative addresses lead, and where forms go. */
const neverNeeded = ["base-uri 'none'", "form-action 'none'"];

export function pageHtml(options: WebviewHtmlOptions): string {
  const nonce = escapeAttribute(options.nonce);
  const csp = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${options.cspSource} 'nonce-${nonce}'`,
    `connect-src ${options.cspSource}`,
    'worker-src blob:',
    ...neverNeeded,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escapeAttribute(options.language ?? 'en')}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeAttribute(csp)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" content="${nonce}">
<link rel="preload" as="fetch" crossorigin="anonymous" href="${escapeAttribute(options.workerUri)}">
<title>BTrace</title>
</head>
<body>
<div id="btrace"></div>
<script id="btrace-page" nonce="${nonce}" data-worker="${escapeAttribute(options.workerUri)}" src="${escapeAttribute(options.scriptUri)}"></script>
</body>
</html>
`;
}

export interface StandAloneHtmlOptions {
  /** The recording's file name, shown as the title. */
  readonly name: string;
  /** Contents of dist/page.js and dist/page-worker.js. */
  readonly script: string;
  readonly worker: string;
  readonly nonce: string;
  /** Of the settings' texts: for readers of the screen. */
  readonly language?: string;
  readonly settings: PageSettings;
  /** What the page begins with, as its `kept` message has it; absent: as any page does. */
  readonly state?: string | undefined;
  /** What a person reads where scripts are not run. */
  readonly withoutScript: string;
  /** What of a mapping the recording needs; absent: names stay. */
  readonly mapping?: RetraceExcerpt | undefined;
  /** The recording's bytes as base64; each piece stands for a whole number of bytes and is decoded by itself. */
  readonly data: Iterable<string> | AsyncIterable<string>;
}

/** Bytes for one piece of `StandAloneHtmlOptions.data`: a multiple of 3, so that only the last one is padded. */
export const standAlonePieceBytes = 3 * 256 * 1024;

/** The document in parts, to be written one after the other: a recording may be larger than the longest string, and than memory. */
export async function* standAloneHtml(options: StandAloneHtmlOptions): AsyncGenerator<string> {
  const nonce = escapeAttribute(options.nonce);
  const csp = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'worker-src blob:',
    ...neverNeeded,
  ].join('; ');
  const { name, settings, mapping, state } = options;
  const open = JSON.stringify({ name, settings, mapping, state });
  yield `<!DOCTYPE html>
<html lang="${escapeAttribute(options.language ?? 'en')}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${csp}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" content="${nonce}">
<title>${escapeText(options.name)} – BTrace</title>
</head>
<body>
<noscript>${escapeText(options.withoutScript)}</noscript>
<div id="btrace"></div>
<script type="application/json" id="btrace-open">${escapeScript(open)}</script>
<script type="text/plain" id="btrace-worker">${escapeScript(options.worker)}</script>
`;
  for await (const piece of options.data) {
    yield `<script type="text/plain" class="btrace-data">${piece}</script>\n`;
  }
  yield `<script id="btrace-page" nonce="${nonce}">${escapeScript(options.script)}</script>
</body>
</html>
`;
}

function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function escapeAttribute(text: string): string {
  return escapeText(text).replace(/"/g, '&quot;').replace(/'/g, '&#39;');
}

/**
 * What could end a script element early, or open a comment in it. Only inside strings and templates does a bundle hold
 * these, and there (as in JSON) `\x3c` and `\u003c` are the same letter.
 */
function escapeScript(text: string): string {
  return text.replace(/<(?=\/script|!--|script)/gi, '\\u003c');
}
