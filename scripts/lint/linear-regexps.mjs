/**
 * Fails on a regular expression that may take more than linear time: JavaScript tries every way to read a text, and where one text can
 * be read in two ways by two loops, a text of n characters costs n² steps, or more. Files decide what our expressions meet.
 *
 * An expression becomes an automaton whose states are its characters (Glushkov's). It is linear unless two loops, one after the other,
 * can both go round on the same text, and that text also leads from one to the other (Weber and Seidl's criterion IDA), or one loop can
 * go round on a text in two ways (EDA). An expression that may begin anywhere has a loop over everything before it. What cannot fail
 * behind a loop is not tried again and does not count.
 */
import { RegExpParser } from '@eslint-community/regexpp';

/** Repetitions up to this many times cost a factor, not a power: they are no loops. */
const fewTimes = 64;
/** Copies that stand for a bounded repetition: enough for what two neighbours can exchange. */
const copies = 3;

class Automaton {
  constructor(flags) {
    this.flags = flags;
    /** Of each state: the text of the character class it reads. */
    this.raws = [];
    this.follow = [];
    this.isDoubled = false;
    this.canFailBehind = false;
  }

  state(raw) {
    this.raws.push(raw);
    this.follow.push(new Set());
    return this.raws.length - 1;
  }

  connect(froms, tos) {
    for (const from of froms) {
      for (const to of tos) {
        // One loop within another around the same characters: each of them could be either's.
        if (this.follow[from].has(to)) this.isDoubled = true;
        this.follow[from].add(to);
      }
    }
  }

  /** A piece of the expression: where it begins, where it ends, whether it may be empty. */
  piece(node) {
    switch (node.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass': {
        const state = this.state(node.raw);
        return { first: [state], last: [state], isEmpty: false };
      }
      case 'Group':
      case 'CapturingGroup':
        return this.either(node.alternatives);
      case 'Quantifier':
        return this.repeated(node);
      case 'Assertion':
        return this.assertion(node);
      default:
        throw new Error(`${node.raw} cannot be checked`);
    }
  }

  either(alternatives, isWhole = false) {
    const pieces = alternatives.map(({ elements }) => this.sequence(elements, isWhole));
    return {
      first: pieces.flatMap(({ first }) => first),
      last: pieces.flatMap(({ last }) => last),
      isEmpty: pieces.some(({ isEmpty }) => isEmpty),
    };
  }

  sequence(elements, isWhole) {
    let whole = { first: [], last: [], isEmpty: true };
    elements.forEach((element, at) => {
      const notBehind = isWhole && at === 0 ? this.notBehind(element) : undefined;
      whole = this.after(whole, notBehind ?? this.piece(element));
    });
    return whole;
  }

  /** (?<![ab]) where a search begins: the character before is another one. */
  notBehind({ kind, negate, alternatives }) {
    const [only, ...others] = alternatives?.flatMap(({ elements }) => elements) ?? [];
    const isOne =
      only?.type === 'CharacterClass' || only?.type === 'CharacterSet' || only?.type === 'Character';
    if (kind !== 'lookbehind' || !negate || !isOne || others.length > 0) return undefined;
    const state = this.state(`(?!${only.raw})[^]`);
    return { first: [state], last: [state], isEmpty: false };
  }

  after(before, next) {
    this.connect(before.last, next.first);
    return {
      first: before.isEmpty ? [...before.first, ...next.first] : before.first,
      last: next.isEmpty ? [...before.last, ...next.last] : next.last,
      isEmpty: before.isEmpty && next.isEmpty,
    };
  }

  repeated({ element, min, max }) {
    const isLoop = max > fewTimes;
    const times = Math.min(isLoop ? Math.max(min, 1) : max, copies);
    let whole = { first: [], last: [], isEmpty: true };
    for (let time = 0; time < times; time++) {
      const one = this.piece(element);
      if (isLoop && time === times - 1) this.connect(one.last, one.first);
      whole = this.after(whole, { ...one, isEmpty: one.isEmpty || time >= min });
    }
    return whole;
  }

  /** A look ahead reads characters that are read again: it is a branch that ends. */
  assertion(node) {
    if (node.kind !== 'start') this.canFailBehind = true;
    const first = node.kind === 'lookahead' ? this.either(node.alternatives).first : [];
    return { first, last: [], isEmpty: true };
  }
}

const isStart = (element) => element?.type === 'Assertion' && element.kind === 'start';

/** Whether each way through begins with ^. */
function isAnchored(alternatives) {
  return alternatives.every(({ elements: [first] }) =>
    first?.type === 'Group' || first?.type === 'CapturingGroup'
      ? isAnchored(first.alternatives)
      : isStart(first),
  );
}

function automatonOf(pattern, flags) {
  const isUnicode = /[uv]/.test(flags);
  const ast = new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode: isUnicode });
  const automaton = new Automaton(flags);
  const anchored = isAnchored(ast.alternatives);
  const hasLines = flags.includes('m');
  const all = automaton.either(ast.alternatives, true);
  if (!flags.includes('y') && !(anchored && !hasLines)) {
    const anywhere = automaton.state('[^]');
    automaton.connect([anywhere], [anywhere]);
    if (anchored) {
      const lineEnd = automaton.state('\\n');
      automaton.connect([anywhere], [lineEnd]);
      automaton.connect([lineEnd], all.first);
    } else automaton.connect([anywhere], all.first);
  }
  automaton.ends = new Set(all.last);
  return automaton;
}

/** Characters that tell the classes of an expression apart: those that it names, their neighbours, and some of each kind. */
function samplesFor(pattern) {
  const named = [...pattern].flatMap((char) => {
    const code = char.codePointAt(0);
    return [code - 1, code, code + 1].filter((one) => one >= 0).map((one) => String.fromCodePoint(one));
  });
  return [
    ...new Set([
      ...named,
      ...' \t\n\r09azAZ_-.:;,/\\$%&|<>()[]{}"\'=+*?!#@~\0',
      'é',
      'µ',
      '中',
      '\u2028',
      '\u{1f600}',
    ]),
  ];
}

/** Of each state the samples that it reads, as bits; samples that all states treat alike are one. */
function labelsOf({ raws, flags }, pattern) {
  const kept = flags.replace(/[gy]/g, '');
  const tests = raws.map((raw) => new RegExp(`^(?:${raw})$`, kept.replace('m', '')));
  const kinds = new Map();
  for (const sample of samplesFor(pattern)) {
    const reads = tests.map((test) => test.test(sample));
    kinds.set(reads.join(), reads);
  }
  return raws.map((_, state) => {
    let bits = 0n;
    [...kinds.values()].forEach((reads, kind) => {
      if (reads[state]) bits |= 1n << BigInt(kind);
    });
    return bits;
  });
}

/** Of each state those that it leads to, itself where it is in a loop. */
function reachOf(follow) {
  return follow.map((next) => {
    const seen = new Set();
    const left = [...next];
    for (let state = left.pop(); state !== undefined; state = left.pop()) {
      if (seen.has(state)) continue;
      seen.add(state);
      left.push(...follow[state]);
    }
    return seen;
  });
}

/** All tuples that come of a start by reading the same text in each place, each place within its own states. */
function tuplesFrom(start, follow, labels, within) {
  const seen = new Map();
  const left = [start];
  for (let tuple = left.pop(); tuple !== undefined; tuple = left.pop()) {
    let nexts = [{ states: [], bits: -1n }];
    tuple.forEach((state, place) => {
      nexts = nexts.flatMap(({ states, bits }) =>
        [...follow[state]]
          .filter((next) => within[place](next) && (bits & labels[next]) !== 0n)
          .map((next) => ({ states: [...states, next], bits: bits & labels[next] })),
      );
    });
    for (const { states } of nexts) {
      const key = states.join();
      if (seen.has(key)) continue;
      seen.set(key, states);
      left.push(states);
    }
  }
  return seen;
}

/** Why an expression may take more than linear time, or nothing. */
export function whySlow(pattern, flags) {
  const automaton = automatonOf(pattern, flags);
  const { raws, follow, ends, isDoubled, canFailBehind } = automaton;
  if (isDoubled) return 'a loop lies directly within a loop';
  const labels = labelsOf(automaton, pattern);
  const reach = reachOf(follow);
  const loops = raws.map((_, state) => state).filter((state) => reach[state].has(state));
  const isInLoopOf = (of) => (state) => reach[of].has(state) && reach[state].has(of);
  for (const one of loops) {
    const inside = isInLoopOf(one);
    for (const [, [a, b]] of tuplesFrom([one, one], follow, labels, [inside, inside])) {
      if (a !== b && tuplesFrom([a, b], follow, labels, [inside, inside]).has([one, one].join()))
        return `${raws[a]} and ${raws[b]} read the same text in one loop`;
    }
    for (const other of loops) {
      if (other === one || inside(other) || !reach[one].has(other)) continue;
      // Behind the second loop nothing can go wrong.
      if (!canFailBehind && ends.has(other)) continue;
      const isBetween = (state) => state === other || reach[state].has(other);
      const places = [inside, isBetween, isInLoopOf(other)];
      if (tuplesFrom([one, one, other], follow, labels, places).has([one, other, other].join()))
        return `${raws[one] === '[^]' ? 'a search from every place' : raws[one]} and ${raws[other]} can read the same text`;
    }
  }
  return undefined;
}

/** The text of an argument of RegExp: constants put in, everything else taken for a plain letter. */
function textOf(node, scope) {
  if (node === undefined) return '';
  if (node.type === 'Literal') return String(node.value);
  if (node.type === 'TemplateLiteral')
    return node.quasis
      .map(
        ({ value }, at) => value.cooked + (node.expressions[at] ? textOf(node.expressions[at], scope) : ''),
      )
      .join('');
  if (node.type === 'Identifier') {
    for (let at = scope; at; at = at.upper) {
      const init = at.set.get(node.name)?.defs[0]?.node.init;
      if (
        init?.type === 'Literal' ||
        init?.type === 'TemplateLiteral' ||
        init?.type === 'TaggedTemplateExpression'
      )
        return textOf(init.type === 'TaggedTemplateExpression' ? init.quasi : init, at);
    }
  }
  return 'x';
}

export const linearRegexps = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      slow: 'Takes more than linear time: {{why}}. Make it deterministic, or read the text by hand',
    },
  },
  create(context) {
    const check = (node, pattern, flags) => {
      let why;
      try {
        why = whySlow(pattern, flags);
      } catch (error) {
        why = error.message;
      }
      if (why !== undefined) context.report({ node, messageId: 'slow', data: { why } });
    };
    const made = (node) => {
      if (node.callee.name !== 'RegExp') return;
      const scope = context.sourceCode.getScope(node);
      check(node, textOf(node.arguments[0], scope), textOf(node.arguments[1], scope));
    };
    return {
      Literal(node) {
        if (node.regex) check(node, node.regex.pattern, node.regex.flags);
      },
      NewExpression: made,
      CallExpression: made,
    };
  },
};
