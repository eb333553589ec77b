/** A webhook that has not been delivered yet. */
export interface WebhookDelivery {
  readonly id: number;
  readonly jobId: string;
  readonly url: string;
  /** JSON */
  readonly body: string;
  /** How often it was tried in vain. */
  readonly attempts: number;
  readonly dueAt: number;
}

/** The same without its body, which may be long and is read when it is sent. */
export interface WaitingWebhook extends Omit<WebhookDelivery, 'body'> {
  /** Origin of the address; what stands before its path when it was written by an earlier version. */
  readonly receiver: string;
}

/** Webhooks on their way out: written together with what they tell, so that none is forgotten when the platform ends. */
export interface WebhookStore {
  insert(delivery: Omit<WebhookDelivery, 'id' | 'attempts'>): void;
  /** The delivery that is due first, apart from some and from all to some receivers. */
  next(except?: { readonly ids: readonly number[]; readonly receivers: readonly string[] }): WaitingWebhook | undefined;
  /** @throws Error when there is no such delivery */
  body(id: number): string;
  /** Counts a failed attempt, and sets when the next is due. */
  postpone(id: number, dueAt: number): void;
  /** What is due later than that becomes due then. */
  limitDueAt(latest: number): void;
  delete(id: number): void;
}
