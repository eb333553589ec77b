import type { AlertNotice } from '../../../contract/alerts.ts';
import { alertWords } from './alertWords.ts';
import type { AlertEvent } from './evaluate.ts';

/** Where an event happened. */
export interface AlertPlace {
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
