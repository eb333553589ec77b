import type * as z from 'zod';
import { brokenRule, type BrokenRule, type ViolationCode, type ViolationData } from './violation.ts';

/* How a refinement of a schema carries the code and the data of its rule. */

const KEY = 'brokenRule';

/** Options for `refine`: the message of a rule, and its code and data for `ruleOfIssue`. */
export function schemaRule<Code extends ViolationCode>(
  code: Code,
  data: ViolationData<Code>,
): { readonly error: string; readonly params: Record<string, unknown> } {
  const rule = brokenRule(code, data);
  return { error: rule.message, params: { [KEY]: rule } };
}

/** An issue for `addIssue` that carries the same. */
export function ruleIssue<Code extends ViolationCode>(code: Code, data: ViolationData<Code>) {
  const { error: message, params } = schemaRule(code, data);
  return { code: 'custom' as const, message, params };
}

/** The rule of a refinement that was written with `schemaRule`. */
export function ruleOfIssue({ params }: z.core.$ZodIssueCustom): BrokenRule | undefined {
  return params?.[KEY] as BrokenRule | undefined;
}
