// What btrace doctor prints is put into issues: it has no names of devices and apps.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { afterEach, describe, it } from 'mocha';
import { Report } from '../../../src/cli/doctor-report.js';
import { speak } from '../../../src/cli/l10n.js';
import { Terminal } from '../../../src/cli/terminal.js';

describe('the report of btrace doctor', () => {
  afterEach(() => speak({}, 'linux'));

  for (const language of ['en', 'de', 'zh_CN', 'ja', 'ko'])
    it(`has no name of a device or app in ${language}`, () => {
      speak({ LANG: language }, 'linux');
      const output = new PassThrough();
      const report = new Report(new Terminal(output, output, {}));
      report.hide('R58M12', 'DEVICE');
      report.hide('"secret"', '"APP"');
      report.failed('No app that runs is called "secret".', 'No app that runs is called "secret".');
      report.failed('2 devices are called "secret":R58M12', '');
      report.line('log', 'R58M12 is "secret"');
      const shown = String(output.read());
      assert.doesNotMatch(shown, /secret|R58M12/);
      assert.equal(shown.split('APP').length, 5, shown);
      assert.equal(shown.includes('No app that runs'), language === 'en', shown);
    });
});
