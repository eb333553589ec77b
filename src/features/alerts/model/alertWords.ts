import { duration } from '../../../text/quantities.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import { cents } from '../../../account/prices/money.ts';
import type { AlertCondition, AlertNotice } from '../../../contract/alerts.ts';
import type { AlertEvent } from './evaluate.ts';

/* Sentences about the conditions of endpoints. */

type Told = Pick<AlertEvent, 'event' | 'condition' | 'value' | 'bound'>;

/** Describes an event in one sentence, such as `“hello” failed 5 times in a row.` */
export function alertWords(event: Told, endpointName: string): ShownText {
  return event.event === 'fired' ? firedWords(event, endpointName) : resolvedWords(event.condition, endpointName);
}

function firedWords({ condition, value, bound }: Told, name: string): ShownText {
  switch (condition) {
    case 'failuresInARow':
      return value === 1 ? shown`“${name}” failed.` : shown`“${name}” failed ${value} times in a row.`;
    case 'p99':
      return shown`“${name}” is slow: the 99th percentile is ${seconds(value)}, over ${seconds(bound)}.`;
    case 'queueStuck':
      return shown`The queue of “${name}” is stuck: jobs have waited for ${duration(value)}, and none has started.`;
    case 'crashLoop':
      return shown`${value} workers of “${name}” crashed within 10 minutes.`;
    case 'spendPerHour':
      return shown`“${name}” costs ${cents(value)} per hour, over ${cents(bound)}.`;
  }
}

function resolvedWords(condition: AlertCondition, name: string): ShownText {
  switch (condition) {
    case 'failuresInARow':
      return shown`“${name}” works again.`;
    case 'p99':
      return shown`“${name}” is no longer slow.`;
    case 'queueStuck':
      return shown`The queue of “${name}” is no longer stuck.`;
    case 'crashLoop':
      return shown`The workers of “${name}” no longer crash.`;
    case 'spendPerHour':
      return shown`The cost of “${name}” is no longer over the bound.`;
  }
}

function seconds(value: number): string {
  return value < 60 ? `${Number(value.toPrecision(3))} s` : duration(value);
}

/** Where an event happened. */
interface AlertPlace {
  readonly endpointId: string;
  readonly endpointName: string;
  readonly platform: string;
  /** Path of the manifest. */
  readonly file: string;
}

/** Returns the notice of an event. Its ID depends only on the event, so that a receiver recognizes a repetition. */
export function alertNotice(event: AlertEvent, place: AlertPlace): AlertNotice {
  const { condition, value, bound } = event;
  const since = new Date(event.since).toISOString();
  return {
    id: `${place.endpointId}/${condition}/${since}/${event.event}`,
    event: event.event,
    condition,
    ...place,
    ...{ value, bound, since },
    at: new Date(event.at).toISOString(),
    message: alertWords(event, place.endpointName).text,
  };
}
