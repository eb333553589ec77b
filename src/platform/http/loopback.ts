import { BlockList, isIPv4 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether only this machine can reach the address. */
export const isLoopback = (address: string): boolean => loopback.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

/** All interfaces. */
const ANY_ADDRESS = ['0.0.0.0', '::'];

/** Whether the address stands for all interfaces of the machine. */
export const isAnyAddress = (address: string): boolean => ANY_ADDRESS.includes(address);
