// The direction of includes between the rooms of native-agent, held by lint, and what core may not speak of: a runtime
// and an operating system come to it through interfaces alone.
import path from 'node:path';

/** What each room may include besides itself; a room in a folder of another is its own room. Longest names first. */
export const nativeRooms = {
  'base/darwin': ['base'],
  'os/android': ['base', 'os'],
  'os/darwin': ['base', 'os'],
  'os/linux': ['base', 'os'],
  'rt/art': ['base', 'os', 'os/linux', 'os/android', 'core', 'rt/java'],
  'rt/darwin': ['base', 'os', 'os/darwin', 'core', 'rt/native'],
  'rt/hotspot': ['base', 'os', 'os/linux', 'core', 'rt/java'],
  'rt/java': ['base', 'os', 'core'],
  'rt/native': ['base', 'os', 'os/linux', 'core'],
  agent: ['base', 'os', 'os/android', 'os/darwin', 'core', 'rt/art', 'rt/darwin', 'rt/hotspot', 'rt/native'],
  base: ['base/darwin'],
  core: ['base', 'os'],
  os: ['base'],
};

/** Names of runtimes and systems, and of what only one of them has. */
const foreignWords =
  /\b(?:ART|HotSpot|hotspot|JVM|JVMTI|JNI|jvm|jni|libjvm|libart|art::|dex|Java[A-Z]?\w*|Linux|linux|Android|android|Darwin|darwin|bionic|glibc|musl|futex|adb)\b|\/proc\b|\bsys::|"base\/syscall\.h"/;

function roomOf(file) {
  return Object.keys(nativeRooms).find((room) => file.startsWith(`${room}/`));
}

/** What is wrong with the sources (path below native-agent → text), in words; nothing where all is well. */
export function complaints(sources) {
  const said = [];
  for (const [file, source] of Object.entries(sources)) {
    const room = roomOf(file);
    if (room === undefined) continue;
    source.split('\n').forEach((line, index) => {
      const included = /^\s*#\s*include "([^"]+)"/.exec(line)?.[1];
      const target = included === undefined ? undefined : roomOf(path.posix.normalize(included));
      if (target !== undefined && target !== room && !nativeRooms[room].includes(target))
        said.push(`${file}:${index + 1}: ${room} may not include ${target}: ${included}`);
      const word = room === 'core' ? foreignWords.exec(line)?.[0] : undefined;
      if (word !== undefined)
        said.push(`${file}:${index + 1}: core may not speak of a runtime or a system: ${word}`);
    });
  }
  return said;
}
