/** The red time in the status bar, there only while something is recorded; a click stops it. */
import { l10n, StatusBarAlignment, ThemeColor, window, Disposable } from 'vscode';
import { clock } from '../clock.js';
import { plain, statusLine } from './progress.js';
import { cutOff, shortName } from './short-name.js';
import type { Sessions } from './sessions.js';

export function recordingStatusItem(sessions: Sessions): Disposable {
  const item = window.createStatusBarItem('btrace.recording', StatusBarAlignment.Left, 100);
  item.name = l10n.t('BTrace Recording');
  item.command = 'btrace.stop';
  item.backgroundColor = new ThemeColor('statusBarItem.errorBackground');
  let timer: NodeJS.Timeout | undefined;

  const draw = (): void => {
    const all = sessions.all;
    const [first] = all;
    if (first === undefined) {
      item.hide();
      clearInterval(timer);
      timer = undefined;
      return;
    }
    const longest = clock(Math.max(...all.map((one) => one.session.status().elapsedMs)));
    item.text =
      all.length === 1
        ? `$(record) ${longest} ${plain(shortName(first.name)).slice(0, 30)}`
        : `$(record) ${longest} ${l10n.t('{0} recordings', all.length)}`;
    item.tooltip = [
      ...all.map((one) => `${plain(cutOff(one.name))}: ${statusLine(one.session.status())}`),
      l10n.t('Click to stop.'),
    ].join('\n');
    item.accessibilityInformation = {
      label: l10n.t('Recording for {0}. Activate to stop.', longest),
      role: 'button',
    };
    item.show();
    timer ??= setInterval(draw, 1000);
  };
  const listening = sessions.onDidChange(draw);
  return new Disposable(() => {
    listening.dispose();
    clearInterval(timer);
    item.dispose();
  });
}
