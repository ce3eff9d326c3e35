/** What a JDK says of itself in the file `release` beside its `bin`: also of a JVM that publishes nothing (`-XX:-UsePerfData`, a user without a name). */
import { open } from 'node:fs/promises';
import path from 'node:path';

const MOST_BYTES = 64 * 1024; // a kilobyte or two; the rest of a larger one does not matter

/** The Java version of the JDK or JRE that the program `java` lies in; undefined where it does not say. */
export async function releasedVersion(java: string): Promise<string | undefined> {
  const home = path.posix.dirname(path.posix.dirname(java));
  for (const folder of [home, path.posix.dirname(home)]) {
    // Java 8 has its program in the folder of a JRE, too: jre/bin/java.
    const file = await open(path.posix.join(folder, 'release')).catch(() => undefined);
    if (!file) continue;
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
      const [, version] = /^JAVA_VERSION="?([^"\r\n]+)/m.exec(buffer.toString('utf8', 0, bytesRead)) ?? [];
      if (version) return version;
    } catch {
      continue; // a folder of that name
    } finally {
      await file.close();
    }
  }
  return undefined;
}
