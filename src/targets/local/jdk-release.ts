/** What a JDK says of itself in the file `release` beside its `bin`: also of a JVM that publishes nothing (`-XX:-UsePerfData`, a user without a name). */
import path from 'node:path';
import { readRegular } from '../../symbols/read-at.js';

const mostBytes = 64 * 1024; // a kilobyte or two; the rest of a larger one does not matter

/** The Java version of the JDK or JRE that the program `java` lies in; undefined where it does not say. */
export async function releasedVersion(java: string): Promise<string | undefined> {
  const home = path.posix.dirname(path.posix.dirname(java));
  for (const folder of [home, path.posix.dirname(home)]) {
    // Java 8 has its program in the folder of a JRE, too: jre/bin/java.
    const text = await readRegular(path.posix.join(folder, 'release'), mostBytes).catch(() => undefined);
    const [, version] = /^JAVA_VERSION="?([^"\r\n]+)/m.exec(text?.toString('utf8') ?? '') ?? [];
    if (version) return version;
  }
  return undefined;
}
