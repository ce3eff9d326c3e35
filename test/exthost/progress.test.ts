import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { PresetName } from '../../src/extension/settings.js';
import { HookState, SampleKind } from '../../src/trace/model/kinds.js';
import { btrace, withSetting } from './btrace.js';
import { withScriptedTargets, type ScriptedSession, type ScriptedTarget } from './scripted-targets.js';
import { until } from './until.js';

interface Notification {
  readonly title: string;
  readonly messages: string[];
}

/** What is shown in notifications with progress while `work` goes on: VS Code shows them, too. */
async function notificationsOf<T>(work: (shown: readonly Notification[]) => Promise<T>): Promise<T> {
  const { window } = vscode;
  const { withProgress } = window;
  const shown: Notification[] = [];
  const told: typeof withProgress = (options, task) => {
    const one: Notification = { title: options.title ?? '', messages: [] };
    shown.push(one);
    return withProgress.call(window, options, (progress, token) =>
      task(
        {
          report: (step) => {
            one.messages.push(step.message ?? '');
            progress.report(step);
          },
        },
        token,
      ),
    ) as ReturnType<typeof task>;
  };
  Object.assign(window, { withProgress: told });
  try {
    return await work(shown);
  } finally {
    Object.assign(window, { withProgress });
  }
}

describe('what a recording says in its notification', () => {
  const { target } = withScriptedTargets();

  /** Records a program of that name for as long as `work` takes. */
  async function recording<T>(
    preset: PresetName,
    work: (target: ScriptedTarget, session: ScriptedSession) => Promise<T>,
  ): Promise<T> {
    const till = target('till [here](command:quit)');
    const recorded = vscode.commands.executeCommand<string>('btrace.record', { target: till.id, preset });
    const session = await until('it records', () => till.sessions[0]);
    try {
      return await work(till, session);
    } finally {
      await session.stop();
      await recorded;
    }
  }

  it('is how long, how much, what it costs, and links to stop and watch it', () =>
    notificationsOf((shown) =>
      recording('balanced', async (_, session) => {
        const own = await until('it is shown', () =>
          shown.find(({ title }) => title.startsWith('Recording')),
        );
        assert.equal(own.title, 'Recording till  here  command:quit ', 'a name makes no link');
        await until('it tells', () => own.messages.length > 0);
        const { id } = (await btrace()).parts.recorder.sessions.all[0]!;
        const links = (['stop', 'watch'] as const).map(
          (command) => `(command:btrace.${command}?${encodeURIComponent(JSON.stringify([id]))})`,
        );
        const told = (figures: string): string =>
          `${figures} — [Stop and Open]${links[0]!} · [Watch]${links[1]!}`;
        assert.equal(own.messages.at(-1), told('0:02 · 1,234 samples · 4.88 KB · overhead 0.1 % of CPU'));

        session.tell({
          elapsedMs: 61_000,
          samples: 20_500,
          fileBytes: 3_000_000,
          processCpuNs: 0,
          dropped: 7,
        });
        assert.equal(own.messages.at(-1), told('1:01 · 20,500 samples · 2.86 MB · 7 dropped'));

        const hook = { name: 'monitors', state: HookState.Failed, why: 'of a test' };
        session.tell({
          hooks: [hook, { ...hook, name: 'waits', state: HookState.Installed }],
          isSilent: true,
        });
        assert.match(
          own.messages.at(-1)!,
          / · hooks failed: monitors · does not answer, it may be stopped or very busy — /,
        );
      }),
    ));

  it('is how long alone where the app is sampled from outside, and what to do where its device is away', () =>
    notificationsOf((shown) =>
      recording('balanced', async (_, session) => {
        const own = await until('it is shown', () =>
          shown.find(({ title }) => title.startsWith('Recording')),
        );
        await until('it tells', () => own.messages.length > 0);
        const outside = { outside: 'of a test', processCpuNs: 0 };
        session.tell({ ...outside, elapsedMs: 61_000 });
        assert.match(own.messages.at(-1)!, /^1:01 · from outside, by Android: samples come at the end — /);
        session.tell({ ...outside, elapsedMs: 62_000, isSilent: true });
        assert.match(own.messages.at(-1)!, / · the device is away, connect it again — /);
      }),
    ));

  it('stays as it is for five seconds, so that its links can be pressed, but for what is wrong', () =>
    notificationsOf((shown) =>
      recording('balanced', async (_, session) => {
        const own = await until('it is shown', () =>
          shown.find(({ title }) => title.startsWith('Recording')),
        );
        await until('it tells', () => own.messages.length > 0);
        own.messages.length = 0;
        for (let second = 3; second <= 20; second++) session.tell({ elapsedMs: second * 1000 });
        const told = (): (string | undefined)[] => own.messages.map((text) => /^\d+:\d\d/.exec(text)?.[0]);
        assert.deepEqual(told(), ['0:03', '0:04', '0:09', '0:14', '0:19']);
        session.tell({ elapsedMs: 21_000, isSilent: true });
        session.tell({ elapsedMs: 22_000, isSilent: true });
        session.tell({ elapsedMs: 23_000 });
        session.tell({ elapsedMs: 24_000, dropped: 1 });
        session.tell({ elapsedMs: 25_000, dropped: 2 });
        assert.deepEqual(told().slice(5), ['0:21', '0:23', '0:24']);
      }),
    ));

  it('begins with what it waits for', () =>
    notificationsOf((shown) =>
      recording('balanced', async () => {
        await until('both were shown', () => shown.length === 2);
        assert.equal(shown[0]!.title, 'Attaching to till  here  command:quit …');
      }),
    ));

  describe('each preset', () => {
    const interval = { syncIntervalNs: 1e6, asyncIntervalNs: 1e7, mainOnly: false, kinds: [] };
    const asked = async (preset: PresetName): Promise<unknown> =>
      recording(preset, ({ options }) => {
        const { syncIntervalNs, asyncIntervalNs, mainOnly, allocationIntervalBytes, kinds } = options!;
        return Promise.resolve({ syncIntervalNs, asyncIntervalNs, mainOnly, allocationIntervalBytes, kinds });
      });

    it('balanced asks for all of all threads', async () => {
      assert.deepEqual(await asked('balanced'), { ...interval, allocationIntervalBytes: 65536 });
    });

    it('main thread asks for that one alone, twice as fine', async () => {
      assert.deepEqual(await asked('mainThread'), {
        ...interval,
        syncIntervalNs: 5e5,
        asyncIntervalNs: 5e6,
        mainOnly: true,
        allocationIntervalBytes: 65536,
      });
    });

    it('memory asks for allocations in fine steps', async () => {
      const { AsyncSelf, AsyncOutside, Allocation, Gc } = SampleKind;
      assert.deepEqual(await asked('memory'), {
        ...interval,
        allocationIntervalBytes: 8192,
        kinds: [AsyncSelf, AsyncOutside, Allocation, Gc],
      });
    });

    it('locks asks for waits of every kind and who ended them', async () => {
      const { kinds } = (await asked('locks')) as { kinds: number[] };
      const { Monitor, Wait, Park, Sleep, Notify, Unpark, MonitorRelease, Allocation } = SampleKind;
      for (const kind of [Monitor, Wait, Park, Sleep, Notify, Unpark, MonitorRelease])
        assert.ok(kinds.includes(kind), String(kind));
      assert.ok(!kinds.includes(Allocation));
    });

    it('custom asks for what the setting says, and for the rest as balanced does', async () => {
      const own = { syncIntervalMicros: 250, mainThreadOnly: true };
      assert.deepEqual(await withSetting('recording.custom', own, () => asked('custom')), {
        ...interval,
        syncIntervalNs: 250_000,
        mainOnly: true,
        allocationIntervalBytes: 65536,
      });
    });
  });
});
