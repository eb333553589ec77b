/* Measured run times of the jobs of an endpoint. */

export interface RunTimes {
  /** Mean run time on all hardware, in seconds. Undefined: no job was measured. */
  readonly seconds: number | undefined;
  /** Mean number of jobs a day. */
  readonly jobsPerDay: number;
  /** Mean run times in seconds, by `hardwareKey`. */
  readonly byHardware: ReadonlyMap<string, number>;
}

export const NO_RUN_TIMES: RunTimes = { seconds: undefined, jobsPerDay: 0, byHardware: new Map() };

interface Hardware {
  readonly kind: 'gpu' | 'cpu';
  readonly id: string;
  readonly count: number;
}

export function hardwareKey({ kind, id, count }: Hardware): string {
  return `${kind} ${id} ${count}`;
}

/** Returns the run time on hardware, or else the one on other hardware. */
export function runTimeOn(
  { seconds, byHardware }: RunTimes,
  hardware: Hardware,
): { readonly seconds: number | undefined; readonly isMeasured: boolean } {
  const measured = byHardware.get(hardwareKey(hardware));
  return { seconds: measured ?? seconds, isMeasured: measured !== undefined };
}
