import type { Uri } from 'vscode';

/** "shop.btrace" of ".../shop.btrace", wherever the file lies. */
export function baseName(uri: Uri): string {
  return uri.path.slice(uri.path.lastIndexOf('/') + 1);
}
