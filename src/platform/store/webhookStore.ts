/** A webhook that has not been delivered yet. */
export interface WebhookDelivery {
  readonly id: number;
  readonly jobId: string;
  /** Account of the job's queue. Empty if it is unknown. */
  readonly accountId: string;
  readonly url: string;
  /** Body as JSON. */
  readonly body: string;
  /** Number of failed attempts. */
  readonly attempts: number;
  readonly dueAt: number;
}

/** A pending webhook without its body, which can be long and is read only when it is sent. */
export interface WaitingWebhook extends Omit<WebhookDelivery, 'body'> {
  /** Origin of the URL. */
  readonly receiver: string;
}

/** Pending webhooks. They are stored in the transaction of the change that they report, so that none is lost. */
export interface WebhookStore {
  insert(delivery: Omit<WebhookDelivery, 'id' | 'attempts'>): void;
  /** Returns the delivery that is due first, except the given IDs and receivers. */
  next(except?: { readonly ids: readonly number[]; readonly receivers: readonly string[] }): WaitingWebhook | undefined;
  /** @throws Error if the delivery does not exist */
  body(id: number): string;
  /** Counts a failed attempt, and sets the time of the next one. */
  postpone(id: number, dueAt: number): void;
  /** Moves later deliveries forward to this time. */
  limitDueAt(latest: number): void;
  delete(id: number): void;
}
