import { serve } from './serve.mjs';

/** Not safe: a retry charges the customer again, because nothing tells the payment service that it is the same charge. */
await serve(async ({ input }) => {
  const response = await fetch(`${process.env.PAYMENTS_URL}/charges`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ customer: input.customer, cents: input.cents }),
  });
  const { id } = await response.json();
  return { charge: id };
});
