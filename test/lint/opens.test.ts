import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';

/** The one file of the agent that calls the kernel to open files, the table of its calls, and what opens a process's memory. */
const mayOpen = [
  'native-agent/os/linux/file.cc',
  'native-agent/base/syscall.h',
  'native-agent/host/target_memory.h',
];

function agentSources(): string[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'native-agent'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  return listed
    .split('\0')
    .filter((file) => /\.(cc|h)$/.test(file) && !/\/(tests|bench)\//.test(file) && !mayOpen.includes(file));
}

function opensFiles(source: string): boolean {
  return /\bkOpen(at)?\b|\b(fopen|creat|openat|mkstemp)\s*\(|::open\s*\(|\bopen\s*\([^;{}]*\bO_/.test(
    source.replaceAll(/(\w+)::open\(/g, ''),
  );
}

describe("files that the agent opens in other users' folders", () => {
  it('are opened by open_own_file and open_to_read alone', () => {
    const direct = agentSources().filter((file) => opensFiles(readFileSync(path.join(root, file), 'utf8')));
    assert.deepEqual(direct, []);
  });

  it('are found when something else opens one', () => {
    assert.ok(opensFiles('sys::call(sys::kOpenat, kAtCwd, path, 0)'));
    assert.ok(opensFiles('FILE* file = fopen(path, "w");'));
    assert.ok(opensFiles('int fd = ::open(path, 0);'));
    assert.ok(opensFiles('int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);'));
    assert.ok(!opensFiles('bool RecordingFile::open(const char* path) {'));
  });
});
