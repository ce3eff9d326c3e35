/** Tells when VS Code's theme changed: it rewrites the root's style and the body's class, sometimes both. */
export function watchTheme(changed: () => void): void {
  let isAsked = false;
  const ask = (): void => {
    if (isAsked) return;
    isAsked = true;
    // Both changes of one switch come in the same task; what is drawn next is drawn once, in the same frame.
    queueMicrotask(() => {
      isAsked = false;
      changed();
    });
  };
  const observer = new MutationObserver(ask);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['style', 'class'] });
  observer.observe(document.body, { attributes: true, attributeFilter: ['class', 'data-vscode-theme-kind'] });
  for (const query of [
    '(prefers-color-scheme: dark)',
    '(forced-colors: active)',
    '(prefers-contrast: more)',
  ]) {
    matchMedia(query).addEventListener('change', ask);
  }
}
