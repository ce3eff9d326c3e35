import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { AppLabels } from '../../../src/targets/android/app-labels.js';
import type { Device } from '../../../src/targets/android/device-list.js';

describe('the labels of apps', () => {
  it('are asked for again where the device could not be opened', async () => {
    const labels = new AppLabels();
    const device = { serial: 'one', transportId: 1n } as Device;
    let asked = 0;
    const away = () => {
      asked++;
      return Promise.reject(new Error('the device is away'));
    };
    for (const times of [1, 2]) {
      assert.equal(labels.of(device, 'de', '/data/app/shop/base.apk'), undefined);
      assert.equal(await labels.read(away), false);
      assert.equal(asked, times);
    }
  });
});
