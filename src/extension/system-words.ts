/** What the system says of a file, in words: Node and the engine's worker hand its own line through. */
import { l10n } from 'vscode';

export interface SystemWords {
  readonly message: string;
  readonly nextStep: string;
}

/** Of "ENOSPC: no space left on device, write" or "EACCES: permission denied, open '/x'"; undefined for what is none of those. */
export function systemWords(line: string): SystemWords | undefined {
  const said = /^(E[A-Z]+): [^,]+, \w+(?: '([^']*)')?/.exec(line);
  if (said === null) return undefined;
  const [, code = ''] = said;
  const file = said[2] ?? '';
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return {
        message: l10n.t('The disk is full.'),
        nextStep: l10n.t('Make room on it, or choose a folder on another one.'),
      };
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return {
        message:
          file === ''
            ? l10n.t('That file may not be read or written.')
            : l10n.t('{0} may not be read or written.', file),
        nextStep: l10n.t('Look at its permissions and those of its folder, or choose another one.'),
      };
    case 'ENOENT':
    case 'ENOTDIR':
      return {
        message: file === '' ? l10n.t('That file is not there.') : l10n.t('{0} is not there.', file),
        nextStep: l10n.t('See that its folder is, or choose another one.'),
      };
    default:
      return undefined;
  }
}
