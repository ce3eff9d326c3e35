import assert from 'node:assert/strict';
import { reasonIn } from '../../../src/targets/android/start-trace.js';

describe('the reason that a tracing command gives', () => {
  const connected = '[1.203]    perfetto_cmd.cc:1047 Connected to the Perfetto traced service, TTL: 3600s\n';

  it('is its last line, without where it stands in its source', () => {
    assert.equal(
      reasonIn(`${connected}[1.310]    perfetto_cmd.cc:1229 Service error: too many sessions.\n\n`),
      'Service error: too many sessions',
    );
    assert.equal(reasonIn('atrace: unknown option -q\n'), 'atrace: unknown option -q');
  });

  it('is none where it says what it does when all is well', () => {
    const wrote = '[9.000]    perfetto_cmd.cc:1210 Wrote 5242880 bytes into /data/misc/perfetto-traces/a\n';
    const interrupted = '[8.900]    perfetto_cmd.cc:1400 SIGINT received: disabling tracing.\n';
    assert.equal(reasonIn(connected + interrupted + wrote), undefined);
    assert.equal(reasonIn(''), undefined);
  });
});
