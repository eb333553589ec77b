/** Returns 4 or 6 if the host name of a URL is an IP address, otherwise 0. A URL contains only valid addresses. */
export function isIP(name: string): 0 | 4 | 6 {
  if (name.includes(':')) return 6;
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(name) ? 4 : 0;
}
