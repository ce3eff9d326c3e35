/** The name of a Java program as a person knows it, from its command line. */
import path from 'node:path';

// Launcher options whose value is the next argument: java(1).
const takesValue = new Set(
  (
    '-cp -classpath --class-path -p --module-path --upgrade-module-path --add-modules --enable-native-access --limit-modules ' +
    '--add-reads --add-exports --add-opens --patch-module --source -d --describe-module'
  ).split(' '),
);

function nameOf(program: string): string {
  if (/\.(jar|war)$/i.test(program)) return path.posix.basename(program);
  return program.slice(program.lastIndexOf('/') + 1); // "module/main.Class"; a source file's path
}

const baseName = (program: string): string => program.replace(/^.*[/\\]/, '');

export function isJava(program: string): boolean {
  return /^java(\.exe)?$/i.test(baseName(program));
}

/**
 * Before its JVM has said what it is called: "shop.Main" of `java -cp classes shop.Main 80`, "mvn" of `mvn test`. A single text is a
 * line for a shell.
 */
export function nameOfCommand(command: readonly string[]): string {
  const words = command.length === 1 ? (command[0] ?? '').trim().split(/\s+/) : command;
  const [program = ''] = words;
  return (isJava(program) ? programFromArgs(words) : undefined) ?? baseName(program);
}

/** From the arguments of a `java` launch; undefined when they name no program (an embedded JVM, an argument file). */
export function programFromArgs(args: readonly string[]): string | undefined {
  for (let i = 1; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg.startsWith('@')) return undefined;
    if (arg === '-jar' || arg === '-m' || arg === '--module') {
      const program = args[i + 1];
      return program === undefined ? undefined : nameOf(program);
    }
    if (takesValue.has(arg)) i++;
    else if (!arg.startsWith('-')) return nameOf(arg);
  }
  return undefined;
}

/** `java Shop.java` runs the compiler, which runs the file. */
const sourceLauncher =
  /^(?:jdk\.compiler\/)?com\.sun\.tools\.javac\.launcher\.(?:Main|SourceLauncher)\s+(\S+)/;

/** From HotSpot's own "sun.rt.javaCommand", which joins the program and its arguments with spaces. */
export function programFromCommand(command: string): string | undefined {
  const source = sourceLauncher.exec(command)?.[1];
  if (source !== undefined) return nameOf(source);
  const first = /^(.+?\.(?:jar|war))(?= |$)/i.exec(command)?.[1];
  const plain = /^\S+/.exec(command)?.[0];
  if (plain === undefined) return undefined;
  // A class name has no dots before a slash and no ".jar": only a jar's path may hold spaces.
  return nameOf(first !== undefined && plain.includes('/') ? first : plain);
}
