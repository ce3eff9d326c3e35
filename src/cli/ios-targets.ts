/** iPhones and iPads on the command line: the option that asks for them, the token, and the targets behind them. */
import path from 'node:path';
import { IosTargets, isCalled, parseIosToken } from '../targets/ios/ios-targets.js';
import type { Input, Option } from './command-line.js';
import { UsageError } from './exit-codes.js';
import { localOptions } from './local-targets.js';
import type { Terminal } from './terminal.js';

export const iosOption: Option = {
  name: 'ios',
  help: 'an iPhone or iPad on its cable; BTRACE_IOS_TOKEN has the token of the\napps on it (docs/IOS.md)',
};

/** By the environment: all users can read a command line. */
const tokenText = (): string => process.env['BTRACE_IOS_TOKEN'] ?? '';

export function iosTokens(): ReturnType<typeof parseIosToken> {
  const text = tokenText();
  const tokens = parseIosToken(text);
  if (text !== '' && tokens === undefined)
    throw new UsageError('BTRACE_IOS_TOKEN must have the app’s token: 64 hexadecimal digits (docs/IOS.md).');
  return tokens;
}

export function iosTargets(input: Input, terminal: Terminal, isAsked: boolean): IosTargets {
  return targetsWith(iosTokens(), input, terminal, isAsked);
}

function targetsWith(
  tokens: ReturnType<typeof parseIosToken>,
  input: Input,
  terminal: Terminal,
  isAsked: boolean,
): IosTargets {
  const symbols = input.text('symbols');
  return new IosTargets({
    ...localOptions(terminal),
    tokens,
    isAsked,
    ...(symbols !== undefined && { symbolFolders: [path.resolve(symbols)] }),
  });
}

/** It was asked for, or the device that was named is one of these. */
export async function isForIos(input: Input, terminal: Terminal): Promise<boolean> {
  if (input.has('ios')) return true;
  const device = input.text('device');
  if (device === undefined || tokenText() === '') return false;
  // A malformed token ends nothing where an Android device is meant: devices are listed without one.
  const devices = await targetsWith(undefined, input, terminal, false)
    .devices()
    .catch(() => []);
  return devices.some((one) => isCalled(one, device));
}
