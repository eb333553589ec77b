import type { BillingChart } from '../../../../webviews/billing/messages.ts';

/** Spend per bucket and group, in US dollars. */
export type Spend = Omit<BillingChart, 'grouping' | 'running'>;
