/** The conversion's thread, and how the command talks with it. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { CliError, ExitCode } from '../exit-codes.js';
import { type ConversionRequest, convertFile, type Converted, type OnConversion } from './conversion.js';

type Message =
  | { readonly progress: string }
  | { readonly converted: Converted }
  | { readonly failed: { readonly message: string; readonly nextStep: string; readonly exitCode: number } }
  /** What the system says; who called knows which file that is. */
  | {
      readonly refused: {
        readonly message: string;
        readonly code: string | undefined;
        readonly syscall: string;
      };
    };

export const isConversionThread = !isMainThread;

/** What the thread does: main.ts calls this there. */
export async function runConversionThread(): Promise<void> {
  const post = (message: Message) => parentPort?.postMessage(message);
  try {
    post({ converted: await convertFile(workerData as ConversionRequest, (progress) => post({ progress })) });
  } catch (error) {
    const { message: said, code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) {
      post({ refused: { message: said, code, syscall } });
      return;
    }
    const { message, nextStep, exitCode } =
      error instanceof CliError
        ? error
        : new CliError(ExitCode.File, error instanceof Error ? error.message : String(error));
    post({ failed: { message, nextStep, exitCode } });
  }
}

/** Converts in a thread of its own; `signal` ends that at once, wherever it is. */
export async function convertInThread(
  script: string,
  request: ConversionRequest,
  onProgress: OnConversion,
  signal?: AbortSignal,
): Promise<Converted> {
  const worker = new Worker(script, { workerData: request });
  try {
    return await new Promise<Converted>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as CliError), { once: true });
      worker.on('message', (message: Message) => {
        if ('progress' in message) onProgress(message.progress);
        else if ('converted' in message) resolve(message.converted);
        else if ('refused' in message)
          reject(Object.assign(new Error(message.refused.message), message.refused));
        else {
          const { message: said, nextStep, exitCode } = message.failed;
          reject(new CliError(exitCode, said, nextStep));
        }
      });
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`the conversion ended with code ${code}`)));
    });
  } finally {
    await worker.terminate();
  }
}
