/** Each number that agent and desktop share has one name in recording.proto, in the engine and in the agent. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'mocha';
import protobuf from 'protobufjs';
import * as kinds from '../../../src/trace/model/kinds.js';
import { ChunkKind } from '../../../src/trace/recording/chunk.js';

type Numbers = Readonly<Record<string, number>>;

const proto = readFileSync('proto/recording.proto', 'utf8');
const agent = readFileSync('native-agent/core/format.h', 'utf8');
const { root } = protobuf.parse(proto);

/** "CPU_TIMER" → "CpuTimer". */
function pascal(name: string): string {
  return name.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function inProto(name: string): Numbers {
  const { values } = root.lookupEnum(`btrace.${name}`);
  // Bits have no name for none of them, but proto3 wants one for 0.
  const named = Object.entries(values).filter(([one]) => !/^NO_(FLAG|COUNTER)$/.test(one));
  return Object.fromEntries(named.map(([one, number]) => [pascal(one), number]));
}

function inAgent(name: string): Numbers {
  const [, members = ''] = new RegExp(`enum (?:class )?${name} : \\w+ \\{([^}]*)\\}`).exec(agent) ?? [];
  const found = members.matchAll(/(?:k(?:Flag|Counter))?(\w+) = (\d+)/g);
  return Object.fromEntries(Array.from(found, ([, one = '', number]) => [one, Number(number)]));
}

describe('the numbers of the format', () => {
  const shared: Record<string, Numbers> = {
    SampleKind: kinds.SampleKind,
    SampleFlag: kinds.SampleFlag,
    CounterBit: kinds.CounterBit,
    Policy: kinds.Policy,
    HookState: kinds.HookState,
    ThreadKind: kinds.ThreadKind,
    MethodKind: kinds.MethodKind,
    LinkCertainty: kinds.LinkCertainty,
    SourceKind: kinds.SourceKind,
    LossReason: kinds.LossReason,
    EndReason: kinds.EndReason,
    CommandKind: kinds.CommandKind,
    LagKind: kinds.LagKind,
  };
  for (const [name, ours] of Object.entries(shared)) {
    it(`are the same everywhere: ${name}`, () => {
      assert.deepEqual(inProto(name), { ...ours });
      assert.deepEqual(inAgent(name), { ...ours });
    });
  }

  it('are the same everywhere: chunks, each said over its message', () => {
    const said = proto.matchAll(/chunk kind (\d+)[^\n]*\n(?:\/\/[^\n]*\n)*message (\w+)/g);
    const chunks = Object.fromEntries(Array.from(said, ([, number, name = '']) => [name, Number(number)]));
    assert.deepEqual(chunks, { ...ChunkKind });
    assert.deepEqual(inAgent('ChunkKind'), { ...ChunkKind });
  });

  it('are the same where the agent never says them', () => {
    assert.deepEqual(inProto('Mode'), { ...kinds.Mode });
  });

  it('that count others count all of them', () => {
    const constant = (name: string): number => Number(new RegExp(`${name} = (\\d+)`).exec(agent)?.[1]);
    assert.equal(constant('kSampleKinds'), Object.keys(kinds.SampleKind).length);
    assert.equal(constant('kLossReasons'), Object.keys(kinds.LossReason).length);
    assert.equal(constant('kFormatMajor'), kinds.formatMajor);
    assert.equal(constant('kFormatMinor'), kinds.formatMinor);
  });

  it('of all enumerations of recording.proto are compared here', () => {
    const named = Array.from(proto.matchAll(/^enum (\w+)/gm), ([, name]) => name);
    assert.deepEqual(named.sort(), [...Object.keys(shared), 'Mode'].sort());
  });
});
