/** A finding: a conclusion from a trace, with its evidence. docs/EXTENDING.md says how to add a rule that makes them. */
import type { FindingContext } from './context.js';

/** `error`: the program cannot go on. `warning`: it loses time, or figures mislead. `note`: good to know. */
export type Severity = 'error' | 'warning' | 'note';

/** A text by its key in `findingTexts`. `{name}` in the text is replaced by `values.name`. */
export interface FindingText {
  readonly key: string;
  readonly values: Readonly<Record<string, string | number>>;
}

/** A place that shows why the finding is true. */
export interface Evidence {
  /** Thread index. */
  readonly thread?: number;
  readonly beginNs?: number;
  readonly endNs?: number;
  readonly method?: number;
  /** Absent: not known. */
  readonly line?: number;
}

export interface Finding {
  /** That of its rule. */
  readonly id: string;
  readonly severity: Severity;
  readonly title: FindingText;
  readonly explanation: FindingText;
  readonly nextStep?: FindingText;
  /** Of the range's length; above 1 if several threads lost it at the same time. */
  readonly shareOfTime?: number;
  /**
   * What comes first among findings of one severity: the share of the range that it took from the one thread that
   * matters most, times `FindingContext.weightOf`. Absent: `shareOfTime`.
   */
  readonly rank?: number;
  /** `estimated`: it rests on what was seen shortly before or after. Absent: it was observed. */
  readonly certainty?: 'observed' | 'estimated';
  readonly evidence: readonly Evidence[];
}

/**
 * Finds what it is named after. Takes time in proportion to the trace's columns, and makes no object for each row: all
 * rules together shall take less than 300 ms for a million samples.
 */
export interface FindingRule {
  readonly id: string;
  /** English, by key. Each key begins with `finding.<id>.`. */
  readonly texts: Readonly<Record<string, string>>;
  find(context: FindingContext): Finding[];
}

/** At most this much evidence is listed with a finding. */
export const mostEvidence = 16;

/** At most so many findings of one rule are told. */
export const mostOfRule = 5;
