import type { Rule } from 'eslint';

export const testTime: Rule.RuleModule;
