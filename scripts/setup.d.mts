// What the TypeScript side (test rigs) uses of setup.mjs.
export type PartName =
  | 'npm'
  | 'compiler'
  | 'jdk'
  | 'chromium'
  | 'vscode'
  | 'adb'
  | 'clang'
  | 'qemu'
  | 'art'
  | 'art14'
  | 'jdk21'
  | 'imobiledevice';

export interface Found {
  /** The file or folder that is the part: a program, a JDK's home, a library folder. */
  readonly at: string;
  readonly version?: string;
  /** vscode: the Node that runs it, and code-server's folder. */
  readonly node?: string;
  readonly server?: string;
}

/** The project's folder, and its ignored folder for what is slow to make. */
export const root: string;
export const cache: string;
export function find(part: PartName): Found | undefined;
export function advice(part: PartName): string;
/** Sets up the parts, and ends the process with what is missing when something is. */
export function setupOrStop(names: readonly PartName[]): Promise<Partial<Record<PartName, Found>>>;
