import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** Returns what a client can do. Clients of the protocol from 2026 state it in each request, and older ones once. */
export function capabilitiesOf(server: McpServer, { mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: Partial<Record<string, unknown>> = mcpReq.envelope ?? {};
  const stated = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return stated ?? initialCapabilities(server);
}

/** Returns what an older client stated when it connected. */
export function initialCapabilities({ server }: McpServer): ClientCapabilities | undefined {
  // oxlint-disable-next-line typescript/no-deprecated -- the only source for clients of the protocol before 2026
  return server.getClientCapabilities();
}
