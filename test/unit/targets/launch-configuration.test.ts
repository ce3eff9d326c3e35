import assert from 'node:assert/strict';
import { configuredProgram, wordsOf } from '../../../src/targets/local/launch-configuration.js';

const variables = { workspaceFolder: '/home/ada/shop' };

describe('a launch configuration', () => {
  it('of Java gives its class, arguments and environment', () => {
    const java = {
      type: 'java',
      name: 'Shop',
      request: 'launch',
      mainClass: 'shop/com.example.Shop',
      projectName: 'shop',
      vmArgs: '-Xmx1g "-Dname=two words"',
      args: ['--port', '${env:SHOP_PORT_THAT_IS_NOT_SET}'],
      classPaths: ['${workspaceFolder}/classes', 'lib/a.jar'],
      env: { MODE: 'test', count: 3 },
      preLaunchTask: 'build',
    };
    assert.deepEqual(configuredProgram(java, variables), {
      name: 'Shop',
      what: {
        kind: 'java',
        mainClass: 'com.example.Shop',
        project: 'shop',
        classPath: ['/home/ada/shop/classes', '/home/ada/shop/lib/a.jar'],
        vmArgs: ['-Xmx1g', '-Dname=two words'],
        java: '',
      },
      args: ['--port', ''],
      folder: '/home/ada/shop',
      env: { MODE: 'test' },
      buildTask: 'build',
    });
    for (const classPaths of [
      ['$Auto', 'lib/a.jar'],
      ['lib/a.jar', '!lib/b.jar'],
    ]) {
      const found = configuredProgram({ ...java, classPaths }, variables);
      assert.deepEqual(found?.what.kind === 'java' && found.what.classPath, [], 'to be found out');
    }
  });

  it('of C++ gives its program and the environment as cppdbg has it', () => {
    const native = {
      type: 'cppdbg',
      name: 'till',
      request: 'launch',
      program: '${workspaceFolder}/build/till',
      args: ['1'],
      cwd: '${workspaceFolder}/run',
      environment: [{ name: 'MODE', value: 'test' }, null, { name: 'x' }],
    };
    assert.deepEqual(configuredProgram(native, variables), {
      name: 'till',
      what: { kind: 'native', program: '/home/ada/shop/build/till' },
      args: ['1'],
      folder: '/home/ada/shop/run',
      env: { MODE: 'test' },
      buildTask: '',
    });
  });

  it('is left out where it attaches, asks, has no program, or is of another language', () => {
    const java = { type: 'java', name: 'x', request: 'launch', mainClass: 'Shop' };
    assert.ok(configuredProgram(java, variables));
    for (const other of [
      { ...java, request: 'attach' },
      { ...java, args: '${command:SpecifyProgramArgs}' },
      { ...java, mainClass: '${file}' },
      { ...java, mainClass: 7 },
      { ...java, type: 'node', program: 'x.js' },
      null,
      'java',
    ])
      assert.equal(configuredProgram(other, variables), undefined, JSON.stringify(other));
  });

  it('splits a line as a shell does', () => {
    for (const [line, words] of [
      ['', []],
      ['  a  b ', ['a', 'b']],
      [`a "b c" 'd "e' f\\ g`, ['a', 'b c', 'd "e', 'f g']],
      [`"" x"y z"`, ['', 'xy z']],
    ] as const)
      assert.deepEqual(wordsOf(line), words);
  });
});
