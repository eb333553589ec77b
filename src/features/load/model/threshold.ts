import * as l10n from '@vscode/l10n';

/** Values of a load test that thresholds limit. */
export interface Measured {
  /** Returns a latency in ms. Undefined without latencies. */
  readonly quantile: (quantile: number) => number | undefined;
  /** In ms. Undefined without latencies. */
  readonly max: number | undefined;
  readonly mean: number | undefined;
  /** Part of the arrivals that did not complete, 0 to 1. Undefined without arrivals. */
  readonly errors: number | undefined;
  /** In USD. Undefined if the price is not known. */
  readonly cost: number | undefined;
}

/** An upper bound of a value, such as `p99<2s`. */
export interface Threshold {
  readonly text: string;
  readonly metric: 'max' | 'mean' | 'errors' | 'cost' | { readonly quantile: number };
  /** In ms, as a part, or in USD. */
  readonly limit: number;
  /** Whether the limit itself violates the threshold. */
  readonly isStrict: boolean;
}

/** A threshold after a load test. */
export interface Verdict {
  readonly text: string;
  /** In ms, as a part, or in USD. Undefined: nothing was measured, which violates the threshold. */
  readonly value?: number | undefined;
  readonly holds: boolean;
}

const FORM =
  /^(p\d{1,2}(?:\.\d{1,4})?|max|mean|errors|cost)\s{0,9}(<=?)\s{0,9}(\$?)(\d{1,9}(?:\.\d{1,9})?)\s?(ms|s|min|%)?$/;
const MS = { ms: 1, s: 1_000, min: 60_000 } as const;

/** Reads a threshold. Returns what is wrong with it, as a sentence, if it is invalid. */
export function parseThreshold(text: string): Threshold | { readonly problem: string } {
  const problem = l10n.t('A threshold is like p99<2s, max<=500ms, mean<1s, errors<1%, or cost<$5.');
  const [, name = '', operator, dollar, digits, unit = ''] = FORM.exec(text.trim()) ?? [];
  if (operator === undefined) return { problem };
  const base = { text: text.trim(), isStrict: operator === '<' };
  const value = Number(digits);
  if (name === 'cost') return unit === '' ? { ...base, metric: name, limit: value } : { problem };
  if (dollar !== '') return { problem };
  if (name === 'errors') return unit === '%' ? { ...base, metric: name, limit: value / 100 } : { problem };
  if (unit !== 'ms' && unit !== 's' && unit !== 'min') return { problem };
  const metric = name === 'max' || name === 'mean' ? name : { quantile: Number(name.slice(1)) / 100 };
  return { ...base, metric, limit: value * MS[unit] };
}

/** Compares the values of a load test with thresholds. */
export function judge(thresholds: readonly Threshold[], measured: Measured): Verdict[] {
  return thresholds.map(({ text, metric, limit, isStrict }) => {
    const value = typeof metric === 'object' ? measured.quantile(metric.quantile) : measured[metric];
    return { text, value, holds: value !== undefined && (isStrict ? value < limit : value <= limit) };
  });
}
