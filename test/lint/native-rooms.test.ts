import assert from 'node:assert/strict';
import path from 'node:path';
import { complaints } from '../../scripts/lint/native-rooms.mjs';
import { sourcesBelow } from '../../scripts/lint/unchecked-reads.mjs';
import { root } from '../../scripts/setup.mjs';

describe("the agent's rooms", () => {
  it('include only what is below them, and core speaks of no runtime and no system', () => {
    assert.deepEqual(complaints(sourcesBelow(path.join(root, 'native-agent'))), []);
  });

  const wrong: [file: string, line: string][] = [
    ['core/x.cc', '#include "rt/hotspot/hotspot.h"'],
    ['core/x.cc', '#include "os/linux/elf.h"'],
    ['core/x.cc', '#include "base/syscall.h"'],
    ['core/x.cc', '  sys::close(fd);'],
    ['core/x.h', '// An ART thread.'],
    ['core/x.cc', 'read_small_file("/proc/self/status");'],
    ['os/x.h', '#include "core/session.h"'],
    ['os/linux/x.cc', '#include "core/session.h"'],
    ['rt/java/x.cc', '#include "rt/art/art.h"'],
    ['rt/hotspot/x.cc', '#include "rt/art/art.h"'],
    ['rt/art/x.cc', '#include "agent/desktop.h"'],
    ['base/x.h', '#include "os/process.h"'],
  ];
  for (const [file, line] of wrong)
    it(`refuses \`${line}\` in ${file}`, () => {
      assert.match(complaints({ [file]: `// before\n${line}\n` })[0] ?? '', /:2: .* may not /);
    });

  it('may include what is below them', () => {
    const fine: Record<string, string> = {
      'core/x.cc': '#include "os/process.h"\n#include "base/clock.h"\n// artefacts, partly; a system call',
      'rt/hotspot/x.cc': '#include "rt/java/monitor_waits.h"\n#include "os/linux/elf.h"',
      'agent/x.cc': '#include "rt/art/art.h"\n#include "os/android/properties.h"',
      'os/linux/x.cc': '#include "os/process.h"',
      'tests/x.cc': '#include "rt/art/art.h"',
    };
    assert.deepEqual(complaints(fine), []);
  });
});
