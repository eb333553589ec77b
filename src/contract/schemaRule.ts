import type * as z from 'zod';
import { brokenRule, type BrokenRule, type ViolationCode, type ViolationData } from './violation.ts';

/* Attaches the code and the data of a rule to a refinement of a schema. */

const KEY = 'brokenRule';

/** Returns options for `refine` that hold the message of a rule, and its code and data for `ruleOfIssue`. */
export function schemaRule<Code extends ViolationCode>(
  code: Code,
  data: ViolationData<Code>,
): { readonly error: string; readonly params: Record<string, unknown> } {
  const rule = brokenRule(code, data);
  return { error: rule.message, params: { [KEY]: rule } };
}

/** Returns an issue for `addIssue` that contains the rule. */
export function ruleIssue<Code extends ViolationCode>(code: Code, data: ViolationData<Code>) {
  const { error: message, params } = schemaRule(code, data);
  return { code: 'custom' as const, message, params };
}

/** Returns the rule of an issue from `schemaRule` or `ruleIssue`, and undefined for any other issue. */
export function ruleOfIssue({ params }: z.core.$ZodIssueCustom): BrokenRule | undefined {
  return params?.[KEY] as BrokenRule | undefined;
}
