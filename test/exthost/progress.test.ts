import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { PresetName } from '../../src/extension/settings.js';
import { HookState, SampleKind } from '../../src/trace/model/kinds.js';
import { btrace, withSetting } from './btrace.js';
import { withScriptedTargets, type ScriptedSession, type ScriptedTarget } from './scripted-targets.js';
import { until } from '../rigs/until.js';

interface Notification {
  readonly title: string;
  /** Of its only button. */
  readonly button: unknown;
  readonly messages: string[];
}

/** What is shown in notifications with progress while `work` goes on: VS Code shows them, too. */
async function notificationsOf<T>(work: (shown: readonly Notification[]) => Promise<T>): Promise<T> {
  const { window } = vscode;
  const { withProgress } = window;
  const shown: Notification[] = [];
  const told: typeof withProgress = (options, task) => {
    // A view that reads shows progress of its own.
    if (options.location !== vscode.ProgressLocation.Notification)
      return withProgress.call(window, options, task) as ReturnType<typeof task>;
    const one: Notification = { title: options.title ?? '', button: options.cancellable, messages: [] };
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

  it('shows size, cost, links to watch and cancel, and a button to stop', () =>
    notificationsOf((shown) =>
      recording('balanced', async (_, session) => {
        const own = await until('it is shown', () =>
          shown.find(({ title }) => title.startsWith('Recording')),
        );
        assert.equal(own.button, 'Stop and Open');
        assert.equal(own.title, 'Recording till  here (command:quit)', 'a name makes no link');
        await until('it tells', () => own.messages.length > 0);
        const { id } = (await btrace()).parts.recorder.sessions.all[0]!;
        const links = (['watch', 'cancel'] as const).map(
          (command) => `(command:btrace.${command}?${encodeURIComponent(JSON.stringify([id]))})`,
        );
        const told = (figures: string): string => `${figures} — [Watch]${links[0]!} · [Cancel]${links[1]!}`;
        assert.equal(own.messages.at(-1), told('1,234 samples · 4.88 KB · overhead 0.1 % of CPU'));

        session.tell({
          elapsedMs: 61_000,
          samples: 20_500,
          fileBytes: 3_000_000,
          processCpuNs: 0,
          dropped: 7,
        });
        assert.equal(own.messages.at(-1), told('20,500 samples · 2.86 MB · 7 dropped'));

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

  it('says that external samples come later, and what to do when the device is away', () =>
    notificationsOf((shown) =>
      recording('balanced', async (_, session) => {
        const own = await until('it is shown', () =>
          shown.find(({ title }) => title.startsWith('Recording')),
        );
        await until('it tells', () => own.messages.length > 0);
        const external = { external: 'of a test', processCpuNs: 0 };
        session.tell({ ...external, elapsedMs: 61_000 });
        assert.match(own.messages.at(-1)!, /^externally, by Android: samples come at the end — /);
        session.tell({ ...external, elapsedMs: 62_000, isSilent: true });
        assert.match(own.messages.at(-1)!, / · the device is away, connect it again — /);
      }),
    ));

  it('stays unchanged for five seconds, so that its links can be pressed, except for problems', () =>
    notificationsOf((shown) =>
      recording('balanced', async (_, session) => {
        const own = await until('it is shown', () =>
          shown.find(({ title }) => title.startsWith('Recording')),
        );
        await until('it tells', () => own.messages.length > 0);
        own.messages.length = 0;
        const at = (second: number, more = {}): void =>
          session.tell({ elapsedMs: second * 1000, samples: second, ...more });
        for (let second = 3; second <= 20; second++) at(second);
        const told = (): number[] => own.messages.map((text) => Number(/^\d+/.exec(text)?.[0]));
        assert.deepEqual(told(), [3, 4, 9, 14, 19]);
        at(21, { isSilent: true });
        at(22, { isSilent: true });
        at(23, { isSilent: false });
        at(24, { dropped: 1 });
        at(25, { dropped: 2 });
        assert.deepEqual(told().slice(5), [21, 23, 24]);
      }),
    ));

  it('begins with what it waits for', () =>
    notificationsOf((shown) =>
      recording('balanced', async () => {
        await until('both were shown', () => shown.length === 2);
        assert.equal(shown[0]!.title, 'Attaching to till  here (command:quit)…');
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
      const { CpuTimer, ExternalSampler, Allocation, Gc, GcWait } = SampleKind;
      assert.deepEqual(await asked('memory'), {
        ...interval,
        allocationIntervalBytes: 8192,
        kinds: [CpuTimer, ExternalSampler, Allocation, Gc, GcWait],
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
      const own = { intervalMicros: 250, mainThreadOnly: true };
      assert.deepEqual(await withSetting('recording.custom', own, () => asked('custom')), {
        ...interval,
        syncIntervalNs: 250_000,
        asyncIntervalNs: 250_000,
        mainOnly: true,
        allocationIntervalBytes: 65536,
      });
    });
  });
});
