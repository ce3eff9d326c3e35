import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { copyInAppLibrary } from '../../../src/targets/android/in-app-library.js';

describe('the library for apps that record themselves', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(path.join(tmpdir(), 'btrace-in-app-'))));
  afterEach(() => rm(folder, { recursive: true }));

  const put = async (file: string) => {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), file);
  };

  it('is the jar and the agent of each ABI that there is, by the names that a build of apps knows', async () => {
    await put('package/in-app/btrace.jar');
    await put('checkout/build/native/android-arm64/libbtrace-agent.so');
    await put('package/agents/android-x86_64/libbtrace-agent.so');
    const roots = ['package', 'checkout'].map((root) => path.join(folder, root));
    const to = path.join(folder, 'app/btrace');
    const written = await copyInAppLibrary(roots, to);
    assert.deepEqual(
      written.map((file) => path.relative(to, file)),
      ['btrace.jar', 'jniLibs/arm64-v8a/libbtrace-agent.so', 'jniLibs/x86_64/libbtrace-agent.so'],
    );
    assert.equal(await readFile(written[2]!, 'utf8'), 'package/agents/android-x86_64/libbtrace-agent.so');
  });

  it('takes the place of an older one whole: who is reading that goes on with it', async () => {
    await put('in-app/btrace.jar');
    await put('agents/android-arm64/libbtrace-agent.so');
    await put('app/btrace.jar');
    const reading = await open(path.join(folder, 'app/btrace.jar'));
    await copyInAppLibrary([folder], path.join(folder, 'app'));
    assert.equal(await reading.readFile('utf8'), 'app/btrace.jar');
    await reading.close();
    assert.equal(await readFile(path.join(folder, 'app/btrace.jar'), 'utf8'), 'in-app/btrace.jar');
    assert.deepEqual((await readdir(path.join(folder, 'app'))).sort(), ['btrace.jar', 'jniLibs']);
  });

  it('says what is missing, and writes nothing then', async () => {
    const to = path.join(folder, 'app');
    await assert.rejects(copyInAppLibrary([folder], to), /There is no btrace\.jar\. Looked for /);
    await put('in-app/btrace.jar');
    await assert.rejects(copyInAppLibrary([folder], to), /There is no agent for /);
    await assert.rejects(readFile(path.join(to, 'btrace.jar')), { code: 'ENOENT' });
  });
});
