// What the TypeScript side (tests) uses of notices.mjs.
import type { BundledPackage } from './bundles.mjs';
export function notices(packages: readonly BundledPackage[]): {
  readonly text?: string;
  readonly failed?: string;
};
export function billOfMaterials(packages: readonly BundledPackage[]): string;
export const noticesName: string;
export const billName: string;
