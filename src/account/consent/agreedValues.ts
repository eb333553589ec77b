import type { SentReference } from './trustDecision.ts';

/** The references to whose values the user has agreed, by connection ID. Each is `kind:name`. */
export type AgreedValues = Readonly<Record<string, readonly string[]>>;

/** Returns the references to whose values the user has not agreed for this connection. */
export function notAgreed(
  agreed: AgreedValues,
  connectionId: string,
  references: readonly SentReference[],
): readonly SentReference[] {
  const known = new Set(Object.hasOwn(agreed, connectionId) ? agreed[connectionId] : []);
  return references.filter((reference) => !known.has(keyOf(reference)));
}

/** Adds references to those of a connection. */
export function withAgreement(
  agreed: AgreedValues,
  connectionId: string,
  references: readonly SentReference[],
): AgreedValues {
  const known = Object.hasOwn(agreed, connectionId) ? (agreed[connectionId] ?? []) : [];
  return { ...agreed, [connectionId]: [...new Set([...known, ...references.map(keyOf)])] };
}

function keyOf({ kind, name }: SentReference): string {
  return `${kind}:${name}`;
}
