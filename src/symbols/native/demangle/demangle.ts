/** Names of C++, Rust and Swift as a person writes them. */
import { demangledCpp } from './cpp.js';
import { demangledRust } from './rust.js';
import { demangledSwift } from './swift/swift.js';

/** Longer ones are of machines. */
const longest = 2 ** 14;

/** A linker's name, or what a person would write for it. Any text may be handed in; takes a time that its length bounds. */
export function demangled(name: string): string {
  if (name.length > longest) return name;
  // Before C++, whose names Rust's older ones look like.
  return demangledRust(name) ?? demangledCpp(name) ?? demangledSwift(name) ?? name;
}
