import { preciseDuration } from '../../../text/quantities.ts';
import type { TuningResult, TuningRow } from '../../../webviews/tuning/messages.ts';
import type { Tuned } from '../actions/tune.ts';
import type { EndpointType } from '../../../contract/endpointSettings.ts';
import { PRESENT } from './candidates.ts';
import { proposalsOf, type Point } from './points.ts';
import { changesText, comparisonText, hardwareName, idleText, scalingText, sentence, settingChanges } from './words.ts';

/** Maximum number of rows. More are no real choice, and the proposals are always among them. */
const MAX_ROWS = 60;

/** Returns the result as the page shows it: all points, and the frontier with the present settings as rows. */
export function tuningResult(type: EndpointType, { points, frontier, present }: Tuned): TuningResult {
  const { cheapest, fastest } = proposalsOf(frontier, present);
  const isOnFrontier = frontier.some(({ candidate }) => candidate.id === PRESENT);
  const all = [...frontier, ...(present && !isOnFrontier ? [present] : [])].toSorted(
    (one, other) => one.usdPerMonth - other.usdPerMonth,
  );
  const step = Math.max(1, all.length / MAX_ROWS);
  const rows = all.filter(
    (point, index) =>
      [present, cheapest, fastest].includes(point) || Math.floor(index / step) > Math.floor((index - 1) / step),
  );
  return {
    points: points.map(({ usdPerMonth: usd, waitMs }) => ({ usd, waitMs })),
    rows: rows.map((point) => rowOf(type, point, present)),
    ...(cheapest && { cheapest: cheapest.candidate.id }),
    ...(fastest && { fastest: fastest.candidate.id }),
  };
}

function rowOf(type: EndpointType, point: Point, present: Point | undefined): TuningRow {
  const { candidate, usdPerMonth, waitMs } = point;
  const { settings, hardware } = candidate;
  return {
    ...{ id: candidate.id, usd: usdPerMonth, waitMs, wait: preciseDuration(waitMs) },
    scaling: scalingText(settings),
    workers: `${settings.min}–${settings.max}`,
    idle: idleText(type, settings),
    flashboot: settings.flashboot,
    hardware: hardwareName(hardware),
    isPresent: candidate.id === PRESENT,
    comparison: present ? sentence(comparisonText(present, point)) : '',
    changes: present ? changesText(settingChanges(type, present.candidate, candidate)) : '',
  };
}
