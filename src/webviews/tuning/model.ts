import type { TuningResult, TuningRow, TuningView } from './messages.ts';

/** State of the page. */
export interface Model {
  readonly view: TuningView;
  /** Undefined before the first results. */
  readonly result: TuningResult | undefined;
  /** ID of the row that the user chose. Undefined: the first proposal. */
  readonly chosen: string | undefined;
  /** Longest wait that the user entered, in seconds. */
  readonly targetSeconds: number | undefined;
  /** Width of the picture in pixels. */
  readonly width: number;
}

/** A row with the reason to choose it. */
export interface Proposal {
  readonly kind: 'cheapest' | 'fastest' | 'target';
  /** Undefined: no setting is better, or none meets the target. */
  readonly row: TuningRow | undefined;
}

/** Returns the proposals. The one under a target exists once the user has entered it. */
export function proposalsOf({ result, targetSeconds }: Model): readonly Proposal[] {
  const rows = result?.rows ?? [];
  const rowOf = (id: string | undefined) => rows.find((row) => row.id === id);
  return [
    { kind: 'cheapest', row: rowOf(result?.cheapest) },
    { kind: 'fastest', row: rowOf(result?.fastest) },
    ...(targetSeconds === undefined
      ? []
      : [{ kind: 'target', row: rows.find(({ waitMs }) => waitMs <= targetSeconds * 1_000) } as const]),
  ];
}

/** Returns the chosen row: that of the user, or else the first proposal, or else the present settings. */
export function chosenRow(model: Model): TuningRow | undefined {
  const { result, chosen } = model;
  return (
    result?.rows.find(({ id }) => id === chosen) ??
    proposalsOf(model).find(({ row }) => row)?.row ??
    result?.rows.find(({ isPresent }) => isPresent)
  );
}
